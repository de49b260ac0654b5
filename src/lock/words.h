/*-------------------------------------------------------------------------
 *
 * words.h
 *	  Labels as lists of words that are separated by slashes.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/lock/words.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_WORDS_H
#define SPB_WORDS_H

#include <stdbool.h>
#include <string.h>

#define SPB_SEPARATOR '/'

/* Is "word" one of the words of "list"? */
static inline bool
spb_has_word(const char *list, const char *word, size_t length)
{
	for (const char *at = list; *at != '\0';)
	{
		size_t		here = strcspn(at, "/");

		if (here == length && strncmp(at, word, length) == 0)
			return true;
		at += here;
		if (*at == SPB_SEPARATOR)
			at++;
	}
	return false;
}

static inline int
spb_count_words(const char *list)
{
	int			n = list[0] != '\0';

	for (; *list; list++)
		n += *list == SPB_SEPARATOR;
	return n;
}

/*
 * Do two labels say the same?  They begin with the same word, and have the
 * same options in any order.  "canonical" has no word twice.
 */
static inline bool
spb_same_label(const char *canonical, const char *label)
{
	size_t		name = strcspn(canonical, "/");

	if (strcspn(label, "/") != name || strncmp(canonical, label, name) != 0 ||
		spb_count_words(canonical) != spb_count_words(label))
		return false;
	for (const char *at = canonical; *at != '\0';)
	{
		size_t		length = strcspn(at, "/");

		if (!spb_has_word(label, at, length))
			return false;
		at += length;
		if (*at == SPB_SEPARATOR)
			at++;
	}
	return true;
}

#endif							/* SPB_WORDS_H */
