/*-------------------------------------------------------------------------
 *
 * lock.h
 *	  The contract between locks and those who use them.
 *
 * A lock lives in shared memory that may be mapped at different addresses in
 * different processes, so it never holds a pointer.  Everything a process
 * needs for itself while it waits, and everything it counts, is in its
 * SpbWaiter.
 *
 * Waiting ends in one of three ways: the lock was acquired, or should_stop()
 * said so when a wait had reached its spin limit, or the lock has been waited
 * for longer than the stuck timeout.  In the last two cases acquire() returns
 * false and waiter->end says which: the caller raises the error, after it has
 * left the measured code.
 *
 * Between acquire and release nothing allocates, logs, raises, sleeps or
 * checks for interrupts.
 *
 * Needs no PostgreSQL header: only server.c, which wraps the server's own
 * spinlock, does.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/lock/lock.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_LOCK_H
#define SPB_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/cpu.h"

/* Longest canonical label, with its terminating zero. */
#define SPB_LABEL_MAX 96

/*
 * What a participant does when it has spun as often as its limit allows.  See
 * waiting.c for the policies.
 */
typedef enum SpbWaiting
{
	SPB_WAITING_ADAPTIVE,		/* s_lock.c, PostgreSQL 8.0 and later */
	SPB_WAITING_FIXED1000,		/* same sleeps, but always 1000 spins */
	SPB_WAITING_NOSLEEP,		/* spin for ever */
	SPB_WAITING_SCHEDYIELD		/* sched_yield() instead of a sleep */
} SpbWaiting;

#define SPB_NUM_WAITINGS (SPB_WAITING_SCHEDYIELD + 1)

/* Why a wait ended without the lock. */
typedef enum SpbWaitEnd
{
	SPB_WAIT_GOES_ON,
	SPB_WAIT_STOPPED,			/* should_stop() returned true */
	SPB_WAIT_STUCK				/* waited longer than the stuck timeout */
} SpbWaitEnd;

/*
 * Counters of one participant, in shared memory when others are to read
 * them.  Only the slow path and the critical section count; the number of
 * acquisitions is known to whoever asked for them.
 *
 * A counter that the lock cannot keep (the server's own slow path does not
 * tell how often it spun) stays at SPB_UNKNOWN.
 */
typedef struct SpbLockCounters
{
	uint64_t	contended;		/* acquisitions that did not succeed at once */
	uint64_t	spins;			/* tries that failed while waiting */
	uint64_t	sleeps;			/* sleeps, or yields to the scheduler */
	uint64_t	slept_ns;		/* time spent in them, in nanoseconds */
	uint64_t	handoffs;		/* acquisitions whose previous holder was
								 * somebody else; known only with a critical
								 * section */
} SpbLockCounters;

#define SPB_UNKNOWN UINT64_MAX

typedef struct SpbWaiter SpbWaiter;
typedef struct SpbSpinlock SpbSpinlock;

struct SpbWaiter
{
	int			number;			/* of the participant: 0 is the leader */
	SpbWaiting	waiting;		/* policy, part of the lock's label */
	int			spin_limit;		/* spins before a sleep; adapts, see waiting.c */
	uint64_t	stuck_timeout_ns;
	SpbLockCounters count;
	SpbWaitEnd	end;
	uint64_t	random;			/* state of the generator for sleep lengths */

	/*
	 * Called in a wait that has reached its limit, with the lock not held.
	 * sleep() may return early; should_stop() must be cheap, since it is
	 * asked before each sleep.  waiting() is told when a wait begins to sleep
	 * (true) and when it ends (false): who is not waiting may hold a stuck
	 * lock. All three may be NULL.
	 */
	void		(*sleep) (SpbWaiter *waiter, uint32_t microseconds);
	bool		(*should_stop) (SpbWaiter *waiter);
	void		(*on_wait) (SpbWaiter *waiter, bool begins);
	void	   *arg;			/* for the callbacks */
};

/*
 * What a lock guards: its word and, if the critical section is not empty, one
 * counter on each of a number of cache lines, the first being the lock's own.
 * Both halves of a line are kept within 64 bytes.
 */
typedef struct SpbLine
{
	union
	{
		unsigned char bytes[40];
		uint64_t	align;
	}			lock;			/* in the first line only */
	uint64_t	owner;			/* number + 1 of the last holder, first line
								 * only */
	uint64_t	counter;		/* acquisitions that wrote this line */
	unsigned char pad[SPB_CACHE_LINE - 40 - 2 * sizeof(uint64_t)];
} SpbLine;

/*
 * An implementation of mutual exclusion.  One such table exists for each
 * combination of options that changes the compiled code; what is left to the
 * waiter (the waiting policy) is not part of it.
 */
typedef struct SpbLockOps
{
	size_t		(*size) (int participants);
	void		(*init) (void *lock, int participants);

	/*
	 * One attempt; it may fail spuriously where the primitive may.  For tests
	 * only; NULL where the implementation has no such thing.
	 */
	bool		(*try_acquire) (void *lock, SpbWaiter *waiter);

	/* False if the wait ended without the lock: see waiter->end. */
	bool		(*acquire) (void *lock, SpbWaiter *waiter);
	void		(*release) (void *lock, SpbWaiter *waiter);

	/*
	 * Acquire and release the lock of lines[0] "times" times, both inlined;
	 * meanwhile increment the counters of nlines lines (0: an empty critical
	 * section).  Returns how often it was acquired: fewer than asked for if a
	 * wait ended early.
	 *
	 * Dispatch happens once per call.  A workload that takes the lock once
	 * per message pays one well-predicted indirect call per message, the same
	 * for every lock.
	 */
	uint64_t	(*hammer) (SpbLine *lines, int nlines, SpbWaiter *waiter,
						   uint64_t times);

	/*
	 * Add n to *value under the lock, and put into *before what it was: what
	 * a queue does with the positions that its spinlock guards.  n may be 0.
	 * False if the wait for the lock ended without it: then nothing is added.
	 */
	bool		(*fetch_add) (void *lock, SpbWaiter *waiter,
							  uint64_t *value, uint64_t n, uint64_t *before);

	/*
	 * Prepare a participant for a run, and finish it: for a lock whose
	 * waiting is not ours (server) to reset and to read back what it adapted.
	 * May be NULL.
	 */
	void		(*begin) (SpbWaiter *waiter);
	void		(*finish) (SpbWaiter *waiter);
} SpbLockOps;

/* A lock as chosen by a label. */
typedef struct SpbLockChoice
{
	const SpbLockOps *ops;
	const SpbSpinlock *spinlock;	/* NULL: not of the family of spin.c */
	SpbWaiting	waiting;
	char		label[SPB_LABEL_MAX];	/* canonical */
} SpbLockChoice;

/* Why a label was refused, as sentences for errdetail and errhint. */
typedef struct SpbLabelProblem
{
	char		detail[256];
	char		hint[256];
} SpbLabelProblem;

/* label.c */
extern bool spb_lock_choose(const char *label, SpbLockChoice *choice,
							SpbLabelProblem *problem);
extern void spb_spinlock_label(const SpbSpinlock *lock, char *label,
							   size_t size);
extern const char *spb_waiting_word(SpbWaiting waiting);
extern int	spb_num_locks(void);
extern int	spb_lock_number(const SpbLockChoice *choice);

/*
 * spin.c: the family of s_lock.h variants.  Each of the options is "" where
 * the label has none.
 */
struct SpbSpinlock
{
	const char *symbol;			/* its functions are <symbol>_acquire etc. */
	const char *primitive;
	const char *test;			/* spintest, pretest */
	const char *delay;			/* pause, isb ... */
	const char *order;			/* delayfirst */
	const char *fences;			/* as in SPB_ARCH_FENCES */
	int			width;			/* in bytes */
	bool		(*primitive_runs) (void);	/* on this very processor */
	const char *primitive_needs;	/* in words, if it does not */
	bool		(*delay_runs) (void);
	const char *delay_needs;
	bool		(*fences_run) (void);
	const char *fences_need;
	const char *primitive_instructions; /* see cpu.h */
	const char *delay_instructions;
	const char *fence_instructions;
	const char *release_fence_instructions;
	const char *release_instructions;
	SpbLockOps	ops;

	/*
	 * What ops.acquire() does when its first try has failed: for a lock whose
	 * first try is somebody else's.
	 */
	bool		(*slow) (void *lock, SpbWaiter *waiter);
};

extern const SpbSpinlock spb_spinlocks[];
extern const int spb_num_spinlocks;

/* instructions.c */
extern void spb_lock_instructions(const SpbLockChoice *choice, char *out,
								  size_t size);

/*
 * variants.c: the locks that were released, measured or proposed.  A label
 * occurs once for each architecture that has a story to tell about it.
 */
typedef struct SpbVariant
{
	const char *label;			/* canonical on its architecture */
	const char *arch;			/* as SPB_ARCH_NAME */
	const char *description;
	const char *origin;			/* release and commit, or mail */
} SpbVariant;

extern const int spb_num_variants;
extern const SpbVariant *spb_variant(int i);
extern bool spb_variant_choose(const SpbVariant *variant, SpbLockChoice *choice,
							   SpbLabelProblem *problem);

/* server.c: the installed server's own macros */
extern const SpbLockOps spb_server_lock;
extern const SpbLockOps spb_slowed_lock;	/* takes 5 % longer */

/* control.c: what is no lock, so that checks can be seen to fail */
extern const SpbLockOps spb_broken_lock;
extern const SpbLockOps spb_leaky_lock;

/* waiting.c */
extern void spb_waiter_init(SpbWaiter *waiter, int number, SpbWaiting waiting,
							uint64_t stuck_timeout_ns);

#endif							/* SPB_LOCK_H */
