/*-------------------------------------------------------------------------
 *
 * server_lock.c
 *	  Labels of what can take the place of the server's own slow path.
 *
 * Only what the slow path decides can be chosen: what is tested while
 * spinning, the delay and its place, and the waiting policy.  The first try
 * and the release are inlined all over the server, and with them the
 * primitive, the width and the fences are fixed.  A label that asks for
 * something else there is refused: it would be measured as something that it
 * is not.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/server_lock.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/atomics.h"

#include "patch/patch.h"

#define STOCK "stock"

static bool
refuse(SpbLabelProblem *problem, const char *why)
{
	strlcpy(problem->detail, why, sizeof(problem->detail));
	strlcpy(problem->hint,
			"\"stock\", or \"tas\" with options for the spin test, the delay, its place and the waiting policy, can be chosen here.",
			sizeof(problem->hint));
	return false;
}

/*
 * Can this lock's slow path serve the server's locks?
 */
static bool
fits(const SpbSpinlock *lock, SpbLabelProblem *problem)
{
	if (strcmp(lock->primitive, "tas") != 0)
		return refuse(problem, "The first try is inlined in the server's code, and its primitive is \"tas\".");
	if (strcmp(lock->test, "pretest") == 0)
		return refuse(problem, "\"pretest\" is about the first try, too, which is inlined in the server's code.");
	if (lock->width != SPB_ARCH_SLOCK_WIDTH)
		return refuse(problem, "The width of a lock is that of the server's slock_t.");
	if (lock->fences[0] != '\0')
		return refuse(problem, "The release, and with it the fences, are inlined in the server's code.");
	if (strcmp(lock->delay, "wfe") == 0)
		return refuse(problem, "\"wfe\" needs to know the lock, but perform_spin_delay() is not told.");
	return lock->primitive_runs() && lock->delay_runs() && lock->fences_run();
}

/* How many locks can be chosen, stock included. */
uint32
spb_num_server_locks(void)
{
	SpbLabelProblem problem;
	uint32		n = 0;

	for (int i = 0; i < spb_num_spinlocks; i++)
		n += fits(&spb_spinlocks[i], &problem);
	return 1 + n * SPB_NUM_WAITINGS;
}

static void
fill(SpbServerLock *lock, uint32 number, const SpbSpinlock *spinlock)
{
	const char *waiting;
	Size		length;

	lock->number = number;
	lock->spinlock = spinlock;
	lock->waiting = spinlock == NULL ? SPB_WAITING_ADAPTIVE :
		(SpbWaiting) ((number - 1) % SPB_NUM_WAITINGS);
	if (spinlock == NULL)
	{
		strlcpy(lock->label, STOCK, sizeof(lock->label));
		return;
	}
	spb_spinlock_label(spinlock, lock->label, sizeof(lock->label));
	waiting = spb_waiting_word(lock->waiting);
	length = strlen(lock->label);
	if (waiting[0] != '\0')
		snprintf(lock->label + length, sizeof(lock->label) - length, "/%s", waiting);
}

/*
 * The lock of that number; false if there is none.
 */
bool
spb_server_lock_numbered(uint32 number, SpbServerLock *lock)
{
	SpbLabelProblem problem;
	uint32		rest = number;

	if (number == 0)
	{
		fill(lock, number, NULL);
		return true;
	}
	rest = (number - 1) / SPB_NUM_WAITINGS;
	for (int i = 0; i < spb_num_spinlocks; i++)
	{
		if (!fits(&spb_spinlocks[i], &problem))
			continue;
		if (rest-- == 0)
		{
			fill(lock, number, &spb_spinlocks[i]);
			return true;
		}
	}
	return false;
}

/*
 * Look up a label.  Returns false, with the reason in *problem, if there is no
 * such lock, or if it cannot take this place.
 */
bool
spb_server_lock_choose(const char *label, SpbServerLock *lock,
					   SpbLabelProblem *problem)
{
	SpbLabelProblem ignored;
	SpbLockChoice choice;
	uint32		number = 1;

	memset(problem, 0, sizeof(*problem));
	if (strcmp(label, STOCK) == 0)
	{
		fill(lock, 0, NULL);
		return true;
	}
	if (!spb_lock_choose(label, &choice, problem))
		return false;
	if (choice.spinlock == NULL)
		return refuse(problem, "It has no slow path that could take the place of the server's own.");
	if (!fits(choice.spinlock, problem))
		return false;

	for (const SpbSpinlock *other = spb_spinlocks; other < choice.spinlock; other++)
		if (fits(other, &ignored))
			number += SPB_NUM_WAITINGS;
	fill(lock, number + choice.waiting, choice.spinlock);
	return true;
}
