/*-------------------------------------------------------------------------
 *
 * result.c
 *	  From a run to the rows that SQL sees.
 *
 * A figure that cannot be known here (the server's own spinlock does not tell
 * how often it spun) is NULL, never 0.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/run/result.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "port/atomics.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "patch/patch.h"
#include "run/run.h"

/*
 * From when on a figure makes a result doubtful.  Contention: a lock that
 * nobody waits for tells nothing about waiting.  Length: start-up effects
 * such as first page faults last some milliseconds.  The others: as much as
 * an effect that somebody would care about.
 */
#define DOUBT_CONTENDED_FRACTION	0.01
#define DOUBT_ELAPSED_MS			50.0
#define DOUBT_STOLEN_FRACTION		0.01
#define DOUBT_OTHERS_FRACTION		0.05
#define DOUBT_PREEMPTIONS			20.0	/* per second and participant */
#define DOUBT_OVERLAP_FRACTION		0.90	/* of the time that any worker was
											 * at work */

/* Machine-wide times are counted in ticks of 10 ms, on each CPU. */
#define MACHINE_LOAD_MIN_MS			200.0

/* The participants of the last run of this session that came to its end. */
static SpbParticipant *last_participants = NULL;
static int	num_last_participants = 0;

/* A row under construction. */
typedef struct Row
{
	Datum		values[32];
	bool		nulls[32];
	int			n;
} Row;

static void
put(Row *row, Datum value, bool known)
{
	Assert(row->n < lengthof(row->values));
	row->values[row->n] = value;
	row->nulls[row->n++] = !known;
}

static void
put_text(Row *row, const char *value)
{
	put(row, value ? CStringGetTextDatum(value) : (Datum) 0, value != NULL);
}

static void
put_int4(Row *row, int value, bool known)
{
	put(row, Int32GetDatum(value), known);
}

static void
put_count(Row *row, uint64 value)
{
	put(row, Int64GetDatum((int64) value), value != SPB_UNKNOWN);
}

static void
put_ms(Row *row, uint64 ns)
{
	put(row, Float8GetDatum((double) ns / 1e6), ns != SPB_UNKNOWN);
}

/* Unknown plus anything is unknown. */
static void
add(uint64 *sum, uint64 value)
{
	*sum = *sum == SPB_UNKNOWN || value == SPB_UNKNOWN ?
		SPB_UNKNOWN : *sum + value;
}

static SpbParticipant
sum_participants(const SpbRun *run)
{
	SpbParticipant sum = {0};

	for (int i = 0; i <= run->spec->nworkers; i++)
	{
		const SpbParticipant *one = &run->participants[i];

		sum.load.cpu_ns += one->load.cpu_ns;
		sum.load.voluntary += one->load.voluntary;
		sum.load.involuntary += one->load.involuntary;
		sum.queue_count.acquisitions += one->queue_count.acquisitions;
		sum.queue_count.latch_sets += one->queue_count.latch_sets;
		sum.queue_count.wakeups += one->queue_count.wakeups;
		add(&sum.queue_contended, one->queue_contended);

		/* the leader takes no lock: what it does not know does not matter */
		if (i == 0)
			continue;
		sum.acquisitions += one->acquisitions;
		add(&sum.count.contended, one->count.contended);
		add(&sum.count.spins, one->count.spins);
		add(&sum.count.sleeps, one->count.sleeps);
		add(&sum.count.slept_ns, one->count.slept_ns);
		add(&sum.count.handoffs, one->count.handoffs);
	}
	if (run->spec->critical_section_lines == 0)
		sum.count.handoffs = SPB_UNKNOWN;
	if (!run->queue->counts)
	{
		sum.queue_count.acquisitions = SPB_UNKNOWN;
		sum.queue_count.latch_sets = SPB_UNKNOWN;
		sum.queue_count.wakeups = SPB_UNKNOWN;
		sum.queue_contended = SPB_UNKNOWN;
	}
	return sum;
}

/*
 * For which part of the time in which any worker was at work all of them were.
 */
static double
overlap(const SpbRun *run)
{
	const SpbParticipant *workers = &run->participants[1];
	uint64		first_begin = workers[0].begin_ns;
	uint64		last_begin = workers[0].begin_ns;
	uint64		first_end = workers[0].end_ns;
	uint64		last_end = workers[0].end_ns;

	for (int i = 1; i < run->spec->nworkers; i++)
	{
		first_begin = Min(first_begin, workers[i].begin_ns);
		last_begin = Max(last_begin, workers[i].begin_ns);
		first_end = Min(first_end, workers[i].end_ns);
		last_end = Max(last_end, workers[i].end_ns);
	}
	if (first_end <= last_begin || last_end <= first_begin)
		return 0;
	return (double) (first_end - last_begin) / (double) (last_end - first_begin);
}

static void doubt(StringInfo doubts, const char *format,...) pg_attribute_printf(2, 3);

static void
doubt(StringInfo doubts, const char *format,...)
{
	va_list		args;
	char text[	SPB_LABEL_MAX + 64];

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	appendStringInfo(doubts, "%s%s", doubts->len ? "; " : "", text);
}

/*
 * Has the machine done something else meanwhile?
 */
static void
doubt_load(StringInfo doubts, double elapsed_ms, double stolen_ms, double other_cpu_ms)
{
	double		capacity_ms = elapsed_ms * spb_cpus_usable();

	if (elapsed_ms < MACHINE_LOAD_MIN_MS)
		return;
	if (stolen_ms / capacity_ms > DOUBT_STOLEN_FRACTION)
		doubt(doubts, "%.0f %% of the CPU time was stolen",
			  100 * stolen_ms / capacity_ms);
	if (other_cpu_ms / capacity_ms > DOUBT_OTHERS_FRACTION)
		doubt(doubts, "other processes used %.0f %% of the CPU time",
			  100 * other_cpu_ms / capacity_ms);
}

PG_FUNCTION_INFO_V1(spb_load_doubts);

/*
 * spb_load_doubts(elapsed_ms float8, stolen_ms float8, other_cpu_ms float8)
 * returns text
 *
 * The same for what was measured by other means than a run of ours.
 */
Datum
spb_load_doubts(PG_FUNCTION_ARGS)
{
	StringInfoData doubts;

	initStringInfo(&doubts);
	doubt_load(&doubts, PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
	if (doubts.len == 0)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text_with_len(doubts.data, doubts.len));
}

/*
 * Was what is called the server's own something else?
 */
static void
doubt_server(StringInfo doubts, const SpbRunSpec *spec)
{
	const char *lock = spb_lock_in_place();
	const char *queue = spb_queue_in_place();

	if (lock && strcmp(spec->lock, "server") == 0)
		doubt(doubts, "the slow path of the server's spinlocks is replaced by %s", lock);
	if (queue && strcmp(spec->queue, "server") == 0)
		doubt(doubts, "the server's message queue is replaced by %s", queue);
}

/*
 * What makes a result doubtful, as text; NULL if nothing does.
 */
static char *
doubts_about(const SpbRun *run, const SpbParticipant *sum,
			 double elapsed_ms, double other_cpu_ms)
{
	StringInfoData doubts;
	int			participants = run->spec->nworkers + 1;
	int			cpus = spb_cpus_usable();

	initStringInfo(&doubts);
	doubt_server(&doubts, run->spec);
	if (elapsed_ms < DOUBT_ELAPSED_MS)
		doubt(&doubts, "short run");
	if (run->spec->nworkers > 1 && sum->acquisitions > 0 &&
		sum->count.contended != SPB_UNKNOWN)
	{
		double		fraction = (double) sum->count.contended / (double) sum->acquisitions;

		if (fraction < DOUBT_CONTENDED_FRACTION)
			doubt(&doubts, "contention not reached (%.2f %% of acquisitions)",
				  100 * fraction);
	}
	if (run->spec->nworkers > 1 && overlap(run) < DOUBT_OVERLAP_FRACTION)
		doubt(&doubts, "all workers were at work together for only %.0f %% of the time",
			  100 * overlap(run));
	if (participants <= cpus && elapsed_ms > 0)
	{
		double		rate = (double) sum->load.involuntary / participants / (elapsed_ms / 1000);

		if (rate > DOUBT_PREEMPTIONS)
			doubt(&doubts, "preempted %.0f times per second and participant", rate);
	}
	if (run->machine.known)
		doubt_load(&doubts, elapsed_ms, (double) run->machine.stolen_ms, other_cpu_ms);
	return doubts.len ? doubts.data : NULL;
}

/*
 * Keep what spinbench_workers() shows.
 */
static void
remember_participants(const SpbRun *run)
{
	int			n = run->spec->nworkers + 1;

	if (last_participants)
		pfree(last_participants);
	last_participants = NULL;
	num_last_participants = 0;
	last_participants = MemoryContextAlloc(TopMemoryContext, n * sizeof(SpbParticipant));
	memcpy(last_participants, run->participants, n * sizeof(SpbParticipant));
	for (int i = 0; i < n; i++)
		if (run->spec->critical_section_lines == 0)
			last_participants[i].count.handoffs = SPB_UNKNOWN;
	num_last_participants = n;
}

/*
 * The row of a run, as all workloads return it:
 *
 *	lock, queue				canonical labels
 *	workers
 *	message_bytes			length of a message
 *	messages				that came to their end
 *	elapsed_ms				of the message loop alone, on the leader's clock
 *	messages_per_second
 *	ns_per_message			elapsed time / messages
 *	acquisitions			of the lock under test, by all workers
 *	contended				of these, how many did not succeed at once
 *	spins					failed tries while waiting
 *	sleeps, slept_ms		while waiting, sum over all workers
 *	handoffs				acquisitions after another worker's; known only with
 *							a critical section
 *	queue_acquisitions		of the queues' own spinlocks, by all participants
 *	queue_contended			of these, how many did not succeed at once
 *	latch_sets				by the queues, for the peer to look
 *	wakeups					waits of all participants that ended; these four
 *							are known only where the queue is ours
 *	cpu_ms					user and system, of all participants
 *	voluntary_switches, involuntary_switches
 *							context switches of all participants
 *	stolen_ms				of the whole machine, by the hypervisor
 *	other_cpu_ms			CPU time of all other processes of the machine
 *	doubts					what speaks against this result, or NULL
 */
Datum
spb_result_row(FunctionCallInfo fcinfo, const SpbRun *run)
{
	const SpbRunSpec *spec = run->spec;
	SpbParticipant sum = sum_participants(run);
	uint64		messages = run->me->messages;
	double		elapsed_ms = (double) run->elapsed_ns / 1e6;
	double		cpu_ms = (double) sum.load.cpu_ns / 1e6;
	double		other_cpu_ms = Max((double) run->machine.busy_ms - cpu_ms, 0);
	TupleDesc	tupdesc;
	Row			row = {.n = 0};

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	put_text(&row, spec->lock);
	put_text(&row, spec->queue);
	put_int4(&row, spec->nworkers, true);
	put_count(&row, spec->message_size);
	put_count(&row, messages);
	put(&row, Float8GetDatum(elapsed_ms), true);
	put(&row, Float8GetDatum((double) messages / (elapsed_ms / 1000)), elapsed_ms > 0);
	put(&row, Float8GetDatum((double) run->elapsed_ns / (double) messages), messages > 0);
	put_count(&row, sum.acquisitions);
	put_count(&row, sum.count.contended);
	put_count(&row, sum.count.spins);
	put_count(&row, sum.count.sleeps);
	put_ms(&row, sum.count.slept_ns);
	put_count(&row, sum.count.handoffs);
	put_count(&row, sum.queue_count.acquisitions);
	put_count(&row, sum.queue_contended);
	put_count(&row, sum.queue_count.latch_sets);
	put_count(&row, sum.queue_count.wakeups);
	put(&row, Float8GetDatum(cpu_ms), true);
	put_count(&row, sum.load.voluntary);
	put_count(&row, sum.load.involuntary);
	put(&row, Float8GetDatum((double) run->machine.stolen_ms), run->machine.known);
	put(&row, Float8GetDatum(other_cpu_ms), run->machine.known);
	put_text(&row, doubts_about(run, &sum, elapsed_ms, other_cpu_ms));

	remember_participants(run);

	Assert(row.n == tupdesc->natts);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc),
											 row.values, row.nulls));
}

PG_FUNCTION_INFO_V1(spinbench_workers);

/*
 * spinbench_workers() returns setof record
 *
 * One row per participant of the last run of this session that came to its
 * end; participant 0 is the leader, which takes no lock under test.  No rows
 * if there was none.
 */
Datum
spinbench_workers(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < num_last_participants; i++)
	{
		const SpbParticipant *one = &last_participants[i];
		bool		takes_lock = i > 0;
		Row			row = {.n = 0};

		put_int4(&row, i, true);
		put_int4(&row, one->pid, true);
		put_int4(&row, one->cpu, one->cpu >= 0);
		put_count(&row, takes_lock ? one->acquisitions : SPB_UNKNOWN);
		put_count(&row, takes_lock ? one->count.contended : SPB_UNKNOWN);
		put_count(&row, takes_lock ? one->count.spins : SPB_UNKNOWN);
		put_count(&row, takes_lock ? one->count.sleeps : SPB_UNKNOWN);
		put_ms(&row, takes_lock ? one->count.slept_ns : SPB_UNKNOWN);
		put_count(&row, takes_lock ? one->count.handoffs : SPB_UNKNOWN);
		put_int4(&row, one->spin_limit, takes_lock);
		put(&row, Float8GetDatum((double) one->load.cpu_ns / 1e6), true);
		put_count(&row, one->load.voluntary);
		put_count(&row, one->load.involuntary);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc,
							 row.values, row.nulls);
	}
	return (Datum) 0;
}
