/*-------------------------------------------------------------------------
 *
 * crew.h
 *	  Several processes that work on the same shared memory at once.
 *
 * The memory is mapped twice, and processes with an odd number use the second
 * mapping: a lock that holds a pointer does not survive that.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  contrib_spinbench/selftest/crew.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_CREW_H
#define SPB_CREW_H

#include "lock/lock.h"

/* More processes than this prove nothing more, on however large a machine. */
#define MAX_CREW 512

/* One more than the largest critical section has, to be left alone. */
#define ARENA_LINES 4

typedef struct Arena
{
	SpbLine		lines[ARENA_LINES];
	SpbWaiter	waiters[MAX_CREW];
	uint64_t	done[MAX_CREW]; /* what hammer() returned */
	int			ready;			/* processes that wait for the start */
	int			started;
	int			running;		/* processes that found it started */
	int			step;			/* for checks to take turns by */
} Arena;

/* The first mapping.  Allocated by crew_prepare(), which may exit(). */
extern Arena *arena;
extern void crew_prepare(void);

/*
 * Run work() in "size" processes, which start together, and wait for them.
 * Returns NULL, or what went wrong with the processes themselves.
 */
typedef void (*CrewWork) (Arena *mine, int number, const void *arg);

extern const char *crew_run(int size, CrewWork work, const void *arg);

/* Wait until *value is at least "least", leaving the processor to others. */
extern void crew_await(const int *value, int least);

/* Say that it is at least that now. */
extern void crew_announce(int *value, int now);

#endif							/* SPB_CREW_H */
