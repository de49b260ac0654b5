/*-------------------------------------------------------------------------
 *
 * launch.c
 *	  The leader's view of its workers: start them, await them, end them.
 *
 * What must hold whatever happens: no worker outlives its run.  When all goes
 * well they come to an end by themselves, as their queues are detached one
 * after the other.  Until then an on_dsm_detach callback terminates them,
 * since a worker that waits for one that never started would wait for ever.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/run/launch.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/memutils.h"

#include "compat.h"
#include "cpu/clock.h"
#include "run/run.h"

/*
 * How long an aborted run waits for its workers, in nanoseconds.  They need
 * milliseconds; who needs longer than this is not going to be waited for.
 */
#define GONE_TIMEOUT_NS UINT64CONST(10000000000)

/*
 * Terminate all workers.  Harmless for those that have ended.
 */
void
spb_kill_workers(SpbRun *run)
{
	for (int i = 0; i < run->nhandles; i++)
		TerminateBackgroundWorker(run->handles[i]);
}

/*
 * Register the workers of a run.
 *
 * The handles live as long as the transaction: the callback that uses them
 * runs when the segment is detached, at the latest at its end.
 */
void
spb_launch(SpbRun *run)
{
	BackgroundWorker worker;
	int			nworkers = run->spec->nworkers;

	memset(&worker, 0, sizeof(worker));
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_ConsistentState;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(worker.bgw_library_name, "spinbench", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, "spb_worker_main",
			sizeof(worker.bgw_function_name));
	strlcpy(worker.bgw_type, "spinbench worker", sizeof(worker.bgw_type));
	worker.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(run->seg));
	worker.bgw_notify_pid = MyProcPid;

	run->handles = MemoryContextAlloc(TopTransactionContext,
									  sizeof(BackgroundWorkerHandle *) * Max(nworkers, 1));
	for (int number = 1; number <= nworkers; number++)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(TopTransactionContext);
		bool		registered;

		snprintf(worker.bgw_name, sizeof(worker.bgw_name),
				 "spinbench worker %d of PID %d", number, MyProcPid);
		memcpy(worker.bgw_extra, &number, sizeof(number));
		registered = RegisterDynamicBackgroundWorker(&worker,
													 &run->handles[run->nhandles]);
		MemoryContextSwitchTo(oldcontext);
		if (!registered)
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
					 errmsg("too few background worker slots for %d workers", nworkers),
					 errdetail("%d could be registered.", run->nhandles),
					 errhint("Set \"max_worker_processes\" to at least %d (now %d) and restart the server, or use fewer workers.",
							 max_worker_processes + nworkers - run->nhandles,
							 max_worker_processes)));
		run->nhandles++;
	}
}

/* A worker that has ended, or NULL while all run or have yet to start. */
static SpbParticipant *
ended_worker(SpbRun *run)
{
	for (int i = 0; i < run->nhandles; i++)
	{
		pid_t		pid;
		BgwHandleStatus status = GetBackgroundWorkerPid(run->handles[i], &pid);

		if (status == BGWH_STOPPED || status == BGWH_POSTMASTER_DIED)
			return &run->participants[i + 1];
	}
	return NULL;
}

/* Has a worker ended, in whatever way? */
bool
spb_worker_ended(SpbRun *run)
{
	return ended_worker(run) != NULL;
}

static bool
all_ready(SpbRun *run)
{
	for (int i = 1; i <= run->spec->nworkers; i++)
		if (pg_atomic_read_u32(&run->participants[i].state) == SPB_STARTING)
			return false;
	return true;
}

/*
 * Wait until every worker is at the start line.  An error if one of them does
 * not get there.
 */
void
spb_await_ready(SpbRun *run)
{
	static uint32 wait_event = 0;

	while (!all_ready(run))
	{
		if (ended_worker(run) != NULL)
			spb_worker_failed(run);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1L,
						 spb_wait_event(&wait_event, "SpinbenchReady"));
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	pg_read_barrier();
}

static bool
all_gone(SpbRun *run)
{
	for (int i = 0; i < run->nhandles; i++)
	{
		pid_t		pid;
		BgwHandleStatus status = GetBackgroundWorkerPid(run->handles[i], &pid);

		if (status != BGWH_STOPPED && status != BGWH_POSTMASTER_DIED)
			return false;
	}
	return true;
}

/*
 * Wait until every worker has really gone and its slot is free, so that the
 * next run finds it so.
 *
 * While interrupts are held off (an aborted run cleaning up), gives up after
 * a time limit instead of being interruptible.
 */
void
spb_await_gone(SpbRun *run)
{
	static uint32 wait_event = 0;
	uint64		since = spb_clock_ns();

	while (!all_gone(run))
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 100L, spb_wait_event(&wait_event, "SpinbenchGone"));
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		if (InterruptHoldoffCount > 0 && spb_clock_ns() - since > GONE_TIMEOUT_NS)
			break;
	}
	pg_read_barrier();
}

/*
 * A worker has ended before its time.  Raise the error that ended it: like
 * everything it wrote, its text was in the segment before anybody could see
 * the worker go.
 */
void
spb_worker_failed(SpbRun *run)
{
	SpbParticipant *failed = NULL;
	int			number;
	int			sqlstate;

	pg_read_barrier();
	for (int i = 1; i <= run->spec->nworkers && failed == NULL; i++)
		if (run->participants[i].sqlstate != 0)
			failed = &run->participants[i];

	if (failed == NULL)
	{
		failed = ended_worker(run);
		if (failed == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("a worker of the run ended unexpectedly"),
					 errhint("The server log may say why.")));
		number = (int) (failed - run->participants);
		if (failed->pid == 0)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("worker %d could not be started", number),
					 errhint("The server log may say why.")));
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("worker %d (PID %d) ended unexpectedly", number, failed->pid),
				 errhint("The server log may say why.")));
	}

	/*
	 * A terminated worker does not mean that this session was, which is what
	 * clients take admin_shutdown for.
	 */
	sqlstate = failed->sqlstate == ERRCODE_ADMIN_SHUTDOWN ?
		ERRCODE_OPERATOR_INTERVENTION : failed->sqlstate;
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("%s", failed->message),
			 failed->detail[0] ? errdetail("%s", failed->detail) : 0,
			 failed->hint[0] ? errhint("%s", failed->hint) : 0,
			 errcontext("spinbench worker %d, PID %d",
						(int) (failed - run->participants), failed->pid)));
}
