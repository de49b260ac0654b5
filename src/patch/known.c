/*-------------------------------------------------------------------------
 *
 * known.c
 *	  Does this server wait for spinlocks as s_lock.c of PostgreSQL 15 does?
 *
 * A server may carry patches, and a later minor release may bring some.  So
 * its functions are tried out rather than recognized by their code, which
 * differs with every compiler: what they do to a SpinDelayStatus and to the
 * spin limit must be what ours do.  This takes one sleep of a millisecond.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/known.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/s_lock.h"

#include "patch/known.h"

/* Two numbers that are unlikely to be found next to each other's place. */
#define FIRST_SIGN 0x5b1b0ca7
#define SECOND_SIGN 0x2e9d34b1

#define MAX_PLACES 100

typedef struct Places
{
	int			n;
	int		   *places[MAX_PLACES];
} Places;

static bool
collect_places(char *from, char *to, void *arg)
{
	Places	   *found = arg;

	for (int *place = (int *) TYPEALIGN(sizeof(int), from);
		 (char *) (place + 1) <= to; place++)
		if (*place == FIRST_SIGN && found->n < MAX_PLACES)
			found->places[found->n++] = place;
	return true;
}

/*
 * The static variable spins_per_delay of s_lock.c, which backends exchange
 * with shared memory by functions that stay the server's.  It is where what
 * we tell one of these functions turns up.  NULL if that is not clear.
 */
int *
spb_find_spins_per_delay(void)
{
	Places		found = {0};
	int		   *variable = NULL;
	bool		unique = true;

	set_spins_per_delay(FIRST_SIGN);
	spb_visit_server_data(collect_places, &found);
	set_spins_per_delay(SECOND_SIGN);
	for (int i = 0; i < found.n; i++)
		if (*(volatile int *) found.places[i] == SECOND_SIGN)
		{
			unique = variable == NULL;
			variable = found.places[i];
		}
	set_spins_per_delay(DEFAULT_SPINS_PER_DELAY);
	return unique ? variable : NULL;
}

/* What finish_spin_delay() makes of a spin limit. */
static int
adapted(int *spins_per_delay, int limit, int cur_delay)
{
	SpinDelayStatus status;

	init_local_spin_delay(&status);
	status.cur_delay = cur_delay;
	*(volatile int *) spins_per_delay = limit;
	finish_spin_delay(&status);
	return *(volatile int *) spins_per_delay;
}

static const char *
unknown_function(volatile int *spins_per_delay)
{
	SpinDelayStatus status;
	slock_t		lock;

	*spins_per_delay = 10;
	init_local_spin_delay(&status);
	for (int i = 0; i < 9; i++)
		perform_spin_delay(&status);
	if (status.spins != 9 || status.delays != 0 || status.cur_delay != 0)
		return "perform_spin_delay";
	perform_spin_delay(&status);
	if (status.spins != 0 || status.delays != 1 ||
		status.cur_delay < 1000 || status.cur_delay > 2000)
		return "perform_spin_delay";

	if (adapted((int *) spins_per_delay, 10, 0) != 110 ||
		adapted((int *) spins_per_delay, 950, 0) != 1000 ||
		adapted((int *) spins_per_delay, 1000, 0) != 1000 ||
		adapted((int *) spins_per_delay, 110, 1000) != 109 ||
		adapted((int *) spins_per_delay, 10, 1000) != 10)
		return "finish_spin_delay";

	S_INIT_LOCK(&lock);
	*spins_per_delay = 10;
	if (s_lock(&lock, __FILE__, __LINE__, __func__) != 0 || !TAS(&lock) ||
		*spins_per_delay != 110)
		return "s_lock";

	*spins_per_delay = 1000;
	if (update_spins_per_delay(100) != (100 * 15 + 1000) / 16)
		return "update_spins_per_delay";
	return NULL;
}

/*
 * Returns false, with the reason in *problem, if the server does something
 * that ours does not do.
 */
bool
spb_server_waits_as_known(int *spins_per_delay, SpbPatchProblem *problem)
{
	int			before = *spins_per_delay;
	const char *unknown = unknown_function(spins_per_delay);

	*spins_per_delay = before;
	if (unknown == NULL)
		return true;
	return spb_refuse_patch(problem,
							"%s() of this server does not do what it does in PostgreSQL 15 to 19.",
							unknown);
}
