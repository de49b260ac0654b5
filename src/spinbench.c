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
#include "miscadmin.h"
#include "port/atomics.h"

#include "compat.h"
#include "guc.h"
#include "patch/patch.h"
#include "version.h"
#include "workload/touch.h"

#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(
					.name = "spinbench",
					.version = SPB_VERSION
);
#else
PG_MODULE_MAGIC;
#endif

void
_PG_init(void)
{
	spb_define_settings();
	if (process_shared_preload_libraries_in_progress)
	{
		spb_touch_init();
		spb_patch_init();
	}
}
