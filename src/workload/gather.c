/*-------------------------------------------------------------------------
 *
 * gather.c
 *	  What a Gather node does: spinbench_gather().
 *
 *		worker 1 -> queue 0 -\
 *		worker 2 -> queue 1 ---> leader
 *		worker N -> queue N-1-/
 *
 * Each worker sends as fast as its queue takes messages.  The leader reads as
 * PostgreSQL's nodeGather.c does: without blocking, in turn, staying with a
 * queue as long as that has messages; when it has found all of them empty, it
 * waits for its latch.  The workers take the lock under test once per message,
 * before they send it; spinbench.acquisitions = 0 leaves the queues alone.  Each
 * sends one message in any case, even if it does not run before the deadline.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/workload/gather.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "workload/workload.h"

static int
gather_queues(int nworkers)
{
	return nworkers;
}

static void
gather_prepare(SpbRun *run)
{
	if (run->number > 0)
		run->state = spb_attach_sender(run, run->number - 1);
	else
	{
		void	  **queues = palloc(run->spec->nworkers * sizeof(void *));

		for (int i = 0; i < run->spec->nworkers; i++)
			queues[i] = spb_attach_receiver(run, i);
		run->state = queues;
	}
}

static void
gather_work(SpbRun *run)
{
	const SpbQueueOps *queue = run->queue;
	int64		to_send = run->spec->repeat_count;

	for (int64 sent = 0; sent < to_send; sent++)
	{
		CHECK_FOR_INTERRUPTS();
		if (sent > 0 && pg_atomic_read_u32(&run->header->enough) != 0)
			break;
		spb_inject(run);
		if (spb_send(queue, run->state, run->spec->message_size, run->message,
					 false) != SHM_MQ_SUCCESS)
			break;
		run->me->messages++;
	}
	if (queue->flush)
		queue->flush(run->state);
}

/*
 * Worker "number" has detached: forget its queue.  An error if it had not
 * finished.
 */
static void
check_finished(SpbRun *run, int number)
{
	pg_read_barrier();
	if (pg_atomic_read_u32(&run->participants[number].state) != SPB_FINISHED)
		spb_worker_failed(run);
	pg_read_barrier();
}

static void
gather_lead(SpbRun *run)
{
	const SpbQueueOps *queue = run->queue;
	int			nqueues = run->spec->nworkers;
	void	  **queues = run->state;
	int		   *workers = palloc(nqueues * sizeof(int));
	int			next = 0;
	int			empty = 0;
	int64		received = 0;

	for (int i = 0; i < nqueues; i++)
		workers[i] = i + 1;

	while (nqueues > 0)
	{
		Size		nbytes;
		void	   *data;

		CHECK_FOR_INTERRUPTS();
		if (unlikely(spb_deadline_passed) && pg_atomic_read_u32(&run->header->enough) == 0)
			pg_atomic_write_u32(&run->header->enough, 1);

		switch (queue->receive(queues[next], &nbytes, &data, true))
		{
			case SHM_MQ_SUCCESS:
				received++;
				empty = 0;
				if (run->spec->verify)
					spb_verify_message(run, nbytes, data);
				continue;		/* with the same queue */

			case SHM_MQ_DETACHED:
				check_finished(run, workers[next]);
				nqueues--;
				memmove(&queues[next], &queues[next + 1], (nqueues - next) * sizeof(void *));
				memmove(&workers[next], &workers[next + 1], (nqueues - next) * sizeof(int));
				break;

			case SHM_MQ_WOULD_BLOCK:
				next++;
				empty++;
				break;
		}
		if (next >= nqueues)
			next = 0;
		if (empty >= nqueues && nqueues > 0)
		{
			queue->wait(&run->queue_user);
			empty = 0;
		}
	}
	run->me->messages = received;

	/* nothing may get lost between the workers and us */
	for (int i = 1; i <= run->spec->nworkers; i++)
		received -= run->participants[i].messages;
	if (received != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("messages lost by queue \"%s\"", run->spec->queue),
				 errdetail("The workers sent " INT64_FORMAT " messages more than were received.",
						   -received)));
}

const SpbWorkload spb_gather = {
	.name = "gather",
	.num_queues = gather_queues,
	.prepare = gather_prepare,
	.lead = gather_lead,
	.work = gather_work
};

PG_FUNCTION_INFO_V1(spinbench_gather);

/*
 * spinbench_gather(queue_size int8, message text, repeat_count int8,
 *					num_workers int4, verify bool, duration_ms int4)
 *
 * Each worker sends a message to the leader repeat_count times, or for
 * duration_ms, over a queue of its own.  The result counts what the leader
 * received from all of them.
 */
Datum
spinbench_gather(PG_FUNCTION_ARGS)
{
	return spb_run_workload(fcinfo, &spb_gather);
}
