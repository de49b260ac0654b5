/*-------------------------------------------------------------------------
 *
 * queue.h
 *	  The contract between message queues and those who use them.
 *
 * A queue has one sender and one receiver, passes messages of any length up
 * to MaxAllocSize, blocks on the process latch, and reports a peer that has
 * detached.  Either end may be used before the other is attached, but who must
 * not wait for a peer that may never come uses nowait until then.  The results
 * are shm_mq's, whose semantics are the contract:
 *
 *	SHM_MQ_SUCCESS		the message was passed
 *	SHM_MQ_WOULD_BLOCK	nowait only: try again when the latch is set; a send
 *						must be repeated with the same message
 *	SHM_MQ_DETACHED		the peer is gone; a receiver gets what was sent before
 *
 * A queue may keep to itself what was sent until it is flushed: who sends must
 * flush before it waits for anything but space in that queue.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/queue/queue.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_QUEUE_H
#define SPB_QUEUE_H

#include "storage/dsm.h"
#include "storage/shm_mq.h"

#include "lock/lock.h"
#include "sanitize.h"

/* What the queues of a participant count; they all stay unknown for shm_mq. */
typedef struct SpbQueueCounters
{
	uint64		acquisitions;	/* of the queues' own spinlocks */
	uint64		latch_sets;		/* SetLatch() calls for a peer */
	uint64		wakeups;		/* waits for the own latch that ended */
} SpbQueueCounters;

/*
 * A participant as its queues see it: which lock guards them, how it waits for
 * that lock, and what it counts.
 */
typedef struct SpbQueueUser
{
	const SpbLockOps *lock;
	SpbWaiter	waiter;			/* apart from that of the injected lock */
	SpbQueueCounters count;
	uint32		wait_event;		/* what pg_stat_activity shows meanwhile */

	/* Raises the error for a wait that ended without the lock. */
	void		(*wait_ended) (SpbWaiter *waiter) SPB_NORETURN;
} SpbQueueUser;

typedef struct SpbQueueOps
{
	const char *label;
	const char *description;
	const char *origin;

	/*
	 * Smallest size in bytes that create() accepts at an address, all
	 * overhead included; for NULL, at one that begins a cache line.
	 */
	Size		(*minimum_size) (const void *address);

	/*
	 * Make a queue of "size" bytes at an address of shared memory, which is a
	 * multiple of SPB_RING_ALIGNMENT.  "lock" guards it, if it is a queue
	 * with a spinlock.
	 */
	void		(*create) (void *address, Size size, const SpbLockOps *lock);

	/*
	 * Become the queue's sender or receiver.  The handle lives in the current
	 * memory context.  When seg is detached, so is the queue; seg may be
	 * NULL.
	 */
	void	   *(*attach) (void *address, dsm_segment *seg, SpbQueueUser *user,
						   bool sends);

	/* Pass one message on, which comes in one chunk or more. */
	shm_mq_result (*send) (void *handle, shm_mq_iovec *chunks, int nchunks,
						   bool nowait);

	/*
	 * Let the receiver know of everything that was sent.  NULL if send() does
	 * so.
	 */
	void		(*flush) (void *handle);

	/*
	 * Receive one message.  *datap points into the queue or the handle and is
	 * valid until the next call.
	 */
	shm_mq_result (*receive) (void *handle, Size *nbytesp, void **datap,
							  bool nowait);

	void		(*detach) (void *handle);

	/*
	 * Wait for the latch after calls that would have blocked, on whichever of
	 * the caller's queues.
	 */
	void		(*wait) (SpbQueueUser *user);

	/* Does it keep the counters of SpbQueueUser? */
	bool		counts;
} SpbQueueOps;

/* Pass a message on that is in one piece. */
static inline shm_mq_result
spb_send(const SpbQueueOps *queue, void *handle, Size nbytes, const void *data,
		 bool nowait)
{
	shm_mq_iovec chunk = {data, nbytes};

	return queue->send(handle, &chunk, 1, nowait);
}

/* queue.c */
extern const SpbQueueOps *spb_queue_by_label(const char *label);
extern const SpbQueueOps *spb_queue(int i);

/* server.c: the installed server's shm_mq */
extern const SpbQueueOps spb_server_queue;

/* stream.c: what shm_mq was, is, and was proposed to be */
extern const SpbQueueOps spb_stream_queues[];
extern const int spb_num_stream_queues;

/* spsc.c: ours */
extern const SpbQueueOps spb_spsc_queue;

#endif							/* SPB_QUEUE_H */
