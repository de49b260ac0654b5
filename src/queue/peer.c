/*-------------------------------------------------------------------------
 *
 * peer.c
 *	  The two ends of a queue: who is there, waiting for each other, waking.
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
#include "storage/latch.h"

#include "queue/peer.h"

#define YIELDS 30

/* The peer finds the queue detached, at the latest when its latch is set. */
static void
detach_from(SpbPeers *peers)
{
	PGPROC	   *peer;

	/* after what was published last: who sees this looks for that once more */
	__atomic_store_n(&peers->detached, 1, __ATOMIC_RELEASE);
	pg_memory_barrier();
	peer = peers->sender == MyProc ? peers->receiver : peers->sender;
	if (peer)
		SetLatch(&peer->procLatch);
}

/*
 * Of two processes that are put there at the same time, one at least sees the
 * other.
 */
void
spb_set_end(SpbPeers *peers, bool sends, PGPROC *proc)
{
	PGPROC	   *volatile *end = sends ? &peers->sender : &peers->receiver;
	PGPROC	   *volatile *other = sends ? &peers->receiver : &peers->sender;
	PGPROC	   *peer;

	*end = proc;
	pg_memory_barrier();
	peer = *other;
	if (peer)
		SetLatch(&peer->procLatch);
}

static void
on_detach(dsm_segment *seg, Datum arg)
{
	detach_from((SpbPeers *) DatumGetPointer(arg));
}

void
spb_attach_end(SpbEnd *end, SpbPeers *peers, dsm_segment *seg,
			   SpbQueueUser *user, bool sends)
{
	PGPROC	   *volatile *me = sends ? &peers->sender : &peers->receiver;

	memset(end, 0, sizeof(*end));
	end->peers = peers;
	end->sends = sends;
	end->seg = seg;
	end->user = user;
	end->buffer.context = CurrentMemoryContext;

	*me = MyProc;
	pg_memory_barrier();
	if (seg)
		on_dsm_detach(seg, on_detach, PointerGetDatum(peers));
}

void
spb_detach_end(SpbEnd *end)
{
	detach_from(end->peers);
	if (end->seg)
		cancel_on_dsm_detach(end->seg, on_detach, PointerGetDatum(end->peers));
	spb_free_buffer(&end->buffer);
}

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

/*
 * Returns when the latch has been set, by whomever; the caller looks again at
 * what it waits for.  The latch is reset here, after the wait, so that who
 * sets it while we are busy only finds it set already, which is cheap.
 */
void
spb_wait_for_peer(SpbQueueUser *user)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1L,
					 user->wait_event);
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
