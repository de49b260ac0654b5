/*-------------------------------------------------------------------------
 *
 * patch.h
 *	  Our code in place of the server's own.
 *
 * The parts:
 *
 *	patch.c			when and whether: settings, start of the server
 *	redirect.c		how calls get from the server's functions to ours
 *	known.c			whether ours do what the server's do
 *	server_lock.c	labels: which of our slow paths can be chosen
 *	slow_path.c		what is called instead of s_lock() and its helpers
 *	counters.c		shared memory: the label in force, what was counted
 *
 * and, for the message queue, those of server_queue.h.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/patch.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_PATCH_H
#define SPB_PATCH_H

#include "lock/lock.h"
#include "patch/redirect.h"

/*
 * A slow path that can be chosen.  Each has a number, the same in all
 * processes of a server, so that one word of shared memory says which is in
 * force.  0 is "stock".
 */
typedef struct SpbServerLock
{
	uint32		number;
	const SpbSpinlock *spinlock;	/* NULL: stock */
	SpbWaiting	waiting;
	char		label[SPB_LABEL_MAX];	/* canonical */
} SpbServerLock;

typedef enum SpbPatchServer
{
	SPB_PATCH_OFF,
	SPB_PATCH_ON,
	SPB_PATCH_REQUIRE			/* or the server does not start */
} SpbPatchServer;

/* server_lock.c */
extern uint32 spb_num_server_locks(void);
extern bool spb_server_lock_numbered(uint32 number, SpbServerLock *lock);
extern bool spb_server_lock_choose(const char *label, SpbServerLock *lock,
								   SpbLabelProblem *problem);

/* slow_path.c */
extern const SpbRedirect spb_slow_path_functions[];
extern const int spb_num_slow_path_functions;
extern void spb_slow_path_init(int *spins_per_delay);

/* counters.c */

/* Of one backend, for one server_lock. */
typedef struct SpbServerCounters
{
	pg_atomic_uint64 contended;
	pg_atomic_uint64 spins;
	pg_atomic_uint64 sleeps;
	pg_atomic_uint64 slept_ns;
} SpbServerCounters;

extern void spb_counters_init(void);
extern uint32 spb_server_lock_in_force(void);
extern void spb_put_in_force(uint32 number);
extern void spb_count_wait(uint32 number, const SpbLockCounters *waited);

/* patch.c */
extern int	spb_patch_server;	/* an SpbPatchServer: the setting */
extern bool spb_server_is_patched;	/* the fact, for spinlocks */
extern bool spb_queue_is_replaced;	/* the fact, for the message queue */
extern const char *spb_lock_in_place(void);
extern const char *spb_queue_in_place(void);
extern void spb_tell_queue_has_to_wait(void);
extern void spb_patch_init(void);

#endif							/* SPB_PATCH_H */
