/*-------------------------------------------------------------------------
 *
 * guc.c
 *	  Every setting.
 *
 * A label is checked when it is set, not when it is used: who sets a lock that
 * cannot run here learns it at once, with the reason.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/guc.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/guc.h"

#include "guc.h"
#include "run/settings.h"

/* The texts behind the parsed values in spb_settings. */
static char *lock_text;
static char *queue_text;
static char *cpus_text;

/*
 * The parsed form of a setting goes through *extra, in memory that guc.c will
 * free.  guc_malloc() is not exported before 16.
 */
static void *
new_extra(Size size)
{
	void	   *extra = malloc(size);

	if (extra == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	return extra;
}

static bool
check_lock(char **newval, void **extra, GucSource source)
{
	SpbLockChoice *choice = new_extra(sizeof(SpbLockChoice));
	SpbLabelProblem problem;

	if (!spb_lock_choose(*newval, choice, &problem))
	{
		free(choice);
		GUC_check_errdetail("%s", problem.detail);
		if (problem.hint[0])
			GUC_check_errhint("%s", problem.hint);
		return false;
	}
	*extra = choice;
	return true;
}

static void
assign_lock(const char *newval, void *extra)
{
	spb_settings.lock = extra;
}

static bool
check_queue(char **newval, void **extra, GucSource source)
{
	return spb_queue_by_label(*newval) != NULL;
}

static void
assign_queue(const char *newval, void *extra)
{
	spb_settings.queue = spb_queue_by_label(newval);
}

static bool
check_cpus(char **newval, void **extra, GucSource source)
{
	SpbCpuList *list = new_extra(sizeof(SpbCpuList));
	char		problem[128];

	if (!spb_cpu_list_parse(*newval, list, problem, sizeof(problem)))
	{
		free(list);
		GUC_check_errdetail("%s", problem);
		return false;
	}
	*extra = list;
	return true;
}

static void
assign_cpus(const char *newval, void *extra)
{
	spb_settings.cpus = extra;
}

void
spb_define_settings(void)
{
	DefineCustomStringVariable("spinbench.lock",
							   "Label of the spinlock that workers take and release.",
							   "See spinbench_locks() for what there is.",
							   &lock_text,
							   "server",
							   PGC_USERSET,
							   0,
							   check_lock, assign_lock, NULL);

	DefineCustomStringVariable("spinbench.queue",
							   "Label of the message queue that workers exchange messages over.",
							   NULL,
							   &queue_text,
							   "server",
							   PGC_USERSET,
							   0,
							   check_queue, assign_queue, NULL);

	DefineCustomIntVariable("spinbench.acquisitions",
							"How often each worker takes the lock for each message.",
							"0 leaves the message queue alone, as in test_shm_mq.",
							&spb_settings.acquisitions,
							1,
							0, 1000000,
							PGC_USERSET,
							0,
							NULL, NULL, NULL);

	DefineCustomIntVariable("spinbench.critical_section_lines",
							"Number of cache lines that are written while the lock is held.",
							"The first is the lock's own.  0 is an empty critical section.",
							&spb_settings.critical_section_lines,
							0,
							0, 1024,
							PGC_USERSET,
							0,
							NULL, NULL, NULL);

	DefineCustomIntVariable("spinbench.stuck_timeout",
							"How long a lock is waited for before it is reported as stuck.",
							"Does not apply to the lock \"server\", whose waiting is the server's own.",
							&spb_settings.stuck_timeout_ms,
							60000,
							10, INT_MAX,
							PGC_USERSET,
							GUC_UNIT_MS,
							NULL, NULL, NULL);

	DefineCustomStringVariable("spinbench.cpus",
							   "CPUs that the participants of a run are pinned to, in turn.",
							   "A list as taskset takes it, such as \"0-3,8\".  The leader comes first.  Empty: do not pin.",
							   &cpus_text,
							   "",
							   PGC_USERSET,
							   0,
							   check_cpus, assign_cpus, NULL);

	MarkGUCPrefixReserved("spinbench");
}
