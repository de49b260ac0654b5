/*-------------------------------------------------------------------------
 *
 * x86.h
 *	  Atomic instructions and spin delays of x86-64 and i386.
 *
 * Stores are not reordered with earlier loads or stores here, so a release
 * is a plain store that the compiler may not move.  See cpu.h for the
 * contract.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/x86.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_X86_H
#define SPB_X86_H

#ifdef __x86_64__
#define SPB_ARCH_NAME "x86-64"
#define SPB_ARCH_WIDTHS(X, ...) X(1, __VA_ARGS__) X(4, __VA_ARGS__) X(8, __VA_ARGS__)
#else
#define SPB_ARCH_NAME "i386"
#define SPB_ARCH_WIDTHS(X, ...) X(1, __VA_ARGS__) X(4, __VA_ARGS__)
#endif

#define SPB_ARCH_SLOCK_WIDTH 1

#define SPB_X86_XCHG(W) "xchg"
#define SPB_X86_CMPXCHG(W) "cmpxchg"

#define SPB_ARCH_PRIMITIVES(X, ...) \
	X(tas, spb_always, SPB_X86_XCHG, __VA_ARGS__) \
	X(cas, spb_always, SPB_X86_CMPXCHG, __VA_ARGS__)

#define SPB_ARCH_DELAYS(X, ...) \
	X(pause, spb_always, "pause", __VA_ARGS__) \
	X(nop, spb_always, "nop", __VA_ARGS__)

#define SPB_ARCH_FENCES(X, ...) X(0, "", spb_always, "", "", __VA_ARGS__)

/* The width is part of the mnemonic where no register shows it. */
#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) SPB_X86_MOV_##W
#define SPB_X86_MOV_1 "movb"
#define SPB_X86_MOV_4 "movl"
#define SPB_X86_MOV_8 "movq"

/*
 * xchg with a memory operand locks the bus with or without the prefix;
 * s_lock.h writes it, so it is here too: the byte changes the length of the
 * loop.
 */
#define SPB_X86_TRY(W, suffix) \
SPB_INLINE bool \
spb_try_tas_w##W(volatile SPB_WORD(W) *word, int fences) \
{ \
	SPB_WORD(W) old = 1; \
	(void) fences; \
	__asm__ __volatile__("lock; xchg" suffix " %0,%1" \
						 : "+q"(old), "+m"(*word) : : "memory", "cc"); \
	return old == 0; \
} \
SPB_INLINE bool \
spb_try_cas_w##W(volatile SPB_WORD(W) *word, int fences) \
{ \
	SPB_WORD(W) old = 0; \
	(void) fences; \
	__asm__ __volatile__("lock; cmpxchg" suffix " %2,%1" \
						 : "+a"(old), "+m"(*word) : "q"((SPB_WORD(W)) 1) \
						 : "memory", "cc"); \
	return old == 0; \
} \
SPB_INLINE void \
spb_release_w##W(volatile SPB_WORD(W) *word, int fences) \
{ \
	(void) fences; \
	SPB_COMPILER_BARRIER(); \
	*word = 0; \
}

SPB_X86_TRY(1, "b")
SPB_X86_TRY(4, "l")
#ifdef __x86_64__
SPB_X86_TRY(8, "q")
#endif

SPB_DELAY(pause, "rep; nop")

#endif							/* SPB_X86_H */
