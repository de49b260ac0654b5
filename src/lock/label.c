/*-------------------------------------------------------------------------
 *
 * label.c
 *	  From a lock's label to the code it names, and back.
 *
 *		label = name { "/" option }
 *
 * with the options in any order; the canonical label has them in the order
 * test, delay, order, fences, width, waiting.  Which names and options exist
 * follows from the tables of locks: nothing is listed twice.
 *
 * Nothing is ever silently replaced.  A label that this processor or build
 * cannot run is refused, with the reason and what can be had instead.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/lock/label.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lock/lock.h"
#include "lock/words.h"

#define MAX_FENCES 4

/* Locks that are one implementation each. */
static const struct
{
	const char *name;
	const SpbLockOps *ops;
	bool		waits_by_policy;	/* takes a waiting option */
}			single_locks[] = {
#ifndef SPB_STANDALONE
	{"server", &spb_server_lock, false},
	{"slowed", &spb_slowed_lock, false},
#endif
	{"broken", &spb_broken_lock, true},
	{"leaky", &spb_leaky_lock, true},
};

static const struct
{
	const char *word;
	SpbWaiting	waiting;
}			waitings[] = {
	{"", SPB_WAITING_ADAPTIVE},
	{"fixed1000", SPB_WAITING_FIXED1000},
	{"nosleep", SPB_WAITING_NOSLEEP},
	{"schedyield", SPB_WAITING_SCHEDYIELD},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/*
 * The locks of this build are numbered from 0.  How a lock waits is not part of
 * its number.
 */
int
spb_num_locks(void)
{
	return spb_num_spinlocks + (int) COUNT_OF(single_locks);
}

int
spb_lock_number(const SpbLockChoice *choice)
{
	int			i = 0;

	if (choice->spinlock != NULL)
		return (int) (choice->spinlock - spb_spinlocks);
	while (single_locks[i].ops != choice->ops)
		i++;
	return spb_num_spinlocks + i;
}

/* A label taken apart: the words given for each part, "" for none. */
typedef struct Parts
{
	char text[	SPB_LABEL_MAX]; /* what the pointers point into */
	const char *name;
	const char *test;
	const char *delay;
	const char *order;
	const char *fences[MAX_FENCES];
	int			nfences;
	const char *width;
	const char *waiting;
} Parts;

static bool
__attribute__((format(printf, 2, 3)))
refuse(SpbLabelProblem *problem, const char *format,...)
{
	va_list		args;

	va_start(args, format);
	vsnprintf(problem->detail, sizeof(problem->detail), format, args);
	va_end(args);
	return false;
}

/* Append "word", if any, to a list of what there is, unless it is in it already. */
static void
list_word(char *list, size_t size, const char *word)
{
	size_t		used = strlen(list);

	if (word[0] == '\0')
		return;
	for (const char *at = list; (at = strstr(at, word)) != NULL; at++)
	{
		char		after = at[strlen(word)];

		if ((at == list || at[-1] == ' ') && (after == '\0' || after == ','))
			return;
	}
	if (used + strlen(word) + 3 < size)
		snprintf(list + used, size - used, "%s%s", used ? ", " : "", word);
}

/*
 * Put what can be chosen instead into the hint: every name and every option
 * of the locks of this build.
 */
static void
hint_names(SpbLabelProblem *problem)
{
	char		list[200] = "";

	for (size_t i = 0; i < COUNT_OF(single_locks); i++)
		list_word(list, sizeof(list), single_locks[i].name);
	for (int i = 0; i < spb_num_spinlocks; i++)
		list_word(list, sizeof(list), spb_spinlocks[i].primitive);
	snprintf(problem->hint, sizeof(problem->hint), "Locks here: %s.", list);
}

static void
hint_options(SpbLabelProblem *problem)
{
	char		list[200] = "";
	char		width[8];

	for (int i = 0; i < spb_num_spinlocks; i++)
	{
		list_word(list, sizeof(list), spb_spinlocks[i].test);
		list_word(list, sizeof(list), spb_spinlocks[i].delay);
		list_word(list, sizeof(list), spb_spinlocks[i].order);
		if (spb_count_words(spb_spinlocks[i].fences) == 1)
			list_word(list, sizeof(list), spb_spinlocks[i].fences);
		snprintf(width, sizeof(width), "w%d", spb_spinlocks[i].width);
		list_word(list, sizeof(list), width);
	}
	for (size_t i = 0; i < COUNT_OF(waitings); i++)
		list_word(list, sizeof(list), waitings[i].word);
	snprintf(problem->hint, sizeof(problem->hint), "Options here: %s.", list);
}

/*
 * Find out which part of a label an option belongs to, by looking for it in
 * the tables.  NULL if there is no such option in this build.
 */
static const char **
part_of(Parts *parts, const char *option)
{
	char		width[8];

	for (int i = 0; i < spb_num_spinlocks; i++)
	{
		const SpbSpinlock *lock = &spb_spinlocks[i];

		if (strcmp(option, lock->test) == 0)
			return &parts->test;
		if (strcmp(option, lock->delay) == 0)
			return &parts->delay;
		if (strcmp(option, lock->order) == 0)
			return &parts->order;
		if (spb_has_word(lock->fences, option, strlen(option)))
			return parts->nfences < MAX_FENCES ?
				&parts->fences[parts->nfences++] : &parts->fences[0];
		snprintf(width, sizeof(width), "w%d", lock->width);
		if (strcmp(option, width) == 0)
			return &parts->width;
	}
	for (size_t i = 0; i < COUNT_OF(waitings); i++)
		if (strcmp(option, waitings[i].word) == 0)
			return &parts->waiting;
	return NULL;
}

static bool
take_apart(const char *label, Parts *parts, SpbLabelProblem *problem)
{
	char	   *next;

	memset(parts, 0, sizeof(*parts));
	parts->test = parts->delay = parts->order = "";
	parts->width = parts->waiting = "";
	if (strlen(label) >= sizeof(parts->text))
		return refuse(problem, "A label has at most %d characters.",
					  SPB_LABEL_MAX - 1);
	strcpy(parts->text, label);

	parts->name = parts->text;
	next = strchr(parts->text, SPB_SEPARATOR);
	while (next != NULL)
	{
		char	   *option = next + 1;
		const char **part;

		*next = '\0';
		next = strchr(option, SPB_SEPARATOR);
		if (next != NULL)
			*next = '\0';
		if (option[0] == '\0')
			return refuse(problem, "An option is empty.");

		part = part_of(parts, option);
		if (part == NULL)
		{
			hint_options(problem);
			return refuse(problem, "There is no option \"%s\" on %s.",
						  option, SPB_ARCH_NAME);
		}
		if (*part != NULL && (*part)[0] != '\0')
			return refuse(problem,
						  strcmp(*part, option) == 0 ?
						  "Option \"%s\" is given twice." :
						  "Options \"%s\" and \"%s\" exclude each other.",
						  *part, option);
		for (int i = 0; i + 1 < parts->nfences; i++)
			if (strcmp(parts->fences[i], option) == 0)
				return refuse(problem, "Option \"%s\" is given twice.", option);
		*part = option;
	}
	return true;
}

static bool
same_fences(const SpbSpinlock *lock, const Parts *parts)
{
	if (spb_count_words(lock->fences) != parts->nfences)
		return false;
	for (int i = 0; i < parts->nfences; i++)
		if (!spb_has_word(lock->fences, parts->fences[i], strlen(parts->fences[i])))
			return false;
	return true;
}

/*
 * Write the canonical label of a lock of the family.
 */
void
spb_spinlock_label(const SpbSpinlock *lock, char *label, size_t size)
{
	const char *const words[] = {lock->test, lock->delay, lock->order, lock->fences};
	size_t		used;

	used = (size_t) snprintf(label, size, "%s", lock->primitive);
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (words[i][0] != '\0' && used < size)
			used += (size_t) snprintf(label + used, size - used, "%c%s",
									  SPB_SEPARATOR, words[i]);
	if (lock->width != SPB_ARCH_SLOCK_WIDTH && used < size)
		snprintf(label + used, size - used, "%cw%d", SPB_SEPARATOR, lock->width);
}

/*
 * The option that names a waiting policy, "" for the default.
 */
const char *
spb_waiting_word(SpbWaiting waiting)
{
	for (size_t i = 0; i < COUNT_OF(waitings); i++)
		if (waitings[i].waiting == waiting)
			return waitings[i].word;
	return "";
}

static bool
choose_spinlock(const Parts *parts, SpbLockChoice *choice, SpbLabelProblem *problem)
{
	int			width = SPB_ARCH_SLOCK_WIDTH;
	bool		name_found = false;

	if (parts->width[0] != '\0')
		width = parts->width[1] - '0';

	for (int i = 0; i < spb_num_spinlocks; i++)
	{
		const SpbSpinlock *lock = &spb_spinlocks[i];

		if (strcmp(parts->name, lock->primitive) != 0)
			continue;
		name_found = true;
		if (strcmp(parts->test, lock->test) != 0 ||
			strcmp(parts->delay, lock->delay) != 0 ||
			strcmp(parts->order, lock->order) != 0 ||
			!same_fences(lock, parts) || width != lock->width)
			continue;

		if (!lock->primitive_runs())
			return refuse(problem, "\"%s\" needs %s, which this processor does not have.",
						  lock->primitive, lock->primitive_needs);
		if (!lock->delay_runs())
			return refuse(problem, "\"%s\" needs %s, which this processor does not have.",
						  lock->delay, lock->delay_needs);
		if (!lock->fences_run())
			return refuse(problem, "\"%s\" needs %s, which this processor does not have.",
						  lock->fences, lock->fences_need);
		choice->ops = &lock->ops;
		choice->spinlock = lock;
		spb_spinlock_label(lock, choice->label, sizeof(choice->label));
		return true;
	}

	if (!name_found)
	{
		hint_names(problem);
		return refuse(problem, "There is no lock \"%s\" on %s.",
					  parts->name, SPB_ARCH_NAME);
	}
	if (parts->order[0] != '\0' && parts->delay[0] == '\0')
		return refuse(problem, "\"%s\" needs a delay that could come first.",
					  parts->order);
	hint_options(problem);
	return refuse(problem, "\"%s\" does not go with all of these options.",
				  parts->name);
}

/*
 * Look up a label.  Returns false, with the reason in *problem, if there is
 * no such lock or if it cannot run here.
 */
bool
spb_lock_choose(const char *label, SpbLockChoice *choice, SpbLabelProblem *problem)
{
	Parts		parts;
	bool		single = false;
	bool		waits_by_policy = true;

	memset(problem, 0, sizeof(*problem));
	memset(choice, 0, sizeof(*choice));
	if (!take_apart(label, &parts, problem))
		return false;

	for (size_t i = 0; i < COUNT_OF(single_locks) && !single; i++)
	{
		if (strcmp(parts.name, single_locks[i].name) != 0)
			continue;
		if (parts.test[0] || parts.delay[0] || parts.order[0] ||
			parts.nfences || parts.width[0] ||
			(parts.waiting[0] && !single_locks[i].waits_by_policy))
			return refuse(problem, single_locks[i].waits_by_policy ?
						  "\"%s\" takes no option but a waiting policy." :
						  "\"%s\" takes no options.", parts.name);
		single = true;
		waits_by_policy = single_locks[i].waits_by_policy;
		choice->ops = single_locks[i].ops;
		strcpy(choice->label, single_locks[i].name);
	}
	if (!single && !choose_spinlock(&parts, choice, problem))
		return false;

	for (size_t i = 0; waits_by_policy && i < COUNT_OF(waitings); i++)
	{
		size_t		used = strlen(choice->label);

		if (strcmp(parts.waiting, waitings[i].word) != 0)
			continue;
		choice->waiting = waitings[i].waiting;
		if (parts.waiting[0] != '\0')
			snprintf(choice->label + used, sizeof(choice->label) - used, "%c%s",
					 SPB_SEPARATOR, parts.waiting);
	}
	return true;
}
