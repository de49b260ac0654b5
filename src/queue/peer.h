/*-------------------------------------------------------------------------
 *
 * peer.h
 *	  The two ends of a queue: who is there, waiting for each other, waking.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/queue/peer.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_PEER_H
#define SPB_PEER_H

#include "storage/proc.h"

#include "queue/message.h"
#include "queue/queue.h"

/*
 * The ends of a queue of ours: what its shared memory begins with.  As small as
 * they are, a queue has room where the server's shm_mq has.
 */
typedef struct SpbPeers
{
	PGPROC	   *receiver;		/* NULL: not attached yet; each is set once */
	PGPROC	   *sender;
	uint16		detached;		/* one of them has gone */
	uint16		kind;			/* for who has queues of several, at first 0 */
} SpbPeers;

/* One of them, in its own memory. */
typedef struct SpbEnd
{
	SpbPeers   *peers;
	bool		sends;			/* am I the sender? */
	dsm_segment *seg;
	SpbQueueUser *user;
	SpbBuffer	buffer;			/* messages that are not in one piece */
} SpbEnd;

/*
 * Become the sender or receiver; for the rest see SpbQueueOps.  A queue flushes
 * before it detaches.
 */
extern void spb_attach_end(SpbEnd *end, SpbPeers *peers, dsm_segment *seg,
						   SpbQueueUser *user, bool sends);
extern void spb_detach_end(SpbEnd *end);

/* Put a process at one end before it attaches, and tell the other end. */
extern void spb_set_end(SpbPeers *peers, bool sends, PGPROC *proc);

/* Let the peer look: it may be waiting for what was published just now. */
extern void spb_wake_peer(SpbQueueUser *user, PGPROC **peer);

/* Wait until the peer has done so, or for an interrupt. */
extern void spb_wait_for_peer(SpbQueueUser *user);

/* Likewise, but give the CPU away for a while before going to sleep. */
extern void spb_watch_for_peer(SpbQueueUser *user);

#endif							/* SPB_PEER_H */
