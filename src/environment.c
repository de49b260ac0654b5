/*-------------------------------------------------------------------------
 *
 * environment.c
 *	  spinbench_environment(): where a result comes from.
 *
 * Everything that somebody else needs in order to tell whether a result holds
 * for them too: the machine, the system, the server, this module, and what the
 * pieces of a spinlock cost here.  What cannot be known is null, so that the
 * shape is the same everywhere.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/environment.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/config_info.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/json.h"

#include "cpu/cost.h"
#include "cpu/cpu.h"
#include "cpu/machine.h"
#include "cpu/pin.h"
#include "lock/lock.h"
#include "patch/patch.h"
#include "version.h"

/* The flags of this build, from the Makefile. */
#ifndef SPB_CFLAGS
#define SPB_CFLAGS ""
#endif

#ifdef __clang__
#define SPB_COMPILER __VERSION__
#elif defined(__GNUC__)
#define SPB_COMPILER "gcc " __VERSION__
#else
#define SPB_COMPILER ""
#endif

static void
put_key(StringInfo json, const char *key)
{
	char		last = json->len ? json->data[json->len - 1] : '{';

	if (last != '{' && last != '[')
		appendStringInfoChar(json, ',');
	escape_json(json, key);
	appendStringInfoChar(json, ':');
}

static void
begin_object(StringInfo json, const char *key)
{
	put_key(json, key);
	appendStringInfoChar(json, '{');
}

static void
end_object(StringInfo json)
{
	appendStringInfoChar(json, '}');
}

/* NULL and "" are not known. */
static void
put_text(StringInfo json, const char *key, const char *value)
{
	put_key(json, key);
	if (value && value[0])
		escape_json(json, value);
	else
		appendStringInfoString(json, "null");
}

/* 0 is not known. */
static void
put_count(StringInfo json, const char *key, int value)
{
	put_key(json, key);
	if (value > 0)
		appendStringInfo(json, "%d", value);
	else
		appendStringInfoString(json, "null");
}

/* Hundredths of a nanosecond are less than a cycle. */
static void
put_ns(StringInfo json, const char *key, double value)
{
	put_key(json, key);
	appendStringInfo(json, "%.2f", value);
}

static void
put_machine(StringInfo json, const SpbMachine *machine)
{
	begin_object(json, "machine");
	put_text(json, "model", machine->model);
	put_text(json, "product", machine->product);
	put_text(json, "architecture", SPB_ARCH_NAME);
	put_count(json, "sockets", machine->sockets);
	put_count(json, "cores", machine->cores);
	put_count(json, "threads", machine->threads);
	put_count(json, "usable_cpus", spb_cpus_usable());
	put_count(json, "numa_nodes", machine->numa_nodes);
	put_key(json, "caches");
	appendStringInfoChar(json, '[');
	for (int i = 0; i < machine->ncaches; i++)
	{
		const SpbCache *cache = &machine->caches[i];

		appendStringInfoString(json, i ? ",{" : "{");
		put_count(json, "level", cache->level);
		put_text(json, "type", cache->type);
		put_count(json, "kilobytes", cache->kilobytes);
		put_count(json, "shared_by", cache->shared_by);
		end_object(json);
	}
	appendStringInfoChar(json, ']');
	put_text(json, "hypervisor", machine->hypervisor);
	put_text(json, "governor", machine->governor);
	put_text(json, "mitigations", machine->mitigations);
	end_object(json);
}

static void
put_system(StringInfo json, const SpbMachine *machine)
{
	begin_object(json, "system");
	put_text(json, "kernel", machine->kernel);
	put_text(json, "kernel_build", machine->kernel_build);
	put_count(json, "page_size", machine->page_size);
	put_text(json, "transparent_huge_pages", machine->transparent_huge_pages);
	put_text(json, "load", machine->load);
	end_object(json);
}

static void
put_config(StringInfo json, const char *key, const char *name,
		   const ConfigData *config, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(config[i].name, name) == 0)
		{
			put_text(json, key, config[i].setting);
			return;
		}
	put_text(json, key, NULL);
}

/* Settings of the server that a run depends on. */
static const char *const server_settings[] = {
	"max_worker_processes",
	"dynamic_shared_memory_type",
	"shared_memory_type",
	"huge_pages",
	"huge_pages_status",		/* since PostgreSQL 17 */
};

static void
put_server(StringInfo json)
{
	size_t		n;
	ConfigData *config = get_configdata(my_exec_path, &n);

	begin_object(json, "server");
	put_text(json, "version",
			 TextDatumGetCString(OidFunctionCall0(F_VERSION)));
	put_config(json, "cc", "CC", config, n);
	put_config(json, "cflags", "CFLAGS", config, n);
	put_config(json, "configure", "CONFIGURE", config, n);
	for (int i = 0; i < lengthof(server_settings); i++)
		put_text(json, server_settings[i],
				 GetConfigOption(server_settings[i], true, false));
	put_text(json, "lock", spb_lock_in_place());
	put_text(json, "queue", spb_queue_in_place());
	end_object(json);
}

static void
put_module(StringInfo json)
{
	begin_object(json, "module");
	put_text(json, "version", SPB_VERSION);
	put_text(json, "compiler", SPB_COMPILER);
	put_text(json, "cflags", SPB_CFLAGS);
	put_text(json, "server_headers", PG_VERSION);
	end_object(json);
}

/* A lock that nobody else wants. */
typedef struct Uncontended
{
	SpbLine    *line;
	SpbLockChoice choice;
	SpbWaiter	waiter;
} Uncontended;

static void
hammer_uncontended(uint64_t times, void *arg)
{
	Uncontended *lone = arg;

	lone->choice.ops->hammer(lone->line, 0, &lone->waiter, times);
}

static void
put_costs(StringInfo json)
{
	Uncontended lone;
	SpbLabelProblem problem;
	SpbCost		cost;

	begin_object(json, "costs");
	begin_object(json, "delay_ns");
	for (const SpbDelayCost *delay = spb_delay_costs; delay->name; delay++)
	{
		if (!delay->runs())
		{
			put_text(json, delay->name, NULL);
			continue;
		}
		spb_measure_cost(delay->loop, NULL, &cost);
		begin_object(json, delay->name);
		put_ns(json, "median", cost.median);
		put_ns(json, "minimum", cost.minimum);
		end_object(json);
		CHECK_FOR_INTERRUPTS();
	}
	end_object(json);

	if (!spb_lock_choose("server", &lone.choice, &problem))
		elog(ERROR, "the server has no lock: %s", problem.detail);
	lone.line = (SpbLine *) TYPEALIGN(SPB_CACHE_LINE, palloc0(2 * sizeof(SpbLine)));
	lone.choice.ops->init(lone.line, 1);
	spb_waiter_init(&lone.waiter, 1, lone.choice.waiting, UINT64_MAX);
	spb_measure_cost(hammer_uncontended, &lone, &cost);
	begin_object(json, "acquire_and_release_ns");
	put_text(json, "lock", lone.choice.label);
	put_ns(json, "median", cost.median);
	put_ns(json, "minimum", cost.minimum);
	end_object(json);
	end_object(json);
}

PG_FUNCTION_INFO_V1(spinbench_environment);

/*
 * spinbench_environment() returns jsonb
 *
 * Objects machine, system, server, module and costs.  The server's lock and
 * queue are what is in force in place of its own.  Sizes have their unit in the
 * name, costs are in nanoseconds for one delay instruction and for one
 * acquisition with its release, uncontended; load is the load averages.  Takes
 * some milliseconds of CPU time.
 */
Datum
spinbench_environment(PG_FUNCTION_ARGS)
{
	SpbMachine *machine = palloc(sizeof(SpbMachine));
	StringInfoData json;

	spb_machine_read(machine, "");
	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	put_machine(&json, machine);
	put_system(&json, machine);
	put_server(&json);
	put_module(&json);
	put_costs(&json);
	end_object(&json);
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data)));
}
