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

typedef struct SpbMemory
{
	const char *name;
	Size		(*size) (void);
	SpbInitMemory init;			/* called once, while all others wait for it */
	void	   *address;		/* NULL: not found yet */
} SpbMemory;

extern void spb_reserve_memory(SpbMemory *memory);
extern void *spb_find_memory(SpbMemory *memory);

#endif							/* SPB_MEMORY_H */
