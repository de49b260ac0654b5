/*-------------------------------------------------------------------------
 *
 * generic.h
 *	  Atomic instructions of all other architectures, by compiler builtins.
 *
 * s_lock.h itself uses the builtins where it has no code of its own for an
 * architecture.  Where it has some, the builtin is used that compiles to the
 * same instruction.  See cpu.h for the contract.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/generic.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_GENERIC_H
#define SPB_GENERIC_H

#include "cpu/builtins.h"

/*
 * What differs: the name, the widths other than those that every builtin has,
 * and what gcc and clang make of the builtins.  Words of a byte are left out
 * where they would be taken by an operation on the word around them, or in a
 * library.
 */
#if defined(__s390x__)
#define SPB_ARCH_NAME "s390x"
#define SPB_GENERIC_TAS(W) SPB_GENERIC_INSN(W, "cs", "csg")
#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) SPB_GENERIC_INSN(W, "mvhi", "mvghi")

#elif defined(__riscv)
#if __riscv_xlen == 64
#define SPB_ARCH_NAME "riscv64"
#else
#define SPB_ARCH_NAME "riscv32"
#endif
#ifdef __clang__
#define SPB_GENERIC_TAS(W) \
	SPB_GENERIC_INSN(W, "amoswap.w.aqrl", "amoswap.d.aqrl")
#define SPB_GENERIC_CAS(W) SPB_GENERIC_INSN(W, "lr.w.aq sc.w", "lr.d.aq sc.d")
#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) \
	SPB_GENERIC_INSN(W, "fence sw", "fence sd")
#else
/* gcc changed where the ordering bits go, and when it needs them. */
#define SPB_GENERIC_TAS(W) SPB_GENERIC_INSN(W, "amoswap.w.aq", "amoswap.d.aq")
#define SPB_GENERIC_CAS(W) \
	SPB_GENERIC_INSN(W, "lr.w|lr.w.aq sc.w.aq|sc.w", "lr.d|lr.d.aq sc.d.aq|sc.d")
#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) \
	SPB_GENERIC_INSN(W, "fence amoswap.w|sw", "fence amoswap.d|sd")
#endif

#elif defined(__loongarch__)
#define SPB_ARCH_NAME "loongarch64"
#define SPB_GENERIC_TAS(W) SPB_GENERIC_INSN(W, "amswap_db.w", "amswap_db.d")
#define SPB_GENERIC_CAS(W) SPB_GENERIC_INSN(W, "ll.w sc.w", "ll.d sc.d")
#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) \
	SPB_GENERIC_INSN(W, "dbar|amswap_db.w", "dbar|amswap_db.d")

#elif defined(__mips__)
#ifdef __mips64
#define SPB_ARCH_NAME "mips64"
#else
#define SPB_ARCH_NAME "mips"
#endif
/* Unlike s_lock.h's, this tries again when the conditional store fails. */
#define SPB_GENERIC_TAS(W) SPB_GENERIC_INSN(W, "ll sc sync", "lld scd sync")
#define SPB_GENERIC_CAS(W) SPB_GENERIC_TAS(W)
#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) \
	SPB_GENERIC_INSN(W, "sync sw", "sync sd")

#elif defined(__sparc__)
#define SPB_ARCH_NAME "sparc"
#define SPB_ARCH_SLOCK_WIDTH 1
#define SPB_ARCH_WIDTHS(X, ...) X(1, __VA_ARGS__)
#ifdef __clang__
#define SPB_GENERIC_TAS(W) "cas"	/* of the word around */
#else
#define SPB_GENERIC_TAS(W) "ldstub"
#endif
#define SPB_GENERIC_CAS(W) "cas"
#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) "clrb|stb"

#else
#define SPB_ARCH_NAME "generic"
#define SPB_GENERIC_TAS(W) ""	/* not known */
#define SPB_GENERIC_CAS(W) ""
#define SPB_ARCH_RELEASE_INSTRUCTIONS(W) ""
#endif

#define SPB_GENERIC_INSN(W, of4, of8) SPB_GENERIC_INSN_##W(of4, of8)
#define SPB_GENERIC_INSN_4(of4, of8) of4
#define SPB_GENERIC_INSN_8(of4, of8) of8

#ifndef SPB_ARCH_SLOCK_WIDTH
#define SPB_ARCH_SLOCK_WIDTH 4
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_8
#define SPB_ARCH_WIDTHS(X, ...) X(4, __VA_ARGS__) X(8, __VA_ARGS__)
#else
#define SPB_ARCH_WIDTHS(X, ...) X(4, __VA_ARGS__)
#endif
#endif

/* A compare-and-swap only where a test-and-set is something else. */
#ifdef SPB_GENERIC_CAS
#define SPB_ARCH_PRIMITIVES(X, ...) \
	X(tas, spb_always, SPB_GENERIC_TAS, __VA_ARGS__) \
	X(cas, spb_always, SPB_GENERIC_CAS, __VA_ARGS__)
#else
#define SPB_ARCH_PRIMITIVES(X, ...) \
	X(tas, spb_always, SPB_GENERIC_TAS, __VA_ARGS__)
#endif

#define SPB_ARCH_DELAYS(X, ...) \
	X(nop, spb_always, "nop", __VA_ARGS__)

#define SPB_ARCH_FENCES(X, ...) X(0, "", spb_always, "", "", __VA_ARGS__)

/*
 * s390x has a compare-and-swap only, from which the builtin would make a loop;
 * SPARC's instruction for a byte is behind another builtin.
 */
#if defined(__s390x__)
#define SPB_GENERIC_TAKE(W, word) spb_try_cas_w##W(word, 0)
#elif defined(__sparc__)
#define SPB_GENERIC_TAKE(W, word) (!__atomic_test_and_set(word, __ATOMIC_ACQUIRE))
#else
#define SPB_GENERIC_TAKE SPB_BUILTIN_TAKE
#endif

SPB_ARCH_WIDTHS(SPB_BUILTIN_LOCK, SPB_GENERIC_TAKE)

#endif							/* SPB_GENERIC_H */
