/*-------------------------------------------------------------------------
 *
 * pin.h
 *	  Which CPUs a process may run on, and lists of CPUs.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/pin.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_PIN_H
#define SPB_PIN_H

#include <stdbool.h>
#include <stddef.h>

/* Highest number of CPUs that Linux can be built for (CONFIG_NR_CPUS). */
#define SPB_MAX_CPUS 8192

/* CPUs in the order of the list that named them. */
typedef struct SpbCpuList
{
	int			count;
	short		cpus[SPB_MAX_CPUS];
} SpbCpuList;

/* A saved affinity. */
typedef struct SpbAffinity
{
	bool		saved;
	unsigned long bits[SPB_MAX_CPUS / (8 * sizeof(unsigned long))];
} SpbAffinity;

extern bool spb_cpu_list_parse(const char *text, SpbCpuList *list,
							   char *problem, size_t size);
extern bool spb_pin_to(int cpu, SpbAffinity *before);
extern void spb_pin_restore(SpbAffinity *affinity);
extern int	spb_cpu_now(void);
extern int	spb_cpus_usable(void);

#endif							/* SPB_PIN_H */
