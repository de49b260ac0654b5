/*-------------------------------------------------------------------------
 *
 * queue.c
 *	  The table of message queues.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/queue/queue.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lock/words.h"
#include "queue/queue.h"

/* The i-th queue, counted from 0; NULL behind the last one. */
const SpbQueueOps *
spb_queue(int i)
{
	if (i == 0)
		return &spb_server_queue;
	if (i <= spb_num_stream_queues)
		return &spb_stream_queues[i - 1];
	return i == spb_num_stream_queues + 1 ? &spb_spsc_queue : NULL;
}

/*
 * The queue of that label, whose options may stand in any order; NULL if there
 * is none.
 */
const SpbQueueOps *
spb_queue_by_label(const char *label)
{
	const SpbQueueOps *queue;

	for (int i = 0; (queue = spb_queue(i)) != NULL; i++)
		if (spb_same_label(queue->label, label))
			return queue;
	return NULL;
}
