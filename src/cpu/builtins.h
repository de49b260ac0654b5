/*-------------------------------------------------------------------------
 *
 * builtins.h
 *	  Atomic instructions by compiler builtins.
 *
 * For the architectures on which the compiler is left to choose them, as
 * s_lock.h leaves it.  See cpu.h for the contract.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/builtins.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_BUILTINS_H
#define SPB_BUILTINS_H

#define SPB_BUILTIN_TAKE(W, word) (__sync_lock_test_and_set(word, 1) == 0)

/*
 * The primitives tas and cas and the release of a word of W bytes.  TAKE(W,
 * word) is the attempt of tas: SPB_BUILTIN_TAKE or better.
 */
#define SPB_BUILTIN_LOCK(W, TAKE) \
SPB_INLINE bool \
spb_try_cas_w##W(volatile SPB_WORD(W) *word, int fences) \
{ \
	SPB_WORD(W) expected = 0; \
	(void) fences; \
	return __atomic_compare_exchange_n(word, &expected, 1, false, \
									   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); \
} \
SPB_INLINE bool \
spb_try_tas_w##W(volatile SPB_WORD(W) *word, int fences) \
{ \
	(void) fences; \
	return TAKE(W, word); \
} \
SPB_INLINE void \
spb_release_w##W(volatile SPB_WORD(W) *word, int fences) \
{ \
	(void) fences; \
	__sync_lock_release(word); \
}

#endif							/* SPB_BUILTINS_H */
