/*-------------------------------------------------------------------------
 *
 * server.c
 *	  The installed server's own spinlock, whatever its s_lock.h says.
 *
 * The only lock that includes a PostgreSQL header.  Its fast path is the
 * header's inline code compiled into this module, its slow path is s_lock()
 * in the server's executable, so its waiting cannot be ours: it does not tell
 * how often it spun or how long it slept, and after about two minutes it
 * PANICs, which spinbench.stuck_timeout cannot prevent.  Nothing here ends
 * while it holds the lock, other than by a crash that takes the cluster down
 * anyway.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/lock/server.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/s_lock.h"
#include "storage/spin.h"

#include "lock/lock.h"
#include "lock/waiting.h"

StaticAssertDecl(sizeof(slock_t) == SPB_ARCH_SLOCK_WIDTH,
				 "width of the server's slock_t");

static size_t
server_size(int participants)
{
	return sizeof(slock_t);
}

static void
server_init(void *lock, int participants)
{
	SpinLockInit((volatile slock_t *) lock);
}

/*
 * SpinLockAcquire() taken apart, so that contended acquisitions can be
 * counted: S_LOCK() is TAS() and then s_lock(), which returns the number of
 * its sleeps.  A platform that defines S_LOCK() itself has no such seam, and
 * contention stays unknown there.
 */
SPB_INLINE bool
server_acquire(void *lock, SpbWaiter *waiter)
{
#ifdef TAS
	if (TAS((volatile slock_t *) lock))
	{
		waiter->count.sleeps += s_lock((volatile slock_t *) lock,
									   __FILE__, __LINE__, __func__);
		waiter->count.contended++;
	}
#else
	SpinLockAcquire((volatile slock_t *) lock);
#endif
	return true;
}

SPB_INLINE void
server_release(void *lock, SpbWaiter *waiter)
{
	SpinLockRelease((volatile slock_t *) lock);
}

/* spb_slowed_lock is to run the very same code. */
SPB_DEFINE_HAMMER_AND_FETCH_ADD(server)

/* Start from the same spin limit, whatever this process has learned before. */
static void
server_begin(SpbWaiter *waiter)
{
	set_spins_per_delay(DEFAULT_SPINS_PER_DELAY);
	waiter->count.spins = SPB_UNKNOWN;
	waiter->count.slept_ns = SPB_UNKNOWN;
#ifndef TAS
	waiter->count.contended = SPB_UNKNOWN;
	waiter->count.sleeps = SPB_UNKNOWN;
#endif
}

/*
 * Read the server's private spins_per_delay.  update_spins_per_delay(s)
 * returns (15 * s + spins_per_delay) / 16, rounded down, which is s +
 * floor((spins_per_delay - s) / 16): that drops by one where s exceeds the
 * remainder of spins_per_delay by 16.
 */
static void
server_finish(SpbWaiter *waiter)
{
	int			quotient = update_spins_per_delay(0);
	int			remainder = 0;

	while (remainder < 15 &&
		   update_spins_per_delay(remainder + 1) - (remainder + 1) == quotient)
		remainder++;
	waiter->spin_limit = quotient * 16 + remainder;
}

const SpbLockOps spb_server_lock = {
	.size = server_size,
	.init = server_init,
	.acquire = server_acquire,
	.release = server_release,
	.hammer = server_hammer,
	.fetch_add = server_fetch_add,
	.begin = server_begin,
	.finish = server_finish
};

/*
 * A positive control, as those in control.c are negative ones: "slowed" is the
 * same lock, taken and released 21 times for each 20 acquisitions that are
 * asked for.  With an empty critical section each acquisition takes 5 % longer,
 * by construction and on any machine, at the same addresses and by the same
 * instructions.  A comparison that does not find that finds nothing.
 */
#define SLOWED_PERIOD 20

static uint64_t
slowed_hammer(SpbLine *lines, int nlines, SpbWaiter *waiter, uint64_t times)
{
	static uint64_t owed;		/* of the process, from one call to the next */
	uint64_t	done = server_hammer(lines, nlines, waiter, times);

	owed += done;
	if (owed >= SLOWED_PERIOD)
	{
		/* without the counters: these are not asked for */
		server_hammer(lines, 0, waiter, owed / SLOWED_PERIOD);
		owed %= SLOWED_PERIOD;
	}
	return done;
}

const SpbLockOps spb_slowed_lock = {
	.size = server_size,
	.init = server_init,
	.acquire = server_acquire,
	.release = server_release,
	.hammer = slowed_hammer,
	.fetch_add = server_fetch_add,
	.begin = server_begin,
	.finish = server_finish
};
