/*-------------------------------------------------------------------------
 *
 * sanitize.c
 *	  What AddressSanitizer does not see by itself, see sanitize.h.
 *
 * Part of the module with SANITIZE=yes only.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/sanitize.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sanitizer/asan_interface.h>

#include "storage/dsm.h"
#include "utils/memutils.h"

#include "sanitize.h"

/* The server's own from here on. */
#undef MemoryContextAlloc
#undef pfree

/*
 * A block from malloc() that stands for a chunk of a memory context.  This
 * itself is a chunk there, and freed with the context.
 */
typedef struct Guarded
{
	MemoryContextCallback callback;
	struct Guarded *next;
	void	   *block;
} Guarded;

static Guarded *all_guarded = NULL;

static void
free_with_context(void *arg)
{
	Guarded    *guarded = arg;
	Guarded   **link = &all_guarded;

	while (*link != guarded)
		link = &(*link)->next;
	*link = guarded->next;
	free(guarded->block);
}

void *
spb_guarded_alloc(MemoryContext context, Size size, bool zero)
{
	Guarded    *guarded = MemoryContextAlloc(context, sizeof(Guarded));

	guarded->block = malloc(size);
	if (guarded->block == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	if (zero)
		memset(guarded->block, 0, size);
	guarded->callback.func = free_with_context;
	guarded->callback.arg = guarded;
	MemoryContextRegisterResetCallback(context, &guarded->callback);
	guarded->next = all_guarded;
	all_guarded = guarded;
	return guarded->block;
}

/*
 * The rest of it stays until the context is reset, since a callback cannot be
 * taken back.
 */
void
spb_guarded_free(void *pointer)
{
	Guarded    *guarded = all_guarded;

	while (guarded != NULL && guarded->block != pointer)
		guarded = guarded->next;
	if (guarded == NULL)
		elog(PANIC, "not a chunk of this module: %p", pointer);
	free(pointer);
	guarded->block = NULL;
}

/* What is mapped to these addresses next is not forbidden. */
static void
allow_again(dsm_segment *seg, Datum arg)
{
	__asan_unpoison_memory_region(dsm_segment_address(seg),
								  dsm_segment_map_length(seg));
}

void
spb_forbid(dsm_segment *seg, void *start, Size size)
{
	cancel_on_dsm_detach(seg, allow_again, (Datum) 0);
	on_dsm_detach(seg, allow_again, (Datum) 0);
	__asan_poison_memory_region(start, size);
}
