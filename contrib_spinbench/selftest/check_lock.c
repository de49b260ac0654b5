/*-------------------------------------------------------------------------
 *
 * check_lock.c
 *	  Is it a lock?  Its states, its memory, and mutual exclusion.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  contrib_spinbench/selftest/check_lock.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "checks.h"
#include "crew.h"
#include "tap.h"

/* What memory that nobody may write is filled with: neither 0 nor 1. */
#define PATTERN 0xA5

/*
 * Is everything in the lines as filled, but for "size" bytes at "where"?
 */
static bool
rest_untouched(const void *where, size_t size)
{
	const unsigned char *hole = where;
	const unsigned char *end = (const unsigned char *) (arena->lines + ARENA_LINES);

	for (const unsigned char *at = (const unsigned char *) arena->lines; at < end; at++)
	{
		if (*at != PATTERN && (at < hole || at >= hole + size))
			return false;
	}
	return true;
}

/*
 * A lock that is free can be taken, perhaps not at once: load-linked/store-
 * conditional may fail for no reason.
 */
static bool
try_free_lock(const SpbLockOps *ops, void *lock, SpbWaiter *waiter)
{
	for (int i = 0; i < SPURIOUS_FAILURES; i++)
		if (ops->try_acquire(lock, waiter))
			return true;
	return false;
}

static bool
try_held_lock(const SpbLockOps *ops, void *lock, SpbWaiter *waiter)
{
	for (int i = 0; i < SPURIOUS_FAILURES; i++)
		if (ops->try_acquire(lock, waiter))
			return true;
	return false;
}

/*
 * Go through free, held and free again, by try_acquire() and by acquire(),
 * with guards around the lock and, if the width of its word is known, after
 * that word.
 */
const char *
check_states(const SpbLockOps *ops, int width)
{
	SpbLine    *line = &arena->lines[1];
	unsigned char *lock = line->lock.bytes;
	size_t		size = ops->size(2);
	size_t		written = width ? (size_t) width : size;
	SpbWaiter	holder;
	SpbWaiter	other;

	EXPECT(size <= sizeof(line->lock), "a lock of %zu bytes does not fit", size);
	EXPECT(written <= size, "a word of %zu bytes in a lock of %zu", written, size);

	memset(arena->lines, PATTERN, sizeof(arena->lines));
	ops->init(lock, 2);
	EXPECT(rest_untouched(lock, size), "init writes beside the lock");
	memset(lock + written, PATTERN, size - written);

	spb_waiter_init(&holder, 0, SPB_WAITING_ADAPTIVE, PATIENCE_NS);
	spb_waiter_init(&other, 1, SPB_WAITING_ADAPTIVE, PATIENCE_NS);

	EXPECT(try_free_lock(ops, lock, &holder), "a new lock is not free");
	EXPECT(rest_untouched(lock, written), "try_acquire writes beside its word");
	EXPECT(!try_held_lock(ops, lock, &other), "a held lock is taken again");
	EXPECT(rest_untouched(lock, written), "a failing try_acquire writes beside its word");
	ops->release(lock, &holder);
	EXPECT(rest_untouched(lock, written), "release writes beside its word");

	EXPECT(try_free_lock(ops, lock, &other), "a released lock is not free");
	ops->release(lock, &other);

	EXPECT(ops->acquire(lock, &holder), "acquire does not take a free lock");
	EXPECT(rest_untouched(lock, written), "acquire writes beside its word");
	EXPECT(!try_held_lock(ops, lock, &other), "a lock held by acquire is taken again");
	ops->release(lock, &holder);

	EXPECT(ops->acquire(lock, &other), "acquire does not take a released lock");
	ops->release(lock, &other);
	EXPECT(holder.end == SPB_WAIT_GOES_ON && other.end == SPB_WAIT_GOES_ON,
		   "a wait that succeeded has an end");
	EXPECT(holder.count.sleeps == 0 && other.count.sleeps == 0,
		   "somebody slept for a free lock");
	return NULL;
}

typedef struct Hammering
{
	const SpbLockOps *ops;
	int			nlines;
	uint64_t	times;
} Hammering;

static void
hammer(Arena *mine, int number, const void *arg)
{
	const Hammering *hammering = arg;

	mine->done[number] = hammering->ops->hammer(mine->lines, hammering->nlines,
												&mine->waiters[number],
												hammering->times);
}

/*
 * Let processes increment the same counters, each line of them "times" times:
 * none may be lost, and what the waiters count must make sense.
 */
const char *
check_exclusion(const SpbLockOps *ops, SpbWaiting waiting, int processes,
				int nlines, uint64_t times)
{
	const Hammering hammering = {ops, nlines, times};
	uint64_t	total = times * (uint64_t) processes;
	uint64_t	handoffs = 0;
	const char *finding;

	memset(arena->lines, PATTERN, sizeof(arena->lines));
	ops->init(&arena->lines[0].lock, processes);
	if (nlines > 0)
		arena->lines[0].owner = 0;
	for (int i = 0; i < nlines; i++)
		arena->lines[i].counter = 0;
	for (int i = 0; i < processes; i++)
	{
		spb_waiter_init(&arena->waiters[i], i, waiting, PATIENCE_NS);
		arena->done[i] = 0;
	}

	finding = crew_run(processes, hammer, &hammering);
	if (finding)
		return finding;

	for (int i = 0; i < processes; i++)
	{
		const SpbWaiter *waiter = &arena->waiters[i];
		const SpbLockCounters *count = &waiter->count;

		EXPECT(arena->done[i] == times && waiter->end == SPB_WAIT_GOES_ON,
			   "process %d of %d acquired %llu times instead of %llu, end %d", i,
			   processes, (unsigned long long) arena->done[i],
			   (unsigned long long) times, (int) waiter->end);
		EXPECT(count->contended <= times && count->handoffs <= times,
			   "more contended acquisitions or hand-offs than acquisitions");
		EXPECT((count->sleeps == 0) == (count->slept_ns == 0),
			   "%llu sleeps took %llu ns", (unsigned long long) count->sleeps,
			   (unsigned long long) count->slept_ns);
		EXPECT(count->spins == 0 || count->contended > 0,
			   "spins without a contended acquisition");
		EXPECT(nlines == 0 || count->handoffs > 0,
			   "process %d never took the lock from somebody else", i);
		handoffs += count->handoffs;
	}
	EXPECT(nlines > 0 || handoffs == 0,
		   "hand-offs are counted without a critical section");

	for (int i = 0; i < nlines; i++)
		EXPECT(arena->lines[i].counter == total,
			   "lost %lld of %llu increments of line %d by %d processes",
			   (long long) (total - arena->lines[i].counter),
			   (unsigned long long) total, i, processes);

	/*
	 * Only now, since the counters say more about a lock that excludes
	 * nobody.
	 */
	memset(&arena->lines[0].lock, PATTERN, ops->size(processes));
	if (nlines > 0)
		memset(&arena->lines[0].owner, PATTERN, sizeof(arena->lines[0].owner));
	for (int i = 0; i < nlines; i++)
		memset(&arena->lines[i].counter, PATTERN, sizeof(arena->lines[i].counter));
	EXPECT(rest_untouched(NULL, 0), "hammer writes beside lock, owner and counters");
	return NULL;
}

typedef struct Adding
{
	const SpbLockOps *ops;
	uint64_t	times;
} Adding;

/*
 * Add 1 again and again to the counter of the second line, and sum up what it
 * was before: each value must have been seen once, by somebody.  A process
 * sees it grow; one that does not gives up, and so leaves no sum.
 */
static void
add(Arena *mine, int number, const void *arg)
{
	const Adding *adding = arg;
	SpbWaiter  *waiter = &mine->waiters[number];
	void	   *lock = &mine->lines[0].lock;
	uint64_t   *value = &mine->lines[1].counter;
	uint64_t	before = 0;
	uint64_t	sum = 0;

	for (uint64_t i = 0; i < adding->times; i++)
	{
		uint64_t	last = before;

		if (!adding->ops->fetch_add(lock, waiter, value, 1, &before) ||
			(i > 0 && before <= last))
			return;
		sum += before;
	}
	mine->done[number] = sum + 1;
}

/* As check_exclusion(), by fetch_add(). */
const char *
check_fetch_add(const SpbLockOps *ops, int processes, uint64_t times)
{
	const Adding adding = {ops, times};
	const uint64_t total = times * (uint64_t) processes;
	uint64_t	sum = 0;
	uint64_t	before = 42;
	SpbWaiter	waiter;
	const char *finding;

	memset(arena->lines, PATTERN, sizeof(arena->lines));
	ops->init(&arena->lines[0].lock, processes);
	arena->lines[1].counter = 0;
	for (int i = 0; i < processes; i++)
	{
		spb_waiter_init(&arena->waiters[i], i, SPB_WAITING_SCHEDYIELD, PATIENCE_NS);
		arena->done[i] = 0;
	}
	finding = crew_run(processes, add, &adding);
	if (finding)
		return finding;

	for (int i = 0; i < processes; i++)
	{
		EXPECT(arena->done[i] > 0, "process %d did not finish", i);
		sum += arena->done[i] - 1;
	}
	EXPECT(arena->lines[1].counter == total && sum == total * (total - 1) / 2,
		   "%llu additions of 1 make %llu", (unsigned long long) total,
		   (unsigned long long) arena->lines[1].counter);

	spb_waiter_init(&waiter, 0, SPB_WAITING_ADAPTIVE, 1000000);
	EXPECT(ops->fetch_add(&arena->lines[0].lock, &waiter, &arena->lines[1].counter,
						  0, &before) && before == total,
		   "an addition of 0 found %llu", (unsigned long long) before);
	EXPECT(ops->acquire(&arena->lines[0].lock, &waiter), "could not take a free lock");
	EXPECT(!ops->fetch_add(&arena->lines[0].lock, &waiter, &arena->lines[1].counter,
						   1, &before) && waiter.end == SPB_WAIT_STUCK,
		   "added under a held lock");
	EXPECT(arena->lines[1].counter == total, "an addition that failed was done");
	return NULL;
}
