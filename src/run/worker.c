/*-------------------------------------------------------------------------
 *
 * worker.c
 *	  What a background worker does around its workload.
 *
 * A worker is connected to the leader's database only so that it is seen in
 * pg_stat_activity and can be reached by pg_terminate_backend(); it starts no
 * transaction of its own.
 *
 * Whatever ends it early, be it an ERROR or a FATAL, is written into the
 * segment on its way to the server log, so that the leader can tell the user.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/run/worker.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"

#include "compat.h"
#include "run/run.h"

/* Ours in the segment, which stays mapped until the process exits. */
static SpbParticipant *my_place = NULL;
static emit_log_hook_type prev_emit_log_hook = NULL;

/* Keep the text of the error that ends this worker. */
static void
keep_message(ErrorData *edata)
{
	if (edata->elevel >= ERROR && my_place != NULL)
	{
		SpbParticipant *me = my_place;

		strlcpy(me->message, edata->message ? edata->message : "",
				sizeof(me->message));
		strlcpy(me->detail, edata->detail ? edata->detail : "",
				sizeof(me->detail));
		strlcpy(me->hint, edata->hint ? edata->hint : "", sizeof(me->hint));
		me->sqlstate = edata->sqlerrcode;
		pg_write_barrier();
	}
	if (prev_emit_log_hook)
		prev_emit_log_hook(edata);
}

/*
 * Called first in a worker: find the run, and connect.
 */
void
spb_worker_start(SpbRun *run, Datum main_arg)
{
	dsm_segment *seg;
	SpbRunHeader *header;
	int			number;

	/* CHECK_FOR_INTERRUPTS() is to end a worker as it would end a backend */
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();

	memcpy(&number, MyBgworkerEntry->bgw_extra, sizeof(number));

	/* no resource owner here, so the mapping lasts until the process exits */
	seg = dsm_attach(DatumGetUInt32(main_arg));
	if (seg == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the run of this worker is over already")));
	header = dsm_segment_address(seg);
	if (header->magic != SPB_RUN_MAGIC)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the shared memory segment is not of a run")));

	memset(run, 0, sizeof(*run));
	run->me = (SpbParticipant *) ((char *) header + header->participants_at) + number;
	my_place = run->me;
	prev_emit_log_hook = emit_log_hook;
	emit_log_hook = keep_message;

	/* the hook is called only for what goes to the server log */
	SetConfigOption("log_min_messages", "error", PGC_SUSET, PGC_S_OVERRIDE);

	BackgroundWorkerInitializeConnectionByOid(header->database, header->user,
											  BGWORKER_BYPASS_ALLOWCONN);
	spb_join(run, seg, number);
}

/*
 * Report that everything is attached, and wait until the leader starts the
 * run.  Once ready, our detaching from the queues tells our neighbours that we
 * are gone; before, only the leader can notice.
 */
void
spb_worker_await_start(SpbRun *run)
{
	static uint32 wait_event = 0;

	/* who sees us ready sees all that we have attached to */
	pg_memory_barrier();
	pg_atomic_write_u32(&run->me->state, SPB_READY);
	SetLatch(&run->header->leader->procLatch);

	for (;;)
	{
		bool		stopping = pg_atomic_read_u32(&run->header->stopping) != 0;

		/* a run that is over has been started before */
		pg_read_barrier();
		if (pg_atomic_read_u32(&run->header->started) != 0)
			break;
		if (stopping)
			proc_exit(0);

		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1L,
						 spb_wait_event(&wait_event, "SpinbenchStart"));
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}

	/* pairs with the barriers of the others before they were ready */
	pg_memory_barrier();
}
