/*-------------------------------------------------------------------------
 *
 * spinbench.c
 *	  Module load.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/spinbench.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "guc.h"

#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(
					.name = "spinbench",
					.version = "1.0.0"
);
#else
PG_MODULE_MAGIC;
#endif

void
_PG_init(void)
{
	spb_define_settings();
}
