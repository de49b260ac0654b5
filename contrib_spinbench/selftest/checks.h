/*-------------------------------------------------------------------------
 *
 * checks.h
 *	  What is checked.  See tap.h for what a check returns.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  contrib_spinbench/selftest/checks.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_CHECKS_H
#define SPB_CHECKS_H

#include "lock/lock.h"

/* How long a lock is waited for where it must be had in the end. */
#define PATIENCE_NS (UINT64_C(30) * 1000000000)

/* Attempts after which a free lock counts as one that cannot be taken. */
#define SPURIOUS_FAILURES 1000

/* selftest.c: what this processor needs to run a lock; NULL if it can */
extern const char *missing(const SpbSpinlock *lock);

/* check_lock.c: one lock.  "width" is that of its word, 0 if not known. */
extern const char *check_states(const SpbLockOps *ops, int width);
extern const char *check_exclusion(const SpbLockOps *ops, SpbWaiting waiting,
								   int processes, int nlines, uint64_t times);
extern const char *check_fetch_add(const SpbLockOps *ops, int processes,
								   uint64_t times);

/* check_waiting.c: waiting for one lock */
extern const char *check_wait_sleeps(const SpbLockOps *ops);
extern const char *check_wait_ends(const SpbLockOps *ops);
extern const char *check_wait_for_process(const SpbLockOps *ops);
extern const char *check_hammer_stops(const SpbLockOps *ops);
extern const char *check_policy(const SpbLockChoice *choice);

/* check_policy.c: the arithmetic of waiting, without a lock */
extern const char *check_spin_limit(void);
extern const char *check_constant_limit(SpbWaiting waiting);
extern const char *check_sleep_lengths(void);

/* check_label.c */
extern const char *check_label(const SpbSpinlock *lock);
extern const char *check_description(const SpbSpinlock *lock);
extern const char *check_variant(const SpbVariant *variant);
extern const char *check_labels_differ(void);
extern void check_bad_labels(void);

#endif							/* SPB_CHECKS_H */
