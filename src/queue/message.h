/*-------------------------------------------------------------------------
 *
 * message.h
 *	  Messages as our queues pass them: in a ring of bytes, or put together.
 *
 * In the ring, messages follow each other, each as a length word and its
 * bytes, both padded.  One that wraps around the end of the ring, or is longer
 * than the ring, is put together in memory of the process that needs it.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/queue/message.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_MESSAGE_H
#define SPB_MESSAGE_H

#include "utils/memutils.h"

/* Where a length word may begin; the size of a ring is a multiple of it. */
#define SPB_RING_ALIGNMENT 8
#define SPB_PADDED(n) TYPEALIGN(SPB_RING_ALIGNMENT, n)
#define SPB_LENGTH_WORD sizeof(uint64)

static inline void
spb_check_message_size(Size nbytes)
{
	if (nbytes > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("cannot send a message of %zu bytes", nbytes)));
}

/* For one message at a time; kept for the next one. */
typedef struct SpbBuffer
{
	MemoryContext context;
	char	   *bytes;			/* NULL: none yet */
	Size		size;
} SpbBuffer;

/* Have room for nbytes; what was in the buffer is lost if it has to grow. */
static inline void
spb_make_buffer(SpbBuffer *buffer, Size nbytes)
{
	if (buffer->size >= nbytes)
		return;
	if (buffer->bytes)
		pfree(buffer->bytes);
	buffer->bytes = NULL;
	buffer->size = 0;
	buffer->bytes = MemoryContextAlloc(buffer->context, nbytes);
	buffer->size = nbytes;
}

static inline void
spb_free_buffer(SpbBuffer *buffer)
{
	if (buffer->bytes)
		pfree(buffer->bytes);
}

#endif							/* SPB_MESSAGE_H */
