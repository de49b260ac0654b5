/*-------------------------------------------------------------------------
 *
 * counters.c
 *	  Shared memory of a patched server: the lock in force, and what waits for
 *	  it have cost.
 *
 * The postmaster writes which lock is in force when it reloads the settings,
 * and all processes see it at their next wait, whatever they are busy with.
 *
 * Each process counts on cache lines of its own, at the end of a wait: a
 * counter that all share would be waited for like a lock.  Since it does so with
 * the lock that it has waited for held, it takes as little time for that as it
 * can: nobody else writes there, so that an addition need not be atomic.  A
 * reset writes down what had been counted until then.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/counters.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "patch/patch.h"

typedef struct Shared
{
	pg_atomic_uint32 in_force;
	uint32		nlocks;
	uint32		nrows;			/* one per PGPROC, after one for who has none,
								 * and one for what a reset subtracts */
	Size		stride;			/* of the rows, in bytes */

	/* each on cache lines of its own */
	char		rows[FLEXIBLE_ARRAY_MEMBER] pg_attribute_aligned(SPB_CACHE_LINE);
} Shared;

/* NULL before there is shared memory: then nothing is counted. */
static Shared *shared = NULL;
static uint32 first_in_force = 0;

static shmem_request_hook_type next_request_hook = NULL;
static shmem_startup_hook_type next_startup_hook = NULL;

static uint32
num_rows(void)
{
	return 1 + MaxBackends + NUM_AUXILIARY_PROCS + 1;
}

static Size
row_stride(void)
{
	return TYPEALIGN(SPB_CACHE_LINE,
					 spb_num_server_locks() * sizeof(SpbServerCounters));
}

static Size
shared_size(void)
{
	/* ShmemAlloc() aligns to a cache line, but not to two of them */
	return add_size(offsetof(Shared, rows) + SPB_CACHE_LINE,
					mul_size(num_rows(), row_stride()));
}

static SpbServerCounters *
counters_of(uint32 row, uint32 number)
{
	return (SpbServerCounters *) (shared->rows + row * shared->stride) + number;
}

static void
request_shared(void)
{
	if (next_request_hook)
		next_request_hook();
	RequestAddinShmemSpace(shared_size());
}

#define NUM_COUNTERS 4

static pg_atomic_uint64 *
nth_counter(SpbServerCounters *counters, int i)
{
	pg_atomic_uint64 *const each[NUM_COUNTERS] = {
		&counters->contended, &counters->spins,
		&counters->sleeps, &counters->slept_ns
	};

	return each[i];
}

/* What a reset subtracts. */
static SpbServerCounters *
base_of(uint32 number)
{
	return counters_of(shared->nrows - 1, number);
}

/* What all processes have counted since the server has started. */
static uint64
sum_of(uint32 number, int i)
{
	uint64		sum = 0;

	for (uint32 row = 0; row < shared->nrows - 1; row++)
		sum += pg_atomic_read_u64(nth_counter(counters_of(row, number), i));
	return sum;
}

static void
init_counters(void)
{
	for (uint32 row = 0; row < shared->nrows; row++)
		for (uint32 number = 0; number < shared->nlocks; number++)
			for (int i = 0; i < NUM_COUNTERS; i++)
				pg_atomic_init_u64(nth_counter(counters_of(row, number), i), 0);
}

/* The postmaster gives its shared memory back, to make a new one. */
static void
forget_shared(int code, Datum arg)
{
	first_in_force = spb_server_lock_in_force();
	shared = NULL;
}

static void
start_shared(void)
{
	Shared	   *all;
	bool		found;

	if (next_startup_hook)
		next_startup_hook();

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	all = (Shared *) TYPEALIGN(SPB_CACHE_LINE,
							   ShmemInitStruct("spinbench server locks",
											   shared_size(), &found));
	if (!found)
	{
		pg_atomic_init_u32(&all->in_force, first_in_force);
		all->nlocks = spb_num_server_locks();
		all->nrows = num_rows();
		all->stride = row_stride();
	}
	shared = all;
	if (!found)
		init_counters();
	LWLockRelease(AddinShmemInitLock);
	on_shmem_exit(forget_shared, 0);
}

/* In the postmaster, when the module is preloaded. */
void
spb_counters_init(void)
{
	next_request_hook = shmem_request_hook;
	shmem_request_hook = request_shared;
	next_startup_hook = shmem_startup_hook;
	shmem_startup_hook = start_shared;
}

uint32
spb_server_lock_in_force(void)
{
	Shared	   *all = shared;

	return all ? pg_atomic_read_u32(&all->in_force) : first_in_force;
}

void
spb_put_in_force(uint32 number)
{
	first_in_force = number;
	if (shared)
		pg_atomic_write_u32(&shared->in_force, number);
}

static inline void
count(pg_atomic_uint64 *counter, uint64 n, bool shared_row)
{
	if (shared_row)
		pg_atomic_fetch_add_u64(counter, n);
	else
		pg_atomic_write_u64(counter, pg_atomic_read_u64(counter) + n);
}

/* Count one wait, or some. */
void
spb_count_wait(uint32 number, const SpbLockCounters *waited)
{
	SpbServerCounters *counters;
	uint32		row = 0;

	if (shared == NULL || number >= shared->nlocks)
		return;
	if (MyProc != NULL)
		row = (uint32) (MyProc - ProcGlobal->allProcs) + 1;
	if (row >= shared->nrows - 1)
		row = 0;
	counters = counters_of(row, number);

	count(&counters->contended, waited->contended, row == 0);
	count(&counters->spins, waited->spins, row == 0);
	if (waited->sleeps > 0)
	{
		count(&counters->sleeps, waited->sleeps, row == 0);
		count(&counters->slept_ns, waited->slept_ns, row == 0);
	}
}

/*
 * What SQL sees.
 */

static void
put_server_lock(ReturnSetInfo *rsinfo, const SpbServerLock *lock)
{
	uint64		counted[NUM_COUNTERS] = {0};
	Datum		values[6];
	bool		nulls[6] = {0};

	for (int i = 0; shared && i < NUM_COUNTERS; i++)
	{
		/* in this order: a later reset might subtract more than was seen */
		counted[i] = pg_atomic_read_u64(nth_counter(base_of(lock->number), i));
		pg_read_barrier();
		counted[i] = sum_of(lock->number, i) - counted[i];
	}

	values[0] = CStringGetTextDatum(lock->label);
	values[1] = BoolGetDatum(spb_server_is_patched &&
							 lock->number == spb_server_lock_in_force());
	for (int i = 0; i < 3; i++)
		values[2 + i] = Int64GetDatum((int64) counted[i]);
	values[5] = Float8GetDatum(counted[3] / 1e6);
	for (int i = 2; i < lengthof(nulls); i++)
		nulls[i] = shared == NULL;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

PG_FUNCTION_INFO_V1(spinbench_server_locks);

/*
 * spinbench_server_locks() returns setof record
 *
 * What spinbench.server_lock can be set to, and what was counted since the
 * last reset: NULL where the server is not patched.
 */
Datum
spinbench_server_locks(PG_FUNCTION_ARGS)
{
	SpbServerLock lock;

	InitMaterializedSRF(fcinfo, 0);
	for (uint32 i = 0; spb_server_lock_numbered(i, &lock); i++)
		put_server_lock((ReturnSetInfo *) fcinfo->resultinfo, &lock);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(spinbench_reset_server_locks);

/*
 * spinbench_reset_server_locks() returns void
 *
 * Sets the counters to zero.  A wait that ends meanwhile may be counted
 * partly.
 */
Datum
spinbench_reset_server_locks(PG_FUNCTION_ARGS)
{
	for (uint32 number = 0; shared && number < shared->nlocks; number++)
		for (int i = 0; i < NUM_COUNTERS; i++)
			pg_atomic_write_u64(nth_counter(base_of(number), i), sum_of(number, i));
	PG_RETURN_VOID();
}
