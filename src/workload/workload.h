/*-------------------------------------------------------------------------
 *
 * workload.h
 *	  What the participants of a run do.
 *
 * A workload is one file that defines a SpbWorkload (see run/run.h) and the
 * SQL function that starts it, and one line in the table of workload.c.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/workload/workload.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_WORKLOAD_H
#define SPB_WORKLOAD_H

#include "run/run.h"

/* ring.c */
extern const SpbWorkload spb_pipelined;
extern const SpbWorkload spb_roundtrip;

/* gather.c */
extern const SpbWorkload spb_gather;

/* check_queue.c */
extern const SpbWorkload spb_check_queue;

/* arguments.c */
extern Datum spb_run_workload(FunctionCallInfo fcinfo, const SpbWorkload *workload);
extern void spb_check_queue_size(SpbRunSpec *spec, int64 queue_size);
extern void spb_verify_message(const SpbRun *run, Size nbytes, const char *data);

#endif							/* SPB_WORKLOAD_H */
