/*-------------------------------------------------------------------------
 *
 * known.h
 *	  Does this server wait for spinlocks as s_lock.c of PostgreSQL 15 does?
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/known.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_KNOWN_H
#define SPB_KNOWN_H

#include "patch/redirect.h"

extern int *spb_find_spins_per_delay(void);
extern bool spb_server_waits_as_known(int *spins_per_delay,
									  SpbPatchProblem *problem);

#endif							/* SPB_KNOWN_H */
