/*-------------------------------------------------------------------------
 *
 * cpu.h
 *	  What the processor gives: atomic instructions, spin delays, releases.
 *
 * One header per architecture defines the same verbs in the same order; this
 * file states their contract and picks the one that fits.  Nothing at or
 * below this floor includes a PostgreSQL header, so that everything here can
 * be compiled and tested as a plain program, on any architecture.
 *
 * Each architecture header defines:
 *
 *	SPB_ARCH_NAME
 *		Name of the architecture, as it appears in messages and results.
 *
 *	SPB_ARCH_SLOCK_WIDTH
 *		sizeof(slock_t) of PostgreSQL's s_lock.h here: the width in force when
 *		a label names none.
 *
 *	SPB_ARCH_PRIMITIVES(X, ...)
 *		Calls X(name, needs, INSTRUCTIONS, ...) for each atomic primitive.
 *		INSTRUCTIONS(W) is a string: the mnemonics, as objdump writes them and
 *		separated by blanks, that must be found in the compiled acquire
 *		function of a lock word of W bytes.  Where the headers cannot know
 *		which of several mnemonics the compiler chose, these are separated by
 *		"|".  A name that begins with two underscores is that of a function
 *		which is called.  The self-test compares all this with the disassembly.
 *
 *		For each name and each width W of SPB_ARCH_WIDTHS, the header defines
 *			bool spb_try_<name>_w<W>(volatile uintNN_t *word, int fences)
 *		which makes one attempt to change *word from 0 to non-zero, with
 *		acquire ordering, and returns true if it did.  It may fail spuriously
 *		(load-linked/store-conditional).
 *
 *	SPB_ARCH_DELAYS(X, ...)
 *		Calls X(name, needs, instructions, ...) for each spin delay, where
 *		"instructions" is the string itself.  Each has
 *			void spb_delay_<name>(const volatile void *word)
 *		The word is what is being waited for: only wfe looks at it, and the
 *		others are defined by SPB_DELAY(name, "instruction").
 *
 *	SPB_ARCH_FENCES(X, ...)
 *		Calls X(set, label, needs, acquire, release, ...) for each set of
 *		fences, a constant passed to the primitives and to the release.
 *		"acquire" and "release" are the instructions that a set adds to either,
 *		"label" is the options that name it, in canonical order.  Most
 *		architectures have only X(0, "", spb_always, "", "").
 *
 *	SPB_ARCH_WIDTHS(X, ...)
 *		Calls X(W, ...) for each lock word width in bytes.
 *
 *	SPB_ARCH_RELEASE_INSTRUCTIONS(W)
 *		As INSTRUCTIONS(W) above, of the release without its fences.
 *
 *	spb_release_w<W>(volatile uintNN_t *word, int fences)
 *		Stores 0 with release ordering.
 *
 *	SPB_ARCH_IN_FORCE(mnemonic)
 *		Only where the program, once linked, knows more about alternatives
 *		than the headers: NULL if this one was not chosen, else a note to
 *		print behind it, or "".
 *
 * "needs" is the name of a function bool (void) that tells whether this very
 * processor has the instruction; SPB_NEEDS_<needs> is a string that says in
 * words what is needed.  spb_always is for what every processor of the
 * architecture has.
 *
 * Adding a delay or a primitive is its definition and one line in the
 * table of its architecture.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/cpu.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_CPU_H
#define SPB_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Distance that keeps two things from sharing a cache line, in bytes.  The
 * same as PG_CACHE_LINE_SIZE: 64 would do on most x86-64, but its adjacent-
 * line prefetcher works on pairs of lines, and POWER and Apple's chips have
 * lines of 128.
 */
#define SPB_CACHE_LINE 128

/* Kept apart even from a function of the same code: see spin.c. */
#ifdef __clang__
#define SPB_UNMERGED
#else
#define SPB_UNMERGED no_icf
#endif
#define SPB_INLINE static inline __attribute__((always_inline, unused, SPB_UNMERGED))
#define SPB_NOINLINE __attribute__((noinline, SPB_UNMERGED))
/* PostgreSQL 18 has one that pointers to functions cannot have. */
#define SPB_NORETURN __attribute__((noreturn))
#define SPB_LIKELY(x) __builtin_expect((x) != 0, 1)
#define SPB_UNLIKELY(x) __builtin_expect((x) != 0, 0)

/* Keeps the compiler from moving memory accesses across it. */
#define SPB_COMPILER_BARRIER() __asm__ __volatile__("" ::: "memory")

/* Keeps the compiler from working on a variable where it came from. */
#define SPB_KEEP_IN_REGISTER(variable) __asm__ __volatile__("" : "+r"(variable))

#define SPB_NEEDS_spb_always ""

SPB_INLINE bool
spb_always(void)
{
	return true;
}

/* A delay that is an instruction, whatever is waited for. */
#define SPB_DELAY(name, instruction) \
SPB_INLINE void \
spb_delay_##name(const volatile void *word) \
{ \
	(void) word; \
	__asm__ __volatile__(instruction); \
}

/* No processor is without it. */
SPB_DELAY(nop, "nop")

/*
 * A lock without a delay instruction between its tries: the label names no
 * delay.
 */
SPB_INLINE void
spb_delay_none(const volatile void *word)
{
	(void) word;
}

/* The unsigned type of a lock word of W bytes. */
#define SPB_WORD(W) SPB_WORD_##W
#define SPB_WORD_1 uint8_t
#define SPB_WORD_4 uint32_t
#define SPB_WORD_8 uint64_t

#if defined(__x86_64__) || defined(__i386__)
#include "cpu/x86.h"
#elif defined(__aarch64__)
#include "cpu/aarch64.h"
#elif defined(__arm__)
#include "cpu/arm.h"
#elif defined(__powerpc64__)
#include "cpu/power.h"
#else
#include "cpu/generic.h"
#endif

#endif							/* SPB_CPU_H */
