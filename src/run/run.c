/*-------------------------------------------------------------------------
 *
 * run.c
 *	  One run, from its specification to its results, as the leader sees it.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/run/run.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "cpu/clock.h"
#include "run/run.h"
#include "run/settings.h"

SpbSettings spb_settings;

/*
 * Freeze the settings into a specification.  What is left is for the caller,
 * who knows the arguments.
 */
void
spb_run_spec_init(SpbRunSpec *spec, const SpbWorkload *workload)
{
	memset(spec, 0, sizeof(*spec));
	strlcpy(spec->workload, workload->name, sizeof(spec->workload));
	strlcpy(spec->lock, spb_settings.lock->label, sizeof(spec->lock));
	strlcpy(spec->queue, spb_settings.queue->label, sizeof(spec->queue));
	spec->acquisitions = spb_settings.acquisitions;
	spec->critical_section_lines = spb_settings.critical_section_lines;
	spec->stuck_timeout_ms = spb_settings.stuck_timeout_ms;
}

/* Reserve "count" times "size" bytes, beginning on a cache line. */
static Size
reserve(Size *total, Size count, Size size)
{
	Size		at = add_size(*total, SPB_CACHE_LINE - 1) & ~(Size) (SPB_CACHE_LINE - 1);

	*total = add_size(at, mul_size(count, size));
	return at;
}

/* The server's message says that a segment cannot be had, not what to do. */
static void
hint_at_size(void *arg)
{
	errhint("Use a smaller queue_size or fewer workers, or give more space to what \"dynamic_shared_memory_type\" uses (for posix on Linux, /dev/shm).");
}

/*
 * Create the segment of a run, with everything in it but what its participants
 * write themselves.
 */
static dsm_segment *
create_segment(const SpbRunSpec *spec, const SpbLockOps *lock,
			   const SpbQueueOps *queue, const char *message)
{
	SpbRunHeader layout = {0};
	SpbRunHeader *header;
	SpbParticipant *participants;
	const SpbCpuList *cpus = spb_settings.cpus;
	int			nparticipants = spec->nworkers + 1;
	int			nlines = Max(spec->critical_section_lines, 1);
	Size		total = 0;
	dsm_segment *seg;
	ErrorContextCallback context;

	Assert(lock->size(nparticipants) <= sizeof(((SpbLine *) NULL)->lock));

	(void) reserve(&total, 1, sizeof(SpbRunHeader));
	layout.message_at = reserve(&total, 1, spec->message_size);
	layout.participants_at = reserve(&total, nparticipants, sizeof(SpbParticipant));
	layout.lines_at = reserve(&total, nlines, sizeof(SpbLine));
	(void) reserve(&total, 1, SPB_REDZONE);
	layout.queue_stride = add_size(spec->queue_size, SPB_REDZONE + SPB_CACHE_LINE - 1) &
		~(Size) (SPB_CACHE_LINE - 1);
	layout.queues_at = reserve(&total, spec->nqueues, layout.queue_stride);

	context.previous = error_context_stack;
	context.callback = hint_at_size;
	context.arg = NULL;
	error_context_stack = &context;
	seg = dsm_create(total, DSM_CREATE_NULL_IF_MAXSEGMENTS);
	error_context_stack = context.previous;
	if (seg == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("too many dynamic shared memory segments"),
				 errhint("Their number follows from \"max_connections\" and \"max_worker_processes\": raise one of them, or wait until other sessions have finished.")));

	header = dsm_segment_address(seg);
	memset(header, 0, layout.queues_at);
	*header = layout;
	memcpy((char *) header + layout.message_at, message, spec->message_size);
	header->magic = SPB_RUN_MAGIC;
	header->spec = *spec;
	header->database = MyDatabaseId;
	header->user = GetAuthenticatedUserId();
	header->leader = MyProc;
	pg_atomic_init_u32(&header->started, 0);
	pg_atomic_init_u32(&header->enough, 0);
	pg_atomic_init_u32(&header->stopping, 0);

	participants = (SpbParticipant *) ((char *) header + layout.participants_at);
	for (int i = 0; i < nparticipants; i++)
	{
		pg_atomic_init_u32(&participants[i].state, SPB_STARTING);
		pg_atomic_init_u32(&participants[i].sleeps_for_lock, 0);
		participants[i].pin_to = cpus != NULL && cpus->count > 0 ?
			cpus->cpus[i % cpus->count] : -1;
	}

	lock->init((char *) header + layout.lines_at, nparticipants);
	for (int i = 0; i < spec->nqueues; i++)
		queue->create((char *) header + layout.queues_at + i * layout.queue_stride,
					  spec->queue_size, lock);
	return seg;
}

static void
cleanup_on_detach(dsm_segment *seg, Datum arg)
{
	spb_kill_workers((SpbRun *) DatumGetPointer(arg));
}

/*
 * Has every worker published its counters?  One that was terminated after the
 * last message had come back has not.
 */
static void
check_finished(SpbRun *run)
{
	for (int i = 1; i <= run->spec->nworkers; i++)
		if (pg_atomic_read_u32(&run->participants[i].state) != SPB_FINISHED)
			spb_worker_failed(run);
}

/*
 * Were there as many increments of each counter in the critical section as
 * acquisitions of the lock?  If not, it let two participants in at once.
 */
static void
check_critical_section(SpbRun *run)
{
	uint64		acquisitions = 0;

	for (int i = 0; i <= run->spec->nworkers; i++)
		acquisitions += run->participants[i].acquisitions;
	for (int i = 0; i < run->spec->critical_section_lines; i++)
		if (run->lines[i].counter != acquisitions)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("lock \"%s\" failed: updates made under it were lost",
							run->spec->lock),
					 errdetail("The counter of line %d is " UINT64_FORMAT " after " UINT64_FORMAT " acquisitions.",
							   i + 1, run->lines[i].counter, acquisitions)));
}

/* What is measured: from the start line until the workload is done. */
static void
measure(SpbRun *run)
{
	SpbMachineLoad before;
	SpbMachineLoad after;
	uint64		start_ns;

	spb_machine_load(&before);
	spb_begin(run);
	/* in this order: a run is not over before its time */
	start_ns = spb_clock_ns();
	spb_deadline_set(run->spec->duration_ms);

	pg_atomic_write_u32(&run->header->started, 1);
	for (int i = 1; i <= run->spec->nworkers; i++)
		SetLatch(&run->participants[i].proc->procLatch);
	run->workload->lead(run);

	run->elapsed_ns = spb_clock_ns() - start_ns;
	spb_deadline_clear();
	spb_machine_load(&after);

	run->machine.known = before.known && after.known;
	run->machine.busy_ms = after.busy_ms - before.busy_ms;
	run->machine.stolen_ms = after.stolen_ms - before.stolen_ms;
}

/*
 * Execute one run.  On return all workers have gone, what can be checked has
 * been checked, and *run holds the results; the segment is still mapped, to be
 * detached by the caller.
 *
 * Raises an error if anything goes wrong: then, too, no worker is left, the
 * segment is gone, and the CPU affinity of this process is what it was.
 */
void
spb_run(SpbRun *run, const SpbRunSpec *spec, const SpbWorkload *workload,
		const char *message)
{
	SpbLockChoice lock;
	SpbLabelProblem problem;
	dsm_segment *seg;

	memset(run, 0, sizeof(*run));
	run->workload = workload;
	if (!spb_lock_choose(spec->lock, &lock, &problem))
		elog(ERROR, "lock \"%s\" is not in this build", spec->lock);
	seg = create_segment(spec, lock.ops, spb_queue_by_label(spec->queue), message);
	run->seg = seg;

	/*
	 * If this session is terminated, only this callback runs; if there is an
	 * error, it is run by the dsm_detach() below.
	 */
	on_dsm_detach(seg, cleanup_on_detach, PointerGetDatum(run));
	PG_TRY();
	{
		spb_join(run, seg, 0);
		workload->prepare(run);
		spb_launch(run);
		spb_await_ready(run);
		measure(run);
		pg_atomic_write_u32(&run->header->stopping, 1);
		spb_end(run);
		spb_await_gone(run);
		check_finished(run);
		check_critical_section(run);
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		spb_deadline_clear();
		pg_atomic_write_u32(&run->header->stopping, 1);
		dsm_detach(seg);
		spb_await_gone(run);
		spb_pin_restore(&run->affinity);
		RESUME_INTERRUPTS();
		PG_RE_THROW();
	}
	PG_END_TRY();

	cancel_on_dsm_detach(seg, cleanup_on_detach, PointerGetDatum(run));
	spb_pin_restore(&run->affinity);
}
