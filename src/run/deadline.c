/*-------------------------------------------------------------------------
 *
 * deadline.c
 *	  The time limit of a run.
 *
 * A timeout of the backend sets a flag, so that a loop that is measured has
 * to look at one variable only, not at a clock.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/run/deadline.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/timeout.h"

#include "run/run.h"

volatile sig_atomic_t spb_deadline_passed = false;

static TimeoutId deadline = MAX_TIMEOUTS;	/* not registered */

static void
on_deadline(void)
{
	spb_deadline_passed = true;
	SetLatch(MyLatch);
}

/*
 * From duration_ms from now on, spb_deadline_passed is true; never, if that is
 * 0.
 */
void
spb_deadline_set(int duration_ms)
{
	/* once per process: user timeouts cannot be given back */
	if (deadline == MAX_TIMEOUTS)
		deadline = RegisterTimeout(USER_TIMEOUT, on_deadline);
	spb_deadline_passed = false;
	if (duration_ms > 0)
		enable_timeout_after(deadline, duration_ms);
}

void
spb_deadline_clear(void)
{
	if (deadline != MAX_TIMEOUTS)
		disable_timeout(deadline, false);
}
