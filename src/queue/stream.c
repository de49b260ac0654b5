/*-------------------------------------------------------------------------
 *
 * stream.c
 *	  What shm_mq was, what it is, and what was proposed for it.
 *
 * The table of variants; what their options mean, and their code, is in
 * stream.h.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/queue/stream.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "queue/stream.h"

/*
 * The variants.  NAME is a C name for the combination of the others.
 */
#define DEFINE_STREAM(NAME, LABEL, KEEPING, READING, LAZYWRITE, DESCRIPTION, ORIGIN) \
static Size \
NAME##_minimum_size(const void *address) \
{ \
	return overhead(KEEPING) + SPB_RING_ALIGNMENT; \
} \
static void \
NAME##_create(void *address, Size size, const SpbLockOps *lock) \
{ \
	stream_create(address, size, lock, KEEPING); \
} \
static shm_mq_result \
NAME##_send(void *handle, shm_mq_iovec *chunks, int nchunks, bool nowait) \
{ \
	return stream_send(handle, chunks, nchunks, nowait, KEEPING, LAZYWRITE); \
} \
static shm_mq_result \
NAME##_receive(void *handle, Size *nbytesp, void **datap, bool nowait) \
{ \
	return stream_receive(handle, nbytesp, datap, nowait, KEEPING, READING); \
} \
static void \
NAME##_flush(void *handle) \
{ \
	stream_flush(handle, KEEPING); \
} \
static void \
NAME##_detach(void *handle) \
{ \
	if ((LAZYWRITE) && ((Handle *) handle)->end.sends) \
		NAME##_flush(handle); \
	stream_detach(handle); \
}

#define STREAM_ENTRY(NAME, LABEL, KEEPING, READING, LAZYWRITE, DESCRIPTION, ORIGIN) \
{ \
	.label = LABEL, .description = DESCRIPTION, .origin = ORIGIN, \
	.minimum_size = NAME##_minimum_size, .create = NAME##_create, \
	.attach = stream_attach, \
	.send = NAME##_send, .receive = NAME##_receive, \
	.flush = (LAZYWRITE) ? NAME##_flush : NULL, \
	.detach = NAME##_detach, .wait = spb_wait_for_peer, .counts = true \
},

#define COMMITTED_2018 "commit 34db06ef9a, March 2018: shm-mq-less-spinlocks"
#define COMMITTED_LAZYREAD "; with shm-mq-reduce-receiver-latch-set, March 2018"
#define MAIL_2018 "Robert Haas, \"Re: [POC] Faster processing at Gather node\", February 2018"
#define NOT_PUBLISHED "for isolating one factor; not published as such"

#define FOR_EACH_STREAM(X) \
	X(spinlock, "spinlock", SPINLOCK, EAGER, false, \
	  "PostgreSQL 9.4 to 10: positions guarded by the queue's spinlock", \
	  "shm_mq.c of PostgreSQL 10; (a) in " MAIL_2018) \
	X(spinlock_lazyread, "spinlock/lazyread", SPINLOCK, LAZYREAD, false, \
	  "spinlock; space is given back by quarters of the ring", NOT_PUBLISHED) \
	X(spinlock_lazylatch, "spinlock/lazylatch", SPINLOCK, LAZYLATCH, false, \
	  "spinlock; the sender is woken by quarters of the ring", NOT_PUBLISHED) \
	X(spinlock_lazywrite, "spinlock/lazywrite", SPINLOCK, EAGER, true, \
	  "spinlock; published by quarters of the ring or on flush", NOT_PUBLISHED) \
	X(spinlock_lazyread_lazywrite, "spinlock/lazyread/lazywrite", SPINLOCK, LAZYREAD, true, \
	  "spinlock; both positions by quarters of the ring", NOT_PUBLISHED) \
	X(spinlock_lazylatch_lazywrite, "spinlock/lazylatch/lazywrite", SPINLOCK, LAZYLATCH, true, \
	  "spinlock; both latches by quarters of the ring", NOT_PUBLISHED) \
	X(atomic, "atomic", ATOMIC, EAGER, false, \
	  "positions as 64-bit atomics", \
	  "shm-mq-less-spinlocks alone, as in " MAIL_2018) \
	X(atomic_lazyread, "atomic/lazyread", ATOMIC, LAZYREAD, false, \
	  "PostgreSQL 11 to 14: 64-bit atomics, space is given back by quarters of the ring", \
	  COMMITTED_2018 COMMITTED_LAZYREAD) \
	X(atomic_lazylatch, "atomic/lazylatch", ATOMIC, LAZYLATCH, false, \
	  "64-bit atomics; space is given back at once, the sender is woken by quarters of the ring", \
	  "Andres Freund's alternative, quoted in " MAIL_2018) \
	X(atomic_lazywrite, "atomic/lazywrite", ATOMIC, EAGER, true, \
	  "64-bit atomics; published by quarters of the ring or on flush", NOT_PUBLISHED) \
	X(atomic_lazyread_lazywrite, "atomic/lazyread/lazywrite", ATOMIC, LAZYREAD, true, \
	  "PostgreSQL 15 and later: both positions by quarters of the ring", \
	  "commit 46846433a0, October 2021") \
	X(atomic_lazylatch_lazywrite, "atomic/lazylatch/lazywrite", ATOMIC, LAZYLATCH, true, \
	  "64-bit atomics; both latches by quarters of the ring", NOT_PUBLISHED) \
	X(emulated, "emulated", EMULATED, EAGER, false, \
	  "64-bit atomics where the platform has none: each access under a spinlock", \
	  "shm-mq-less-spinlocks in a 32-bit build, (b) in " MAIL_2018) \
	X(emulated_lazyread, "emulated/lazyread", EMULATED, LAZYREAD, false, \
	  "emulated atomics; space is given back by quarters of the ring", \
	  "with shm-mq-reduce-receiver-latch-set, (c) in " MAIL_2018) \
	X(emulated_lazylatch, "emulated/lazylatch", EMULATED, LAZYLATCH, false, \
	  "emulated atomics; the sender is woken by quarters of the ring", NOT_PUBLISHED) \
	X(emulated_lazywrite, "emulated/lazywrite", EMULATED, EAGER, true, \
	  "emulated atomics; published by quarters of the ring or on flush", NOT_PUBLISHED) \
	X(emulated_lazyread_lazywrite, "emulated/lazyread/lazywrite", EMULATED, LAZYREAD, true, \
	  "PostgreSQL 15 and later without 64-bit atomics", \
	  "commit 46846433a0, October 2021, on such a platform") \
	X(emulated_lazylatch_lazywrite, "emulated/lazylatch/lazywrite", EMULATED, LAZYLATCH, true, \
	  "emulated atomics; both latches by quarters of the ring", NOT_PUBLISHED)

FOR_EACH_STREAM(DEFINE_STREAM)

const SpbQueueOps spb_stream_queues[] = {
	FOR_EACH_STREAM(STREAM_ENTRY)
};

const int	spb_num_stream_queues = lengthof(spb_stream_queues);
