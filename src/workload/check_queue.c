/*-------------------------------------------------------------------------
 *
 * check_queue.c
 *	  Does a queue keep its promises?  spinbench_check_queue().
 *
 * One process sends messages of all kinds of lengths, another receives them
 * and knows what each of them must look like.  The same for all queues, since
 * they have one contract (see queue/queue.h).  A wake-up that is lost shows as
 * a run that does not end: call it with a statement_timeout.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/workload/check_queue.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "lock/words.h"
#include "queue/peer.h"
#include "workload/workload.h"

/* The words of a scenario. */
static const char *const words[] = {
	"downward",					/* the leader sends; otherwise the worker */
	"nowait",					/* neither blocks in a queue function */
	"chunks",					/* the sender passes messages in chunks */
	"slowsender",				/* sleeps now and then */
	"slowreceiver",
	"senderleaves",				/* after half of the messages */
	"receiverleaves",
#ifdef SPB_SANITIZE
	"badchunk",					/* the sender does what must be reported */
	"badstack",
	"badqueue",
	"badalignment",
#endif
};

static bool
scenario_has(const SpbRun *run, const char *word)
{
	return spb_has_word(run->spec->scenario, word, strlen(word));
}

/*
 * The number of bytes that the ring of this run's queue holds: the smallest
 * queue holds 8.
 */
static Size
ring_size(const SpbRun *run)
{
	return TYPEALIGN_DOWN(8, run->spec->queue_size - run->queue->minimum_size(NULL) + 8);
}

/* Any 64-bit number becomes another one that looks random (splitmix64). */
static uint64
scramble(uint64 x)
{
	x += UINT64CONST(0x9E3779B97F4A7C15);
	x = (x ^ (x >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

/*
 * The length of message i.  In turn, for as many messages as the ring has
 * places to begin at: exactly the ring, so that each begins one place further
 * than the one before and wraps there; empty ones, likewise; and then a mix of
 * short, odd, ring-sized and much longer ones.
 */
static Size
message_length(const SpbRun *run, int64 i)
{
	Size		ring = ring_size(run);
	uint64		random = scramble((uint64) i);

	switch ((i / (int64) (ring / 8)) % 4)
	{
		case 0:
			return ring;
		case 1:
			return 0;
		default:
			break;
	}
	switch (random % 8)
	{
		case 0:
			return 1;
		case 1:
			return ring - 1 + random / 8 % 3;
		case 2:
			return 7 * ring + random / 8 % 100;
		default:
			return random / 8 % (ring + 1);
	}
}

/* No message is longer. */
static Size
message_buffer_size(const SpbRun *run)
{
	return 7 * ring_size(run) + 99;
}

static char
message_byte(int64 i, Size at)
{
	return (char) ((uint64) i * 31 + at * 7 + (at >> 8));
}

/* Now and then, let the other side catch up and go to sleep. */
static void
be_slow(int64 i)
{
	if (scramble((uint64) i) % 16 == 0)
		pg_usleep(200);
}

static void
wait_for_news(SpbRun *run)
{
	CHECK_FOR_INTERRUPTS();
	run->queue->wait(&run->queue_user);
}

#ifdef SPB_SANITIZE

/*
 * Negative controls of the sanitizers, by the sender, which is the worker
 * unless told otherwise.  "volatile" keeps the compiler from seeing through
 * it.
 */
static void
misbehave(SpbRun *run, char *message)
{
	SpbRunHeader *header = run->header;
	char		array[16] = "";
	char	   *volatile at;

	if (scenario_has(run, "badchunk"))
	{
		at = message + message_buffer_size(run);
		*at = 1;
	}
	if (scenario_has(run, "badstack"))
	{
		at = array + sizeof(array);
		*at = 1;
	}
	if (scenario_has(run, "badqueue"))
	{
		at = (char *) header + header->queues_at + run->spec->queue_size;
		*at = 1;
	}
	if (scenario_has(run, "badalignment"))
	{
		at = message + 1;
		*(uint64 *) at = 1;
	}
}
#endif

/*
 * Cut a message into chunks at places that look random; some are empty.
 */
static void
cut(int64 i, char *message, Size length, shm_mq_iovec *chunks, int nchunks)
{
	Size		at = 0;

	for (int n = 0; n < nchunks; n++)
	{
		Size		rest = length - at;

		chunks[n].data = message + at;
		chunks[n].len = n == nchunks - 1 ? rest :
			scramble((uint64) (i * nchunks + n)) % (rest + 1);
		at += chunks[n].len;
	}
}

static void
send_all(SpbRun *run)
{
	const SpbQueueOps *queue = run->queue;
	bool		nowait = scenario_has(run, "nowait");
	bool		slow = scenario_has(run, "slowsender");
	shm_mq_iovec chunks[4];
	int			nchunks = scenario_has(run, "chunks") ? lengthof(chunks) : 1;
	int64		messages = run->spec->repeat_count;
	char	   *message = palloc(message_buffer_size(run));

#ifdef SPB_SANITIZE
	misbehave(run, message);
#endif
	if (scenario_has(run, "senderleaves"))
		messages /= 2;
	for (int64 i = 0; i < messages; i++)
	{
		Size		length = message_length(run, i);
		shm_mq_result result;

		for (Size at = 0; at < length; at++)
			message[at] = message_byte(i, at);
		cut(i, message, length, chunks, nchunks);
		while ((result = queue->send(run->state, chunks, nchunks, nowait)) == SHM_MQ_WOULD_BLOCK)
			wait_for_news(run);
		if (result == SHM_MQ_DETACHED)
			break;
		run->me->messages++;
		if (slow)
		{
			if (queue->flush)
				queue->flush(run->state);
			be_slow(i);
		}
	}
	if (queue->flush)
		queue->flush(run->state);
}

static void
receive_all(SpbRun *run)
{
	const SpbQueueOps *queue = run->queue;
	bool		nowait = scenario_has(run, "nowait");
	bool		slow = scenario_has(run, "slowreceiver");
	int64		messages = run->spec->repeat_count;

	if (scenario_has(run, "receiverleaves"))
		messages /= 2;
	for (int64 i = 0; i < messages; i++)
	{
		Size		length;
		char	   *data;
		shm_mq_result result;

		while ((result = queue->receive(run->state, &length, (void **) &data, nowait)) == SHM_MQ_WOULD_BLOCK)
			wait_for_news(run);
		if (result == SHM_MQ_DETACHED)
			break;
		if (length != message_length(run, i))
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("message " INT64_FORMAT " has %zu bytes instead of %zu",
							i, length, message_length(run, i))));
		for (Size at = 0; at < length; at++)
			if (data[at] != message_byte(i, at))
				ereport(ERROR,
						(errcode(ERRCODE_DATA_CORRUPTED),
						 errmsg("message " INT64_FORMAT " of %zu bytes differs at byte %zu",
								i, length, at)));
		run->me->messages++;
		if (slow)
			be_slow(i);
	}
}

static int
one_queue(int nworkers)
{
	return 1;
}

static bool
sends(const SpbRun *run)
{
	return (run->number == 0) == scenario_has(run, "downward");
}

static void
check_prepare(SpbRun *run)
{
	run->state = sends(run) ? spb_attach_sender(run, 0) : spb_attach_receiver(run, 0);
}

static void
check_work(SpbRun *run)
{
	if (sends(run))
		send_all(run);
	else
		receive_all(run);
}

/*
 * The leader's part; then see whether the worker has come to its end in peace,
 * and whether both saw the same.
 */
static void
check_lead(SpbRun *run)
{
	const SpbParticipant *worker = &run->participants[1];
	uint64		sent;
	uint64		received;
	uint64		expected = (uint64) run->spec->repeat_count;

	check_work(run);

	/* let go, so that the other side sees that we have left */
	run->queue->detach(run->state);
	run->attached = NIL;
	while (pg_atomic_read_u32(&run->participants[1].state) != SPB_FINISHED)
	{
		/* it may have finished between our two looks */
		if (spb_worker_ended(run) &&
			pg_atomic_read_u32(&run->participants[1].state) != SPB_FINISHED)
			spb_worker_failed(run);
		spb_wait_for_peer(&run->queue_user);
	}
	pg_read_barrier();

	sent = sends(run) ? run->me->messages : worker->messages;
	received = sends(run) ? worker->messages : run->me->messages;
	if (scenario_has(run, "senderleaves") || scenario_has(run, "receiverleaves"))
		expected /= 2;

	/*
	 * A receiver that leaves at once after the last message may be gone
	 * before the sender has returned from sending it, and is reported as
	 * such.
	 */
	if (received != expected || sent + 1 < received)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg(UINT64_FORMAT " messages were sent and " UINT64_FORMAT " received instead of " UINT64_FORMAT,
						sent, received, expected)));
	run->me->messages = received;
}

const SpbWorkload spb_check_queue = {
	.name = "check_queue",
	.num_queues = one_queue,
	.prepare = check_prepare,
	.lead = check_lead,
	.work = check_work
};

static void
check_scenario(const char *scenario)
{
	for (const char *at = scenario; *at != '\0';)
	{
		size_t		length = strcspn(at, "/");
		bool		known = false;

		for (int i = 0; i < lengthof(words); i++)
			known |= strlen(words[i]) == length && strncmp(words[i], at, length) == 0;
		if (!known)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid scenario \"%s\"", scenario),
					 errhint("It consists of words separated by slashes: downward, nowait, chunks, slowsender, slowreceiver, senderleaves, receiverleaves.")));
		at += length;
		if (*at == SPB_SEPARATOR)
			at++;
	}
}

PG_FUNCTION_INFO_V1(spinbench_check_queue);

/*
 * spinbench_check_queue(queue_size int8, messages int8, scenario text)
 *		returns int8
 *
 * Pass messages of many lengths through a queue of spinbench.queue and compare
 * each byte of them.  The scenario is a list of words separated by slashes, or
 * empty; see words[] above.  Returns the number of messages received; an error
 * if that, or any of them, is not what it should be.
 */
Datum
spinbench_check_queue(PG_FUNCTION_ARGS)
{
	int64		queue_size = PG_GETARG_INT64(0);
	int64		messages = PG_GETARG_INT64(1);
	char	   *scenario = text_to_cstring(PG_GETARG_TEXT_PP(2));
	SpbRunSpec	spec;
	SpbRun		run;

	spb_run_spec_init(&spec, &spb_check_queue);
	spb_check_queue_size(&spec, queue_size);
	if (messages < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("messages must not be negative")));
	if (strlen(scenario) >= sizeof(spec.scenario))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the scenario is too long")));
	check_scenario(scenario);
	strcpy(spec.scenario, scenario);
	spec.repeat_count = messages;
	spec.nworkers = 1;
	spec.nqueues = 1;

	spb_run(&run, &spec, &spb_check_queue, "");
	messages = (int64) run.me->messages;
	dsm_detach(run.seg);
	PG_RETURN_INT64(messages);
}
