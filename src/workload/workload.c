/*-------------------------------------------------------------------------
 *
 * workload.c
 *	  The table of workloads, and the workers' entry point.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/workload/workload.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "workload/workload.h"

static const SpbWorkload *const workloads[] = {
	&spb_check_queue,
	&spb_gather,
	&spb_pipelined,
	&spb_roundtrip,
};

static const SpbWorkload *
workload_by_name(const char *name)
{
	for (int i = 0; i < lengthof(workloads); i++)
		if (strcmp(workloads[i]->name, name) == 0)
			return workloads[i];
	elog(ERROR, "workload \"%s\" is not in this build", name);
}

extern PGDLLEXPORT void spb_worker_main(Datum main_arg);

/*
 * Entry point of every background worker.  The argument is the handle of the
 * run's segment.
 */
void
spb_worker_main(Datum main_arg)
{
	SpbRun		run;

	spb_worker_start(&run, main_arg);
	run.workload = workload_by_name(run.spec->workload);
	run.workload->prepare(&run);
	spb_worker_await_start(&run);

	spb_begin(&run);
	run.workload->work(&run);
	spb_end(&run);
}
