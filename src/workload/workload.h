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

/* arguments.c: the arguments that all workloads have, checked */
extern void spb_take_arguments(FunctionCallInfo fcinfo, SpbRunSpec *spec,
							   const char **message);

#endif							/* SPB_WORKLOAD_H */
