/*-------------------------------------------------------------------------
 *
 * waiting.c
 *	  How long to spin, how long to sleep, and when to give up.
 *
 * The default policy is that of PostgreSQL's s_lock.c, reproduced number by
 * number: up to spin_limit tries, then a sleep of 1 ms, each further sleep
 * longer than the one before by a random factor of 1 to 2, back to 1 ms when
 * 1 s is exceeded.  The limit is local to the process and adapts between 10
 * and 1000: up by 100 after a wait without a sleep, since that shows another
 * processor at work; down by 1 after a wait that slept.
 *
 * One thing differs on purpose.  s_lock.c brings down the whole cluster after
 * 1000 sleeps; here a wait that lasts longer than the stuck timeout, or whose
 * owner is told to stop, just ends.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/lock/waiting.c
 *
 *-------------------------------------------------------------------------
 */
#include <sched.h>
#include <string.h>

#include "cpu/clock.h"
#include "lock/waiting.h"

/*
 * s_lock.h, DEFAULT_SPINS_PER_DELAY.  A server's backends start from a shared
 * estimate instead, which remembers all that ran before; a run that starts
 * from there would depend on the runs before it.
 */
#define START_SPINS			100

/* s_lock.c: limits of a sleep, in microseconds */
#define MIN_SLEEP_US		1000
#define MAX_SLEEP_US		1000000

/*
 * Prepare a waiter with all counters at zero, the spin limit where every run
 * starts, and no callbacks.
 */
void
spb_waiter_init(SpbWaiter *waiter, int number, SpbWaiting waiting,
				uint64_t stuck_timeout_ns)
{
	memset(waiter, 0, sizeof(*waiter));
	waiter->number = number;
	waiter->waiting = waiting;
	waiter->spin_limit = waiting == SPB_WAITING_ADAPTIVE ? START_SPINS : SPB_MAX_SPINS;
	waiter->stuck_timeout_ns = stuck_timeout_ns;
	/* any odd number makes a good start for the generator below */
	waiter->random = spb_clock_ns() * 2 + (uint64_t) number * 0x9E3779B97F4A7C15 + 1;
}

/* A random number of [0, 1): xorshift64* (Vigna 2016), its upper 53 bits. */
static double
random_fraction(SpbWaiter *waiter)
{
	uint64_t	x = waiter->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	waiter->random = x;
	return (double) ((x * 0x2545F4914F6CDD1D) >> 11) / 9007199254740992.0;
}

static void
do_sleep(SpbWaiter *waiter, SpbWait *wait)
{
	if (wait->sleep_us == 0)
		wait->sleep_us = MIN_SLEEP_US;

	if (waiter->sleep)
		waiter->sleep(waiter, wait->sleep_us);
	else
	{
		struct timespec length = {
			.tv_sec = wait->sleep_us / 1000000,
			.tv_nsec = (long) (wait->sleep_us % 1000000) * 1000
		};

		nanosleep(&length, NULL);
	}

	wait->sleep_us += (uint32_t) (wait->sleep_us * random_fraction(waiter) + 0.5);
	if (wait->sleep_us > MAX_SLEEP_US)
		wait->sleep_us = MIN_SLEEP_US;
}

/*
 * A wait has used up its spins: sleep, yield or go on, as the policy says.
 * Returns false, with waiter->end set, if the wait is over without the lock.
 *
 * Kept out of line so that the spin loops stay small.
 */
SPB_NOINLINE bool
spb_wait_at_limit(SpbWaiter *waiter, SpbWait *wait)
{
	uint64_t	before = spb_clock_ns();
	SpbWaitEnd	end = SPB_WAIT_GOES_ON;

	waiter->count.spins += (uint64_t) wait->spins;
	wait->spins = 0;

	if (wait->since_ns == 0)
	{
		wait->since_ns = before;
		if (waiter->on_wait)
			waiter->on_wait(waiter, true);
	}

	if (waiter->should_stop && waiter->should_stop(waiter))
		end = SPB_WAIT_STOPPED;
	else if (before - wait->since_ns > waiter->stuck_timeout_ns)
		end = SPB_WAIT_STUCK;
	if (end != SPB_WAIT_GOES_ON)
	{
		waiter->end = end;
		spb_wait_end(waiter, wait);
		return false;
	}

	switch (waiter->waiting)
	{
		case SPB_WAITING_NOSLEEP:
			return true;
		case SPB_WAITING_SCHEDYIELD:
			sched_yield();
			break;
		case SPB_WAITING_ADAPTIVE:
		case SPB_WAITING_FIXED1000:
			do_sleep(waiter, wait);
			break;
	}
	waiter->count.sleeps++;
	waiter->count.slept_ns += spb_clock_ns() - before;
	return true;
}

/*
 * A wait is over: adapt the spin limit as finish_spin_delay() of s_lock.c
 * does, and count.
 */
void
spb_wait_end(SpbWaiter *waiter, const SpbWait *wait)
{
	waiter->count.contended++;
	waiter->count.spins += (uint64_t) wait->spins;

	if (wait->since_ns != 0 && waiter->on_wait)
		waiter->on_wait(waiter, false);

	if (waiter->waiting == SPB_WAITING_ADAPTIVE)
		waiter->spin_limit = spb_adapt_spins(waiter->spin_limit, wait->sleep_us > 0);
}
