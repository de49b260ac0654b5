/*-------------------------------------------------------------------------
 *
 * participant.c
 *	  What leader and workers alike do in a run.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/run/participant.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "compat.h"
#include "cpu/clock.h"
#include "run/run.h"

static void *
queue_address(SpbRun *run, int queue)
{
	Assert(queue >= 0 && queue < run->spec->nqueues);
	return (char *) run->header + run->header->queues_at +
		queue * run->header->queue_stride;
}

/* For the sanitizers: nothing belongs between two queues. */
static void
keep_queues_apart(SpbRun *run)
{
	spb_forbid(run->seg, (char *) queue_address(run, 0) - SPB_REDZONE, SPB_REDZONE);
	for (int i = 0; i < run->spec->nqueues; i++)
		spb_forbid(run->seg, (char *) queue_address(run, i) + run->spec->queue_size,
				   run->header->queue_stride - run->spec->queue_size);
}

/*
 * A wait for the lock has come to its limit: go on only while nobody has asked
 * this process or the whole run to stop.
 */
static bool
should_stop(SpbWaiter *waiter)
{
	SpbRun	   *run = waiter->arg;

	return (InterruptPending && (ProcDiePending || QueryCancelPending)) ||
		pg_atomic_read_u32(&run->header->stopping) != 0;
}

static void
on_wait(SpbWaiter *waiter, bool begins)
{
	SpbRun	   *run = waiter->arg;

	pg_atomic_write_u32(&run->me->sleeps_for_lock, begins);
}

/*
 * Take part in the run whose segment this is: find everything in it and pin
 * this process, if it is to be pinned.
 */
void
spb_join(SpbRun *run, dsm_segment *seg, int number)
{
	static uint32 wait_event = 0;
	SpbLabelProblem problem;

	run->seg = seg;
	run->header = dsm_segment_address(seg);
	run->spec = &run->header->spec;
	run->participants = (SpbParticipant *)
		((char *) run->header + run->header->participants_at);
	run->message = (char *) run->header + run->header->message_at;
	run->lines = (SpbLine *) ((char *) run->header + run->header->lines_at);
	run->number = number;
	run->me = &run->participants[number];
	run->queue = spb_queue_by_label(run->spec->queue);
	if (!spb_lock_choose(run->spec->lock, &run->lock, &problem) ||
		run->queue == NULL)
		elog(ERROR, "lock \"%s\" or queue \"%s\" is not in this build",
			 run->spec->lock, run->spec->queue);

	spb_waiter_init(&run->waiter, number, run->lock.waiting,
					(uint64) run->spec->stuck_timeout_ms * 1000000);
	run->waiter.should_stop = should_stop;
	run->waiter.on_wait = on_wait;
	run->waiter.arg = run;

	run->queue_user.lock = run->lock.ops;
	run->queue_user.waiter = run->waiter;
	run->queue_user.waiter.on_wait = NULL;
	run->queue_user.wait_ended = spb_wait_ended;
	run->queue_user.wait_event = spb_wait_event(&wait_event, "SpinbenchQueue");

	keep_queues_apart(run);
	run->me->proc = MyProc;
	run->me->pid = MyProcPid;
	if (run->me->pin_to >= 0 && !spb_pin_to(run->me->pin_to, &run->affinity))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("could not pin process %d to CPU %d: %m",
						MyProcPid, run->me->pin_to),
				 errhint("Change \"spinbench.cpus\" to CPUs that this server may use.")));
}

static void *
attach(SpbRun *run, int queue, bool sends)
{
	void	   *handle = run->queue->attach(queue_address(run, queue), run->seg,
											&run->queue_user, sends);

	run->attached = lappend(run->attached, handle);
	return handle;
}

/*
 * Become the sender or receiver of a queue of this run, until the run is over.
 */
void *
spb_attach_sender(SpbRun *run, int queue)
{
	return attach(run, queue, true);
}

void *
spb_attach_receiver(SpbRun *run, int queue)
{
	return attach(run, queue, false);
}

/*
 * The run starts for this participant: from here on its CPU time counts.
 */
void
spb_begin(SpbRun *run)
{
	if (run->lock.ops->begin)
	{
		run->lock.ops->begin(&run->waiter);
		run->lock.ops->begin(&run->queue_user.waiter);
	}
	spb_process_load(&run->load_at_start);
	run->me->begin_ns = spb_clock_ns();
}

/*
 * The run is over for this participant: publish what it has counted, and let
 * go of its queues so that its neighbours come to an end, too.
 */
void
spb_end(SpbRun *run)
{
	SpbParticipant *me = run->me;
	SpbProcessLoad now;
	ListCell   *cell;

	me->end_ns = spb_clock_ns();
	spb_process_load(&now);
	me->load.cpu_ns = now.cpu_ns - run->load_at_start.cpu_ns;
	me->load.voluntary = now.voluntary - run->load_at_start.voluntary;
	me->load.involuntary = now.involuntary - run->load_at_start.involuntary;
	me->cpu = spb_cpu_now();

	if (run->lock.ops->finish)
		run->lock.ops->finish(&run->waiter);
	me->spin_limit = run->waiter.spin_limit;
	me->acquisitions = run->acquisitions;
	me->count = run->waiter.count;
	me->queue_count = run->queue_user.count;
	me->queue_contended = run->queue_user.waiter.count.contended;
	pg_write_barrier();
	pg_atomic_write_u32(&me->state, SPB_FINISHED);

	/* who finds a queue detached can tell by the state that all is well */
	pg_memory_barrier();
	foreach(cell, run->attached)
		run->queue->detach(lfirst(cell));
	run->attached = NIL;
}

/*
 * Who may hold the lock that this participant has waited for so long?  Spin-
 * locks do not tell, but whoever sleeps in a wait for it does not hold it.
 * Returns NULL if that leaves more than one.
 */
static SpbParticipant *
likely_holder(SpbRun *run)
{
	SpbParticipant *holder = NULL;

	/* the leader takes no lock under test */
	for (int i = 1; i <= run->spec->nworkers; i++)
	{
		SpbParticipant *other = &run->participants[i];

		if (other == run->me || pg_atomic_read_u32(&other->sleeps_for_lock) != 0)
			continue;
		if (holder != NULL)
			return NULL;
		holder = other;
	}
	return holder;
}

/*
 * A wait for the lock ended without it.  Raises the error that says why.
 */
void
spb_wait_ended(SpbWaiter *waiter)
{
	SpbRun	   *run = waiter->arg;
	SpbParticipant *holder = NULL;

	/* a cancel or a termination says so itself */
	CHECK_FOR_INTERRUPTS();

	if (waiter->end != SPB_WAIT_STUCK)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the run was stopped")));

	/* that of a queue may be held by its other end */
	if (waiter == &run->waiter)
		holder = likely_holder(run);
	ereport(ERROR,
			(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
			 errmsg("lock \"%s\" is stuck", run->spec->lock),
			 holder ?
			 errdetail("Participant %d waited for longer than \"spinbench.stuck_timeout\" (%d ms); participant %d (PID %d) may hold it.",
					   run->number, run->spec->stuck_timeout_ms,
					   (int) (holder - run->participants), holder->pid) :
			 errdetail("Participant %d waited for longer than \"spinbench.stuck_timeout\" (%d ms).",
					   run->number, run->spec->stuck_timeout_ms),
			 errhint("If the lock works, raise \"spinbench.stuck_timeout\" or use fewer workers.")));
}
