/*-------------------------------------------------------------------------
 *
 * stream.h
 *	  The ring of bytes that all versions of shm_mq share.
 *
 * A ring of bytes with two positions that only grow: how many bytes have been
 * written and how many read; message.h says what messages look like in it.
 * All of PostgreSQL's versions of shm_mq share this; they differ in how the
 * positions are kept, when they are published, and when the peer's latch is
 * set.  Those are constants in the always-inlined code below.
 *
 * Where the positions are kept:
 *
 *	spinlock	read and advanced under one spinlock of the queue (PostgreSQL
 *				9.4 to 10); the own position is read without it
 *	atomic		64-bit atomics with memory barriers (11 and later)
 *	emulated	as atomic, where the platform has no 64-bit atomics: each
 *				position has a spinlock of its own, and every access to either
 *				takes it, so that advancing takes it twice
 *
 * When the receiver gives space back:
 *
 *	(none)		when it asks for the next message, and sets the latch (9.4 to 10)
 *	lazyread	when a quarter of the ring has been read, or it has to wait (11
 *				and later)
 *	lazylatch	as none, but the latch is set only as with lazyread (Andres
 *				Freund's proposal, pgsql-hackers, February 2018, "Re: [POC]
 *				Faster processing at Gather node")
 *
 * When the sender publishes:
 *
 *	(none)		after each part that it has written; sets the latch at the end
 *				of each message (up to 14)
 *	lazywrite	when a quarter of the ring has been written, the ring is full,
 *				or it is told to flush; sets the latch at the same time (15 and
 *				later)
 *
 * The layout is shm_mq's, too: both positions lie on one or two cache lines,
 * beside what surrounds them.
 *
 * Included by stream.c only, which instantiates the code once per variant.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/queue/stream.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_STREAM_H
#define SPB_STREAM_H

#include "port/atomics.h"

#include "cpu/cpu.h"
#include "queue/peer.h"

typedef enum Keeping
{
	SPINLOCK,
	ATOMIC,
	EMULATED
} Keeping;

typedef enum Reading
{
	EAGER,
	LAZYREAD,
	LAZYLATCH
} Reading;

typedef struct Stream
{
	SpbPeers	peers;
	Size		ring_size;		/* multiple of SPB_RING_ALIGNMENT */
	uint64		read			/* advanced by the receiver only */
				pg_attribute_aligned(8);	/* for 64-bit atomics of 32-bit
											 * machines */
	uint64		written;		/* advanced by the sender only */

	/* Of both positions, or of "read" and of "written".  The ring follows. */
	uint64		locks[FLEXIBLE_ARRAY_MEMBER];
} Stream;

StaticAssertDecl(offsetof(Stream, locks) % SPB_RING_ALIGNMENT == 0, "misaligned ring");

static pg_attribute_always_inline int
num_locks(Keeping keeping)
{
	return keeping == EMULATED ? 2 : keeping == SPINLOCK ? 1 : 0;
}

static pg_attribute_always_inline char *
ring_of(Stream *stream, Keeping keeping)
{
	return (char *) &stream->locks[num_locks(keeping)];
}

typedef struct Handle
{
	Stream	   *stream;
	Size		pending;		/* bytes read or written, not yet published */
	Size		unlatched;		/* published, but the peer's latch not yet set */
	Size		done;			/* bytes of the current message passed so far */
	bool		has_length;		/* the current message's length word is passed */
	Size		length;			/* of the message being received */
	SpbEnd		end;
} Handle;

static pg_attribute_always_inline bool
is_detached(Stream *stream)
{
	return ((volatile SpbPeers *) &stream->peers)->detached != 0;
}

/*
 * Access to the positions.
 */

static uint64
locked_add(Handle *h, uint64 *lock, uint64 *value, uint64 n)
{
	SpbQueueUser *user = h->end.user;
	uint64		before;

	if (unlikely(!user->lock->fetch_add(lock, &user->waiter, value, n, &before)))
		user->wait_ended(&user->waiter);
	user->count.acquisitions++;
	return before;
}

static pg_attribute_always_inline uint64
plain_read(uint64 *position)
{
	return __atomic_load_n(position, __ATOMIC_RELAXED);
}

/* What reading or advancing a position under its lock comes to. */
static pg_attribute_always_inline uint64
locked_position(Handle *h, uint64 *position, uint64 n, Keeping keeping)
{
	Stream	   *stream = h->stream;
	bool		second = keeping == EMULATED && position == &stream->written;

	return locked_add(h, &stream->locks[second], position, n);
}

static pg_attribute_always_inline uint64
peers_position(Handle *h, uint64 *position, Keeping keeping)
{
	if (keeping == ATOMIC)
		return plain_read(position);
	return locked_position(h, position, 0, keeping);
}

static pg_attribute_always_inline uint64
own_position(Handle *h, uint64 *position, Keeping keeping)
{
	if (keeping == EMULATED)
		return locked_position(h, position, 0, keeping);
	return plain_read(position);
}

static pg_attribute_always_inline void
advance(Handle *h, uint64 *position, uint64 n, Keeping keeping)
{
	switch (keeping)
	{
		case SPINLOCK:
			(void) locked_position(h, position, n, keeping);
			break;
		case ATOMIC:
			/* only we change it: no need for an atomic addition */
			__atomic_store_n(position, plain_read(position) + n, __ATOMIC_RELAXED);
			break;
		case EMULATED:
			(void) locked_position(h, position, 0, keeping);
			(void) locked_position(h, position, n, keeping);
			break;
	}
}

/*
 * Sending.
 */

static pg_attribute_always_inline void
publish_written(Handle *h, Keeping keeping)
{
	if (h->pending == 0)
		return;
	/* what is in the ring before what says so; pairs with wait_for_bytes() */
	pg_write_barrier();
	advance(h, &h->stream->written, h->pending, keeping);
	h->unlatched += h->pending;
	h->pending = 0;
}

static pg_attribute_always_inline void
wake_receiver(Handle *h)
{
	h->unlatched = 0;
	spb_wake_peer(h->end.user, &h->stream->peers.receiver);
}

/*
 * Wait until there is space in the ring; then *at is where and *space how much
 * of it is in one piece.
 */
static pg_attribute_always_inline shm_mq_result
wait_for_space(Handle *h, bool nowait, char **at, Size *space, Keeping keeping)
{
	Stream	   *stream = h->stream;

	for (;;)
	{
		uint64		read = peers_position(h, &stream->read, keeping);
		uint64		written = own_position(h, &stream->written, keeping) + h->pending;
		Size		offset = written % stream->ring_size;
		Size		available = stream->ring_size - (Size) (written - read);

		if (is_detached(stream))
			return SHM_MQ_DETACHED;
		if (available > 0)
		{
			/* the position was read before the space is written to */
			pg_memory_barrier();
			*at = ring_of(stream, keeping) + offset;
			*space = Min(available, stream->ring_size - offset);
			return SHM_MQ_SUCCESS;
		}

		publish_written(h, keeping);
		wake_receiver(h);
		if (nowait)
			return SHM_MQ_WOULD_BLOCK;
		spb_wait_for_peer(h->end.user);
	}
}

static pg_attribute_always_inline shm_mq_result
stream_send(Handle *h, const shm_mq_iovec *chunks, int nchunks, bool nowait,
			Keeping keeping, bool lazywrite)
{
	Size		nbytes = spb_message_size(chunks, nchunks);

	while (!h->has_length || h->done < nbytes)
	{
		char	   *at;
		Size		space;
		shm_mq_result result = wait_for_space(h, nowait, &at, &space, keeping);

		if (result != SHM_MQ_SUCCESS)
			return result;
		if (!h->has_length)
		{
			*(uint64 *) at = nbytes;
			h->has_length = true;
			h->done = 0;
			h->pending += SPB_LENGTH_WORD;
		}
		else
		{
			space = Min(space, nbytes - h->done);
			spb_copy_part(at, chunks, h->done, space);
			h->done += space;
			h->pending += SPB_PADDED(space);
		}
		if (!lazywrite)
			publish_written(h, keeping);
	}
	h->has_length = false;

	if (!lazywrite)
	{
		/* whom to notify was looked up under the lock, too */
		if (keeping == SPINLOCK)
			(void) locked_position(h, &h->stream->written, 0, keeping);
		wake_receiver(h);
	}
	else if (h->pending > h->stream->ring_size / 4)
	{
		publish_written(h, keeping);
		wake_receiver(h);
	}
	return SHM_MQ_SUCCESS;
}

static pg_attribute_always_inline void
stream_flush(Handle *h, Keeping keeping)
{
	publish_written(h, keeping);
	if (h->unlatched > 0)
		wake_receiver(h);
}

/*
 * Receiving.
 */

static pg_attribute_always_inline void
publish_read(Handle *h, Keeping keeping)
{
	if (h->pending == 0)
		return;
	/* nothing is read from that space any more; pairs with wait_for_space() */
	pg_memory_barrier();
	advance(h, &h->stream->read, h->pending, keeping);
	h->unlatched += h->pending;
	h->pending = 0;
}

static pg_attribute_always_inline void
wake_sender(Handle *h)
{
	if (h->unlatched > 0)
		spb_wake_peer(h->end.user, &h->stream->peers.sender);
	h->unlatched = 0;
}

/*
 * Wait until "needed" bytes can be read, or until as much as there is reaches
 * the end of the ring; then *at is where they are and *nbytes how many are in
 * one piece.
 */
static pg_attribute_always_inline shm_mq_result
wait_for_bytes(Handle *h, Size needed, bool nowait, char **at, Size *nbytes,
			   Keeping keeping)
{
	Stream	   *stream = h->stream;

	for (;;)
	{
		uint64		written = peers_position(h, &stream->written, keeping);
		uint64		read = own_position(h, &stream->read, keeping) + h->pending;
		Size		offset = read % stream->ring_size;
		Size		available = (Size) (written - read);

		if (available >= needed || offset + available >= stream->ring_size)
		{
			pg_read_barrier();
			*at = ring_of(stream, keeping) + offset;
			*nbytes = Min(available, stream->ring_size - offset);
			return SHM_MQ_SUCCESS;
		}
		if (is_detached(stream))
		{
			/* it may have sent something between our two looks */
			pg_read_barrier();
			if (written != peers_position(h, &stream->written, keeping))
				continue;
			return SHM_MQ_DETACHED;
		}

		publish_read(h, keeping);
		wake_sender(h);
		if (nowait)
			return SHM_MQ_WOULD_BLOCK;
		spb_wait_for_peer(h->end.user);
	}
}

static pg_attribute_always_inline shm_mq_result
stream_receive(Handle *h, Size *nbytesp, void **datap, bool nowait,
			   Keeping keeping, Reading reading)
{
	Size		quarter = h->stream->ring_size / 4;
	shm_mq_result result;
	char	   *at;
	Size		nbytes;

	/* the message returned last is not needed any more */
	if (reading != LAZYREAD || h->pending > quarter)
		publish_read(h, keeping);
	if (reading != LAZYLATCH || h->unlatched > quarter)
		wake_sender(h);

	if (!h->has_length)
	{
		result = wait_for_bytes(h, SPB_LENGTH_WORD, nowait, &at, &nbytes, keeping);
		if (result != SHM_MQ_SUCCESS)
			return result;
		h->length = (Size) *(uint64 *) at;
		h->pending += SPB_LENGTH_WORD;
		if (nbytes >= SPB_LENGTH_WORD + SPB_PADDED(h->length))
		{
			h->pending += SPB_PADDED(h->length);
			*nbytesp = h->length;
			*datap = at + SPB_LENGTH_WORD;
			return SHM_MQ_SUCCESS;
		}
		h->has_length = true;
		h->done = 0;
	}

	while (h->done < h->length)
	{
		result = wait_for_bytes(h, h->length - h->done, nowait, &at, &nbytes, keeping);
		if (result != SHM_MQ_SUCCESS)
			return result;
		nbytes = Min(nbytes, h->length - h->done);
		h->pending += SPB_PADDED(nbytes);
		if (nbytes == h->length)
		{
			/* in one piece after all */
			h->has_length = false;
			*nbytesp = nbytes;
			*datap = at;
			return SHM_MQ_SUCCESS;
		}
		spb_make_buffer(&h->end.buffer, h->length);
		memcpy(h->end.buffer.bytes + h->done, at, nbytes);
		h->done += nbytes;
	}

	h->has_length = false;
	*nbytesp = h->length;
	*datap = h->end.buffer.bytes;
	return SHM_MQ_SUCCESS;
}

/*
 * Life and death.
 */

static pg_attribute_always_inline Size
overhead(Keeping keeping)
{
	return offsetof(Stream, locks) + num_locks(keeping) * sizeof(uint64);
}

static pg_attribute_always_inline void
stream_create(Stream *stream, Size size, const SpbLockOps *lock, Keeping keeping)
{
	if (lock->size(2) > sizeof(stream->locks[0]))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the chosen lock is too large for one in a queue")));

	memset(stream, 0, overhead(keeping));
	for (int i = 0; i < num_locks(keeping); i++)
		lock->init(&stream->locks[i], 2);
	stream->ring_size = TYPEALIGN_DOWN(SPB_RING_ALIGNMENT, size - overhead(keeping));
}

static void *
stream_attach(void *address, dsm_segment *seg, SpbQueueUser *user, bool sends)
{
	Stream	   *stream = address;
	Handle	   *h = palloc0(sizeof(Handle));

	h->stream = stream;
	spb_attach_end(&h->end, &stream->peers, seg, user, sends);
	return h;
}

static void
stream_detach(Handle *h)
{
	spb_detach_end(&h->end);
	pfree(h);
}

#endif							/* SPB_STREAM_H */
