/*-------------------------------------------------------------------------
 *
 * load.h
 *	  CPU time used, by this process and by the whole machine.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/load.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_LOAD_H
#define SPB_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/* Of one process, since it started. */
typedef struct SpbProcessLoad
{
	uint64_t	cpu_ns;			/* user and system */
	int64_t		voluntary;		/* context switches: it waited */
	int64_t		involuntary;	/* it was preempted */
} SpbProcessLoad;

/* Of all CPUs of the machine together, since it started. */
typedef struct SpbMachineLoad
{
	bool		known;
	uint64_t	busy_ms;		/* all that ran here */
	uint64_t	stolen_ms;		/* that the hypervisor gave to others */
} SpbMachineLoad;

extern void spb_process_load(SpbProcessLoad *load);
extern bool spb_family_load(int pid, uint64_t *cpu_ms);
extern void spb_machine_load(SpbMachineLoad *load);

#endif							/* SPB_LOAD_H */
