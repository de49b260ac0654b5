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

#include "queue/queue.h"

static const SpbQueueOps *const queues[] = {
	&spb_server_queue,
};

/* The queue of that label, or NULL. */
const SpbQueueOps *
spb_queue_by_label(const char *label)
{
	for (int i = 0; i < lengthof(queues); i++)
		if (strcmp(queues[i]->label, label) == 0)
			return queues[i];
	return NULL;
}
