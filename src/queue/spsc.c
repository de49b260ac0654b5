/*-------------------------------------------------------------------------
 *
 * spsc.c
 *	  A message queue that is as fast as one producer and one consumer can be.
 *
 * The same ring of bytes and the same semantics as shm_mq, but the two ends
 * leave each other alone as long as they can:
 *
 *	- What each end writes lies on a cache line that the other end reads only
 *	  when it has used up what it last saw there.  The ring is Lamport's
 *	  ("Proving the Correctness of Multiprocess Programs", 1977), the cached
 *	  copies of the positions are from Lee, Bu, Chandranmenon, "A Lock-Free,
 *	  Cache-Efficient Shared Ring Buffer", ANCS 2009.
 *	- The sender publishes its position after some cache lines, or at once for a
 *	  receiver that waits; the receiver gives space back after a quarter of the
 *	  ring, or before it waits itself.
 *	- The latch is set only for a peer that has announced that it waits.  Who is
 *	  about to wait says so and then looks again, and who flushes looks for
 *	  waiters after it has published, with a full barrier between the two on
 *	  both sides, so that one of them sees the other (Dekker's argument).  A send
 *	  has no such barrier: if it misses a waiter, the next send or the flush,
 *	  which is due before the sender waits for anything, does not.
 *	- A process that has to wait gives its CPU away some times before it goes to
 *	  sleep, see peer.c.
 *
 * What limits it now, measured by spinbench_pipelined() through a queue of 16 kB
 * on two CPUs of a virtual machine (Intel Xeon, KVM), nanoseconds per message,
 * shm_mq of PostgreSQL 15 in parentheses:
 *
 *	message			same process,		two processes,
 *					one queue			two queues
 *	5 bytes			 13   (44)			   31     (212)
 *	1000 bytes		 27   (52)			  566    (3489)
 *	64 kB		   2230 (1991)			23932  (464000)
 *
 * Within one process it is the functions for short messages (a send and a
 * receive are 13 ns) and memcpy for long ones (two copies of 64 kB).  Between
 * processes it is the transfer of the data's cache lines from one CPU to the
 * other: 16 lines of a 1000-byte message, twice, and 11 ns per line for 64 kB.
 * contrib_spinbench/speed/queues shows the ratios.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/queue/spsc.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/atomics.h"

#include "cpu/cpu.h"
#include "queue/peer.h"

/*
 * How much a sender keeps to itself while the receiver is busy: some cache
 * lines, so that the two do not pass the line of the position to and fro for
 * each small message.
 */
#define PUBLISH_BYTES 256

/* Written by one end only, each on a line of its own. */
typedef union Line
{
	uint64		position;		/* grows only */
	char		pad[SPB_CACHE_LINE];
} Line;

typedef struct Spsc
{
	/* rarely written */
	SpbPeers	peers;
	Size		ring_size;		/* multiple of SPB_RING_ALIGNMENT */

	/*
	 * Set by who is going to wait, cleared by who wakes it.  The peer looks
	 * here for every message, and finds the line unchanged in its cache as
	 * long as nobody waits.
	 */
	uint32		receiver_waits;
	uint32		sender_waits;
} Spsc;

/* What follows, from the next cache line on. */
typedef struct Lines
{
	Line		written;		/* by the sender */
	Line		read;			/* by the receiver */

	char		ring[FLEXIBLE_ARRAY_MEMBER];
} Lines;

static inline Size
lines_at(const void *queue)
{
	return TYPEALIGN(SPB_CACHE_LINE, (uintptr_t) queue + sizeof(Spsc)) - (uintptr_t) queue;
}

typedef struct Handle
{
	Spsc	   *q;
	Lines	   *lines;
	char	   *ring;
	Size		ring_size;
	Size		offset;			/* of my position in the ring */
	uint64		position;		/* mine */
	uint64		published;		/* as the peer can see it */
	uint64		peer;			/* the peer's, when I last looked */
	Size		batch;			/* a quarter of the ring */
	Size		done;			/* bytes of the current message passed so far */
	bool		has_length;		/* the current message's length word is passed */
	Size		length;			/* of the message being received */
	SpbEnd		end;
} Handle;

#define LOAD(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define LOAD_ACQUIRE(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define STORE_RELEASE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

static pg_attribute_always_inline void
move_on(Handle *h, Size nbytes)
{
	h->position += nbytes;
	h->offset += nbytes;
	if (h->offset >= h->ring_size)
		h->offset -= h->ring_size;
}

/*
 * Publish my position.  A peer that looks there sees it; one that sleeps does
 * not, see wake().
 */
static pg_attribute_always_inline void
publish(Handle *h, uint64 *position)
{
	STORE_RELEASE(position, h->position);
	h->published = h->position;
}

/* Wake the peer if it has announced that it waits. */
static pg_attribute_always_inline void
wake(Handle *h, uint32 *peer_waits, PGPROC **peer)
{
	if (LOAD(peer_waits))
	{
		STORE(peer_waits, 0);
		spb_wake_peer(h->end.user, peer);
	}
}

/*
 * There is nothing to do until the peer publishes: say that I wait, and return
 * false if I still have to.  When it has published, the latch is set.
 */
static bool
announce_wait(Handle *h, uint32 *i_wait, uint64 *peers_position)
{
	if (LOAD(i_wait) == 0)
	{
		STORE(i_wait, 1);
		pg_memory_barrier();
	}
	return LOAD_ACQUIRE(peers_position) != h->peer;
}

/*
 * Sending.
 */

static void
spsc_flush(void *handle)
{
	Handle	   *h = handle;

	if (h->published != h->position)
		publish(h, &h->lines->written.position);

	/* pairs with the barrier of announce_wait() */
	pg_memory_barrier();
	wake(h, &h->q->receiver_waits, &h->q->peers.receiver);
}

/*
 * No space is left according to what is known: look again, and wait.
 */
static SPB_NOINLINE shm_mq_result
wait_for_space(Handle *h, bool nowait)
{
	Spsc	   *q = h->q;

	for (;;)
	{
		h->peer = LOAD_ACQUIRE(&h->lines->read.position);
		if (LOAD(&q->peers.detached))
			return SHM_MQ_DETACHED;
		if (h->position - h->peer < h->ring_size)
			return SHM_MQ_SUCCESS;

		spsc_flush(h);
		if (announce_wait(h, &q->sender_waits, &h->lines->read.position))
			continue;
		if (LOAD(&q->peers.detached))
			return SHM_MQ_DETACHED;
		if (nowait)
			return SHM_MQ_WOULD_BLOCK;
		spb_watch_for_peer(h->end.user);
	}
}

static shm_mq_result
spsc_send(void *handle, shm_mq_iovec *chunks, int nchunks, bool nowait)
{
	Handle	   *h = handle;
	Spsc	   *q = h->q;
	Size		nbytes = spb_message_size(chunks, nchunks);
	Size		needed = SPB_LENGTH_WORD + SPB_PADDED(nbytes);

	/* the usual case: it fits, in one piece */
	if (likely(!h->has_length &&
			   h->position + needed - h->peer <= h->ring_size &&
			   h->offset + needed <= h->ring_size))
	{
		char	   *at = h->ring + h->offset;

		*(uint64 *) at = nbytes;
		spb_copy_part(at + SPB_LENGTH_WORD, chunks, 0, nbytes);
		move_on(h, needed);
	}
	else
	{
		while (!h->has_length || h->done < nbytes)
		{
			Size		space = h->ring_size - (Size) (h->position - h->peer);

			if (space == 0)
			{
				shm_mq_result result = wait_for_space(h, nowait);

				if (result != SHM_MQ_SUCCESS)
					return result;
				continue;
			}
			if (!h->has_length)
			{
				*(uint64 *) (h->ring + h->offset) = nbytes;
				h->has_length = true;
				h->done = 0;
				move_on(h, SPB_LENGTH_WORD);
			}
			else
			{
				space = Min(space, h->ring_size - h->offset);
				/* let the receiver copy one part while we write the next */
				space = Min(space, h->batch);
				space = Min(space, nbytes - h->done);
				spb_copy_part(h->ring + h->offset, chunks, h->done, space);
				h->done += space;
				move_on(h, SPB_PADDED(space));
				publish(h, &h->lines->written.position);
				wake(h, &q->receiver_waits, &q->peers.receiver);
			}
		}
		h->has_length = false;
	}

	if (h->position - h->published >= PUBLISH_BYTES || LOAD(&q->receiver_waits))
	{
		publish(h, &h->lines->written.position);
		wake(h, &q->receiver_waits, &q->peers.receiver);
	}
	if (unlikely(LOAD(&q->peers.detached)))
		return SHM_MQ_DETACHED;
	return SHM_MQ_SUCCESS;
}

/*
 * Receiving.
 */

/*
 * Give space back.  This is done by quarters of the ring, unless I am going to
 * wait: a sender that is woken for less would be back in no time.
 */
static void
give_back(Handle *h)
{
	if (h->published != h->position)
		publish(h, &h->lines->read.position);
	pg_memory_barrier();
	wake(h, &h->q->sender_waits, &h->q->peers.sender);
}

/*
 * Nothing is left to read according to what is known: look again, and wait.
 */
static SPB_NOINLINE shm_mq_result
wait_for_bytes(Handle *h, bool nowait)
{
	Spsc	   *q = h->q;

	for (;;)
	{
		h->peer = LOAD_ACQUIRE(&h->lines->written.position);
		if (h->peer != h->position)
			return SHM_MQ_SUCCESS;

		give_back(h);
		if (announce_wait(h, &q->receiver_waits, &h->lines->written.position))
			continue;
		if (LOAD_ACQUIRE(&q->peers.detached))
		{
			/* it may have sent something between our two looks */
			if (LOAD_ACQUIRE(&h->lines->written.position) != h->peer)
				continue;
			return SHM_MQ_DETACHED;
		}
		if (nowait)
			return SHM_MQ_WOULD_BLOCK;
		spb_watch_for_peer(h->end.user);
	}
}

static shm_mq_result
spsc_receive(void *handle, Size *nbytesp, void **datap, bool nowait)
{
	Handle	   *h = handle;
	shm_mq_result result;

	/* the message returned last is not needed any more */
	if (h->position - h->published >= h->batch)
		give_back(h);

	if (!h->has_length)
	{
		if (h->position == h->peer &&
			(result = wait_for_bytes(h, nowait)) != SHM_MQ_SUCCESS)
			return result;
		h->length = (Size) *(uint64 *) (h->ring + h->offset);
		move_on(h, SPB_LENGTH_WORD);
		h->has_length = true;
		h->done = 0;
	}

	for (;;)
	{
		Size		missing = h->length - h->done;
		Size		available = (Size) (h->peer - h->position);

		available = Min(available, h->ring_size - h->offset);
		if (available >= missing && h->done == 0)
		{
			/* the usual case: it is there, in one piece */
			*datap = h->ring + h->offset;
			break;
		}
		if (available == 0)
		{
			result = wait_for_bytes(h, nowait);
			if (result != SHM_MQ_SUCCESS)
				return result;
			continue;
		}
		if (h->done == 0)
			spb_make_buffer(&h->end.buffer, h->length);
		available = Min(available, missing);
		memcpy(h->end.buffer.bytes + h->done, h->ring + h->offset, available);
		h->done += available;
		move_on(h, SPB_PADDED(available));
		if (h->done == h->length)
		{
			h->has_length = false;
			*nbytesp = h->length;
			*datap = h->end.buffer.bytes;
			return SHM_MQ_SUCCESS;
		}
		if (h->position - h->published >= h->batch)
			give_back(h);
	}

	move_on(h, SPB_PADDED(h->length));
	h->has_length = false;
	*nbytesp = h->length;
	return SHM_MQ_SUCCESS;
}

/*
 * Life and death.
 */

static Size
overhead(const void *queue)
{
	return lines_at(queue) + offsetof(Lines, ring);
}

static Size
spsc_minimum_size(const void *address)
{
	return overhead(address) + SPB_RING_ALIGNMENT;
}

static void
spsc_create(void *address, Size size, const SpbLockOps *lock)
{
	Spsc	   *q = address;

	memset(q, 0, overhead(address));
	q->ring_size = TYPEALIGN_DOWN(SPB_RING_ALIGNMENT, size - overhead(address));
}

static void *
spsc_attach(void *address, dsm_segment *seg, SpbQueueUser *user, bool sends)
{
	Spsc	   *q = address;
	Handle	   *h = palloc0(sizeof(Handle));

	h->q = q;
	h->lines = (Lines *) ((char *) address + lines_at(address));
	h->ring = h->lines->ring;
	h->ring_size = q->ring_size;

	/*
	 * A quarter: the peer has as much again to work on while the news of it
	 * travels, twice.
	 */
	h->batch = Max(q->ring_size / 4, SPB_RING_ALIGNMENT);
	h->batch = TYPEALIGN_DOWN(SPB_RING_ALIGNMENT, h->batch);
	spb_attach_end(&h->end, &q->peers, seg, user, sends);
	return h;
}

static void
spsc_detach(void *handle)
{
	Handle	   *h = handle;

	if (h->end.sends)
		spsc_flush(h);
	spb_detach_end(&h->end);
	pfree(h);
}

const SpbQueueOps spb_spsc_queue = {
	.label = "spsc",
	.description = "as fast as one producer and one consumer can be",
	.origin = "spinbench",
	.minimum_size = spsc_minimum_size,
	.create = spsc_create,
	.attach = spsc_attach,
	.send = spsc_send,
	.flush = spsc_flush,
	.receive = spsc_receive,
	.wait = spb_watch_for_peer,
	.detach = spsc_detach,
	.counts = true
};
