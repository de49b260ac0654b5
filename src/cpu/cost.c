/*-------------------------------------------------------------------------
 *
 * cost.c
 *	  What a short piece of code costs here, and each spin delay.
 *
 * The same delay instruction has taken 10 cycles in one generation of
 * processors and 140 in the next, and another is no more than a nop on some:
 * a lock's spin limit says how long it spins only once this is known.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/cost.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "cpu/clock.h"
#include "cpu/cost.h"
#include "cpu/cpu.h"

/*
 * A batch is to last so long that reading the clock, some 20 to 50 ns, does
 * not matter, and yet so short that most batches are not interrupted.  With
 * this many batches the median does not mind those that are, and all of this
 * takes less than 2 ms.
 */
#define BATCH_NS 20000
#define BATCHES 31
#define MAX_TIMES (UINT64_C(1) << 20)

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

static uint64_t
time_batch(SpbCostLoop loop, void *arg, uint64_t times)
{
	uint64_t	start = spb_clock_ns();

	loop(times, arg);
	return spb_clock_ns() - start;
}

void
spb_measure_cost(SpbCostLoop loop, void *arg, SpbCost *cost)
{
	double		each[BATCHES];
	uint64_t	times = 1;

	while (time_batch(loop, arg, times) < BATCH_NS && times < MAX_TIMES)
		times *= 2;
	for (int i = 0; i < BATCHES; i++)
		each[i] = (double) time_batch(loop, arg, times) / (double) times;
	qsort(each, BATCHES, sizeof(double), compare_doubles);
	cost->median = each[BATCHES / 2];
	cost->minimum = each[0];
}

/* What a delay may look at; nobody writes it. */
static uint64_t word;

#define DELAY_LOOP(name, needs, instructions, ...) \
static void \
loop_##name(uint64_t times, void *arg) \
{ \
	(void) arg; \
	for (uint64_t i = 0; i < times; i++) \
		spb_delay_##name(&word); \
}

SPB_ARCH_DELAYS(DELAY_LOOP,)

#define DELAY_COST(name, needs, instructions, ...) {#name, needs, loop_##name},

const SpbDelayCost spb_delay_costs[] = {
	SPB_ARCH_DELAYS(DELAY_COST,)
	{NULL, NULL, NULL}
};
