/*-------------------------------------------------------------------------
 *
 * instructions.c
 *	  The instructions in force for a lock of this build, in words.
 *
 * A patch that silently did nothing has been measured before, and so has a
 * build whose flags chose another instruction than its author thought.  What
 * is written here comes from the tables that the code is generated from, and
 * the self-test holds these tables against the disassembly.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/lock/instructions.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock.h"

/* Where nothing is known after the build, all alternatives may be in force. */
#ifndef SPB_ARCH_IN_FORCE
#define SPB_ARCH_IN_FORCE(mnemonic) ((void) (mnemonic), "")
#endif

/* Words that are added one by one, and the list at its end. */
typedef struct Words
{
	char	   *out;
	size_t		size;
	size_t		used;
	size_t		list;			/* where the list begins */
} Words;

static void
add(Words *words, const char *string)
{
	size_t		length = strlen(string);

	if (words->used + length >= words->size)
		return;
	memcpy(words->out + words->used, string, length + 1);
	words->used += length;
}

static void
begin_list(Words *words, const char *title)
{
	if (words->used > 0)
		add(words, "; ");
	add(words, title);
	add(words, ": ");
	words->list = words->used;
}

/* Not every compiler and architecture is described. */
static void
end_list(Words *words)
{
	if (words->used == words->list)
		add(words, "not known");
}

/* Two instructions of one list may be the same helper: name it once. */
static void
add_item(Words *words, const char *item)
{
	const char *list = words->out + words->list;
	size_t		length = strlen(item);

	for (const char *at = list; (at = strstr(at, item)) != NULL; at++)
		if ((at == list || at[-1] == ' ') &&
			(at[length] == ',' || at[length] == '\0'))
			return;
	if (words->used > words->list)
		add(words, ", ");
	add(words, item);
}

/* Add one word of a claim: of its alternatives, those that may be in force. */
static void
add_word(Words *words, const char *word, size_t length)
{
	bool		only = memchr(word, '|', length) == NULL;
	char		item[128] = "";
	size_t		used = 0;

	for (const char *end = word + length; word < end;)
	{
		char		mnemonic[40];
		size_t		n = strcspn(word, "| ");
		const char *note;

		snprintf(mnemonic, sizeof(mnemonic), "%.*s", (int) n, word);
		note = only ? "" : SPB_ARCH_IN_FORCE(mnemonic);
		if (note != NULL && used < sizeof(item))
			used += (size_t) snprintf(item + used, sizeof(item) - used, "%s%s%s",
									  used > 0 ? " or " : "", mnemonic, note);
		word += n + 1;
	}
	/* nothing, if the linker knows of none: a static program has more helpers */
	if (used > 0)
		add_item(words, item);
}

static void
add_claim(Words *words, const char *claim)
{
	while (*claim)
	{
		size_t		length = strcspn(claim, " ");

		add_word(words, claim, length);
		claim += length;
		claim += strspn(claim, " ");
	}
}

/*
 * Write the instructions of a lock, such as "try: xchg; spin: load, xchg;
 * delay: pause; release: movb".  Empty if it is none of the family that the
 * tables of cpu/ describe.
 */
void
spb_lock_instructions(const SpbLockChoice *choice, char *out, size_t size)
{
	Words		words = {out, size, 0, 0};
	const SpbSpinlock *lock = choice->spinlock;

	out[0] = '\0';
	if (lock == NULL)
		return;

	begin_list(&words, "try");
	if (strcmp(lock->test, "pretest") == 0)
		add_item(&words, "load");
	add_claim(&words, lock->primitive_instructions);
	add_claim(&words, lock->fence_instructions);
	end_list(&words);

	begin_list(&words, "spin");
	if (lock->test[0] != '\0')
		add_item(&words, "load");
	add_claim(&words, lock->primitive_instructions);
	add_claim(&words, lock->fence_instructions);
	end_list(&words);

	begin_list(&words, lock->order[0] != '\0' ? "delay before the first spin" : "delay");
	if (lock->delay[0] == '\0')
		add_item(&words, "none");
	add_claim(&words, lock->delay_instructions);

	begin_list(&words, "release");
	add_claim(&words, lock->release_fence_instructions);
	add_claim(&words, lock->release_instructions);
	end_list(&words);
}
