/*-------------------------------------------------------------------------
 *
 * aarch64.h
 *	  Atomic instructions and spin delays of 64-bit Arm.
 *
 * What a test-and-set compiles to depends on the compiler and its flags here:
 * an LSE instruction, a pair of exclusives, or a call of a helper that picks
 * one of them by the processor.  So there are two kinds of primitives: "tas"
 * and "cas" are whatever this build makes of the builtins, as in s_lock.h,
 * and "swp" and "llsc" are fixed.  See cpu.h for the contract.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/aarch64.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_AARCH64_H
#define SPB_AARCH64_H

#include <string.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

#include "cpu/builtins.h"

#define SPB_ARCH_NAME "aarch64"
#define SPB_ARCH_WIDTHS(X, ...) X(1, __VA_ARGS__) X(4, __VA_ARGS__) X(8, __VA_ARGS__)
#define SPB_ARCH_SLOCK_WIDTH 4

/* The letter that a mnemonic ends in; 4 and 8 differ in the registers. */
#define SPB_A64_SIZE(W) SPB_A64_SIZE_##W
#define SPB_A64_SIZE_1 "b"
#define SPB_A64_SIZE_4
#define SPB_A64_SIZE_8

/*
 * The older __sync builtins promise more than an acquire in clang, and in gcc
 * when it has to use exclusives.  gcc 10 forgot about that in its helper: it
 * called __aarch64_swp4_acq, later releases call __aarch64_swp4_sync.
 */
#ifdef __ARM_FEATURE_ATOMICS
#ifdef __clang__
#define SPB_A64_TAS(W) "swpal" SPB_A64_SIZE(W)
#else
#define SPB_A64_TAS(W) "swpa" SPB_A64_SIZE(W)
#endif
#define SPB_A64_CAS(W) "casa" SPB_A64_SIZE(W)
#else
#ifdef __clang__
#define SPB_A64_TAS_HELPER(W) "|__aarch64_swp" #W "_acq_rel"
#define SPB_A64_TAS(W) \
	"ldaxr" SPB_A64_SIZE(W) SPB_A64_TAS_HELPER(W) " " \
	"stlxr" SPB_A64_SIZE(W) SPB_A64_TAS_HELPER(W)
#else
#define SPB_A64_TAS_HELPER(W) "|__aarch64_swp" #W "_sync|__aarch64_swp" #W "_acq"
#define SPB_A64_TAS(W) \
	"ldxr" SPB_A64_SIZE(W) SPB_A64_TAS_HELPER(W) " " \
	"stxr" SPB_A64_SIZE(W) SPB_A64_TAS_HELPER(W) " " \
	"dmb" SPB_A64_TAS_HELPER(W)
#endif
#define SPB_A64_CAS_HELPER(W) "|__aarch64_cas" #W "_acq"
#define SPB_A64_CAS(W) \
	"ldaxr" SPB_A64_SIZE(W) SPB_A64_CAS_HELPER(W) " " \
	"stxr" SPB_A64_SIZE(W) SPB_A64_CAS_HELPER(W)
#endif
#define SPB_A64_SWP(W) "swpa" SPB_A64_SIZE(W)
#define SPB_A64_LLSC(W) "ldaxr" SPB_A64_SIZE(W) " stxr" SPB_A64_SIZE(W)

#define SPB_ARCH_PRIMITIVES(X, ...) \
	X(tas, spb_always, SPB_A64_TAS, __VA_ARGS__) \
	X(cas, spb_always, SPB_A64_CAS, __VA_ARGS__) \
	X(swp, spb_has_lse, SPB_A64_SWP, __VA_ARGS__) \
	X(llsc, spb_always, SPB_A64_LLSC, __VA_ARGS__)

#define SPB_ARCH_DELAYS(X, ...) \
	X(isb, spb_always, "isb", __VA_ARGS__) \
	X(yield, spb_always, "yield", __VA_ARGS__) \
	X(sb, spb_has_sb, "sb", __VA_ARGS__) \
	X(wfe, spb_always, "ldxrb wfe", __VA_ARGS__) \
	X(nop, spb_always, "nop", __VA_ARGS__)

#define SPB_ARCH_FENCES(X, ...) X(0, "", spb_always, "", "", __VA_ARGS__)

#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) "stlr" SPB_A64_SIZE(W)

/*
 * Bits of AT_HWCAP, part of Linux's ABI; named here since the headers of the
 * C library may be older than the kernel.
 */
#define SPB_A64_HWCAP_ATOMICS (1UL << 8)
#define SPB_A64_HWCAP_SB (1UL << 29)

SPB_INLINE bool
spb_a64_hwcap(unsigned long bit)
{
#ifdef __linux__
	return (getauxval(AT_HWCAP) & bit) != 0;
#else
	(void) bit;
	return false;				/* cannot be known */
#endif
}

#define SPB_NEEDS_spb_has_lse "the LSE atomics (FEAT_LSE)"

SPB_INLINE bool
spb_has_lse(void)
{
#ifdef __ARM_FEATURE_ATOMICS
	return true;				/* or the program would not have come here */
#else
	return spb_a64_hwcap(SPB_A64_HWCAP_ATOMICS);
#endif
}

#define SPB_NEEDS_spb_has_sb "the speculation barrier (FEAT_SB)"

SPB_INLINE bool
spb_has_sb(void)
{
	return spb_a64_hwcap(SPB_A64_HWCAP_SB);
}

#if !defined(__ARM_FEATURE_ATOMICS) && defined(__linux__)
#define SPB_ARCH_IN_FORCE(mnemonic) spb_a64_in_force(mnemonic)

/*
 * No macro tells which helpers the compiler calls, if any, but the linker
 * knows.  Nothing but a call brings a helper into the module, and each of them
 * brings their common flag.
 */
extern _Bool __aarch64_have_lse_atomics __attribute__((weak, visibility("hidden")));
extern char __aarch64_swp4_sync[] __attribute__((weak, visibility("hidden")));

static inline const char *
spb_a64_in_force(const char *mnemonic)
{
	bool		helper = mnemonic[0] == '_';

	if (helper != (&__aarch64_have_lse_atomics != NULL))
		return NULL;
	if (!helper)
		return "";
	if (strncmp(mnemonic, "__aarch64_swp", 13) == 0 &&
		(strstr(mnemonic, "_sync") != NULL) != (__aarch64_swp4_sync != NULL))
		return NULL;
	return __aarch64_have_lse_atomics ? " (LSE)" : " (exclusives)";
}
#endif

SPB_ARCH_WIDTHS(SPB_BUILTIN_LOCK, SPB_BUILTIN_TAKE)

/*
 * LSE and exclusives, whatever the flags.  The exclusives make one attempt;
 * it leaves "failed" at zero if the word was free and the store succeeded.
 */
#define SPB_A64_TRY(W, suffix, reg) \
SPB_INLINE bool \
spb_try_swp_w##W(volatile SPB_WORD(W) *word, int fences) \
{ \
	SPB_WORD(W) old; \
	(void) fences; \
	__asm__ __volatile__(".arch_extension lse\n" \
						 "	swpa" suffix "	%" reg "2, %" reg "0, %1" \
						 : "=r"(old), "+Q"(*word) \
						 : "r"((SPB_WORD(W)) 1) : "memory"); \
	return old == 0; \
} \
SPB_INLINE bool \
spb_try_llsc_w##W(volatile SPB_WORD(W) *word, int fences) \
{ \
	SPB_WORD(8) failed; \
	(void) fences; \
	__asm__ __volatile__("	ldaxr" suffix "	%" reg "0, %1\n" \
						 "	cbnz	%" reg "0, 1f\n" \
						 "	stxr" suffix "	%w0, %" reg "2, %1\n" \
						 "1:" \
						 : "=&r"(failed), "+Q"(*word) \
						 : "r"((SPB_WORD(W)) 1) : "memory"); \
	return failed == 0; \
}

SPB_A64_TRY(1, "b", "w")
SPB_A64_TRY(4, "", "w")
SPB_A64_TRY(8, "", "x")

SPB_DELAY(isb, "isb")
SPB_DELAY(yield, "yield")

/* Encoded, since assemblers know the name only from Armv8.5 on. */
SPB_DELAY(sb, ".inst 0xd50330ff")

/*
 * Sleep until somebody writes to the word's neighbourhood: the exclusive load
 * arms the monitor, and whoever clears it sends the event.  A word that is
 * already free must not be waited for, since nobody may ever write to it
 * again.  A byte is enough to see that, the first one being the least
 * significant; on a big-endian machine this would never wait.
 */
SPB_INLINE void
spb_delay_wfe(const volatile void *word)
{
	unsigned int value;

	__asm__ __volatile__("	ldxrb	%w0, %1\n"
						 "	cbz	%w0, 1f\n"
						 "	wfe\n"
						 "1:"
:						 "=&r"(value)
:						 "Q"(*(const volatile unsigned char *) word)
:						 "memory");
}

#endif							/* SPB_AARCH64_H */
