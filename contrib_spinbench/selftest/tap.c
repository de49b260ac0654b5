/*-------------------------------------------------------------------------
 *
 * tap.c
 *	  Output in the Test Anything Protocol, and a watchdog.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  contrib_spinbench/selftest/tap.c
 *
 *-------------------------------------------------------------------------
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crew.h"
#include "tap.h"

static int	tests = 0;
static int	failures = 0;

static unsigned patience = 0;	/* seconds */
static pid_t children[MAX_CREW];
static volatile sig_atomic_t nchildren = 0;

const char *
wrong(const char *format,...)
{
	static char finding[512];
	va_list		args;

	va_start(args, format);
	vsnprintf(finding, sizeof(finding), format, args);
	va_end(args);
	return finding;
}

static void
PRINTF_LIKE(2, 0)
report(bool good, const char *format, va_list args, const char *directive)
{
	tests++;
	failures += !good;
	printf("%sok %d - %s ", good ? "" : "not ", tests, SPB_ARCH_NAME);
	vprintf(format, args);
	printf("%s\n", directive);
	fflush(stdout);
	alarm(patience);
}

void
tap_right(const char *finding, const char *format,...)
{
	va_list		args;

	va_start(args, format);
	report(finding == NULL, format, args, "");
	va_end(args);
	if (finding)
		tap_note("%s", finding);
}

void
tap_caught(const char *finding, const char *format,...)
{
	va_list		args;

	va_start(args, format);
	report(finding != NULL, format, args, "");
	va_end(args);
	tap_note("%s", finding ? finding : "nothing was found wrong");
}

void
tap_skip(const char *reason, const char *format,...)
{
	char		directive[256];
	va_list		args;

	snprintf(directive, sizeof(directive), " # SKIP %s", reason);
	va_start(args, format);
	report(true, format, args, directive);
	va_end(args);
}

void
tap_note(const char *format,...)
{
	va_list		args;

	fputs("# ", stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

int
tap_finish(void)
{
	alarm(0);
	printf("1..%d\n", tests);
	return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void
on_alarm(int signo)
{
	static const char message[] = "Bail out!  No progress: the check after the last line hangs.\n";

	(void) signo;
	for (int i = 0; i < nchildren; i++)
		kill(children[i], SIGKILL);
	if (write(STDOUT_FILENO, message, sizeof(message) - 1) < 0)
		_exit(2);
	_exit(EXIT_FAILURE);
}

void
watchdog_start(unsigned seconds)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_alarm;
	sigaction(SIGALRM, &action, NULL);
	patience = seconds;
	alarm(patience);
}

void
watchdog_add_child(pid_t pid)
{
	children[nchildren] = pid;
	nchildren = nchildren + 1;
}

void
watchdog_forget_children(void)
{
	nchildren = 0;
}

/* A child outlives a parent that was killed by this much at most. */
void
watchdog_in_child(void)
{
	signal(SIGALRM, SIG_DFL);
	alarm(patience);
}
