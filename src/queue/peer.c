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

#include <sched.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/proc.h"

#include "compat.h"
#include "queue/queue.h"

#define YIELDS 30

/*
 * A peer that is not attached yet has nothing to be woken from: it will look at
 * what was published when it comes.  The barriers here and below see to it that
 * either we see the peer, or it sees what we have published.
 */
void
spb_wake_peer(SpbQueueUser *user, PGPROC **peer)
{
	PGPROC	   *volatile *who = peer;
	PGPROC	   *proc = *who;

	if (unlikely(proc == NULL))
	{
		pg_memory_barrier();
		proc = *who;
		if (proc == NULL)
			return;
	}
	user->count.latch_sets++;
	SetLatch(&proc->procLatch);
}

void
spb_announce_peer(PGPROC **me)
{
	*(PGPROC *volatile *) me = MyProc;
	pg_memory_barrier();
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
 * nothing.  So give the CPU away for a while, to the peer if it waits for one,
 * before going to sleep: with a CPU to ourselves, these calls take about as
 * long as a sleep would.
 */
void
spb_watch_for_peer(SpbQueueUser *user)
{
	volatile Latch *latch = MyLatch;

	for (int i = 0; i < YIELDS && !latch->is_set; i++)
		sched_yield();
	spb_wait_for_peer(user);
}
