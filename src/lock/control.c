/*-------------------------------------------------------------------------
 *
 * control.c
 *	  Negative controls: what looks like a lock and is none.
 *
 * A check that has never been seen to fail proves nothing.  "broken" lets two
 * participants in at once, so that the counters of the critical section must
 * be found wrong; "leaky" never lets go, so that the second acquisition must
 * be found stuck.  The self-test and the regression tests use both; sweeps
 * and lists of locks to measure do not.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/lock/control.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "lock/lock.h"
#include "lock/waiting.h"

static size_t
word_size(int participants)
{
	(void) participants;
	return sizeof(uint64_t);
}

static void
word_init(void *lock, int participants)
{
	memset(lock, 0, word_size(participants));
}

SPB_INLINE void
broken_release(void *lock, SpbWaiter *waiter)
{
	(void) waiter;
	__atomic_store_n((uint32_t *) lock, 0, __ATOMIC_RELEASE);
}

SPB_INLINE bool
acquire_with(bool (*try) (void *, SpbWaiter *), void *lock, SpbWaiter *waiter)
{
	SpbWait		wait = SPB_WAIT_BEGIN;

	if (try(lock, waiter))
		return true;
	while (!try(lock, waiter))
	{
		if (SPB_WAIT_SPUN(waiter, wait) && !spb_wait_at_limit(waiter, &wait))
			return false;
	}
	spb_wait_end(waiter, &wait);
	return true;
}

/* A load and a store where an atomic instruction is needed. */
SPB_INLINE bool
broken_try(void *lock, SpbWaiter *waiter)
{
	volatile uint32_t *word = lock;

	(void) waiter;
	if (*word != 0)
		return false;
	*word = 1;
	return true;
}

static bool
broken_acquire(void *lock, SpbWaiter *waiter)
{
	return acquire_with(broken_try, lock, waiter);
}

SPB_DEFINE_HAMMER_AND_FETCH_ADD(broken)

/* A correct test-and-set whose release is missing. */
static bool
leaky_try(void *lock, SpbWaiter *waiter)
{
	(void) waiter;
	return __atomic_exchange_n((uint32_t *) lock, 1, __ATOMIC_ACQUIRE) == 0;
}

static bool
leaky_acquire(void *lock, SpbWaiter *waiter)
{
	return acquire_with(leaky_try, lock, waiter);
}

static void
leaky_release(void *lock, SpbWaiter *waiter)
{
	(void) lock;
	(void) waiter;
}

SPB_DEFINE_HAMMER_AND_FETCH_ADD(leaky)

const SpbLockOps spb_broken_lock = {
	.size = word_size,
	.init = word_init,
	.try_acquire = broken_try,
	.acquire = broken_acquire,
	.release = broken_release,
	.hammer = broken_hammer,
	.fetch_add = broken_fetch_add
};

const SpbLockOps spb_leaky_lock = {
	.size = word_size,
	.init = word_init,
	.try_acquire = leaky_try,
	.acquire = leaky_acquire,
	.release = leaky_release,
	.hammer = leaky_hammer,
	.fetch_add = leaky_fetch_add
};
