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

#if PG_VERSION_NUM < 150000
#error "spinbench needs PostgreSQL 15 or later"
#endif

/* Declared by fmgr.h since 16. */
#if PG_VERSION_NUM < 160000
extern PGDLLEXPORT void _PG_init(void);
#endif

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

#endif							/* SPB_COMPAT_H */
