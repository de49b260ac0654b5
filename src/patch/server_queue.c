/*-------------------------------------------------------------------------
 *
 * server_queue.c
 *	  Which queue takes the place of the server's shm_mq.
 *
 * As with locks, the postmaster writes into shared memory what is in force
 * when it reloads the settings, and whoever creates a queue looks there.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/server_queue.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "patch/patch.h"
#include "patch/server_queue.h"

#define STOCK "stock"
/* What shm_mq does since PostgreSQL 15. */
#define STOCK_IS "atomic/lazyread/lazywrite"

#define MAX_QUEUES 100

typedef struct Shared
{
	pg_atomic_uint32 in_force;
	pg_atomic_uint64 created[MAX_QUEUES];
} Shared;

/* NULL before there is shared memory: then there are no queues either. */
static Shared *shared = NULL;
static uint32 first_in_force = SPB_SERVER_QUEUE_OFF;

static shmem_request_hook_type next_request_hook = NULL;
static shmem_startup_hook_type next_startup_hook = NULL;

/*
 * The queue of that number; NULL if there is none.  The server's own comes
 * first in the list of queues: stock has its number.
 */
const SpbQueueOps *
spb_server_queue_ops(uint32 number)
{
	return number == SPB_SERVER_QUEUE_STOCK ? spb_queue_by_label(STOCK_IS) : spb_queue(number);
}

const char *
spb_server_queue_label(uint32 number)
{
	return number == SPB_SERVER_QUEUE_STOCK ? STOCK : spb_queue(number)->label;
}

/*
 * Look up a label; false if there is no such queue.
 */
bool
spb_server_queue_choose(const char *label, uint32 *number, const char **canonical)
{
	const SpbQueueOps *queue = spb_queue_by_label(label);

	*number = SPB_SERVER_QUEUE_STOCK;
	*canonical = STOCK;
	if (strcmp(label, STOCK) == 0)
		return true;
	if (queue == NULL)
		return false;
	*canonical = queue->label;
	*number = SPB_SERVER_QUEUE_OFF;
	if (queue == &spb_server_queue)
		return true;
	for (*number = 1; spb_queue(*number) != queue;)
		(*number)++;
	return true;
}

/*
 * Whether shm_mq is replaced is settled when the server starts: queues of both
 * kinds at the same time would not know each other.  A file may say what is
 * to be at the next start; until then, once shm_mq has been replaced, its own
 * algorithm can come back, but not its code.
 */
void
spb_put_queue_in_force(uint32 number)
{
	static uint32 asked_for = SPB_SERVER_QUEUE_OFF;

	/* not at each reload */
	if (!process_shared_preload_libraries_in_progress && number != asked_for &&
		(number != SPB_SERVER_QUEUE_OFF) != spb_queue_is_replaced)
		spb_tell_queue_has_to_wait();
	asked_for = number;

	if (number == SPB_SERVER_QUEUE_OFF && spb_queue_is_replaced)
		number = SPB_SERVER_QUEUE_STOCK;
	first_in_force = number;
	if (shared)
		pg_atomic_write_u32(&shared->in_force, number);
}

uint32
spb_server_queue_in_force(void)
{
	Shared	   *all = shared;

	return all ? pg_atomic_read_u32(&all->in_force) : first_in_force;
}

void
spb_count_server_queue(uint32 number)
{
	if (shared)
		pg_atomic_fetch_add_u64(&shared->created[number], 1);
}

static void
request_shared(void)
{
	if (next_request_hook)
		next_request_hook();
	RequestAddinShmemSpace(sizeof(Shared));
}

static void
forget_shared(int code, Datum arg)
{
	first_in_force = spb_server_queue_in_force();
	shared = NULL;
}

static void
start_shared(void)
{
	bool		found;

	if (next_startup_hook)
		next_startup_hook();

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("spinbench server queues", sizeof(Shared), &found);
	if (!found)
	{
		pg_atomic_init_u32(&shared->in_force, first_in_force);
		for (int i = 0; i < MAX_QUEUES; i++)
			pg_atomic_init_u64(&shared->created[i], 0);
	}
	LWLockRelease(AddinShmemInitLock);
	on_shmem_exit(forget_shared, 0);
}

/* In the postmaster, when the message queue has been replaced. */
void
spb_server_queue_init(void)
{
	next_request_hook = shmem_request_hook;
	shmem_request_hook = request_shared;
	next_startup_hook = shmem_startup_hook;
	shmem_startup_hook = start_shared;
}

PG_FUNCTION_INFO_V1(spinbench_server_queues);

/*
 * spinbench_server_queues() returns setof record
 *
 * What spinbench.server_queue can be set to, and how many queues of each were
 * created since the server has started: NULL where shm_mq is not replaced.
 */
Datum
spinbench_server_queues(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (uint32 i = 0; i < MAX_QUEUES && spb_server_queue_ops(i) != NULL; i++)
	{
		Datum		values[3] = {0};
		bool		nulls[3] = {0};

		values[0] = CStringGetTextDatum(spb_server_queue_label(i));
		values[1] = BoolGetDatum(shared != NULL && i == spb_server_queue_in_force());
		nulls[2] = shared == NULL;
		if (shared)
			values[2] = Int64GetDatum(pg_atomic_read_u64(&shared->created[i]));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
