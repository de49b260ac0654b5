/*-------------------------------------------------------------------------
 *
 * message_queue.c
 *	  What is called instead of the server's shm_mq_create() and its family.
 *
 * A queue of ours is what callers take for a shm_mq: which one is decided when
 * it is created, so that both ends agree whatever is reloaded meanwhile.
 * Around it is what shm_mq promises and our queues do not know of: ends that
 * come late or never, and a background worker that is awaited and has died.
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
#include "postmaster/bgworker.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/memutils.h"

#include "compat.h"
#include "patch/server_queue.h"
#include "queue/peer.h"

/* What each of our queues begins with: "kind" is the number of its SpbQueueOps. */
struct shm_mq
{
	SpbPeers	peers;
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
	PGPROC	  **peer;			/* where it is once it is there */
	bool		peer_attached;	/* as far as we know */
};

static void wait_ended(SpbWaiter *waiter) SPB_NORETURN;

/* Never called: waits for the server's own kind of lock end with it. */
static void
wait_ended(SpbWaiter *waiter)
{
	elog(ERROR, "a wait for the spinlock of a message queue has ended");
}

/*
 * Where the chosen queue has no room, "stock" has, for it needs no more than the
 * server's.  That is what is counted then.
 */
static shm_mq *
spb_shm_mq_create(void *address, Size size)
{
	shm_mq	   *mq = address;
	uint32		number = spb_server_queue_in_force();
	const SpbQueueOps *ops = spb_server_queue_ops(number);

	if (size < ops->minimum_size(address))
	{
		number = SPB_SERVER_QUEUE_STOCK;
		ops = spb_server_queue_ops(number);
	}
	if (size < ops->minimum_size(address))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a message queue of %zu bytes is too small", size),
				 errhint("It must have at least %zu bytes.",
						 ops->minimum_size(address))));

	ops->create(address, size, &spb_server_lock);
	mq->peers.kind = number;
	spb_count_server_queue(number);
	return mq;
}

static void
spb_shm_mq_set_receiver(shm_mq *mq, PGPROC *proc)
{
	spb_set_end(&mq->peers, false, proc);
}

static void
spb_shm_mq_set_sender(shm_mq *mq, PGPROC *proc)
{
	spb_set_end(&mq->peers, true, proc);
}

static PGPROC *
spb_shm_mq_get_receiver(shm_mq *mq)
{
	return *(PGPROC *volatile *) &mq->peers.receiver;
}

static PGPROC *
spb_shm_mq_get_sender(shm_mq *mq)
{
	return *(PGPROC *volatile *) &mq->peers.sender;
}

static bool
is_detached(shm_mq_handle *mqh)
{
	return __atomic_load_n(&mqh->mq->peers.detached, __ATOMIC_ACQUIRE) != 0;
}

/* Is there a peer? */
static bool
peer_is_there(shm_mq_handle *mqh)
{
	if (unlikely(!mqh->peer_attached))
		mqh->peer_attached = *(PGPROC *volatile *) mqh->peer != NULL;
	return mqh->peer_attached;
}

static shm_mq_handle *
spb_shm_mq_attach(shm_mq *mq, dsm_segment *seg, BackgroundWorkerHandle *worker)
{
	shm_mq_handle *mqh = palloc0(sizeof(shm_mq_handle));
	bool		sends = mq->peers.sender == MyProc;

	mqh->mq = mq;
	mqh->seg = seg;
	mqh->worker = worker;
	mqh->peer = sends ? &mq->peers.receiver : &mq->peers.sender;
	mqh->ops = spb_server_queue_ops(mq->peers.kind);
	mqh->user.lock = &spb_server_lock;
	mqh->user.wait_ended = wait_ended;
	mqh->user.wait_event = sends ? WAIT_EVENT_MESSAGE_QUEUE_SEND :
		WAIT_EVENT_MESSAGE_QUEUE_RECEIVE;
	mqh->inner = mqh->ops->attach(mq, seg, &mqh->user, sends);
	return mqh;
}

/* The worker that we are waiting for is dead, and was never attached. */
static bool
worker_is_gone(shm_mq_handle *mqh)
{
	BgwHandleStatus status;
	pid_t		pid;

	if (is_detached(mqh))
		return true;
	if (mqh->worker == NULL)
		return false;
	status = GetBackgroundWorkerPid(mqh->worker, &pid);
	if (status == BGWH_STARTED || status == BGWH_NOT_YET_STARTED)
		return false;
	__atomic_store_n(&mqh->mq->peers.detached, 1, __ATOMIC_RELEASE);
	return true;
}

/*
 * Make sure that there is a peer.  Without one, a result other than
 * SHM_MQ_SUCCESS is that of the whole call.
 */
static shm_mq_result
await_peer(shm_mq_handle *mqh, bool nowait)
{
	while (!mqh->peer_attached)
	{
		bool		gone = worker_is_gone(mqh);

		/* in this order: one that has come and gone may have left something */
		if (peer_is_there(mqh))
			break;
		else if (gone)
			return SHM_MQ_DETACHED;
		else if (nowait)
			return SHM_MQ_WOULD_BLOCK;
		else
		{
			(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1L,
							 WAIT_EVENT_MESSAGE_QUEUE_INTERNAL);
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

	return is_detached(mqh) ? SHM_MQ_DETACHED : result;
}

static shm_mq_result
spb_shm_mq_sendv(shm_mq_handle *mqh, shm_mq_iovec *iov, int iovcnt,
				 bool nowait, bool force_flush)
{
	shm_mq_result result;

	if (is_detached(mqh))
		return SHM_MQ_DETACHED;

	/* as much as has room is sent, whether or not there is a receiver */
	result = mqh->ops->send(mqh->inner, iov, iovcnt,
							nowait || !peer_is_there(mqh));
	if (result == SHM_MQ_WOULD_BLOCK && !mqh->peer_attached)
	{
		result = await_peer(mqh, nowait);
		if (result != SHM_MQ_SUCCESS)
			return result;
		result = mqh->ops->send(mqh->inner, iov, iovcnt, nowait);
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
