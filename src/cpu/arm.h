/*-------------------------------------------------------------------------
 *
 * arm.h
 *	  Atomic instructions and spin delays of 32-bit Arm.
 *
 * Only Armv7 and later are sure to have exclusives of a byte, barriers and the
 * delays as instructions.  Before that the builtins are all there is, and they
 * may call the kernel's helpers.  The swp instruction, once the only way, is
 * left out: Armv8 no longer has it.  See cpu.h for the contract.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/arm.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_ARM_H
#define SPB_ARM_H

#include "cpu/builtins.h"

#define SPB_ARCH_NAME "arm"
#define SPB_ARCH_SLOCK_WIDTH 4
#define SPB_ARCH_FENCES(X, ...) X(0, "", spb_always, "", "", __VA_ARGS__)

#if __ARM_ARCH >= 7

/*
 * No words of 8 bytes: a store of that size is atomic only as another pair of
 * exclusives, which no release should be.
 */
#define SPB_ARCH_WIDTHS(X, ...) X(1, __VA_ARGS__) X(4, __VA_ARGS__)

#define SPB_ARM_SIZE(W) SPB_ARM_SIZE_##W
#define SPB_ARM_SIZE_1 "b"
#define SPB_ARM_SIZE_4

#define SPB_ARM_EXCLUSIVES(W) \
	"ldrex" SPB_ARM_SIZE(W) " strex" SPB_ARM_SIZE(W) " dmb"

#define SPB_ARCH_PRIMITIVES(X, ...) \
	X(tas, spb_always, SPB_ARM_EXCLUSIVES, __VA_ARGS__) \
	X(cas, spb_always, SPB_ARM_EXCLUSIVES, __VA_ARGS__) \
	X(llsc, spb_always, SPB_ARM_EXCLUSIVES, __VA_ARGS__)

#define SPB_ARCH_DELAYS(X, ...) \
	X(yield, spb_always, "yield", __VA_ARGS__) \
	X(isb, spb_always, "isb", __VA_ARGS__) \
	X(wfe, spb_always, "ldrexb wfe", __VA_ARGS__) \
	X(nop, spb_always, "nop", __VA_ARGS__)

#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) "dmb str" SPB_ARM_SIZE(W)

#else

#define SPB_ARCH_WIDTHS(X, ...) X(4, __VA_ARGS__)

#define SPB_ARM_TAS(W) "ldrex|__sync_lock_test_and_set_4"
#define SPB_ARM_CAS(W) "ldrex|__sync_val_compare_and_swap_4"

#define SPB_ARCH_PRIMITIVES(X, ...) \
	X(tas, spb_always, SPB_ARM_TAS, __VA_ARGS__) \
	X(cas, spb_always, SPB_ARM_CAS, __VA_ARGS__)

#define SPB_ARCH_DELAYS(X, ...) \
	X(nop, spb_always, "nop", __VA_ARGS__)

#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) "str"

#endif

SPB_ARCH_WIDTHS(SPB_BUILTIN_LOCK, SPB_BUILTIN_TAKE)

#if __ARM_ARCH >= 7

/*
 * One attempt, where the builtins try again as long as the word is free but
 * the store fails; "failed" is zero if the store succeeded.
 */
#define SPB_ARM_TRY_LLSC(W, size) \
SPB_INLINE bool \
spb_try_llsc_w##W(volatile SPB_WORD(W) *word, int fences) \
{ \
	unsigned int failed; \
	(void) fences; \
	__asm__ __volatile__("	ldrex" size "	%0, %1\n" \
						 "	cmp	%0, #0\n" \
						 "	bne	1f\n" \
						 "	strex" size "	%0, %2, %1\n" \
						 "1:" \
						 : "=&r"(failed), "+Q"(*word) \
						 : "r"(1) : "memory", "cc"); \
	if (failed) \
		return false; \
	__asm__ __volatile__("dmb ish" ::: "memory"); \
	return true; \
}

SPB_ARM_TRY_LLSC(1, "b")
SPB_ARM_TRY_LLSC(4, "")

SPB_DELAY(yield, "yield")
SPB_DELAY(isb, "isb")

/*
 * Sleep until somebody writes to the word's neighbourhood; aarch64.h says why
 * a free word, or the first byte of one, must not be waited for.
 */
SPB_INLINE void
spb_delay_wfe(const volatile void *word)
{
	unsigned int value;

	__asm__ __volatile__("	ldrexb	%0, %1\n"
						 "	cmp	%0, #0\n"
						 "	beq	1f\n"
						 "	wfe\n"
						 "1:"
:						 "=&r"(value)
:						 "Q"(*(const volatile unsigned char *) word)
:						 "memory", "cc");
}

#endif							/* __ARM_ARCH >= 7 */

#endif							/* SPB_ARM_H */
