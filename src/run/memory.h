/*-------------------------------------------------------------------------
 *
 * memory.h
 *	  Shared memory that all processes find by its name.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/run/memory.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_MEMORY_H
#define SPB_MEMORY_H

#include "compat.h"

extern void spb_reserve_named_memory(int n, Size size);
extern void *spb_named_memory(const char *name, Size size, SpbInitMemory init);

#endif							/* SPB_MEMORY_H */
