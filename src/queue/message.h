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

#include "storage/shm_mq.h"
#include "utils/memutils.h"

/* Where a length word may begin; the size of a ring is a multiple of it. */
#define SPB_RING_ALIGNMENT 8
#define SPB_PADDED(n) TYPEALIGN(SPB_RING_ALIGNMENT, n)
#define SPB_LENGTH_WORD sizeof(uint64)

/* How long is a message that comes in chunks? */
static inline Size
spb_message_size(const shm_mq_iovec *chunks, int nchunks)
{
	Size		nbytes = chunks[0].len;

	for (int i = 1; i < nchunks; i++)
		nbytes += chunks[i].len;
	if (unlikely(nbytes > MaxAllocSize))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("cannot send a message of size %zu via shared memory queue",
						nbytes)));
	return nbytes;
}

/* Copy a part of it: nbytes that begin behind the first "from" bytes. */
static inline void
spb_copy_part(char *to, const shm_mq_iovec *chunk, Size from, Size nbytes)
{
	if (likely(from + nbytes <= chunk->len))
	{
		memcpy(to, chunk->data + from, nbytes);
		return;
	}
	for (; nbytes > 0; chunk++)
	{
		Size		skipped = Min(from, chunk->len);
		Size		here = Min(nbytes, chunk->len - skipped);

		if (here > 0)
			memcpy(to, chunk->data + skipped, here);
		from -= skipped;
		to += here;
		nbytes -= here;
	}
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
