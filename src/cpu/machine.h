/*-------------------------------------------------------------------------
 *
 * machine.h
 *	  What machine this is, as far as the system tells.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/machine.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_MACHINE_H
#define SPB_MACHINE_H

#define SPB_MACHINE_TEXT 256
#define SPB_MAX_CACHES 8

typedef struct SpbCache
{
	int			level;
	char		type[16];		/* Data, Instruction, Unified */
	int			kilobytes;
	int			shared_by;		/* CPUs; 0: not known */
} SpbCache;

/* A text that is "" and a number that is 0 are not known. */
typedef struct SpbMachine
{
	char		model[SPB_MACHINE_TEXT];	/* of the processor */
	char		product[SPB_MACHINE_TEXT];	/* of the computer, e.g. a cloud's
											 * type of instance */
	int			sockets;
	int			cores;			/* of all sockets */
	int			threads;		/* CPUs online */
	int			numa_nodes;
	SpbCache	caches[SPB_MAX_CACHES]; /* of the first CPU */
	int			ncaches;
	char		hypervisor[SPB_MACHINE_TEXT];
	char		governor[SPB_MACHINE_TEXT]; /* of the frequency of the first
											 * CPU */
	char		mitigations[SPB_MACHINE_TEXT];	/* names of vulnerabilities
												 * that are worked around */
	char		kernel[SPB_MACHINE_TEXT];	/* name and release */
	char		kernel_build[SPB_MACHINE_TEXT]; /* tells how it preempts */
	char		transparent_huge_pages[SPB_MACHINE_TEXT];
	char		load[SPB_MACHINE_TEXT]; /* averages of 1, 5, 15 minutes */
	int			page_size;		/* bytes */
} SpbMachine;

extern void spb_machine_read(SpbMachine *machine, const char *root);

#endif							/* SPB_MACHINE_H */
