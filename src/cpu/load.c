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
