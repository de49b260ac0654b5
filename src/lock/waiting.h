/*-------------------------------------------------------------------------
 *
 * waiting.h
 *	  The slow path of spinning locks: what happens between two tries.
 *
 * For implementers of locks.  A wait is
 *
 *		SpbWait wait = SPB_WAIT_BEGIN;
 *
 *		while (the lock is not free)
 *		{
 *			delay instruction
 *			if (SPB_WAIT_SPUN(waiter, wait) && !spb_wait_at_limit(waiter, &wait))
 *				return false;
 *		}
 *		spb_wait_end(waiter, &wait);
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/lock/waiting.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_WAITING_H
#define SPB_WAITING_H

#include "lock/lock.h"

typedef struct SpbWait
{
	int			spins;			/* since the last sleep */
	uint32_t	sleep_us;		/* length of the next sleep; 0 before the
								 * first */
	uint64_t	since_ns;		/* clock at the first time at the limit */
} SpbWait;

#define SPB_WAIT_BEGIN {0, 0, 0}

/* Count one failed try; true if the spin limit has been reached. */
#define SPB_WAIT_SPUN(waiter, wait) (++(wait).spins >= (waiter)->spin_limit)

/*
 * The spin limit after a wait, as finish_spin_delay() of s_lock.c adapts it:
 * a wait without a sleep shows another processor at work.
 */
#define SPB_MIN_SPINS 10
#define SPB_MAX_SPINS 1000

SPB_INLINE int
spb_adapt_spins(int limit, bool slept)
{
	if (slept)
		return limit > SPB_MIN_SPINS ? limit - 1 : limit;
	return limit + 100 < SPB_MAX_SPINS ? limit + 100 : SPB_MAX_SPINS;
}

extern bool spb_wait_at_limit(SpbWaiter *waiter, SpbWait *wait);
extern void spb_wait_end(SpbWaiter *waiter, const SpbWait *wait);

/*
 * The body of every hammer(): acquire and release are inlined, since they are
 * constants where this is expanded.  See SpbLockOps.
 */
SPB_INLINE uint64_t
spb_hammer_with(bool (*acquire) (void *, SpbWaiter *),
				void (*release) (void *, SpbWaiter *),
				SpbLine *lines, int nlines, SpbWaiter *waiter, uint64_t times)
{
	uint64_t	done;

	if (nlines == 0)
	{
		for (done = 0; done < times; done++)
		{
			if (SPB_UNLIKELY(!acquire(lines, waiter)))
				break;
			release(lines, waiter);
		}
		return done;
	}

	for (done = 0; done < times; done++)
	{
		uint64_t	me = (uint64_t) waiter->number + 1;

		if (SPB_UNLIKELY(!acquire(lines, waiter)))
			break;
		if (lines[0].owner != me)
		{
			lines[0].owner = me;
			waiter->count.handoffs++;
		}
		for (int i = 0; i < nlines; i++)
		{
			/*
			 * volatile: one load and one store per line, whatever "times".
			 * Between them the value is in a register, since one instruction
			 * that increments memory may be atomic (agsi of s390x), and such
			 * a counter loses nothing to a lock that excludes nobody.
			 */
			volatile uint64_t *counter = &lines[i].counter;
			uint64_t	value = *counter;

			SPB_KEEP_IN_REGISTER(value);
			*counter = value + 1;
		}
		release(lines, waiter);
	}
	return done;
}

/* The body of every fetch_add(), likewise. */
SPB_INLINE bool
spb_fetch_add_with(bool (*acquire) (void *, SpbWaiter *),
				   void (*release) (void *, SpbWaiter *),
				   void *lock, SpbWaiter *waiter,
				   uint64_t *value, uint64_t n, uint64_t *before)
{
	if (SPB_UNLIKELY(!acquire(lock, waiter)))
		return false;
	*before = *value;
	if (n > 0)
		*value = *before + n;
	release(lock, waiter);
	return true;
}

/*
 * NAME_hammer() and NAME_fetch_add() of a lock that has NAME_acquire() and
 * NAME_release().  They are not inlined, so that profiles and disassemblies
 * show which lock is at work.
 */
#define SPB_DEFINE_HAMMER_AND_FETCH_ADD(NAME) \
static SPB_NOINLINE uint64_t \
NAME##_hammer(SpbLine *lines, int nlines, SpbWaiter *waiter, uint64_t times) \
{ \
	return spb_hammer_with(NAME##_acquire, NAME##_release, \
						   lines, nlines, waiter, times); \
} \
static SPB_NOINLINE bool \
NAME##_fetch_add(void *lock, SpbWaiter *waiter, \
				 uint64_t *value, uint64_t n, uint64_t *before) \
{ \
	return spb_fetch_add_with(NAME##_acquire, NAME##_release, \
							  lock, waiter, value, n, before); \
}

#endif							/* SPB_WAITING_H */
