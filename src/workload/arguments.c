/*-------------------------------------------------------------------------
 *
 * arguments.c
 *	  From the arguments of a workload's SQL function to its result.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/workload/arguments.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "workload/workload.h"

static void
refuse_null(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
}

static void
refuse_less(int64 value, int64 least, const char *name, const char *unit)
{
	if (value < least)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least " INT64_FORMAT "%s, not " INT64_FORMAT,
						name, least, unit, value)));
}

/*
 * Put the size of each queue into a specification, whose queue is known.
 */
void
spb_check_queue_size(SpbRunSpec *spec, int64 queue_size)
{
	Size		maximum = MaxAllocHugeSize / (max_worker_processes + 2);

	refuse_less(queue_size, (int64) spb_queue_by_label(spec->queue)->minimum_size(NULL),
				"queue_size", " bytes");

	/* what would not fit into any address space; the system knows less */
	if ((uint64) queue_size > maximum)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("queue_size must be at most %zu bytes, not " INT64_FORMAT,
						maximum, queue_size)));
	spec->queue_size = (Size) queue_size;
}

/*
 * Put the arguments of a workload's SQL function into the specification of its
 * run:
 *
 *	0 queue_size int8		bytes of each queue, its overhead included
 *	1 message text			may be empty
 *	2 repeat_count int8		messages to send; NULL: 1, or as many as
 *							duration_ms allows
 *	3 num_workers int4
 *	4 verify bool			compare each message that comes back
 *	5 duration_ms int4		send no more after this time; NULL: no limit
 *
 * With both a count and a duration, what is reached first ends the run.
 */
static void
take_arguments(FunctionCallInfo fcinfo, SpbRunSpec *spec, const char **message)
{
	text	   *message_text;

	refuse_null(fcinfo, 0, "queue_size");
	refuse_null(fcinfo, 1, "message");
	refuse_null(fcinfo, 3, "num_workers");
	refuse_null(fcinfo, 4, "verify");

	spb_check_queue_size(spec, PG_GETARG_INT64(0));

	message_text = PG_GETARG_TEXT_PP(1);
	*message = VARDATA_ANY(message_text);
	spec->message_size = VARSIZE_ANY_EXHDR(message_text);

	spec->nworkers = PG_GETARG_INT32(3);
	refuse_less(spec->nworkers, 0, "num_workers", "");
	if (spec->nworkers > max_worker_processes)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("too few background worker slots for %d workers", spec->nworkers),
				 errhint("Set \"max_worker_processes\" to at least %d (now %d) and restart the server, or use fewer workers.",
						 spec->nworkers, max_worker_processes)));
	spec->verify = PG_GETARG_BOOL(4);

	if (!PG_ARGISNULL(5))
	{
		spec->duration_ms = PG_GETARG_INT32(5);
		refuse_less(spec->duration_ms, 1, "duration_ms", "");
	}
	if (!PG_ARGISNULL(2))
	{
		spec->repeat_count = PG_GETARG_INT64(2);
		refuse_less(spec->repeat_count, 0, "repeat_count", "");
	}
	else
		spec->repeat_count = spec->duration_ms > 0 ? PG_INT64_MAX : 1;
}

/*
 * Did this message arrive as it was sent?
 */
void
spb_verify_message(const SpbRun *run, Size nbytes, const char *data)
{
	if (nbytes != run->spec->message_size)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("message corrupted by queue \"%s\"", run->spec->queue),
				 errdetail("%zu bytes were sent and %zu bytes arrived.",
						   run->spec->message_size, nbytes)));
	for (Size i = 0; i < nbytes; i++)
		if (data[i] != run->message[i])
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("message corrupted by queue \"%s\"", run->spec->queue),
					 errdetail("What arrived differs at byte %zu of %zu.",
							   i, nbytes)));
}

/*
 * The body of a workload's SQL function.
 */
Datum
spb_run_workload(FunctionCallInfo fcinfo, const SpbWorkload *workload)
{
	SpbRunSpec	spec;
	SpbRun		run;
	const char *message;
	Datum		row;

	spb_run_spec_init(&spec, workload);
	take_arguments(fcinfo, &spec, &message);
	spec.nqueues = workload->num_queues(spec.nworkers);

	spb_run(&run, &spec, workload, message);
	row = spb_result_row(fcinfo, &run);
	dsm_detach(run.seg);
	return row;
}
