/*-------------------------------------------------------------------------
 *
 * check_waiting.c
 *	  Waiting for a lock: sleeping, yielding, giving up, being stopped.
 *
 * Most of this needs no second process: a callback of the waiter releases the
 * lock that it waits for, at an exactly known point of the wait.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  contrib_spinbench/selftest/check_waiting.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>
#include <time.h>

#include "checks.h"
#include "cpu/clock.h"
#include "crew.h"
#include "tap.h"

#define MS UINT64_C(1000000)	/* in nanoseconds */

/* One wait for a lock that somebody else holds, in a single process. */
typedef struct Scene
{
	const SpbLockOps *ops;
	void	   *lock;
	SpbWaiter	holder;
	SpbWaiter	waiter;
	int			sleeps;			/* calls of each callback */
	int			asked;
	int			began;
	int			ended;
	int			release_at_sleep;	/* 0: never */
	int			release_at_question;
	int			stop_at_question;
} Scene;

static void
scene_sleep(SpbWaiter *waiter, uint32_t microseconds)
{
	Scene	   *scene = waiter->arg;

	(void) microseconds;
	if (++scene->sleeps == scene->release_at_sleep)
		scene->ops->release(scene->lock, &scene->holder);
}

static bool
scene_should_stop(SpbWaiter *waiter)
{
	Scene	   *scene = waiter->arg;

	if (++scene->asked == scene->release_at_question)
		scene->ops->release(scene->lock, &scene->holder);
	return scene->asked == scene->stop_at_question;
}

static void
scene_on_wait(SpbWaiter *waiter, bool begins)
{
	Scene	   *scene = waiter->arg;

	if (begins)
		scene->began++;
	else
		scene->ended++;
}

/* Set up a held lock and a waiter whose sleeps take no time. */
static const char *
scene_begin(Scene *scene, const SpbLockOps *ops, SpbWaiting waiting,
			uint64_t stuck_timeout_ns)
{
	memset(scene, 0, sizeof(*scene));
	scene->ops = ops;
	scene->lock = &arena->lines[0].lock;
	ops->init(scene->lock, 2);
	spb_waiter_init(&scene->holder, 0, waiting, PATIENCE_NS);
	spb_waiter_init(&scene->waiter, 1, waiting, stuck_timeout_ns);
	scene->waiter.sleep = scene_sleep;
	scene->waiter.should_stop = scene_should_stop;
	scene->waiter.on_wait = scene_on_wait;
	scene->waiter.arg = scene;
	EXPECT(ops->acquire(scene->lock, &scene->holder), "could not take a free lock");
	return NULL;
}

/* After a wait that gave up, the lock goes on working. */
static const char *
scene_still_usable(Scene *scene)
{
	SpbWaiter	fresh;

	EXPECT(scene->began == 1 && scene->ended == 1,
		   "a wait began %d times and ended %d times", scene->began, scene->ended);
	scene->ops->release(scene->lock, &scene->holder);
	spb_waiter_init(&fresh, 1, SPB_WAITING_ADAPTIVE, 100 * MS);
	EXPECT(scene->ops->acquire(scene->lock, &fresh),
		   "the lock cannot be had after somebody gave up");
	scene->ops->release(scene->lock, &fresh);
	return NULL;
}

/* A wait with two sleeps, in the default policy. */
const char *
check_wait_sleeps(const SpbLockOps *ops)
{
	Scene		scene;
	const SpbLockCounters *count = &scene.waiter.count;
	const char *finding = scene_begin(&scene, ops, SPB_WAITING_ADAPTIVE, PATIENCE_NS);

	if (finding)
		return finding;
	scene.release_at_sleep = 2;
	scene.stop_at_question = 100;	/* if that does not release it */

	EXPECT(ops->acquire(scene.lock, &scene.waiter),
		   "did not get a lock that was released meanwhile, end %d",
		   (int) scene.waiter.end);
	ops->release(scene.lock, &scene.waiter);
	EXPECT(scene.sleeps == 2 && count->sleeps == 2,
		   "slept %d times, counted %llu", scene.sleeps,
		   (unsigned long long) count->sleeps);

	/* A spurious failure after the release counts too. */
	EXPECT(count->spins >= 200 && count->spins < 200 + SPURIOUS_FAILURES,
		   "two sleeps at a limit of 100 after %llu spins",
		   (unsigned long long) count->spins);
	EXPECT(count->contended == 1, "one wait counted as %llu",
		   (unsigned long long) count->contended);
	EXPECT(scene.waiter.spin_limit == 99, "the spin limit went from 100 to %d",
		   scene.waiter.spin_limit);
	EXPECT(scene.began == 1 && scene.ended == 1,
		   "a wait began %d times and ended %d times", scene.began, scene.ended);
	return NULL;
}

/* A wait that is stuck, and one that is stopped; for hammer() too. */
const char *
check_wait_ends(const SpbLockOps *ops)
{
	const uint64_t timeout = 2 * MS;
	Scene		scene;
	uint64_t	start;
	uint64_t	waited;
	const char *finding;

	finding = scene_begin(&scene, ops, SPB_WAITING_ADAPTIVE, timeout);
	if (finding)
		return finding;
	start = spb_clock_ns();
	EXPECT(!ops->acquire(scene.lock, &scene.waiter), "a held lock is taken again");
	waited = spb_clock_ns() - start;
	EXPECT(scene.waiter.end == SPB_WAIT_STUCK, "the end of a stuck wait is %d",
		   (int) scene.waiter.end);
	EXPECT(waited > timeout, "stuck after %llu us already",
		   (unsigned long long) waited / 1000);
	finding = scene_still_usable(&scene);
	if (finding)
		return finding;

	finding = scene_begin(&scene, ops, SPB_WAITING_ADAPTIVE, timeout);
	if (finding)
		return finding;
	EXPECT(ops->hammer(arena->lines, 0, &scene.waiter, 3) == 0 &&
		   scene.waiter.end == SPB_WAIT_STUCK, "hammer took a held lock");
	finding = scene_still_usable(&scene);
	if (finding)
		return finding;

	finding = scene_begin(&scene, ops, SPB_WAITING_ADAPTIVE, PATIENCE_NS);
	if (finding)
		return finding;
	scene.stop_at_question = 3;
	EXPECT(!ops->acquire(scene.lock, &scene.waiter), "a held lock is taken again");
	EXPECT(scene.waiter.end == SPB_WAIT_STOPPED && scene.asked == 3 && scene.sleeps == 2,
		   "stopped with end %d after %d questions and %d sleeps",
		   (int) scene.waiter.end, scene.asked, scene.sleeps);
	return scene_still_usable(&scene);
}

static void
sleep_ms(void)
{
	const struct timespec length = {.tv_nsec = 1000000};

	nanosleep(&length, NULL);
}

/* Number 0 holds the lock until number 1 has slept twice for it. */
static void
hold_until_sleep(Arena *mine, int number, const void *arg)
{
	const SpbLockOps *ops = arg;
	SpbWaiter  *waiter = &mine->waiters[number];
	void	   *lock = &mine->lines[0].lock;
	volatile uint64_t *sleeps = &mine->waiters[1].count.sleeps;

	if (number == 0)
	{
		mine->done[0] = ops->acquire(lock, waiter);
		crew_announce(&mine->step, 1);
		/* or until it goes wrong */
		while (*sleeps < 2 && mine->done[1] == 0 &&
			   mine->waiters[1].end == SPB_WAIT_GOES_ON)
			sleep_ms();
	}
	else
	{
		uint64_t	start;

		crew_await(&mine->step, 1);
		start = spb_clock_ns();
		if (!ops->acquire(lock, waiter))
			return;
		mine->done[1] = spb_clock_ns() - start;
	}
	ops->release(lock, waiter);
}

/* The same between two processes, with real sleeps. */
const char *
check_wait_for_process(const SpbLockOps *ops)
{
	const SpbWaiter *waiter = &arena->waiters[1];
	const SpbLockCounters *count = &waiter->count;
	const char *finding;

	ops->init(&arena->lines[0].lock, 2);
	for (int i = 0; i < 2; i++)
	{
		spb_waiter_init(&arena->waiters[i], i, SPB_WAITING_ADAPTIVE, PATIENCE_NS);
		arena->done[i] = 0;
	}
	finding = crew_run(2, hold_until_sleep, ops);
	if (finding)
		return finding;

	EXPECT(arena->done[0] == 1 && arena->done[1] > 0,
		   "not both processes got the lock");
	EXPECT(count->sleeps >= 2 && count->contended == 1,
		   "%llu sleeps in %llu waits", (unsigned long long) count->sleeps,
		   (unsigned long long) count->contended);
	EXPECT(count->spins >= 100 * count->sleeps,
		   "%llu sleeps at a limit of 100 after %llu spins",
		   (unsigned long long) count->sleeps, (unsigned long long) count->spins);
	EXPECT(count->slept_ns >= count->sleeps * MS && count->slept_ns <= arena->done[1],
		   "slept %llu us in %llu sleeps of at least 1 ms, of a wait of %llu us",
		   (unsigned long long) count->slept_ns / 1000,
		   (unsigned long long) count->sleeps,
		   (unsigned long long) arena->done[1] / 1000);
	EXPECT(waiter->spin_limit == 99, "the spin limit went from 100 to %d",
		   waiter->spin_limit);
	return NULL;
}

static bool
always_stop(SpbWaiter *waiter)
{
	(void) waiter;
	return true;
}

/*
 * Numbers 1 and 2 hammer until one of them has to wait, and then stop.  They
 * wait since number 0 takes the lock and keeps it.  On a single processor it
 * never gets it: timer interrupts seem to come right after the atomic
 * instruction, so that whoever runs instead finds the lock held.  But then so
 * does the other hammering process.
 */
static void
stop_hammer(Arena *mine, int number, const void *arg)
{
	const SpbLockOps *ops = arg;

	if (number == 0)
	{
		volatile uint64_t *counter = &mine->lines[0].counter;

		while (*counter < 10)
			sleep_ms();
		mine->done[0] = ops->acquire(&mine->lines[0].lock, &mine->waiters[0]);
		crew_await(&mine->step, 2);
	}
	else
	{
		mine->done[number] = ops->hammer(mine->lines, 1, &mine->waiters[number],
										 50000000);
		__atomic_add_fetch(&mine->step, 1, __ATOMIC_ACQ_REL);
	}
}

const char *
check_hammer_stops(const SpbLockOps *ops)
{
	const SpbWaiter *waiters = arena->waiters;
	const char *finding;

	ops->init(&arena->lines[0].lock, 3);
	arena->lines[0].owner = arena->lines[0].counter = 0;
	spb_waiter_init(&arena->waiters[0], 0, SPB_WAITING_SCHEDYIELD, PATIENCE_NS);
	for (int i = 1; i <= 2; i++)
	{
		spb_waiter_init(&arena->waiters[i], i, SPB_WAITING_ADAPTIVE, PATIENCE_NS);
		arena->waiters[i].should_stop = always_stop;
	}
	finding = crew_run(3, stop_hammer, ops);
	if (finding)
		return finding;

	EXPECT(arena->done[0] == 1, "the third process never got the lock");
	EXPECT(waiters[1].end == SPB_WAIT_STOPPED || waiters[2].end == SPB_WAIT_STOPPED,
		   "nobody was stopped, the ends are %d and %d",
		   (int) waiters[1].end, (int) waiters[2].end);
	EXPECT(arena->done[1] + arena->done[2] == arena->lines[0].counter,
		   "hammer returned %llu and %llu of %llu acquisitions",
		   (unsigned long long) arena->done[1], (unsigned long long) arena->done[2],
		   (unsigned long long) arena->lines[0].counter);
	return NULL;
}

/* What a policy does at its limit, and what it counts. */
const char *
check_policy(const SpbLockChoice *choice)
{
	const SpbLockOps *ops = choice->ops;
	Scene		scene;
	const SpbLockCounters *count = &scene.waiter.count;
	bool		adapts = choice->waiting == SPB_WAITING_ADAPTIVE;
	bool		sleeps = adapts || choice->waiting == SPB_WAITING_FIXED1000;
	uint64_t	limit = adapts ? 100 : 1000;
	const char *finding;

	/* The limit is reached four times, and left three times. */
	finding = scene_begin(&scene, ops, choice->waiting, PATIENCE_NS);
	if (finding)
		return finding;
	scene.release_at_question = 4;
	EXPECT(ops->acquire(scene.lock, &scene.waiter), "the wait ended with %d",
		   (int) scene.waiter.end);
	ops->release(scene.lock, &scene.waiter);

	EXPECT(scene.asked == 4 && scene.began == 1 && scene.ended == 1,
		   "asked %d times to stop, began %d times, ended %d times",
		   scene.asked, scene.began, scene.ended);
	EXPECT(scene.sleeps == (sleeps ? 4 : 0), "slept %d times", scene.sleeps);
	EXPECT(count->spins >= 4 * limit && count->spins < 4 * limit + SPURIOUS_FAILURES,
		   "%llu spins", (unsigned long long) count->spins);
	if (choice->waiting == SPB_WAITING_NOSLEEP)
		EXPECT(count->sleeps == 0 && count->slept_ns == 0, "sleeps are counted");
	else
		EXPECT(count->sleeps == 4 && count->slept_ns > 0,
			   "%llu sleeps or yields are counted",
			   (unsigned long long) count->sleeps);
	EXPECT(scene.waiter.spin_limit == (int) limit - adapts, "the spin limit is %d now",
		   scene.waiter.spin_limit);

	/* Every policy gives up. */
	finding = scene_begin(&scene, ops, choice->waiting, 50 * MS);
	if (finding)
		return finding;
	scene.waiter.sleep = NULL;	/* a real sleep */
	EXPECT(!ops->acquire(scene.lock, &scene.waiter) &&
		   scene.waiter.end == SPB_WAIT_STUCK, "the end of a stuck wait is %d",
		   (int) scene.waiter.end);
	return scene_still_usable(&scene);
}
