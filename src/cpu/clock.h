/*-------------------------------------------------------------------------
 *
 * clock.h
 *	  The monotonic clock, in nanoseconds.
 *
 * Read once per run and once per sleep, never per acquisition: a read costs
 * more than an uncontended lock does.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/clock.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_CLOCK_H
#define SPB_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t
spb_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * UINT64_C(1000000000) + (uint64_t) now.tv_nsec;
}

#endif							/* SPB_CLOCK_H */
