/*-------------------------------------------------------------------------
 *
 * sanitize.h
 *	  What AddressSanitizer does not see by itself in a PostgreSQL server.
 *
 * It knows what was taken from malloc(), and the stack.  But palloc() cuts
 * its chunks out of larger blocks, and the queues of a run lie side by side in
 * one mapping.  In a build with SANITIZE=yes, this module's chunks are blocks
 * of their own, and no process may touch what lies between two queues.
 * Elsewhere all of this has no effect.
 *
 * Instrumented is this module only; of the server, the runtime checks just
 * calls such as memcpy().
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/sanitize.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_SANITIZE_H
#define SPB_SANITIZE_H

#ifdef SPB_SANITIZE

#include "storage/dsm.h"
#include "utils/memutils.h"

/* Bytes that are kept free before and behind each queue. */
#define SPB_REDZONE 128

/* Nobody may touch this part of the segment, as long as it is mapped. */
extern void spb_forbid(dsm_segment *seg, void *start, Size size);

extern void *spb_guarded_alloc(MemoryContext context, Size size, bool zero);
extern void spb_guarded_free(void *pointer);

#undef palloc
#undef palloc0
#undef pfree
#undef MemoryContextAlloc
#define palloc(size) spb_guarded_alloc(CurrentMemoryContext, size, false)
#define palloc0(size) spb_guarded_alloc(CurrentMemoryContext, size, true)
#define pfree(pointer) spb_guarded_free(pointer)
#define MemoryContextAlloc(context, size) spb_guarded_alloc(context, size, false)

#else

#define SPB_REDZONE 0
#define spb_forbid(seg, start, size) ((void) 0)

#endif

#endif							/* SPB_SANITIZE_H */
