/*-------------------------------------------------------------------------
 *
 * cost.h
 *	  What a short piece of code costs here, and each spin delay.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/cost.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_COST_H
#define SPB_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds for one time, of the loop around it too (about one cycle). */
typedef struct SpbCost
{
	double		median;
	double		minimum;
} SpbCost;

/* Does it "times" times. */
typedef void (*SpbCostLoop) (uint64_t times, void *arg);

typedef struct SpbDelayCost
{
	const char *name;			/* as in a lock's label */
	bool		(*runs) (void); /* on this very processor */
	SpbCostLoop loop;
} SpbDelayCost;

/* Ends with a name that is NULL. */
extern const SpbDelayCost spb_delay_costs[];

extern void spb_measure_cost(SpbCostLoop loop, void *arg, SpbCost *cost);

#endif							/* SPB_COST_H */
