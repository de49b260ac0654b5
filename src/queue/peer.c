/*-------------------------------------------------------------------------
 *
 * peer.c
 *	  Waiting for the other end of a queue, and waking it.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/queue/peer.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/s_lock.h"

#include "compat.h"
#include "queue/queue.h"

/*
 * Looks at the latch before a sleep.  The limits bracket what a sleep costs:
 * 1000 delays are some 10 to 50 microseconds.
 */
#define MIN_WATCH	10
#define MAX_WATCH	1000
#define WATCH_UP	100
#define WATCH_DOWN	10

void
spb_wake_peer(SpbQueueUser *user, PGPROC *peer)
{
	user->count.latch_sets++;
	SetLatch(&peer->procLatch);
}

/*
 * Returns when the latch has been set, by whomever; the caller looks again at
 * what it waits for.  The latch is reset here, after the wait, so that who
 * sets it while we are busy only finds it set already, which is cheap.
 */
void
spb_wait_for_peer(SpbQueueUser *user)
{
	static uint32 wait_event = 0;

	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1L,
					 spb_wait_event(&wait_event, "SpinbenchQueue"));
	ResetLatch(MyLatch);
	user->count.wakeups++;
	CHECK_FOR_INTERRUPTS();
}

/*
 * A sleep and the signal that ends it cost some microseconds of both
 * processes; a latch that is set before its owner sleeps costs next to
 * nothing.  How long to watch adapts as the spinning of s_lock.c does: it is
 * worth it while the peer runs on another CPU, and waste when the peer waits
 * for this one.
 */
void
spb_watch_for_peer(SpbQueueUser *user)
{
	volatile Latch *latch = MyLatch;

	for (int i = 0; i < user->watch; i++)
	{
		if (latch->is_set)
		{
			user->watch = Min(user->watch + WATCH_UP, MAX_WATCH);
			break;
		}
		SPIN_DELAY();
	}
	if (!latch->is_set)
		user->watch = Max(user->watch - WATCH_DOWN, MIN_WATCH);
	spb_wait_for_peer(user);
}
