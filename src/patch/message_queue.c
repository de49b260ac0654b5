/*-------------------------------------------------------------------------
 *
 * message_queue.c
 *	  What is called instead of the server's shm_mq_create() and its family.
 *
 * A queue of ours inside of what callers take for a shm_mq: which one is
 * decided when it is created, so that both ends agree whatever is reloaded
 * meanwhile.  Around it is what shm_mq promises and our queues do not know
 * of: ends that come late or never, and a background worker that is awaited
 * and has died.
 *
 * Two functions stay the server's, since they are too short to be redirected:
 * they see to their members of the handle, which therefore is laid out as the
 * server's is.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/message_queue.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "postmaster/bgworker.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/spin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "patch/server_queue.h"
#include "queue/message.h"

struct shm_mq
{
	slock_t		mutex;			/* guards the next three */
	bool		detached;
	PGPROC	   *receiver;		/* each is set once */
	PGPROC	   *sender;
	uint32		number;			/* of its SpbQueueOps */
	uint32		queue_at;		/* offset of our queue */
};

struct shm_mq_handle
{
	/* as in shm_mq.c, see above */
	shm_mq	   *mq;
	dsm_segment *seg;
	BackgroundWorkerHandle *worker;

	const SpbQueueOps *ops;
	void	   *inner;			/* handle of our queue */
	SpbQueueUser user;
	bool		peer_attached;	/* as far as we know */
	SpbBuffer	gathered;		/* a message that came in pieces */
};

static void wait_ended(SpbWaiter *waiter) SPB_NORETURN;

/* Never called: waits for the server's own kind of lock end with it. */
static void
wait_ended(SpbWaiter *waiter)
{
	elog(ERROR, "a wait for the spinlock of a message queue has ended");
}

static shm_mq *
spb_shm_mq_create(void *address, Size size)
{
	shm_mq	   *mq = address;
	uint32		number = spb_server_queue_in_force();
	const SpbQueueOps *ops = spb_server_queue_ops(number);
	char	   *queue = (char *) TYPEALIGN(SPB_CACHE_LINE, (char *) address + sizeof(shm_mq));
	char	   *end = (char *) address + size;

	/* rather share a cache line than have no room */
	if (queue + ops->minimum_size() > end)
		queue = (char *) address + MAXALIGN(sizeof(shm_mq));
	if (queue + ops->minimum_size() > end)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a message queue of %zu bytes is too small for \"%s\"",
						size, ops->label)));

	SpinLockInit(&mq->mutex);
	mq->detached = false;
	mq->receiver = NULL;
	mq->sender = NULL;
	mq->number = number;
	mq->queue_at = queue - (char *) address;
	ops->create(queue, end - queue, &spb_server_lock);
	spb_count_server_queue(number);
	return mq;
}

/* Put a process at one end, and tell the other. */
static void
set_end(shm_mq *mq, PGPROC **end, PGPROC **other, PGPROC *proc)
{
	PGPROC	   *peer;

	SpinLockAcquire(&mq->mutex);
	*end = proc;
	peer = *other;
	SpinLockRelease(&mq->mutex);

	if (peer != NULL)
		SetLatch(&peer->procLatch);
}

static void
spb_shm_mq_set_receiver(shm_mq *mq, PGPROC *proc)
{
	set_end(mq, &mq->receiver, &mq->sender, proc);
}

static void
spb_shm_mq_set_sender(shm_mq *mq, PGPROC *proc)
{
	set_end(mq, &mq->sender, &mq->receiver, proc);
}

static PGPROC *
get_end(shm_mq *mq, PGPROC **end)
{
	PGPROC	   *proc;

	SpinLockAcquire(&mq->mutex);
	proc = *end;
	SpinLockRelease(&mq->mutex);
	return proc;
}

static PGPROC *
spb_shm_mq_get_receiver(shm_mq *mq)
{
	return get_end(mq, &mq->receiver);
}

static PGPROC *
spb_shm_mq_get_sender(shm_mq *mq)
{
	return get_end(mq, &mq->sender);
}

/* The peer finds out, even one that waits for us to attach. */
static void
detach_from(shm_mq *mq)
{
	PGPROC	   *peer;

	SpinLockAcquire(&mq->mutex);
	peer = mq->sender == MyProc ? mq->receiver : mq->sender;
	mq->detached = true;
	SpinLockRelease(&mq->mutex);

	if (peer != NULL)
		SetLatch(&peer->procLatch);
}

static void
on_detach(dsm_segment *seg, Datum arg)
{
	detach_from((shm_mq *) DatumGetPointer(arg));
}

static shm_mq_handle *
spb_shm_mq_attach(shm_mq *mq, dsm_segment *seg, BackgroundWorkerHandle *worker)
{
	shm_mq_handle *mqh = palloc0(sizeof(shm_mq_handle));
	char	   *queue = (char *) mq + mq->queue_at;

	mqh->mq = mq;
	mqh->seg = seg;
	mqh->worker = worker;
	mqh->gathered.context = CurrentMemoryContext;
	mqh->ops = spb_server_queue_ops(mq->number);
	mqh->user.lock = &spb_server_lock;
	mqh->user.wait_ended = wait_ended;
	mqh->inner = mqh->ops->attach(queue, seg, &mqh->user, mq->sender == MyProc);
	if (seg != NULL)
		on_dsm_detach(seg, on_detach, PointerGetDatum(mq));
	return mqh;
}

/*
 * What a handle's owner is waiting for.
 */
static PGPROC **
peer_of(shm_mq_handle *mqh)
{
	return mqh->mq->sender == MyProc ? &mqh->mq->receiver : &mqh->mq->sender;
}

/* The worker that we are waiting for is dead, and was never attached. */
static bool
worker_is_gone(shm_mq_handle *mqh)
{
	BgwHandleStatus status;
	pid_t		pid;

	if (((volatile shm_mq *) mqh->mq)->detached)
		return true;
	if (mqh->worker == NULL)
		return false;
	status = GetBackgroundWorkerPid(mqh->worker, &pid);
	if (status == BGWH_STARTED || status == BGWH_NOT_YET_STARTED)
		return false;
	((volatile shm_mq *) mqh->mq)->detached = true;
	return true;
}

/*
 * Make sure that there is a peer.  Without one, a result other than
 * SHM_MQ_SUCCESS is that of the whole call.
 */
static shm_mq_result
await_peer(shm_mq_handle *mqh, bool nowait)
{
	static uint32 wait_event = 0;
	PGPROC	  **peer = peer_of(mqh);

	while (!mqh->peer_attached)
	{
		bool		gone = worker_is_gone(mqh);

		/* in this order: one that has come and gone may have left something */
		if (get_end(mqh->mq, peer) != NULL)
			mqh->peer_attached = true;
		else if (gone)
			return SHM_MQ_DETACHED;
		else if (nowait)
			return SHM_MQ_WOULD_BLOCK;
		else
		{
			(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1L,
							 spb_wait_event(&wait_event, "SpinbenchQueue"));
			ResetLatch(MyLatch);
			CHECK_FOR_INTERRUPTS();
		}
	}
	return SHM_MQ_SUCCESS;
}

static shm_mq_result
spb_shm_mq_wait_for_attach(shm_mq_handle *mqh)
{
	shm_mq_result result = await_peer(mqh, false);

	if (((volatile shm_mq *) mqh->mq)->detached)
		return SHM_MQ_DETACHED;
	return result;
}

/*
 * One piece of memory for a message, which may come in several.
 */
static const void *
gather(shm_mq_handle *mqh, shm_mq_iovec *iov, int iovcnt, Size nbytes)
{
	Size		done = 0;

	if (iovcnt == 1)
		return iov[0].data;
	spb_make_buffer(&mqh->gathered, nbytes);
	for (int i = 0; i < iovcnt; i++)
	{
		memcpy(mqh->gathered.bytes + done, iov[i].data, iov[i].len);
		done += iov[i].len;
	}
	return mqh->gathered.bytes;
}

static shm_mq_result
spb_shm_mq_sendv(shm_mq_handle *mqh, shm_mq_iovec *iov, int iovcnt,
				 bool nowait, bool force_flush)
{
	Size		nbytes = 0;
	const void *data;
	shm_mq_result result;

	for (int i = 0; i < iovcnt; i++)
		nbytes += iov[i].len;
	if (nbytes > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("cannot send a message of size %zu via shared memory queue",
						nbytes)));
	data = gather(mqh, iov, iovcnt, nbytes);

	if (((volatile shm_mq *) mqh->mq)->detached)
		return SHM_MQ_DETACHED;
	if (!mqh->peer_attached && get_end(mqh->mq, peer_of(mqh)) != NULL)
		mqh->peer_attached = true;

	/* as much as has room is sent, whether or not there is a receiver */
	result = mqh->ops->send(mqh->inner, nbytes, data,
							nowait || !mqh->peer_attached);
	if (result == SHM_MQ_WOULD_BLOCK && !mqh->peer_attached)
	{
		result = await_peer(mqh, nowait);
		if (result != SHM_MQ_SUCCESS)
			return result;
		result = mqh->ops->send(mqh->inner, nbytes, data, nowait);
	}
	if (result == SHM_MQ_SUCCESS && force_flush && mqh->ops->flush)
		mqh->ops->flush(mqh->inner);
	return result;
}

static shm_mq_result
spb_shm_mq_send(shm_mq_handle *mqh, Size nbytes, const void *data,
				bool nowait, bool force_flush)
{
	shm_mq_iovec iov = {data, nbytes};

	return spb_shm_mq_sendv(mqh, &iov, 1, nowait, force_flush);
}

static shm_mq_result
spb_shm_mq_receive(shm_mq_handle *mqh, Size *nbytesp, void **datap, bool nowait)
{
	if (unlikely(!mqh->peer_attached))
	{
		shm_mq_result result = await_peer(mqh, nowait);

		if (result != SHM_MQ_SUCCESS)
			return result;
	}
	return mqh->ops->receive(mqh->inner, nbytesp, datap, nowait);
}

static void
spb_shm_mq_detach(shm_mq_handle *mqh)
{
	mqh->ops->detach(mqh->inner);
	detach_from(mqh->mq);
	if (mqh->seg)
		cancel_on_dsm_detach(mqh->seg, on_detach, PointerGetDatum(mqh->mq));
	spb_free_buffer(&mqh->gathered);
	pfree(mqh);
}

const SpbRedirect spb_message_queue_functions[] = {
	{"shm_mq_create", (void *) shm_mq_create, (void *) spb_shm_mq_create},
	{"shm_mq_set_receiver", (void *) shm_mq_set_receiver, (void *) spb_shm_mq_set_receiver},
	{"shm_mq_set_sender", (void *) shm_mq_set_sender, (void *) spb_shm_mq_set_sender},
	{"shm_mq_get_receiver", (void *) shm_mq_get_receiver, (void *) spb_shm_mq_get_receiver},
	{"shm_mq_get_sender", (void *) shm_mq_get_sender, (void *) spb_shm_mq_get_sender},
	{"shm_mq_attach", (void *) shm_mq_attach, (void *) spb_shm_mq_attach},
	{"shm_mq_send", (void *) shm_mq_send, (void *) spb_shm_mq_send},
	{"shm_mq_sendv", (void *) shm_mq_sendv, (void *) spb_shm_mq_sendv},
	{"shm_mq_receive", (void *) shm_mq_receive, (void *) spb_shm_mq_receive},
	{"shm_mq_wait_for_attach", (void *) shm_mq_wait_for_attach, (void *) spb_shm_mq_wait_for_attach},
	{"shm_mq_detach", (void *) shm_mq_detach, (void *) spb_shm_mq_detach},
};

const int	spb_num_message_queue_functions = lengthof(spb_message_queue_functions);

/* They stay the server's. */
static const char *const kept_functions[] = {"shm_mq_get_queue", "shm_mq_set_handle"};

/* Is it none of the family, or one that we know?  Else leaves it in *arg. */
static bool
is_known_function(const char *name, void *arg)
{
	if (strncmp(name, "shm_mq_", strlen("shm_mq_")) != 0)
		return true;
	for (int i = 0; i < lengthof(spb_message_queue_functions); i++)
		if (strcmp(name, spb_message_queue_functions[i].name) == 0)
			return true;
	for (int i = 0; i < lengthof(kept_functions); i++)
		if (strcmp(name, kept_functions[i]) == 0)
			return true;
	*(const char **) arg = name;
	return false;
}

/*
 * Do the functions that stay the server's know the handle as it is here, and
 * are there no others that know it?
 */
bool
spb_message_queue_is_known(SpbPatchProblem *problem)
{
	struct
	{
		shm_mq_handle handle;
		char		room[256];	/* should the server's be larger */
	}			it;
	shm_mq		queue;
	BackgroundWorkerHandle *worker = (BackgroundWorkerHandle *) &queue;
	const char *unknown = NULL;

	if (!SPB_VERSION_IS_TESTED)
		return spb_refuse_patch(problem,
								"The message queue of PostgreSQL %s is not known.",
								PG_MAJORVERSION);
	if (!spb_visit_server_functions(is_known_function, &unknown))
		return spb_refuse_patch(problem,
								"The functions of this server cannot be listed.");
	if (unknown)
		return spb_refuse_patch(problem,
								"%s() of this server is not known.", unknown);

	memset(&it, 0, sizeof(it));
	it.handle.mq = &queue;
	shm_mq_set_handle(&it.handle, worker);
	if (shm_mq_get_queue(&it.handle) != &queue || it.handle.worker != worker)
		return spb_refuse_patch(problem,
								"The handle of a message queue is laid out differently in this server.");
	return true;
}
