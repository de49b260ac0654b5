/*-------------------------------------------------------------------------
 *
 * server_queue.h
 *	  The message queue of a server whose own is replaced.
 *
 *	server_queue.c		labels, and which one is in force
 *	message_queue.c		what is called instead of the server's functions
 *
 * A number stands for a queue in shared memory, the same in all processes of
 * a server.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/server_queue.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_SERVER_QUEUE_H
#define SPB_SERVER_QUEUE_H

#include "patch/redirect.h"
#include "queue/queue.h"

#define SPB_SERVER_QUEUE_STOCK 0

/* Not a queue of ours: shm_mq is left alone. */
#define SPB_SERVER_QUEUE_OFF PG_UINT32_MAX

extern bool spb_server_queue_choose(const char *label, uint32 *number,
									const char **canonical);
extern const SpbQueueOps *spb_server_queue_ops(uint32 number);
extern const char *spb_server_queue_label(uint32 number);
extern uint32 spb_server_queue_in_force(void);
extern void spb_put_queue_in_force(uint32 number);
extern void spb_count_server_queue(uint32 number);
extern void spb_server_queue_init(void);

extern const SpbRedirect spb_message_queue_functions[];
extern const int spb_num_message_queue_functions;
extern bool spb_message_queue_is_known(SpbPatchProblem *problem);

#endif							/* SPB_SERVER_QUEUE_H */
