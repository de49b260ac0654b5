/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  Every difference between the supported PostgreSQL versions, 15 to 19.
 *
 * The only file that looks at PG_VERSION_NUM.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/compat.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_COMPAT_H
#define SPB_COMPAT_H

#include "pgstat.h"
#include "utils/guc.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#include "utils/wait_event.h"
#endif

#if PG_VERSION_NUM < 150000
#error "spinbench needs PostgreSQL 15 or later"
#endif

/* Later ones may work, but nothing has been tested with them. */
#define SPB_VERSION_IS_TESTED (PG_VERSION_NUM < 200000)

/* Declared by fmgr.h since 16. */
#if PG_VERSION_NUM < 160000
extern PGDLLEXPORT void _PG_init(void);
#endif

/*
 * What a check hook of a setting returns in *extra or *newval is freed by
 * guc.c: with pfree() since 16, with free() before.
 */
static inline void *
spb_guc_malloc(size_t size)
{
#if PG_VERSION_NUM >= 160000
	return guc_malloc(ERROR, size);
#else
	void	   *memory = malloc(size);

	if (memory == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	return memory;
#endif
}

static inline void
spb_guc_free(void *memory)
{
#if PG_VERSION_NUM >= 160000
	guc_free(memory);
#else
	free(memory);
#endif
}

/*
 * Custom wait events have names since 17; before, pg_stat_activity shows
 * "Extension".  *cached belongs to one wait event, 0 at first.
 */
static inline uint32
spb_wait_event(uint32 *cached, const char *name)
{
#if PG_VERSION_NUM >= 170000
	if (*cached == 0)
		*cached = WaitEventExtensionNew(name);
#else
	(void) name;
	*cached = PG_WAIT_EXTENSION;
#endif
	return *cached;
}

/* What the server's message queue waits for, by the names of 17 and later. */
#if PG_VERSION_NUM < 170000
#define WAIT_EVENT_MESSAGE_QUEUE_INTERNAL WAIT_EVENT_MQ_INTERNAL
#define WAIT_EVENT_MESSAGE_QUEUE_RECEIVE WAIT_EVENT_MQ_RECEIVE
#define WAIT_EVENT_MESSAGE_QUEUE_SEND WAIT_EVENT_MQ_SEND
#endif

/*
 * Since 16 a process that sleeps while it waits for a spinlock says so.
 */
static inline void
spb_begin_spin_delay(void)
{
#if PG_VERSION_NUM >= 160000
	pgstat_report_wait_start(WAIT_EVENT_SPIN_DELAY);
#endif
}

static inline void
spb_end_spin_delay(void)
{
#if PG_VERSION_NUM >= 160000
	pgstat_report_wait_end();
#endif
}

/*
 * The registry of dynamic shared memory came with 17, and the argument for
 * callbacks with 19.
 */
typedef void (*SpbInitMemory) (void *memory);

#if PG_VERSION_NUM >= 190000
#define SPB_HAS_REGISTRY

static inline void
spb_call_init(void *memory, void *init)
{
	(*(SpbInitMemory *) init) (memory);
}

static inline void *
spb_registry_memory(const char *name, Size size, SpbInitMemory init)
{
	bool		found;

	return GetNamedDSMSegment(name, size, spb_call_init, &found, &init);
}
#elif PG_VERSION_NUM >= 170000
#define SPB_HAS_REGISTRY

static inline void *
spb_registry_memory(const char *name, Size size, SpbInitMemory init)
{
	bool		found;

	return GetNamedDSMSegment(name, size, init, &found);
}
#endif

/* Parameters and arguments of planner_hook. */
#if PG_VERSION_NUM >= 190000
#define SPB_PLANNER_PARAMETERS Query *parse, const char *query_string, \
	int cursorOptions, ParamListInfo boundParams, ExplainState *es
#define SPB_PLANNER_ARGUMENTS parse, query_string, cursorOptions, boundParams, es
#else
#define SPB_PLANNER_PARAMETERS Query *parse, const char *query_string, \
	int cursorOptions, ParamListInfo boundParams
#define SPB_PLANNER_ARGUMENTS parse, query_string, cursorOptions, boundParams
#endif

#endif							/* SPB_COMPAT_H */
