/*-------------------------------------------------------------------------
 *
 * slow_path.c
 *	  What is called instead of the server's s_lock() and its helpers.
 *
 * s_lock() is the whole slow path of a spinlock.  perform_spin_delay() and
 * finish_spin_delay() are also called by code with spin loops of its own, for
 * buffer headers and for the wait lists of LWLocks: there, the test and the
 * order are the caller's, and only delay and waiting are ours.
 *
 * Which lock is in force is looked up when a wait begins, so that a wait ends
 * as it has begun.  Uncontended, only finish_spin_delay() is called, for
 * buffer headers: it does what the server's does, and nothing else.
 *
 * Nothing here may fail, allocate, or rely on more of a process than that it
 * has been forked: spinlocks are taken from its first moments to its last.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/slow_path.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/s_lock.h"

#include "compat.h"
#include "lock/waiting.h"
#include "patch/patch.h"

/* s_lock.c: NUM_DELAYS, sleeps before a lock is taken for stuck */
#define MAX_SLEEPS 1000

/*
 * How long that usually takes, according to s_lock.c.  What does not sleep
 * has made its 1000 tries long before whoever holds the lock runs again.
 */
#define STUCK_NS (UINT64_C(120) * 1000000000)

typedef bool (*SlowPath) (void *lock, SpbWaiter *waiter);
typedef void (*Delay) (SpinDelayStatus *status);

/* The server's, see known.c. */
static int *spins_per_delay;

/* Of this process. */
static SpbWaiter waiter;
static int	waiter_pid = 0;		/* whose "waiter" is: 0 is nobody's */
static SpbServerLock in_force;
static SlowPath slow_path;
static Delay delay;
static uint64_t status_since_ns;	/* SpbWait.since_ns of a SpinDelayStatus */

static void
sleep_as_server(SpbWaiter *waiter, uint32_t microseconds)
{
	spb_begin_spin_delay();
	pg_usleep(microseconds);
	spb_end_spin_delay();
}

static bool
slept_too_often(SpbWaiter *waiter)
{
	return waiter->count.sleeps >= MAX_SLEEPS;
}

/*
 * The report takes spinlocks, too, which are not stuck because this one is:
 * their waits begin at no sleep at all.
 */
static void
stuck(const char *file, int line, const char *func)
{
	memset(&waiter.count, 0, sizeof(waiter.count));
	elog(PANIC, "stuck spinlock detected at %s, %s:%d",
		 func ? func : "(unknown)", file, line);
}

/*
 * perform_spin_delay() for each delay.
 */
static SPB_NOINLINE void
status_at_limit(SpinDelayStatus *status)
{
	SpbWait		wait = {status->spins, status->cur_delay, status_since_ns};

	if (!spb_wait_at_limit(&waiter, &wait))
		stuck(status->file, status->line, status->func);
	status->spins = 0;
	status->delays++;
	status->cur_delay = wait.sleep_us;
	status_since_ns = wait.since_ns;
}

#define DEFINE_DELAY(NAME, INSTRUCTION) \
static void \
spb_perform_spin_delay_##NAME(SpinDelayStatus *status) \
{ \
	INSTRUCTION; \
	if (++status->spins >= waiter.spin_limit) \
		status_at_limit(status); \
}
#define DEFINE_ARCH_DELAY(NAME, NEEDS, INSTRUCTIONS, ...) \
	DEFINE_DELAY(NAME, spb_delay_##NAME(status))

DEFINE_DELAY(stock, SPIN_DELAY())
DEFINE_DELAY(none,)
SPB_ARCH_DELAYS(DEFINE_ARCH_DELAY,)

#define DELAY_ENTRY(NAME, NEEDS, INSTRUCTIONS, ...) \
	{#NAME, spb_perform_spin_delay_##NAME},

static const struct
{
	const char *name;
	Delay		delay;
}			delays[] = {
	{"", spb_perform_spin_delay_none},
	SPB_ARCH_DELAYS(DELAY_ENTRY,)
};

/*
 * s_lock() as PostgreSQL has it, by the macros of the headers that this was
 * compiled with.
 */
static SPB_NOINLINE bool
spb_stock_slow(void *lock, SpbWaiter *waiter)
{
	SpbWait		wait = SPB_WAIT_BEGIN;

	while (TAS_SPIN((volatile slock_t *) lock))
	{
		SPIN_DELAY();
		if (SPB_WAIT_SPUN(waiter, wait) && !spb_wait_at_limit(waiter, &wait))
			return false;
	}
	spb_wait_end(waiter, &wait);
	return true;
}

/*
 * Begin and end of a wait.
 */

static SPB_NOINLINE void
prepare_waiter(uint32 number)
{
	bool		sleeps;

	if (!spb_server_lock_numbered(number, &in_force))
		(void) spb_server_lock_numbered(0, &in_force);
	in_force.number = number;

	slow_path = spb_stock_slow;
	delay = spb_perform_spin_delay_stock;
	if (in_force.spinlock)
	{
		slow_path = in_force.spinlock->slow;
		for (int i = 0; i < lengthof(delays); i++)
			if (strcmp(delays[i].name, in_force.spinlock->delay) == 0)
				delay = delays[i].delay;
	}

	sleeps = in_force.waiting == SPB_WAITING_ADAPTIVE ||
		in_force.waiting == SPB_WAITING_FIXED1000;
	spb_waiter_init(&waiter, MyProcPid, in_force.waiting,
					sleeps ? UINT64_MAX : STUCK_NS);
	waiter.sleep = sleep_as_server;
	waiter.should_stop = sleeps ? slept_too_often : NULL;
	waiter_pid = MyProcPid;
}

static inline void
begin_wait(void)
{
	uint32		number = spb_server_lock_in_force();

	if (unlikely(number != in_force.number || waiter_pid != MyProcPid))
		prepare_waiter(number);
	if (waiter.waiting == SPB_WAITING_ADAPTIVE)
		waiter.spin_limit = *spins_per_delay;
}

static inline void
end_wait(void)
{
	if (waiter.waiting == SPB_WAITING_ADAPTIVE)
		*spins_per_delay = waiter.spin_limit;
	spb_count_wait(in_force.number, &waiter.count);
	memset(&waiter.count, 0, sizeof(waiter.count));
}

/*
 * What the server's functions lead to.
 */

static int
spb_s_lock(volatile slock_t *lock, const char *file, int line, const char *func)
{
	int			sleeps;

	begin_wait();
	if (!slow_path((void *) lock, &waiter))
		stuck(file, line, func);
	sleeps = (int) waiter.count.sleeps;
	end_wait();
	return sleeps;
}

static void
spb_perform_spin_delay(SpinDelayStatus *status)
{
	if (unlikely(status->spins == 0 && status->delays == 0))
	{
		begin_wait();
		status_since_ns = 0;
	}
	delay(status);
}

static void
spb_finish_spin_delay(SpinDelayStatus *status)
{
	SpbWait		wait = {status->spins, status->cur_delay, status_since_ns};

	if (likely(status->spins == 0 && status->delays == 0))
	{
		*spins_per_delay = spb_adapt_spins(*spins_per_delay, false);
		return;
	}
	spb_wait_end(&waiter, &wait);
	end_wait();
}

const SpbRedirect spb_slow_path_functions[] = {
	{"s_lock", (void *) s_lock, (void *) spb_s_lock},
	{"perform_spin_delay", (void *) perform_spin_delay, (void *) spb_perform_spin_delay},
	{"finish_spin_delay", (void *) finish_spin_delay, (void *) spb_finish_spin_delay},
};

const int	spb_num_slow_path_functions = lengthof(spb_slow_path_functions);

void
spb_slow_path_init(int *variable)
{
	spins_per_delay = variable;
}
