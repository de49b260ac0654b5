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

#include <limits.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "postmaster/bgworker.h"
#include "utils/guc.h"

#include "compat.h"
#include "guc.h"
#include "patch/patch.h"
#include "patch/server_queue.h"
#include "run/settings.h"
#include "workload/touch.h"

/* The texts behind the parsed values in spb_settings. */
static char *lock_text;
static char *queue_text;
static char *cpus_text;
static char *server_lock_text;
static char *server_queue_text;

/*
 * The parsed form of a setting goes through *extra; the text is replaced by
 * the canonical label, so that SHOW tells what is in force.
 */
static void
replace(char **newval, const char *label)
{
	spb_guc_free(*newval);
	*newval = strcpy(spb_guc_malloc(strlen(label) + 1), label);
}

static bool
check_lock(char **newval, void **extra, GucSource source)
{
	SpbLockChoice *choice = spb_guc_malloc(sizeof(SpbLockChoice));
	SpbLabelProblem problem;

	if (!spb_lock_choose(*newval, choice, &problem))
	{
		spb_guc_free(choice);
		GUC_check_errdetail("%s", problem.detail);
		if (problem.hint[0])
			GUC_check_errhint("%s", problem.hint);
		return false;
	}
	replace(newval, choice->label);
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
	const SpbQueueOps *queue = spb_queue_by_label(*newval);

	if (queue == NULL)
	{
		GUC_check_errdetail("There is no queue \"%s\".", *newval);
		GUC_check_errhint("See spinbench_queues() for what there is.");
		return false;
	}
	replace(newval, queue->label);
	return true;
}

static void
assign_queue(const char *newval, void *extra)
{
	spb_settings.queue = spb_queue_by_label(newval);
}

static bool
check_cpus(char **newval, void **extra, GucSource source)
{
	SpbCpuList *list = spb_guc_malloc(sizeof(SpbCpuList));
	char		problem[128];

	if (!spb_cpu_list_parse(*newval, list, problem, sizeof(problem)))
	{
		spb_guc_free(list);
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

static bool
check_server_lock(char **newval, void **extra, GucSource source)
{
	SpbServerLock *lock = spb_guc_malloc(sizeof(SpbServerLock));
	SpbLabelProblem problem;

	if (!spb_server_lock_choose(*newval, lock, &problem))
	{
		spb_guc_free(lock);
		GUC_check_errdetail("%s", problem.detail);
		if (problem.hint[0])
			GUC_check_errhint("%s", problem.hint);
		return false;
	}
	replace(newval, lock->label);
	*extra = lock;
	return true;
}

/* The postmaster is the first to reload, and all others look at what it says. */
static void
assign_server_lock(const char *newval, void *extra)
{
	if (!IsUnderPostmaster)
		spb_put_in_force(((SpbServerLock *) extra)->number);
}

static bool
check_server_queue(char **newval, void **extra, GucSource source)
{
	uint32		number;
	const char *label;

	if (!spb_server_queue_choose(*newval, &number, &label))
	{
		GUC_check_errdetail("There is no queue \"%s\".", *newval);
		GUC_check_errhint("See spinbench_server_queues() for what there is.");
		return false;
	}
	replace(newval, label);
	*extra = spb_guc_malloc(sizeof(uint32));
	*(uint32 *) *extra = number;
	return true;
}

static void
assign_server_queue(const char *newval, void *extra)
{
	if (!IsUnderPostmaster)
		spb_put_queue_in_force(*(uint32 *) extra);
}

typedef struct TextSetting
{
	const char *name;
	const char *summary;
	const char *detail;
	const char *initial;
	GucContext	context;
	char	  **text;
	GucStringCheckHook check;
	GucStringAssignHook assign;
} TextSetting;

static const TextSetting text_settings[] = {
	{
		"spinbench.lock",
		"Label of the spinlock that workers take and release.",
		"See spinbench_locks() for what there is.",
		"server", PGC_USERSET, &lock_text, check_lock, assign_lock
	},
	{
		"spinbench.queue",
		"Label of the message queue that workers exchange messages over.",
		"See spinbench_queues() for what there is.",
		"server", PGC_USERSET, &queue_text, check_queue, assign_queue
	},
	{
		"spinbench.cpus",
		"CPUs that the participants of a run are pinned to, in turn.",
		"A list as taskset takes it, such as \"0-3,8\".  The leader comes first.  Empty: do not pin.",
		"", PGC_USERSET, &cpus_text, check_cpus, assign_cpus
	},
};

/* With spinbench.patch_server, there only if the postmaster loads this module. */
static const TextSetting server_text_settings[] = {
	{
		"spinbench.server_lock",
		"Label of the slow path of the server's spinlocks.",
		"Has an effect only if spinbench.patch_server is on.  See spinbench_server_locks() for what there is.",
		"stock", PGC_SIGHUP, &server_lock_text, check_server_lock, assign_server_lock
	},
	{
		"spinbench.server_queue",
		"Label of the queue that takes the place of the server's message queue.",
		"\"server\" leaves it alone.  Others have an effect only if spinbench.patch_server is on.",
		"server", PGC_SIGHUP, &server_queue_text, check_server_queue, assign_server_queue
	},
};

static const struct config_enum_entry patch_options[] = {
	{"off", SPB_PATCH_OFF, false},
	{"on", SPB_PATCH_ON, false},
	{"require", SPB_PATCH_REQUIRE, false},
	{"false", SPB_PATCH_OFF, true},
	{"true", SPB_PATCH_ON, true},
	{"no", SPB_PATCH_OFF, true},
	{"yes", SPB_PATCH_ON, true},
	{"0", SPB_PATCH_OFF, true},
	{"1", SPB_PATCH_ON, true},
	{NULL, 0, false}
};

typedef struct NumberSetting
{
	const char *name;
	const char *summary;
	const char *detail;
	int		   *number;
	int			initial;
	int			min;
	int			max;
	int			flags;
} NumberSetting;

static const NumberSetting number_settings[] = {
	{
		"spinbench.acquisitions",
		"How often each worker takes the lock for each message.",
		"0 leaves the message queue alone, as in test_shm_mq.",
		&spb_settings.acquisitions, 1, 0, 1000000, 0
	},
	{
		"spinbench.critical_section_lines",
		"Number of cache lines that are written while the lock is held.",
		"The first is the lock's own.  0 is an empty critical section.",
		&spb_settings.critical_section_lines, 0, 0, 1024, 0
	},
	{
		"spinbench.stuck_timeout",
		"How long a lock is waited for before it is reported as stuck.",
		"Does not apply to the lock \"server\", whose waiting is the server's own.",
		&spb_settings.stuck_timeout_ms, 60000, 10, INT_MAX, GUC_UNIT_MS
	},
	{
		"spinbench.entries",
		"Number of entries that sessions which call spinbench_touch() spread over.",
		"With 1, all contend for the same lock.",
		&spb_settings.entries, 1, 1, SPB_MAX_ENTRIES, 0
	},
};

/*
 * Before this module is loaded, a setting of that name takes any value; when
 * it is defined, a bad one would be dropped with a warning, and the very
 * function call that loads the module would go on with the default.  Raise an
 * error instead: nothing is ever silently replaced.
 */
static void
refuse_bad_text(const TextSetting *setting, int level)
{
	const char *value = GetConfigOption(setting->name, true, false);
	char	   *copy;
	void	   *extra = NULL;

	if (value == NULL)
		return;
	copy = strcpy(spb_guc_malloc(strlen(value) + 1), value);
	GUC_check_errdetail_string = NULL;
	GUC_check_errhint_string = NULL;
	if (!setting->check(&copy, &extra, PGC_S_SESSION))
		ereport(level,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for parameter \"%s\": \"%s\"",
						setting->name, value),
				 GUC_check_errdetail_string ?
				 errdetail_internal("%s", GUC_check_errdetail_string) : 0,
				 GUC_check_errhint_string ?
				 errhint("%s", GUC_check_errhint_string) : 0));
	spb_guc_free(copy);
	if (extra)
		spb_guc_free(extra);
}

static void
refuse_bad_number(const NumberSetting *setting)
{
	const char *value = GetConfigOption(setting->name, true, false);
	int			number;

	if (value != NULL &&
		(!parse_int(value, &number, setting->flags, NULL) ||
		 number < setting->min || number > setting->max))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for parameter \"%s\": \"%s\"",
						setting->name, value),
				 errhint("It must be a whole number from %d to %d.",
						 setting->min, setting->max)));
}

/*
 * Who requires a server that is patched, and how, must not get another one for
 * a slip of the pen; and a slip in "require" itself may not mean "off".
 */
static void
refuse_bad_requirement(void)
{
	const char *value = GetConfigOption("spinbench.patch_server", true, false);
	const struct config_enum_entry *option = patch_options;

	if (value == NULL)
		return;
	while (option->name && pg_strcasecmp(option->name, value) != 0)
		option++;
	if (option->name == NULL)
		ereport(FATAL,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for parameter \"%s\": \"%s\"",
						"spinbench.patch_server", value),
				 errdetail("The server would start as it is."),
				 errhint("Available values: off, on, require.")));
	if (option->val == SPB_PATCH_REQUIRE)
		for (int i = 0; i < lengthof(server_text_settings); i++)
			refuse_bad_text(&server_text_settings[i], FATAL);
}

static void
define_text(const TextSetting *s)
{
	DefineCustomStringVariable(s->name, s->summary, s->detail, s->text,
							   s->initial, s->context, 0,
							   s->check, s->assign, NULL);
}

/*
 * Settings that make sense only if the postmaster has loaded this module.
 */
static void
define_server_settings(void)
{
	refuse_bad_requirement();
	DefineCustomEnumVariable("spinbench.patch_server",
							 "Replaces code of the server in memory.",
							 "For test servers.  If that is not possible, the server starts as it is, or, with \"require\", it does not start.",
							 &spb_patch_server, SPB_PATCH_OFF, patch_options,
							 PGC_POSTMASTER, 0, NULL, NULL, NULL);
	for (int i = 0; i < lengthof(server_text_settings); i++)
		define_text(&server_text_settings[i]);
	DefineCustomBoolVariable("spinbench.track_planning",
							 "Touches an entry whenever a query is planned.",
							 "As spinbench_touch(1) does; pg_stat_statements has a setting of this name.",
							 &spb_settings.track_planning, false,
							 PGC_SUSET, 0, NULL, NULL, NULL);
}

/*
 * Where it has not, PostgreSQL would call each of these settings invalid, as a
 * typo is, and remove it.  Define those that are set, so that they stay what
 * they are, and tell the reason once: not in a worker, whose leader has.  A
 * parallel worker gets its leader's settings later, so it must know them all.
 */
static void
define_idle_server_settings(void)
{
	static const struct
	{
		const char *name;
		GucContext	context;
	}			settings[] = {
		{"spinbench.patch_server", PGC_SIGHUP}, /* PGC_POSTMASTER is too late */
		{"spinbench.server_lock", PGC_SIGHUP},
		{"spinbench.server_queue", PGC_SIGHUP},
		{"spinbench.track_planning", PGC_SUSET},
	};
	static char *texts[lengthof(settings)];
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < lengthof(settings); i++)
	{
		if (MyBgworkerEntry == NULL &&
			GetConfigOption(settings[i].name, true, false) == NULL)
			continue;
		DefineCustomStringVariable(settings[i].name, "Has no effect here.",
								   "\"shared_preload_libraries\" does not have spinbench.",
								   &texts[i], NULL, settings[i].context, 0,
								   NULL, NULL, NULL);
		appendStringInfo(&names, "%s\"%s\"", names.len ? ", " : "", settings[i].name);
	}
	if (names.len > 0 && MyBgworkerEntry == NULL)
		ereport(WARNING,
				(errmsg("without effect here: %s", names.data),
				 errdetail("\"shared_preload_libraries\" does not have spinbench."),
				 errhint("Add it there, and restart the server.")));
}

void
spb_define_settings(void)
{
	/* a server that preloads this module should start all the same */
	if (!process_shared_preload_libraries_in_progress)
	{
		for (int i = 0; i < lengthof(text_settings); i++)
			refuse_bad_text(&text_settings[i], ERROR);
		for (int i = 0; i < lengthof(number_settings); i++)
			refuse_bad_number(&number_settings[i]);
	}

	for (int i = 0; i < lengthof(text_settings); i++)
		define_text(&text_settings[i]);
	for (int i = 0; i < lengthof(number_settings); i++)
	{
		const NumberSetting *s = &number_settings[i];

		DefineCustomIntVariable(s->name, s->summary, s->detail, s->number,
								s->initial, s->min, s->max, PGC_USERSET,
								s->flags, NULL, NULL, NULL);
	}
	if (process_shared_preload_libraries_in_progress)
		define_server_settings();
	else
		define_idle_server_settings();
	MarkGUCPrefixReserved("spinbench");
}
