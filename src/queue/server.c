/*-------------------------------------------------------------------------
 *
 * server.c
 *	  The installed server's own shm_mq.
 *
 * Sends always flush, as test_shm_mq does: a sender that postpones telling
 * its receiver would make a ring wait for ever.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/queue/server.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/proc.h"

#include "queue/peer.h"

static Size
server_minimum_size(const void *address)
{
	return shm_mq_minimum_size;
}

static void
server_create(void *address, Size size, const SpbLockOps *lock)
{
	(void) shm_mq_create(address, size);
}

static void *
server_attach(void *address, dsm_segment *seg, SpbQueueUser *user, bool sends)
{
	if (sends)
		shm_mq_set_sender(address, MyProc);
	else
		shm_mq_set_receiver(address, MyProc);
	return shm_mq_attach(address, seg, NULL);
}

static shm_mq_result
server_send(void *handle, shm_mq_iovec *chunks, int nchunks, bool nowait)
{
	return shm_mq_sendv(handle, chunks, nchunks, nowait, true);
}

static shm_mq_result
server_receive(void *handle, Size *nbytesp, void **datap, bool nowait)
{
	return shm_mq_receive(handle, nbytesp, datap, nowait);
}

static void
server_detach(void *handle)
{
	shm_mq_detach(handle);
}

const SpbQueueOps spb_server_queue = {
	.label = "server",
	.description = "the installed server's own shm_mq, flushed after each message",
	.origin = "PostgreSQL " PG_VERSION,
	.minimum_size = server_minimum_size,
	.create = server_create,
	.attach = server_attach,
	.send = server_send,
	.receive = server_receive,
	.wait = spb_wait_for_peer,
	.detach = server_detach
};
