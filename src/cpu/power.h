/*-------------------------------------------------------------------------
 *
 * power.h
 *	  Atomic instructions, fences and spin delays of 64-bit POWER.
 *
 * Acquire and release order nothing by themselves here: which fence goes with
 * them, and whether the reservation says that it is for a lock, was measured
 * at length for PostgreSQL 9.2.  All those choices are sets of fences, so that
 * each can be had with everything else.  See cpu.h for the contract.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/power.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_POWER_H
#define SPB_POWER_H

#ifdef __linux__
#include <sys/auxv.h>
#endif

#ifdef __LITTLE_ENDIAN__
#define SPB_ARCH_NAME "ppc64le"
#else
#define SPB_ARCH_NAME "ppc64"
#endif

/* Reservations of a byte came with ISA 2.06. */
#ifdef _ARCH_PWR7
#define SPB_ARCH_WIDTHS(X, ...) X(1, __VA_ARGS__) X(4, __VA_ARGS__) X(8, __VA_ARGS__)
#else
#define SPB_ARCH_WIDTHS(X, ...) X(4, __VA_ARGS__) X(8, __VA_ARGS__)
#endif
#define SPB_ARCH_SLOCK_WIDTH 4

#define SPB_POWER_RESERVE(W) SPB_POWER_RESERVE_##W
#define SPB_POWER_RESERVE_1 "lbarx stbcx."
#define SPB_POWER_RESERVE_4 "lwarx stwcx."
#define SPB_POWER_RESERVE_8 "ldarx stdcx."

#define SPB_ARCH_PRIMITIVES(X, ...) \
	X(tas, spb_always, SPB_POWER_RESERVE, __VA_ARGS__)

/* yield is or 27,27,27: give way to the other threads of this core */
#define SPB_ARCH_DELAYS(X, ...) \
	X(yield, spb_always, "yield", __VA_ARGS__) \
	X(nop, spb_always, "nop", __VA_ARGS__)

/* lwsync for both, unless an option says otherwise. */
#define SPB_POWER_ISYNC 1		/* isync for the acquire */
#define SPB_POWER_SYNC 2		/* sync, alias hwsync, for the release */
#define SPB_POWER_HINT 4		/* EH=1: this reservation is for a lock */

/* In what is claimed of the code, EH=1 stands beside the mnemonics. */
#define SPB_ARCH_FENCES(X, ...) \
	X(0, "", spb_always, "lwsync", "lwsync", __VA_ARGS__) \
	X(1, "isync", spb_always, "isync", "lwsync", __VA_ARGS__) \
	X(2, "sync", spb_always, "lwsync", "hwsync", __VA_ARGS__) \
	X(3, "isync/sync", spb_always, "isync", "hwsync", __VA_ARGS__) \
	X(4, "hint", spb_has_isa_2_05, "EH=1 lwsync", "lwsync", __VA_ARGS__) \
	X(5, "isync/hint", spb_has_isa_2_05, "EH=1 isync", "lwsync", __VA_ARGS__) \
	X(6, "sync/hint", spb_has_isa_2_05, "EH=1 lwsync", "hwsync", __VA_ARGS__) \
	X(7, "isync/sync/hint", spb_has_isa_2_05, "EH=1 isync", "hwsync", __VA_ARGS__)

#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) SPB_POWER_STORE_##W
#define SPB_POWER_STORE_1 "stb"
#define SPB_POWER_STORE_4 "stw"
#define SPB_POWER_STORE_8 "std"

#define SPB_NEEDS_spb_has_isa_2_05 "Power ISA 2.05 (POWER6)"

/*
 * The EH bit was reserved before, and a processor may refuse an instruction
 * with a reserved bit set.  Linux sets the bit of ISA 2.05 on processors of
 * that version only, the one of 2.06 on all later ones too.
 */
SPB_INLINE bool
spb_has_isa_2_05(void)
{
#if defined(_ARCH_PWR6)
	return true;
#elif defined(__linux__)
	return (getauxval(AT_HWCAP) & (PPC_FEATURE_ARCH_2_05 | PPC_FEATURE_ARCH_2_06)) != 0;
#else
	return false;				/* cannot be known */
#endif
}

/*
 * One attempt.  Like that of s_lock.h it fails if the reservation is lost,
 * although the word may be free, and has its fence only where it succeeded.
 */
#define SPB_POWER_ATTEMPT(size, cmp, eh, fence, word, taken) \
	__asm__ __volatile__("	l" size "arx	%0,0,%2," eh "\n" \
						 "	" cmp "	%0,0\n" \
						 "	li	%0,0\n" \
						 "	bne	1f\n" \
						 "	st" size "cx.	%3,0,%2\n" \
						 "	bne	1f\n" \
						 "	" fence "\n" \
						 "	li	%0,1\n" \
						 "1:" \
						 : "=&r"(taken), "+m"(*(word)) \
						 : "r"(word), "r"(1L) : "memory", "cc")

#define SPB_POWER_TRY(W, size, cmp) \
SPB_INLINE bool \
spb_try_tas_w##W(volatile SPB_WORD(W) *word, int fences) \
{ \
	long		taken; \
	switch (fences & (SPB_POWER_ISYNC | SPB_POWER_HINT)) \
	{ \
		case 0: \
			SPB_POWER_ATTEMPT(size, cmp, "0", "lwsync", word, taken); \
			break; \
		case SPB_POWER_ISYNC: \
			SPB_POWER_ATTEMPT(size, cmp, "0", "isync", word, taken); \
			break; \
		case SPB_POWER_HINT: \
			SPB_POWER_ATTEMPT(size, cmp, "1", "lwsync", word, taken); \
			break; \
		default: \
			SPB_POWER_ATTEMPT(size, cmp, "1", "isync", word, taken); \
			break; \
	} \
	return taken != 0; \
} \
SPB_INLINE void \
spb_release_w##W(volatile SPB_WORD(W) *word, int fences) \
{ \
	if (fences & SPB_POWER_SYNC) \
		__asm__ __volatile__("sync" ::: "memory"); \
	else \
		__asm__ __volatile__("lwsync" ::: "memory"); \
	*word = 0; \
}

#ifdef _ARCH_PWR7
SPB_POWER_TRY(1, "b", "cmpwi")
#endif
SPB_POWER_TRY(4, "w", "cmpwi")
SPB_POWER_TRY(8, "d", "cmpdi")

SPB_DELAY(yield, "or 27,27,27")

#endif							/* SPB_POWER_H */
