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

/* A position, and the lock that it has to itself if it is emulated. */
typedef struct Position
{
	uint64		lock;
	uint64		value pg_attribute_aligned(8);	/* for 64-bit atomics of
												 * 32-bit machines */
} Position;

typedef struct Stream
{
	uint64		lock;			/* of both positions, if kept so */
	SpbPeers	peers;
	Position	read;			/* advanced by the receiver only */
	Position	written;		/* advanced by the sender only */
	Size		ring_size;		/* multiple of SPB_RING_ALIGNMENT */

	/* begins where a word may begin, with pointers of any size */
	char		ring[FLEXIBLE_ARRAY_MEMBER] pg_attribute_aligned(SPB_RING_ALIGNMENT);
} Stream;

StaticAssertDecl(offsetof(Stream, ring) % SPB_RING_ALIGNMENT == 0, "misaligned ring");

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
plain_read(Position *position)
{
	return __atomic_load_n(&position->value, __ATOMIC_RELAXED);
}

static pg_attribute_always_inline uint64
peers_position(Handle *h, Position *position, Keeping keeping)
{
	switch (keeping)
	{
		case SPINLOCK:
			return locked_add(h, &h->stream->lock, &position->value, 0);
		case EMULATED:
			return locked_add(h, &position->lock, &position->value, 0);
		case ATOMIC:
			break;
	}
	return plain_read(position);
}

static pg_attribute_always_inline uint64
own_position(Handle *h, Position *position, Keeping keeping)
{
	if (keeping == EMULATED)
		return locked_add(h, &position->lock, &position->value, 0);
	return plain_read(position);
}

static pg_attribute_always_inline void
advance(Handle *h, Position *position, uint64 n, Keeping keeping)
{
	switch (keeping)
	{
		case SPINLOCK:
			(void) locked_add(h, &h->stream->lock, &position->value, n);
			break;
		case ATOMIC:
			/* only we change it: no need for an atomic addition */
			__atomic_store_n(&position->value, plain_read(position) + n,
							 __ATOMIC_RELAXED);
			break;
		case EMULATED:
			(void) locked_add(h, &position->lock, &position->value, 0);
			(void) locked_add(h, &position->lock, &position->value, n);
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
			*at = stream->ring + offset;
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
stream_send(Handle *h, Size nbytes, const char *data, bool nowait,
			Keeping keeping, bool lazywrite)
{
	spb_check_message_size(nbytes);
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
			memcpy(at, data + h->done, space);
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
			(void) locked_add(h, &h->stream->lock, &h->stream->written.value, 0);
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
			*at = stream->ring + offset;
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

static Size
stream_minimum_size(void)
{
	return offsetof(Stream, ring) + SPB_RING_ALIGNMENT;
}

static void
stream_create(void *address, Size size, const SpbLockOps *lock)
{
	Stream	   *stream = address;

	if (lock->size(2) > sizeof(stream->lock))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the chosen lock is too large for one in a queue")));

	memset(stream, 0, offsetof(Stream, ring));
	lock->init(&stream->lock, 2);
	lock->init(&stream->read.lock, 2);
	lock->init(&stream->written.lock, 2);
	stream->ring_size = TYPEALIGN_DOWN(SPB_RING_ALIGNMENT, size - offsetof(Stream, ring));
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
