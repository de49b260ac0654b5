/*-------------------------------------------------------------------------
 *
 * check_policy.c
 *	  The arithmetic of waiting, number by number as in s_lock.c.
 *
 * The numbers are repeated here on purpose: a change of waiting.c that departs
 * from PostgreSQL must be found.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  contrib_spinbench/selftest/check_policy.c
 *
 *-------------------------------------------------------------------------
 */
#include "checks.h"
#include "lock/waiting.h"
#include "tap.h"

/*
 * From 100 up by 100 to 1000 after waits without a sleep, from there down by
 * 1 to 10 after waits with one.
 */
const char *
check_spin_limit(void)
{
	const SpbWait quick = {.spins = 7};
	const SpbWait slept = {.spins = 3,.sleep_us = 1000,.since_ns = 1};
	SpbWaiter	waiter;
	int			expected = 100;

	spb_waiter_init(&waiter, 0, SPB_WAITING_ADAPTIVE, PATIENCE_NS);
	EXPECT(waiter.spin_limit == 100, "starts at %d", waiter.spin_limit);
	for (int i = 0; i < 12; i++)
	{
		spb_wait_end(&waiter, &quick);
		expected = expected < 1000 ? expected + 100 : 1000;
		EXPECT(waiter.spin_limit == expected, "is %d instead of %d after %d quick waits",
			   waiter.spin_limit, expected, i + 1);
	}
	for (int i = 0; i < 1000; i++)
	{
		spb_wait_end(&waiter, &slept);
		expected = expected > 10 ? expected - 1 : 10;
		EXPECT(waiter.spin_limit == expected, "is %d instead of %d after %d sleepy waits",
			   waiter.spin_limit, expected, i + 1);
	}

	/* Near the upper bound it must not step over. */
	waiter.spin_limit = 999;
	spb_wait_end(&waiter, &quick);
	EXPECT(waiter.spin_limit == 1000, "goes from 999 to %d", waiter.spin_limit);

	EXPECT(waiter.count.contended == 1013 && waiter.count.spins == 13 * 7 + 1000 * 3,
		   "1013 waits count as %llu, their spins as %llu",
		   (unsigned long long) waiter.count.contended,
		   (unsigned long long) waiter.count.spins);
	return NULL;
}

const char *
check_constant_limit(SpbWaiting waiting)
{
	const SpbWait quick = {.spins = 7};
	const SpbWait slept = {.spins = 3,.sleep_us = 1000,.since_ns = 1};
	SpbWaiter	waiter;

	spb_waiter_init(&waiter, 0, waiting, PATIENCE_NS);
	EXPECT(waiter.spin_limit == 1000, "starts at %d", waiter.spin_limit);
	spb_wait_end(&waiter, &slept);
	EXPECT(waiter.spin_limit == 1000, "is %d after a sleep", waiter.spin_limit);
	spb_wait_end(&waiter, &quick);
	EXPECT(waiter.spin_limit == 1000, "is %d after a quick wait", waiter.spin_limit);
	return NULL;
}

/* Enough for each property of them to show. */
#define SLEEPS 500

static void
record_length(SpbWaiter *waiter, uint32_t microseconds)
{
	*(uint32_t *) waiter->arg = microseconds;
}

/*
 * A wait of many sleeps: the first of 1 ms, each longer than the one before
 * by a factor of 1 to 2, back to 1 ms instead of more than 1 s.
 */
const char *
check_sleep_lengths(void)
{
	SpbWaiter	waiter;
	SpbWait		wait = SPB_WAIT_BEGIN;
	uint32_t	length = 0;
	uint32_t	before = 0;
	double		growth = 0;
	int			grown = 0;
	int			wrapped = 0;

	spb_waiter_init(&waiter, 0, SPB_WAITING_ADAPTIVE, PATIENCE_NS);
	waiter.sleep = record_length;
	waiter.arg = &length;

	for (int i = 0; i < SLEEPS; i++)
	{
		wait.spins = waiter.spin_limit;
		EXPECT(spb_wait_at_limit(&waiter, &wait), "the wait ended after %d sleeps", i);
		EXPECT(wait.spins == 0, "the spins do not start again after a sleep");
		if (i == 0)
			EXPECT(length == 1000, "the first sleep has %u us", length);
		else if (length == 1000 && before > 500000)
			wrapped++;
		else
		{
			EXPECT(length >= before && length <= 2 * before && length <= 1000000,
				   "a sleep of %u us is followed by one of %u us", before, length);
			growth += (double) length / before;
			grown++;
		}
		before = length;
	}

	/*
	 * Mean growth is 1.5 with a standard deviation of 0.29 for one and 0.014
	 * for 450 of them.  The last sleeps before a wrap are biased towards
	 * little growth, so the lower bound is wide.
	 */
	growth /= grown;
	EXPECT(growth > 1.3 && growth < 1.6, "sleeps grow by a factor of %.2f", growth);
	EXPECT(wrapped >= SLEEPS / 40, "only %d of %d sleeps are back at 1 ms", wrapped, SLEEPS);
	EXPECT(waiter.count.sleeps == SLEEPS && waiter.count.contended == 0,
		   "%d sleeps of one wait count as %llu, and as %llu waits", SLEEPS,
		   (unsigned long long) waiter.count.sleeps,
		   (unsigned long long) waiter.count.contended);
	return NULL;
}
