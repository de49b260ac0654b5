/*-------------------------------------------------------------------------
 *
 * check_label.c
 *	  Labels: every lock is found by its own, and bad ones are refused.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  contrib_spinbench/selftest/check_label.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "tap.h"

#define MAX_OPTIONS 10

/*
 * Write a label with its options rotated by "turn" places, from the last to
 * the first if "reversed".
 */
static void
write_shuffled(char *label, size_t size, const char *name,
			   char *const options[], int noptions, int turn, bool reversed)
{
	size_t		used = (size_t) snprintf(label, size, "%s", name);

	for (int i = 0; i < noptions; i++)
	{
		int			which = (turn + (reversed ? noptions - 1 - i : i)) % noptions;

		used += (size_t) snprintf(label + used, size - used, "/%s", options[which]);
	}
}

/* In whatever order the options stand, it is the same lock. */
static const char *
check_orders(const SpbSpinlock *lock, const char *canonical, SpbWaiting waiting)
{
	char		words[SPB_LABEL_MAX];
	char		label[SPB_LABEL_MAX];
	char	   *options[MAX_OPTIONS];
	int			noptions = 0;
	SpbLockChoice choice;
	SpbLabelProblem problem;

	snprintf(words, sizeof(words), "%s", canonical);
	strtok(words, "/");
	while ((options[noptions] = strtok(NULL, "/")) != NULL)
		if (++noptions == MAX_OPTIONS)
			return wrong("too many options in %s", canonical);

	for (int order = 0; order < 2 * noptions; order++)
	{
		write_shuffled(label, sizeof(label), words, options, noptions,
					   order / 2, order % 2);
		EXPECT(spb_lock_choose(label, &choice, &problem),
			   "%s is refused: %s", label, problem.detail);
		EXPECT(choice.ops == &lock->ops && choice.waiting == waiting &&
			   strcmp(choice.label, canonical) == 0,
			   "%s is taken for %s", label, choice.label);
	}
	return NULL;
}

/*
 * The canonical label of a lock leads back to it; if this processor cannot
 * run it, to the reason.
 */
const char *
check_label(const SpbSpinlock *lock)
{
	char		label[SPB_LABEL_MAX];
	char		with_policy[2 * SPB_LABEL_MAX];
	SpbLockChoice choice;
	SpbLabelProblem problem;
	const char *needs = missing(lock);
	const char *finding;

	spb_spinlock_label(lock, label, sizeof(label));
	snprintf(with_policy, sizeof(with_policy), "%s/schedyield", label);
	EXPECT(strlen(with_policy) < SPB_LABEL_MAX, "%s is too long", with_policy);

	if (needs)
	{
		EXPECT(!spb_lock_choose(label, &choice, &problem),
			   "it is accepted, but it cannot run here");
		EXPECT(needs[0] != '\0' && strstr(problem.detail, needs) != NULL,
			   "it is refused for another reason: %s", problem.detail);
		return NULL;
	}

	EXPECT(spb_lock_choose(label, &choice, &problem), "it is refused: %s", problem.detail);
	EXPECT(choice.ops == &lock->ops, "it leads to another lock");
	EXPECT(strcmp(choice.label, label) == 0, "it turns into %s", choice.label);
	finding = check_orders(lock, label, SPB_WAITING_ADAPTIVE);
	if (finding == NULL)
		finding = check_orders(lock, with_policy, SPB_WAITING_SCHEDYIELD);
	return finding;
}

/*
 * What is said about the instructions of a lock: each of its parts, in
 * however little space.
 */
const char *
check_description(const SpbSpinlock *lock)
{
	const SpbLockChoice choice = {.ops = &lock->ops,.spinlock = lock};
	char		whole[1024];
	char		cut[40];

	spb_lock_instructions(&choice, whole, sizeof(whole));
	EXPECT(strncmp(whole, "try: ", 5) == 0 && strstr(whole, "; spin: ") != NULL &&
		   strstr(whole, "; delay") != NULL && strstr(whole, "; release: ") != NULL,
		   "it says \"%s\"", whole);
	EXPECT(lock->delay[0] != '\0' || strstr(whole, "delay: none") != NULL,
		   "it names a delay that is not in the label: %s", whole);

	memset(cut, '#', sizeof(cut));
	spb_lock_instructions(&choice, cut, sizeof(cut) - 1);
	EXPECT(strlen(cut) < sizeof(cut) - 1 && cut[sizeof(cut) - 1] == '#',
		   "it writes beyond its end");
	return NULL;
}

/*
 * A historical lock of this architecture can be had, unless this processor
 * cannot run it; one of another architecture is refused.
 */
const char *
check_variant(const SpbVariant *variant)
{
	bool		here = strcmp(variant->arch, SPB_ARCH_NAME) == 0;
	SpbLockChoice choice;
	SpbLabelProblem problem;

	if (spb_variant_choose(variant, &choice, &problem))
	{
		EXPECT(here, "it is accepted as %s", choice.label);
		EXPECT(strcmp(choice.label, variant->label) == 0,
			   "its label turns into %s", choice.label);
	}
	else
		EXPECT(!here || strstr(problem.detail, " needs ") != NULL,
			   "it is refused: %s", problem.detail);
	EXPECT(variant->description[0] != '\0' && variant->origin[0] != '\0',
		   "it has no story");
	return NULL;
}

/* No two locks have the same label or the same symbol. */
const char *
check_labels_differ(void)
{
	for (int i = 0; i < spb_num_spinlocks; i++)
	{
		char		label[SPB_LABEL_MAX];

		spb_spinlock_label(&spb_spinlocks[i], label, sizeof(label));
		for (int k = 0; k < i; k++)
		{
			char		other[SPB_LABEL_MAX];

			spb_spinlock_label(&spb_spinlocks[k], other, sizeof(other));
			EXPECT(strcmp(label, other) != 0 &&
				   strcmp(spb_spinlocks[i].symbol, spb_spinlocks[k].symbol) != 0,
				   "two locks are called %s or %s", label, spb_spinlocks[i].symbol);
		}
	}
	return NULL;
}

/*
 * What no machine may accept.  Where an option does not exist, it is refused
 * for that.
 */
void
check_bad_labels(void)
{
	static const struct
	{
		const char *label;
		const char *why;
	}			bad[] = {
		{"", "nothing"},
		{"/", "an empty name and an empty option"},
		{"/tas", "an empty name"},
		{"tas/", "an empty option at the end"},
		{"tas//spintest", "an empty option in the middle"},
		{"nosuchlock", "an unknown name"},
		{"nosuchlock/spintest", "an unknown name with an option"},
		{"TAS", "upper case"},
		{" tas", "a blank before"},
		{"tas ", "a blank after"},
		{"tas/spintest ", "a blank after an option"},
		{"tast", "more than a name"},
		{"ta", "less than a name"},
		{"tas,spintest", "another separator"},
		{"server", "the server's lock, without a server"},
		{"spintest", "an option for a name"},
		{"tas/tas", "a name for an option"},
		{"tas/nosuchoption", "an unknown option"},
		{"tas/none", "what the code calls no option"},
		{"tas/testfirst", "what the code calls no order"},
		{"tas/adaptive", "what has no name, being the default"},
		{"tas/spin", "less than an option"},
		{"tas/spintest/spintest", "an option twice"},
		{"tas/nosleep/nosleep", "a policy twice"},
		{"tas/spintest/pretest", "two tests"},
		{"tas/fixed1000/nosleep", "two policies"},
		{"tas/w1/w4", "two widths"},
		{"tas/nop/pause", "two delays"},
		{"tas/delayfirst", "an order without a delay"},
		{"tas/spintest/delayfirst", "an order without a delay, with a test"},
		{"tas/w", "a width without a number"},
		{"tas/w0", "a width of nothing"},
		{"tas/w3", "a width that no word has"},
		{"tas/w44", "a width with a number too many"},
		{"broken/spintest", "an option of the others"},
		{"leaky/w4", "a width of the others"},
		{"broken/nosleep/schedyield", "two policies of a single lock"},
		{"tas/spintest/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"more characters than a label has"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		SpbLockChoice choice;
		SpbLabelProblem problem;
		const char *finding = NULL;

		if (spb_lock_choose(bad[i].label, &choice, &problem))
			finding = wrong("it is taken for %s", choice.label);
		else if (problem.detail[0] == '\0' ||
				 problem.detail[strlen(problem.detail) - 1] != '.')
			finding = wrong("the reason is no sentence: \"%s\"", problem.detail);
		tap_right(finding, "label \"%.20s\" is refused: %s", bad[i].label, bad[i].why);
	}
}
