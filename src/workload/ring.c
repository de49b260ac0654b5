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
#include "pgstat.h"
#include "storage/latch.h"

#include "compat.h"
#include "run/settings.h"
#include "workload/workload.h"

typedef struct Ring
{
	void	   *in;
	void	   *out;
} Ring;

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
		Size		nbytes;
		void	   *data;

		CHECK_FOR_INTERRUPTS();
		if (queue->receive(ring->in, &nbytes, &data, false) != SHM_MQ_SUCCESS)
			break;
		spb_inject(run);
		if (queue->send(ring->out, nbytes, data, false) != SHM_MQ_SUCCESS)
			break;
		run->me->messages++;
	}
}

/* Did this message come back as it was sent? */
static void
verify_message(const SpbRun *run, Size nbytes, const char *data)
{
	if (nbytes != run->spec->message_size)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("message corrupted by queue \"%s\"", run->spec->queue),
				 errdetail("%zu bytes were sent and %zu bytes came back.",
						   run->spec->message_size, nbytes)));
	for (Size i = 0; i < nbytes; i++)
		if (data[i] != run->message[i])
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("message corrupted by queue \"%s\"", run->spec->queue),
					 errdetail("What came back differs at byte %zu of %zu.",
							   i, nbytes)));
}

/*
 * Send messages and receive them again, with at most "window" on their way,
 * until repeat_count have been sent or the deadline has passed; then receive
 * the rest.
 */
static void
ring_lead(SpbRun *run, int64 window)
{
	static uint32 wait_event = 0;
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
		if (unlikely(spb_deadline_passed) && !half_sent)
			to_send = sent;

		if (sent < to_send && sent - received < window)
		{
			result = queue->send(ring->out, spec->message_size, run->message, true);
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
					verify_message(run, nbytes, data);
				wait = false;
			}
			else if (result == SHM_MQ_DETACHED)
				spb_worker_failed(run);
		}
		else
			break;

		if (wait)
		{
			(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1L,
							 spb_wait_event(&wait_event, "SpinbenchMessage"));
			ResetLatch(MyLatch);
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
	.work = ring_work
};

const SpbWorkload spb_roundtrip = {
	.name = "roundtrip",
	.prepare = ring_prepare,
	.lead = roundtrip_lead,
	.work = ring_work
};

static Datum
run_ring(FunctionCallInfo fcinfo, const SpbWorkload *workload)
{
	SpbRunSpec	spec;
	SpbRun		run;
	const char *message;
	Datum		row;

	spb_run_spec_init(&spec, workload);
	spb_take_arguments(fcinfo, &spec, &message);
	spec.nqueues = spec.nworkers + 1;

	spb_run(&run, &spec, workload, message);
	row = spb_result_row(fcinfo, &run);
	dsm_detach(run.seg);
	return row;
}

PG_FUNCTION_INFO_V1(spinbench_pipelined);

/*
 * spinbench_pipelined(queue_size int8, message text, repeat_count int8,
 *					   num_workers int4, verify bool, duration_ms int4)
 *
 * Send a message around a ring of workers repeat_count times, or for
 * duration_ms, with as many on their way as the queues hold.  See
 * spb_take_arguments() for the arguments and spb_result_row() for the result.
 */
Datum
spinbench_pipelined(PG_FUNCTION_ARGS)
{
	return run_ring(fcinfo, &spb_pipelined);
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
	return run_ring(fcinfo, &spb_roundtrip);
}
