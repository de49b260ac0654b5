/*-------------------------------------------------------------------------
 *
 * queue.h
 *	  The contract between message queues and those who use them.
 *
 * A queue has one sender and one receiver, passes messages of any length up
 * to the sender's memory, blocks on the process latch, and reports a peer
 * that has detached.  The results are shm_mq's, whose semantics are the
 * contract:
 *
 *	SHM_MQ_SUCCESS		the message was passed
 *	SHM_MQ_WOULD_BLOCK	nowait only: try again when the latch is set; a send
 *						must be repeated with the same message
 *	SHM_MQ_DETACHED		the peer is gone; a receiver gets what was sent before
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

typedef struct SpbQueueOps
{
	const char *label;

	/* Smallest size in bytes that create() accepts, all overhead included. */
	Size		(*minimum_size) (void);

	/* Make a queue of "size" bytes at a MAXALIGNed address of shared memory. */
	void		(*create) (void *address, Size size);

	/*
	 * Become the queue's sender or receiver.  The handle lives in the current
	 * memory context.  When seg is detached, so is the queue.
	 */
	void	   *(*attach_sender) (void *address, dsm_segment *seg);
	void	   *(*attach_receiver) (void *address, dsm_segment *seg);

	/* Pass one message on and let the receiver know at once. */
	shm_mq_result (*send) (void *handle, Size nbytes, const void *data,
						   bool nowait);

	/*
	 * Receive one message.  *datap points into the queue or the handle and is
	 * valid until the next call.
	 */
	shm_mq_result (*receive) (void *handle, Size *nbytesp, void **datap,
							  bool nowait);

	void		(*detach) (void *handle);
} SpbQueueOps;

/* queue.c */
extern const SpbQueueOps *spb_queue_by_label(const char *label);

/* server.c: the installed server's shm_mq */
extern const SpbQueueOps spb_server_queue;

#endif							/* SPB_QUEUE_H */
