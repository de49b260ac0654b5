/*-------------------------------------------------------------------------
 *
 * load.c
 *	  CPU time used, by this process and by the whole machine.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/load.c
 *
 *-------------------------------------------------------------------------
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cpu/load.h"

void
spb_process_load(SpbProcessLoad *load)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	load->cpu_ns =
		(uint64_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * UINT64_C(1000000000) +
		(uint64_t) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
	load->voluntary = usage.ru_nvcsw;
	load->involuntary = usage.ru_nivcsw;
}

/*
 * Read the first line of Linux's /proc/stat, which counts in clock ticks
 * (usually 10 ms): too coarse for runs of less than some tenths of a second.
 * Not known on other systems.
 */
void
spb_machine_load(SpbMachineLoad *load)
{
	uint64_t	user,
				nice,
				system,
				idle,
				iowait,
				irq,
				softirq,
				steal;
	uint64_t	tick_ms = 1000 / (uint64_t) sysconf(_SC_CLK_TCK);
	FILE	   *file = fopen("/proc/stat", "r");

	memset(load, 0, sizeof(*load));
	if (file == NULL)
		return;
	if (fscanf(file, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			   &user, &nice, &system, &idle,
			   &iowait, &irq, &softirq, &steal) == 8)
	{
		load->known = true;
		load->busy_ms = (user + nice + system + irq + softirq) * tick_ms;
		load->stolen_ms = steal * tick_ms;
	}
	fclose(file);
}

/*
 * CPU time of a process and of those of its children that it has waited for,
 * from Linux's /proc/PID/stat; false on other systems.
 */
bool
spb_family_load(int pid, uint64_t *cpu_ms)
{
	uint64_t	times[4];
	char		line[1024];
	char	   *rest;
	FILE	   *file;

	snprintf(line, sizeof(line), "/proc/%d/stat", pid);
	file = fopen(line, "r");
	if (file == NULL)
		return false;
	if (fgets(line, sizeof(line), file) == NULL)
		line[0] = '\0';
	fclose(file);

	/* after the name, which may contain anything */
	rest = strrchr(line, ')');
	if (rest == NULL ||
		sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64
			   " %" SCNu64 " %" SCNu64 " %" SCNu64,
			   &times[0], &times[1], &times[2], &times[3]) != 4)
		return false;
	*cpu_ms = (times[0] + times[1] + times[2] + times[3]) *
		(1000 / (uint64_t) sysconf(_SC_CLK_TCK));
	return true;
}
