/*-------------------------------------------------------------------------
 *
 * tap.h
 *	  Output in the Test Anything Protocol, and a watchdog.
 *
 * A check is a function that returns NULL if all is right and else says what
 * is wrong.  That lets the negative controls go through the very checks that
 * the real locks go through, with the verdict turned round.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  contrib_spinbench/selftest/tap.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_TAP_H
#define SPB_TAP_H

#include <stdbool.h>
#include <sys/types.h>

#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* What is wrong, in words; valid until the next call. */
extern const char *wrong(const char *format,...) PRINTF_LIKE(1, 2);

/* For checks: leave with what is wrong unless "condition" is true. */
#define EXPECT(condition, ...) \
	do { \
		if (!(condition)) \
			return wrong(__VA_ARGS__); \
	} while (0)

/*
 * One line of output.  The first is for a check that must find nothing, the
 * second for one that must find something.
 */
extern void tap_right(const char *finding, const char *format,...) PRINTF_LIKE(2, 3);
extern void tap_caught(const char *finding, const char *format,...) PRINTF_LIKE(2, 3);
extern void tap_skip(const char *reason, const char *format,...) PRINTF_LIKE(2, 3);
extern void tap_note(const char *format,...) PRINTF_LIKE(1, 2);

/* Print the plan; returns the exit status of the program. */
extern int	tap_finish(void);

/*
 * A process that makes no progress for that long is ended, and with it the
 * test: a hang is a failure.  Each line of output is progress.
 */
extern void watchdog_start(unsigned seconds);

/* Children to be ended with the test; watchdog_child() is for themselves. */
extern void watchdog_add_child(pid_t pid);
extern void watchdog_forget_children(void);
extern void watchdog_in_child(void);

#endif							/* SPB_TAP_H */
