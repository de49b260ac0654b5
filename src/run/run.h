/*-------------------------------------------------------------------------
 *
 * run.h
 *	  One run: a DSM segment, a number of workers, one row of results.
 *
 * The segment is laid out as
 *
 *		SpbRunHeader		what is to be done, frozen; state of the run
 *		message				to be sent
 *		SpbParticipant[]	one per participant, the leader first
 *		SpbLine[]			the lock under test and what it guards
 *		queues				of equal size
 *
 * each beginning on a cache line of its own.  A participant writes nothing
 * but its own SpbParticipant, so no lock protects any of this; flags and
 * states that another process waits for are atomics, and who changes one sets
 * the latch of who waits.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/run/run.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_RUN_H
#define SPB_RUN_H

#include <signal.h>

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "port/atomics.h"
#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/proc.h"

#include "cpu/load.h"
#include "cpu/pin.h"
#include "lock/lock.h"
#include "queue/queue.h"

#define SPB_RUN_MAGIC 0x5b1bbe2c

/* Name under which a workload is found again by its workers. */
#define SPB_WORKLOAD_NAME_MAX 32

/* What is to be done: settings and arguments, as they were at the start. */
typedef struct SpbRunSpec
{
	char		workload[SPB_WORKLOAD_NAME_MAX];
	char		lock[SPB_LABEL_MAX];
	char		queue[SPB_LABEL_MAX];
	int			nworkers;
	int			nqueues;
	Size		queue_size;		/* of each, in bytes, overhead included */
	Size		message_size;	/* in bytes */
	int64		repeat_count;	/* messages; PG_INT64_MAX: until the deadline */
	int			duration_ms;	/* 0: no deadline */
	bool		verify;
	int			acquisitions;	/* per message and worker */
	int			critical_section_lines;
	int			stuck_timeout_ms;
	char		scenario[SPB_LABEL_MAX];	/* for spinbench_check_queue() */
} SpbRunSpec;

typedef enum SpbParticipantState
{
	SPB_STARTING,
	SPB_READY,					/* everything is attached, waits for the start */
	SPB_FINISHED				/* counters are complete */
} SpbParticipantState;

typedef struct SpbParticipant
{
	pg_atomic_uint32 state;
	pg_atomic_uint32 sleeps_for_lock;	/* in a wait that has begun to sleep */
	PGPROC	   *proc;
	int			pid;			/* 0: never started */
	int			pin_to;			/* CPU, or -1 */
	int			cpu;			/* it ended on, or -1 */
	int			spin_limit;		/* where it ended */
	uint64		messages;		/* it has passed on */
	uint64		acquisitions;	/* of the lock under test */
	SpbLockCounters count;		/* of the lock under test */
	SpbQueueCounters queue_count;
	uint64		queue_contended;	/* of queue_count.acquisitions */
	uint64		begin_ns;		/* monotonic clock: it was at work from here */
	uint64		end_ns;			/* to here */
	SpbProcessLoad load;		/* from the start line to the end */
	int			sqlstate;		/* of the error that ended it, or 0 */
	char		message[256];	/* its texts, "" where it has none */
	char		detail[256];
	char		hint[256];
} SpbParticipant;

typedef struct SpbRunHeader
{
	uint32		magic;
	SpbRunSpec	spec;
	Oid			database;
	Oid			user;
	PGPROC	   *leader;
	pg_atomic_uint32 started;	/* the start line: everybody may go */
	pg_atomic_uint32 enough;	/* the deadline has passed: send no more */
	pg_atomic_uint32 stopping;	/* the run is over or has failed */
	Size		message_at;		/* offsets from the header */
	Size		participants_at;
	Size		lines_at;
	Size		queues_at;
	Size		queue_stride;
} SpbRunHeader;

typedef struct SpbRun SpbRun;

/*
 * What the participants of a run do.  A worker finds its workload again by
 * name.
 */
typedef struct SpbWorkload
{
	const char *name;
	int			(*num_queues) (int nworkers);

	/*
	 * Called in every participant before it is ready: attach to the queues.
	 * Nothing is measured yet.
	 */
	void		(*prepare) (SpbRun *run);

	/*
	 * Called in the leader when all workers are ready: its whole duration is
	 * the elapsed time of the run.  It sets run->me->messages to the number
	 * of messages that came to their end.
	 */
	void		(*lead) (SpbRun *run);

	/*
	 * Called in a worker when the run starts; returns when there is no more
	 * to do, or when a queue is found detached.
	 */
	void		(*work) (SpbRun *run);
} SpbWorkload;

/* A run as one of its participants sees it. */
struct SpbRun
{
	const SpbWorkload *workload;
	dsm_segment *seg;
	SpbRunHeader *header;
	const SpbRunSpec *spec;		/* of the header */
	SpbParticipant *participants;	/* spec->nworkers + 1 */
	SpbParticipant *me;
	int			number;			/* mine: 0 is the leader */
	const char *message;		/* spec->message_size bytes */
	SpbLine    *lines;
	SpbLockChoice lock;
	const SpbQueueOps *queue;
	SpbWaiter	waiter;			/* for the lock under test */
	SpbQueueUser queue_user;
	uint64		acquisitions;	/* mine so far, of the lock under test */
	List	   *attached;		/* queue handles, detached at the end */
	void	   *state;			/* the workload's own, of this participant */
	SpbProcessLoad load_at_start;

	/* the leader's alone */
	BackgroundWorkerHandle **handles;
	int			nhandles;
	SpbAffinity affinity;
	uint64		elapsed_ns;
	SpbMachineLoad machine;		/* from the start to the end */
};

/* run.c: what the leader does */
extern void spb_run_spec_init(SpbRunSpec *spec, const SpbWorkload *workload);
extern void spb_run(SpbRun *run, const SpbRunSpec *spec,
					const SpbWorkload *workload, const char *message);

/* participant.c: what every participant does */
extern void spb_join(SpbRun *run, dsm_segment *seg, int number);
extern void *spb_attach_sender(SpbRun *run, int queue);
extern void *spb_attach_receiver(SpbRun *run, int queue);
extern void spb_begin(SpbRun *run);
extern void spb_end(SpbRun *run);
extern void spb_wait_ended(SpbWaiter *waiter) SPB_NORETURN;

/* worker.c: what a worker does around its workload */
extern void spb_worker_start(SpbRun *run, Datum main_arg);
extern void spb_worker_await_start(SpbRun *run);

/* launch.c: the leader's view of its workers */
extern void spb_launch(SpbRun *run);
extern void spb_await_ready(SpbRun *run);
extern void spb_await_gone(SpbRun *run);
extern bool spb_worker_ended(SpbRun *run);
extern void spb_kill_workers(SpbRun *run);
extern void spb_worker_failed(SpbRun *run) SPB_NORETURN;

/* deadline.c: the time limit of a run */
extern void spb_deadline_set(int duration_ms);
extern void spb_deadline_clear(void);
extern volatile sig_atomic_t spb_deadline_passed;

/* result.c: rows */
extern Datum spb_result_row(FunctionCallInfo fcinfo, const SpbRun *run);

/*
 * Take and release the lock under test as often as the settings say for one
 * message.  Raises an error if a wait has come to an end without the lock.
 */
static inline void
spb_inject(SpbRun *run)
{
	uint64		times = (uint64) run->spec->acquisitions;
	uint64		done;

	if (times == 0)
		return;
	done = run->lock.ops->hammer(run->lines, run->spec->critical_section_lines,
								 &run->waiter, times);
	run->acquisitions += done;
	if (unlikely(done < times))
		spb_wait_ended(&run->waiter);
}

#endif							/* SPB_RUN_H */
