/*-------------------------------------------------------------------------
 *
 * pin.c
 *	  Which CPUs a process may run on, and lists of CPUs.
 *
 * Only Linux lets a process choose.  Elsewhere a list of CPUs is refused when
 * it is set, rather than ignored when it should take effect.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/pin.c
 *
 *-------------------------------------------------------------------------
 */
#ifdef __linux__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <sched.h>
#endif
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/pin.h"

static bool
read_number(const char **at, long *number)
{
	char	   *end;

	if (!isdigit((unsigned char) **at))
		return false;
	*number = strtol(*at, &end, 10);
	*at = end;
	return true;
}

#ifdef __linux__

static bool
get_affinity(SpbAffinity *affinity)
{
	affinity->saved = sched_getaffinity(0, sizeof(affinity->bits),
										(cpu_set_t *) affinity->bits) == 0;
	return affinity->saved;
}

static bool
may_run_on(const SpbAffinity *affinity, long cpu)
{
	return CPU_ISSET_S((size_t) cpu, sizeof(affinity->bits),
					   (const cpu_set_t *) affinity->bits);
}

static bool
cpu_exists(long cpu)
{
	char		path[64];
	SpbAffinity affinity;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld", cpu);
	return access(path, F_OK) == 0 ||
		(get_affinity(&affinity) && may_run_on(&affinity, cpu));
}
#endif

/*
 * Read a list of CPUs in the syntax of taskset(1): numbers and ranges
 * separated by commas, a range with an optional step: "0-3,8", "0-31:2".  The
 * order is kept and a CPU may stand in it twice.  An empty text is an empty
 * list.
 *
 * Returns false with a sentence in "problem" if it is not such a list, or if
 * it names a CPU that this machine does not have.
 */
bool
spb_cpu_list_parse(const char *text, SpbCpuList *list, char *problem, size_t size)
{
	const char *at = text;

	list->count = 0;
	while (isspace((unsigned char) *at))
		at++;
	if (*at == '\0')
		return true;

#ifndef __linux__
	snprintf(problem, size, "Processes cannot be pinned on this system.");
	return false;
#else
	for (;;)
	{
		long		first;
		long		last;
		long		step = 1;

		if (!read_number(&at, &first))
			break;
		last = first;
		if (*at == '-')
		{
			at++;
			if (!read_number(&at, &last))
				break;
			if (*at == ':')
			{
				at++;
				if (!read_number(&at, &step))
					break;
			}
		}
		if (last < first || step < 1)
		{
			snprintf(problem, size, "The range %ld-%ld:%ld is empty.",
					 first, last, step);
			return false;
		}
		for (long cpu = first; cpu <= last; cpu += step)
		{
			if (cpu >= SPB_MAX_CPUS || !cpu_exists(cpu))
			{
				snprintf(problem, size, "This machine has no CPU %ld.", cpu);
				return false;
			}
			if (list->count == SPB_MAX_CPUS)
			{
				snprintf(problem, size, "The list has more than %d entries.",
						 SPB_MAX_CPUS);
				return false;
			}
			list->cpus[list->count++] = (short) cpu;
		}
		while (isspace((unsigned char) *at))
			at++;
		if (*at == '\0')
			return true;
		if (*at != ',')
			break;
		at++;
		while (isspace((unsigned char) *at))
			at++;
	}
	snprintf(problem, size,
			 "It must be a list of CPU numbers and ranges such as \"0-3,8\" or \"0-31:2\".");
	return false;
#endif
}

/*
 * Let the calling process run on one CPU only.  Where it could run before is
 * put into *before, unless that holds an earlier state already.  False, with
 * errno set, if the system does not allow it.
 */
bool
spb_pin_to(int cpu, SpbAffinity *before)
{
#ifdef __linux__
	SpbAffinity only;

	if (!before->saved && !get_affinity(before))
		return false;
	memset(&only, 0, sizeof(only));
	CPU_SET_S((size_t) cpu, sizeof(only.bits), (cpu_set_t *) only.bits);
	return sched_setaffinity(0, sizeof(only.bits), (cpu_set_t *) only.bits) == 0;
#else
	(void) cpu;
	(void) before;
	return false;
#endif
}

/* Undo spb_pin_to(), if it has been called. */
void
spb_pin_restore(SpbAffinity *affinity)
{
#ifdef __linux__
	if (affinity->saved)
		(void) sched_setaffinity(0, sizeof(affinity->bits),
								 (cpu_set_t *) affinity->bits);
#endif
	affinity->saved = false;
}

/* The CPU that the caller runs on, or -1 if the system does not tell. */
int
spb_cpu_now(void)
{
#ifdef __linux__
	return sched_getcpu();
#else
	return -1;
#endif
}

/* How many CPUs the calling process may use. */
int
spb_cpus_usable(void)
{
#ifdef __linux__
	SpbAffinity affinity;

	if (get_affinity(&affinity))
		return CPU_COUNT_S(sizeof(affinity.bits), (cpu_set_t *) affinity.bits);
#endif
	return (int) sysconf(_SC_NPROCESSORS_ONLN);
}
