/*-------------------------------------------------------------------------
 *
 * crew.c
 *	  Several processes that work on the same shared memory at once.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  contrib_spinbench/selftest/crew.c
 *
 *-------------------------------------------------------------------------
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu/clock.h"
#include "crew.h"
#include "tap.h"

Arena	   *arena;
static Arena *second;			/* the same memory */

/*
 * An unlinked file, since anonymous memory can be mapped only once.
 */
void
crew_prepare(void)
{
	FILE	   *file = tmpfile();

	if (file == NULL || ftruncate(fileno(file), sizeof(Arena)) != 0)
	{
		perror("could not create a file to share");
		exit(EXIT_FAILURE);
	}
	arena = mmap(NULL, sizeof(Arena), PROT_READ | PROT_WRITE, MAP_SHARED,
				 fileno(file), 0);
	second = mmap(NULL, sizeof(Arena), PROT_READ | PROT_WRITE, MAP_SHARED,
				  fileno(file), 0);
	if (arena == MAP_FAILED || second == MAP_FAILED)
	{
		perror("could not map shared memory");
		exit(EXIT_FAILURE);
	}
	fclose(file);
}

void
crew_await(const int *value, int least)
{
	while (__atomic_load_n(value, __ATOMIC_ACQUIRE) < least)
		sched_yield();
}

void
crew_announce(int *value, int now)
{
	__atomic_store_n(value, now, __ATOMIC_RELEASE);
}

/*
 * Wait for the start.  What is to run may take less time than the scheduler
 * needs to bring everybody to a processor, so whoever has one by then waits
 * there, without leaving it, for as long as that usually takes.
 */
static void
start_together(Arena *mine, int size)
{
	uint64_t	deadline;

	__atomic_add_fetch(&mine->ready, 1, __ATOMIC_ACQ_REL);
	crew_await(&mine->started, 1);
	__atomic_add_fetch(&mine->running, 1, __ATOMIC_ACQ_REL);
	deadline = spb_clock_ns() + 1000000;
	while (__atomic_load_n(&mine->running, __ATOMIC_ACQUIRE) < size &&
		   spb_clock_ns() < deadline)
		;
}

static void
child_main(CrewWork work, int number, int size, const void *arg)
{
	Arena	   *mine = number % 2 ? second : arena;

	watchdog_in_child();
	start_together(mine, size);
	work(mine, number, arg);
	_exit(EXIT_SUCCESS);
}

const char *
crew_run(int size, CrewWork work, const void *arg)
{
	pid_t		pids[MAX_CREW];
	const char *finding = NULL;
	int			forked;

	arena->ready = arena->started = arena->running = arena->step = 0;
	fflush(stdout);

	for (forked = 0; forked < size; forked++)
	{
		pids[forked] = fork();
		if (pids[forked] < 0)
			break;
		if (pids[forked] == 0)
			child_main(work, forked, size, arg);
		watchdog_add_child(pids[forked]);
	}
	if (forked < size)
	{
		finding = wrong("could not fork: %s", strerror(errno));
		for (int i = 0; i < forked; i++)
			kill(pids[i], SIGKILL);
	}
	else
	{
		crew_await(&arena->ready, size);
		crew_announce(&arena->started, 1);
	}

	for (int i = 0; i < forked; i++)
	{
		int			status;

		while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
			;
		if (finding == NULL && WIFSIGNALED(status))
			finding = wrong("process %d was terminated by signal %d",
							i, WTERMSIG(status));
	}
	watchdog_forget_children();
	return finding;
}
