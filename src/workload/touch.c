/*-------------------------------------------------------------------------
 *
 * touch.c
 *	  A lock that ordinary sessions contend for: spinbench_touch().
 *
 * A run makes its own participants; here they are the backends of pgbench or
 * of an application.  The model is pg_stat_statements: an entry in shared
 * memory with counters beside the spinlock that guards them, which every
 * query visits.  With spinbench.track_planning each planning does so, as that
 * extension does with its setting of this name; so any lock can be judged by
 * the transactions per second of a real load.
 *
 * Sessions may choose different locks, which must not meet in one word: each
 * lock of this build has entries of its own, for as long as the server runs.
 * There is room for all of them, so that nobody who may choose a lock can use
 * up what is left for others, or fails to plan a query for want of memory.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/workload/touch.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "optimizer/planner.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "run/memory.h"
#include "run/settings.h"
#include "workload/touch.h"

/*
 * An entry of pg_stat_statements has its counters on 4 to 8 cache lines,
 * depending on the release.
 */
#define MAX_LINES 8

/* The lines of one entry follow each other. */
#define ENTRIES_SIZE (SPB_MAX_ENTRIES * MAX_LINES * sizeof(SpbLine))

/* The lock that this session has used last. */
static const SpbLockOps *last_lock = NULL;
static SpbLine *last_entries;
static SpbWaiter waiter;

static planner_hook_type next_planner_hook = NULL;

/* Whoever may be asked to wait: locks want to know how many there can be. */
static int
num_participants(void)
{
	return (int) ProcGlobal->allProcCount;
}

static int
my_number(void)
{
	return (int) (MyProc - ProcGlobal->allProcs);
}

static Size
entries_size(void)
{
	return (Size) spb_num_locks() * (ENTRIES_SIZE + sizeof(bool)) + SPB_CACHE_LINE;
}

static SpbLine *
entries_of(void *memory, int lock)
{
	return (SpbLine *) (TYPEALIGN(SPB_CACHE_LINE, memory) + lock * ENTRIES_SIZE);
}

/*
 * Behind all entries: which locks' are initialized.  The others are not touched:
 * where the module is preloaded, what is not touched takes no memory, 64 kB for
 * each of some hundred locks.
 */
static bool *
initialized_in(void *memory)
{
	return (bool *) entries_of(memory, spb_num_locks());
}

static void
init_memory(void *memory)
{
	memset(initialized_in(memory), false, spb_num_locks() * sizeof(bool));
}

static SpbMemory memory = {
	.name = "spinbench entries",
	.size = entries_size,
	.init = init_memory
};

/*
 * The entries of the session's lock.  How it waits is the session's affair.
 */
static SpbLine *
my_entries(void)
{
	const SpbLockChoice *lock = spb_settings.lock;
	int			number = spb_lock_number(lock);
	void	   *all = spb_find_memory(&memory);
	SpbLine    *lines = entries_of(all, number);
	bool	   *initialized = initialized_in(all) + number;

	if (lock->ops->size(num_participants()) > sizeof(lines->lock))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("lock \"%s\" is too large for an entry", lock->label)));

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	if (!*initialized)
	{
		memset(lines, 0, ENTRIES_SIZE);
		for (int i = 0; i < SPB_MAX_ENTRIES; i++)
			lock->ops->init(lines + i * MAX_LINES, num_participants());
		*initialized = true;
	}
	LWLockRelease(AddinShmemInitLock);
	return lines;
}

/* As all waits in the server: what is held off does not end it. */
static bool
interrupted(SpbWaiter *waiter)
{
	return InterruptPending && (ProcDiePending || QueryCancelPending) &&
		INTERRUPTS_CAN_BE_PROCESSED();
}

/* Be ready for the lock of the settings: its entries, and a waiter for it. */
static void
prepare(void)
{
	const SpbLockChoice *lock = spb_settings.lock;

	if (last_lock != lock->ops)
	{
		last_lock = NULL;
		last_entries = my_entries();
		last_lock = lock->ops;
		waiter.number = -1;
	}
	if (waiter.number != my_number() || waiter.waiting != lock->waiting)
		spb_waiter_init(&waiter, my_number(), lock->waiting, 0);
	waiter.stuck_timeout_ns = (uint64) spb_settings.stuck_timeout_ms * 1000000;
	waiter.should_stop = interrupted;
}

static void
wait_ended(void)
{
	/* a cancel or a termination says so itself, unless it is ignored */
	CHECK_FOR_INTERRUPTS();
	if (waiter.end != SPB_WAIT_STUCK)
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("the wait for lock \"%s\" was canceled",
						spb_settings.lock->label)));
	ereport(ERROR,
			(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
			 errmsg("lock \"%s\" is stuck", spb_settings.lock->label),
			 errdetail("It was waited for for longer than \"spinbench.stuck_timeout\" (%d ms).",
					   spb_settings.stuck_timeout_ms),
			 errhint("If the lock works, raise \"spinbench.stuck_timeout\" or spread the sessions over more \"spinbench.entries\".")));
}

/* Take and release the lock of an entry "times" times. */
static void
touch(uint64 times)
{
	int			nlines = Max(spb_settings.critical_section_lines, 1);
	SpbLine    *entry;

	if (nlines > MAX_LINES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an entry has %d cache lines only", MAX_LINES),
				 errhint("Set \"spinbench.critical_section_lines\" to at most %d (now %d).",
						 MAX_LINES, nlines)));
	prepare();
	entry = last_entries + my_number() % spb_settings.entries * MAX_LINES;

	while (times > 0)
	{
		/* between two looks for interrupts: some tenths of a millisecond */
		uint64		now = Min(times, 1000);

		if (spb_settings.lock->ops->hammer(entry, nlines, &waiter, now) < now)
			wait_ended();
		times -= now;
		CHECK_FOR_INTERRUPTS();
	}
}

PG_FUNCTION_INFO_V1(spinbench_touch);

/*
 * spinbench_touch(times int8) returns int8
 *
 * Returns how many of the acquisitions did not succeed at once.
 */
Datum
spinbench_touch(PG_FUNCTION_ARGS)
{
	int64		times = PG_GETARG_INT64(0);

	if (times < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the number of acquisitions must not be negative")));
	prepare();
	waiter.count.contended = 0;
	touch((uint64) times);
	PG_RETURN_INT64((int64) waiter.count.contended);
}

PG_FUNCTION_INFO_V1(spinbench_entries);

/*
 * spinbench_entries() returns setof record
 *
 * The entries of the lock of spinbench.lock:
 *
 *	entry			from 0
 *	acquisitions	as its counter says: fewer than there were if the lock does
 *					not exclude
 */
Datum
spinbench_entries(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	prepare();
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < SPB_MAX_ENTRIES; i++)
	{
		Datum		values[2];
		bool		nulls[2] = {0};
		volatile uint64 *counter = &last_entries[i * MAX_LINES].counter;

		values[0] = Int32GetDatum(i);
		values[1] = Int64GetDatum(*counter);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

static PlannedStmt *
plan_and_touch(SPB_PLANNER_PARAMETERS)
{
	PlannedStmt *result = next_planner_hook ?
	next_planner_hook(SPB_PLANNER_ARGUMENTS) :
	standard_planner(SPB_PLANNER_ARGUMENTS);

	if (spb_settings.track_planning)
		touch(1);
	return result;
}

/*
 * In the postmaster, when the module is preloaded.
 */
void
spb_touch_init(void)
{
	spb_reserve_memory(&memory);
	next_planner_hook = planner_hook;
	planner_hook = plan_and_touch;
}
