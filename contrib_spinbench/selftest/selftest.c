/*-------------------------------------------------------------------------
 *
 * selftest.c
 *	  Tests every lock of the build, as a plain program without PostgreSQL.
 *
 * It runs wherever the locks compile, under emulation too.  Which locks there
 * are follows from the tables of the build; a lock that this very processor
 * cannot run is skipped with the reason.  The negative controls go through
 * the same checks and must be found out: a test that cannot fail proves
 * nothing.
 *
 * With --instructions nothing is tested: for each lock, the program prints
 * the mnemonics that its compiled code should have, for check-instructions.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  contrib_spinbench/selftest/selftest.c
 *
 *-------------------------------------------------------------------------
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"
#include "crew.h"
#include "tap.h"

/*
 * As many increments as take two processes long enough to meet, a millisecond
 * or so; an emulator needs far fewer.
 */
static uint64_t increments = 20000;
static int	processes = 2;		/* that fight for a lock */

static const char *const policies[] = {"fixed1000", "nosleep", "schedyield"};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Does this processor run the lock?  NULL, or what it would need. */
const char *
missing(const SpbSpinlock *lock)
{
	if (!lock->primitive_runs())
		return lock->primitive_needs;
	if (!lock->delay_runs())
		return lock->delay_needs;
	if (!lock->fences_run())
		return lock->fences_need;
	return NULL;
}

/*
 * Processes must have met for a lock a number of times, to say that it is
 * good: in a twentieth of the increments of one.  On a single or busy
 * processor they hardly ever meet, so there is an end to trying.
 *
 * Who sleeps leaves the lock to the others, often until they are done, so
 * most of the time those who wait yield: they go on meeting, which is what
 * finds a bad lock.
 */
static const char *
check_all_exclusion(const SpbLockOps *ops)
{
	static const int nlines[] = {0, 1, 3};
	const int	attempts = 8;
	const char *finding = check_exclusion(ops, SPB_WAITING_ADAPTIVE, processes,
										  1, increments);

	for (size_t i = 0; i < COUNT_OF(nlines); i++)
	{
		uint64_t	contended = 0;

		for (int k = 0; k < attempts && finding == NULL &&
			 contended < increments / 20; k++)
		{
			finding = check_exclusion(ops, SPB_WAITING_SCHEDYIELD, processes,
									  nlines[i], increments);
			for (int number = 0; number < processes; number++)
				contended += arena->waiters[number].count.contended;
		}
	}
	return finding;
}

static const char *
check_waits(const SpbLockOps *ops)
{
	const char *finding = check_wait_sleeps(ops);

	return finding ? finding : check_wait_ends(ops);
}

static void
test_spinlock(const SpbSpinlock *lock)
{
	const SpbLockOps *ops = &lock->ops;
	const char *needs = missing(lock);
	char		label[SPB_LABEL_MAX];

	spb_spinlock_label(lock, label, sizeof(label));
	tap_right(check_label(lock), "%s: label leads to it", label);
	tap_right(check_description(lock), "%s: tells its instructions", label);
	if (needs)
	{
		tap_skip(needs, "%s: cannot run here", label);
		return;
	}
	tap_right(check_states(ops, lock->width), "%s: free, held, free", label);
	tap_right(check_waits(ops), "%s: sleeps, gives up, stops", label);
	tap_right(check_all_exclusion(ops), "%s: none lost", label);
	tap_right(check_fetch_add(ops, processes, increments), "%s: adds", label);
}

/* The first lock of each primitive also goes through what takes longer. */
static void
test_primitive(const SpbSpinlock *lock)
{
	long		cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int			crowd = cpus < MAX_CREW - 2 ? (int) cpus + 2 : MAX_CREW;
	const SpbLockOps *ops = &lock->ops;
	char		label[SPB_LABEL_MAX];

	spb_spinlock_label(lock, label, sizeof(label));
	tap_right(check_wait_for_process(ops), "%s: waits for another process", label);
	tap_right(check_hammer_stops(ops), "%s: hammer stops halfway", label);
	tap_right(check_exclusion(ops, SPB_WAITING_ADAPTIVE, crowd, 1, increments),
			  "%s: none lost by %d processes on %ld processors", label, crowd, cpus);

	for (size_t i = 0; i < COUNT_OF(policies); i++)
	{
		char		with_policy[2 * SPB_LABEL_MAX];
		SpbLockChoice choice;
		SpbLabelProblem problem;

		snprintf(with_policy, sizeof(with_policy), "%s/%s", label, policies[i]);
		tap_right(spb_lock_choose(with_policy, &choice, &problem) ?
				  check_policy(&choice) : problem.detail,
				  "%s: waits as it says", with_policy);
	}
}

/*
 * A lost update needs two processes in the few instructions between test and
 * set.  Two processors meet there at once; on a single one it takes a
 * preemption at the wrong moment, so more processes try for longer and longer.
 * A good lock would pass all of the attempts.
 */
static const char *
catch_broken(void)
{
	const int	attempts = 12;
	const int	crowd = 6;
	const char *finding = NULL;
	uint64_t	times = increments;

	for (int i = 0; i < attempts && finding == NULL; i++, times *= 2)
		finding = check_exclusion(&spb_broken_lock, SPB_WAITING_SCHEDYIELD,
								  crowd, 3, times);
	return finding;
}

/* One acquisition succeeds, the next is stuck: hammer returns 1. */
static const char *
check_leaky_hammer(void)
{
	const SpbLockOps *ops = &spb_leaky_lock;
	SpbWaiter	waiter;
	uint64_t	done;

	ops->init(arena->lines, 1);
	arena->lines[0].owner = arena->lines[0].counter = 0;
	spb_waiter_init(&waiter, 0, SPB_WAITING_ADAPTIVE, 20000000);
	done = ops->hammer(arena->lines, 1, &waiter, 5);
	EXPECT(done == 1 && arena->lines[0].counter == 1,
		   "hammer returned %llu, the counter is %llu", (unsigned long long) done,
		   (unsigned long long) arena->lines[0].counter);
	EXPECT(waiter.end == SPB_WAIT_STUCK, "the end is %d", (int) waiter.end);
	return NULL;
}

static void
test_controls(void)
{
	tap_right(check_states(&spb_broken_lock, 0), "broken: a lock for one process");
	tap_caught(catch_broken(), "broken: found out by lost updates");
	tap_caught(check_states(&spb_leaky_lock, 0), "leaky: found out by its states");
	tap_caught(check_waits(&spb_leaky_lock), "leaky: found out by waiting");
	tap_right(check_leaky_hammer(), "leaky: stuck at the second acquisition");
}

static void
test_waiting(void)
{
	tap_right(check_spin_limit(), "spin limit: 100, +100, -1, from 10 to 1000");
	tap_right(check_constant_limit(SPB_WAITING_FIXED1000), "spin limit: fixed1000 stays");
	tap_right(check_constant_limit(SPB_WAITING_NOSLEEP), "spin limit: nosleep stays");
	tap_right(check_constant_limit(SPB_WAITING_SCHEDYIELD), "spin limit: schedyield stays");
	tap_right(check_sleep_lengths(), "sleeps: 1 ms, times 1 to 2, at most 1 s");
}

static void
print_instructions(void)
{
	printf("symbol\tlabel\tacquire\tdelay\trelease\n");
	for (int i = 0; i < spb_num_spinlocks; i++)
	{
		const SpbSpinlock *lock = &spb_spinlocks[i];
		char		label[SPB_LABEL_MAX];

		spb_spinlock_label(lock, label, sizeof(label));
		printf("%s\t%s\t%s %s\t%s\t%s %s\n", lock->symbol, label,
			   lock->primitive_instructions, lock->fence_instructions,
			   lock->delay_instructions,
			   lock->release_instructions, lock->release_fence_instructions);
	}
}

static void
usage(FILE *to)
{
	fputs("Tests every lock of this build; prints TAP.\n"
		  "  -i, --increments=N  of each process and check (default 20000)\n"
		  "  -p, --processes=N   that fight for a lock (default 2)\n"
		  "  -t, --timeout=S     seconds until a check counts as hanging (default 120)\n"
		  "      --instructions  print what the code of each lock should have, and exit\n",
		  to);
}

static uint64_t
number_argument(const char *argument, uint64_t most)
{
	char	   *end;
	unsigned long long value = strtoull(argument, &end, 10);

	if (argument[0] < '0' || argument[0] > '9' || *end != '\0' || value < 1 || value > most)
	{
		fprintf(stderr, "selftest: \"%s\" is not a number from 1 to %llu\n", argument,
				(unsigned long long) most);
		exit(EXIT_FAILURE);
	}
	return value;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{"increments", required_argument, NULL, 'i'},
		{"processes", required_argument, NULL, 'p'},
		{"timeout", required_argument, NULL, 't'},
		{"instructions", no_argument, NULL, 'I'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}
	};
	unsigned	timeout = 120;
	const char *last = "";
	int			option;

	while ((option = getopt_long(argc, argv, "i:p:t:h", options, NULL)) != -1)
	{
		switch (option)
		{
			case 'i':
				increments = number_argument(optarg, 1000000000);
				break;
			case 'p':
				processes = (int) number_argument(optarg, MAX_CREW);
				break;
			case 't':
				timeout = (unsigned) number_argument(optarg, 100000);
				break;
			case 'I':
				print_instructions();
				return EXIT_SUCCESS;
			case 'h':
				usage(stdout);
				return EXIT_SUCCESS;
			default:
				usage(stderr);
				return EXIT_FAILURE;
		}
	}
	if (optind < argc)
	{
		usage(stderr);
		return EXIT_FAILURE;
	}

	crew_prepare();
	watchdog_start(timeout);
	tap_note("%s, %d spinlocks, %ld processors, %d processes x %llu increments",
			 SPB_ARCH_NAME, spb_num_spinlocks, sysconf(_SC_NPROCESSORS_ONLN),
			 processes, (unsigned long long) increments);

	test_waiting();
	test_controls();
	tap_right(check_labels_differ(), "no two locks have the same label");
	check_bad_labels();
	for (int i = 0; i < spb_num_variants; i++)
		tap_right(check_variant(spb_variant(i)), "%s of %s: its story is about a lock",
				  spb_variant(i)->label, spb_variant(i)->arch);
	for (int i = 0; i < spb_num_spinlocks; i++)
	{
		const SpbSpinlock *lock = &spb_spinlocks[i];

		test_spinlock(lock);
		if (missing(lock) == NULL && strcmp(last, lock->primitive) != 0)
		{
			test_primitive(lock);
			last = lock->primitive;
		}
	}
	return tap_finish();
}
