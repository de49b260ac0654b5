/*-------------------------------------------------------------------------
 *
 * ring.c
 *	  A ring of workers that pass messages on: spinbench_pipelined() and
 *	  spinbench_roundtrip().
 *
 * These are PostgreSQL's test_shm_mq_pipelined() and test_shm_mq()
 * (src/test/modules/test_shm_mq), with the lock under test taken and released
 * between receiving and sending, as Tom Lane proposed on pgsql-hackers in
 * January 2022 ("Re: Add spin_delay() implementation for Arm in s_lock.h").
 *
 *		leader -> queue 0 -> worker 1 -> queue 1 -> ... -> queue N -> leader
 *
 * The two differ in how many messages may be on their way at once: as many as
 * fit into the queues, or one.  The leader never blocks in a queue, so that it
 * can receive what it has not finished sending; with no workers at all it is
 * both ends of the only queue.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/workload/ring.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "workload/workload.h"

typedef struct Ring
{
	void	   *in;
	void	   *out;
} Ring;

static int
ring_queues(int nworkers)
{
	return nworkers + 1;
}

static void
ring_prepare(SpbRun *run)
{
	Ring	   *ring = palloc(sizeof(Ring));
	int			last = run->spec->nqueues - 1;
	int			in = run->number == 0 ? last : run->number - 1;
	int			out = run->number;

	ring->in = spb_attach_receiver(run, in);
	ring->out = spb_attach_sender(run, out);
	run->state = ring;
}

static void
ring_work(SpbRun *run)
{
	const SpbQueueOps *queue = run->queue;
	Ring	   *ring = run->state;

	for (;;)
	{
		shm_mq_result result;
		Size		nbytes;
		void	   *data;

		CHECK_FOR_INTERRUPTS();
		if (queue->flush == NULL)
			result = queue->receive(ring->in, &nbytes, &data, false);
		else
		{
			/* pass on what we have before we wait for more */
			result = queue->receive(ring->in, &nbytes, &data, true);
			if (result == SHM_MQ_WOULD_BLOCK)
			{
				queue->flush(ring->out);
				result = queue->receive(ring->in, &nbytes, &data, false);
			}
		}
		if (result != SHM_MQ_SUCCESS)
			break;
		spb_inject(run);
		if (spb_send(queue, ring->out, nbytes, data, false) != SHM_MQ_SUCCESS)
			break;
		run->me->messages++;
	}
}

/*
 * Send messages and receive them again, with at most "window" on their way,
 * until repeat_count have been sent or the deadline has passed; then receive
 * the rest.  One is sent in any case: a machine that is busy may not let us run
 * before the deadline, and without a message there is no time per message.
 */
static void
ring_lead(SpbRun *run, int64 window)
{
	const SpbQueueOps *queue = run->queue;
	const SpbRunSpec *spec = run->spec;
	Ring	   *ring = run->state;
	int64		to_send = spec->repeat_count;
	int64		sent = 0;
	int64		received = 0;
	bool		half_sent = false;

	for (;;)
	{
		bool		wait = true;
		shm_mq_result result;

		CHECK_FOR_INTERRUPTS();

		/* a message of which a part may be in the queue has to follow whole */
		if (unlikely(spb_deadline_passed) && !half_sent && sent > 0)
			to_send = sent;

		if (sent < to_send && sent - received < window)
		{
			result = spb_send(queue, ring->out, spec->message_size, run->message, true);
			half_sent = result == SHM_MQ_WOULD_BLOCK;
			if (result == SHM_MQ_SUCCESS)
			{
				sent++;
				wait = false;
			}
			else if (result == SHM_MQ_DETACHED)
				spb_worker_failed(run);
		}

		if (received < to_send)
		{
			Size		nbytes;
			void	   *data;

			result = queue->receive(ring->in, &nbytes, &data, true);
			if (result == SHM_MQ_SUCCESS)
			{
				received++;
				if (spec->verify)
					spb_verify_message(run, nbytes, data);
				wait = false;
			}
			else if (result == SHM_MQ_DETACHED)
				spb_worker_failed(run);
		}
		else
			break;

		if (wait)
		{
			if (queue->flush)
				queue->flush(ring->out);
			queue->wait(&run->queue_user);
		}
	}
	run->me->messages = received;
}

static void
pipelined_lead(SpbRun *run)
{
	ring_lead(run, PG_INT64_MAX);
}

static void
roundtrip_lead(SpbRun *run)
{
	ring_lead(run, 1);
}

const SpbWorkload spb_pipelined = {
	.name = "pipelined",
	.prepare = ring_prepare,
	.lead = pipelined_lead,
	.work = ring_work,
	.num_queues = ring_queues
};

const SpbWorkload spb_roundtrip = {
	.name = "roundtrip",
	.prepare = ring_prepare,
	.lead = roundtrip_lead,
	.work = ring_work,
	.num_queues = ring_queues
};

PG_FUNCTION_INFO_V1(spinbench_pipelined);

/*
 * spinbench_pipelined(queue_size int8, message text, repeat_count int8,
 *					   num_workers int4, verify bool, duration_ms int4)
 *
 * Send a message around a ring of workers repeat_count times, or for
 * duration_ms, with as many on their way as the queues hold.  See
 * take_arguments() for the arguments and spb_result_row() for the result.
 */
Datum
spinbench_pipelined(PG_FUNCTION_ARGS)
{
	return spb_run_workload(fcinfo, &spb_pipelined);
}

PG_FUNCTION_INFO_V1(spinbench_roundtrip);

/*
 * spinbench_roundtrip(queue_size int8, message text, repeat_count int8,
 *					   num_workers int4, verify bool, duration_ms int4)
 *
 * As spinbench_pipelined(), but with one message on its way at a time.
 */
Datum
spinbench_roundtrip(PG_FUNCTION_ARGS)
{
	return spb_run_workload(fcinfo, &spb_roundtrip);
}
