/*-------------------------------------------------------------------------
 *
 * catalog.c
 *	  What exists: spinbench_locks() and spinbench_queues().
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/catalog.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "lock/lock.h"
#include "queue/queue.h"

/* A text column, NULL if there is nothing in it. */
static void
set_text(Datum *values, bool *nulls, int column, const char *value)
{
	nulls[column] = value == NULL || value[0] == '\0';
	if (!nulls[column])
		values[column] = CStringGetTextDatum(value);
}

static void
put_lock(ReturnSetInfo *rsinfo, const SpbVariant *variant)
{
	SpbLockChoice choice;
	SpbLabelProblem problem;
	Datum		values[7] = {0};
	bool		nulls[7] = {0};
	bool		runnable = spb_variant_choose(variant, &choice, &problem);
	char		instructions[256] = "";

	if (runnable)
		spb_lock_instructions(&choice, instructions, sizeof(instructions));

	set_text(values, nulls, 0, variant->label);
	set_text(values, nulls, 1, variant->arch);
	set_text(values, nulls, 2, variant->description);
	set_text(values, nulls, 3, instructions);
	values[4] = BoolGetDatum(runnable);
	set_text(values, nulls, 5, runnable ? NULL : problem.detail);
	set_text(values, nulls, 6, variant->origin);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

PG_FUNCTION_INFO_V1(spinbench_locks);

/*
 * spinbench_locks() returns setof record
 *
 * The spinlocks that were released, measured or proposed:
 *
 *	lock			canonical label
 *	architecture	of the processors that this line is about
 *	description
 *	instructions	in force in this build, on this processor; NULL if the lock
 *					cannot run here, or is not ours
 *	runnable		here
 *	reason			why not
 *	origin			PostgreSQL release and commit, or mail
 */
Datum
spinbench_locks(PG_FUNCTION_ARGS)
{
	static const SpbVariant server = {
		.label = "server",
		.arch = SPB_ARCH_NAME,
		.description = "the installed server's own s_lock.h, whatever it is",
		.origin = "PostgreSQL " PG_VERSION
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	put_lock(rsinfo, &server);
	for (int i = 0; i < spb_num_variants; i++)
		put_lock(rsinfo, spb_variant(i));
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(spinbench_queues);

/*
 * spinbench_queues() returns setof record
 *
 * The message queues: label, description, and origin (PostgreSQL release,
 * patch or mail).
 */
Datum
spinbench_queues(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const SpbQueueOps *queue;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; (queue = spb_queue(i)) != NULL; i++)
	{
		Datum		values[3] = {0};
		bool		nulls[3] = {0};

		set_text(values, nulls, 0, queue->label);
		set_text(values, nulls, 1, queue->description);
		set_text(values, nulls, 2, queue->origin);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
