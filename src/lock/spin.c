/*-------------------------------------------------------------------------
 *
 * spin.c
 *	  The family of test-and-set spinlocks that s_lock.h belongs to.
 *
 * Every combination of primitive, test, delay, order, fences and word width
 * that this architecture has is compiled: the generic code below is always
 * inlined with constant arguments, so that nothing is decided at run time in
 * a loop that is measured.  The arguments come from the tables of cpu/.
 *
 * The split between fast and slow path is that of PostgreSQL: one inlined try,
 * then a function that tries again at once and only then begins to delay.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/lock/spin.c
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "lock/lock.h"
#include "lock/waiting.h"

/* Where a plain load comes before the atomic instruction. */
enum
{
	TEST_none,
	TEST_spintest,				/* while spinning: TAS_SPIN() since 9.2 */
	TEST_pretest				/* on every try: i386's TAS() */
};

enum
{
	ORDER_testfirst,			/* while (!try) delay */
	ORDER_delayfirst			/* do delay while (!try) */
};

/*
 * The code of one lock.  TRY is one attempt without and SPIN_TRY one attempt
 * with the test that is due while spinning.
 *
 * All functions keep code and a name of their own, even where two locks happen
 * to have the same code, so that profiles and disassemblies show which lock is
 * spinning.
 */
#define DEFINE_SPINLOCK(NAME, PRIMITIVE, W, FENCES, TEST, DELAY, ORDER) \
SPB_INLINE bool \
NAME##_try(void *lock, SpbWaiter *waiter) \
{ \
	volatile SPB_WORD(W) *word = lock; \
	(void) waiter; \
	if ((TEST) == TEST_pretest && *word != 0) \
		return false; \
	return spb_try_##PRIMITIVE##_w##W(word, FENCES); \
} \
static SPB_NOINLINE bool \
NAME##_slow(void *lock, SpbWaiter *waiter) \
{ \
	volatile SPB_WORD(W) *word = lock; \
	SpbWait		wait = SPB_WAIT_BEGIN; \
	if ((ORDER) == ORDER_delayfirst) \
		goto delay; \
	for (;;) \
	{ \
		if (((TEST) == TEST_none || *word == 0) && \
			spb_try_##PRIMITIVE##_w##W(word, FENCES)) \
			break; \
delay: \
		spb_delay_##DELAY(word); \
		if (SPB_WAIT_SPUN(waiter, wait) && !spb_wait_at_limit(waiter, &wait)) \
			return false; \
	} \
	spb_wait_end(waiter, &wait); \
	return true; \
} \
SPB_INLINE bool \
NAME##_acquire(void *lock, SpbWaiter *waiter) \
{ \
	if (SPB_LIKELY(NAME##_try(lock, waiter))) \
		return true; \
	return NAME##_slow(lock, waiter); \
} \
SPB_INLINE void \
NAME##_release(void *lock, SpbWaiter *waiter) \
{ \
	(void) waiter; \
	spb_release_w##W((volatile SPB_WORD(W) *) lock, FENCES); \
} \
SPB_DEFINE_HAMMER_AND_FETCH_ADD(NAME)

/*
 * The table of all combinations.  LEAF is called once per lock; the macros
 * below are one loop each, from the outermost inwards.
 */
#define FOR_EACH_SPINLOCK(LEAF) SPB_ARCH_PRIMITIVES(LOOP_WIDTHS, LEAF)

#define LOOP_WIDTHS(PRIM, PNEEDS, PINSN, LEAF) \
	SPB_ARCH_WIDTHS(LOOP_FENCES, PRIM, PNEEDS, PINSN, LEAF)

#define LOOP_FENCES(W, PRIM, PNEEDS, PINSN, LEAF) \
	SPB_ARCH_FENCES(LOOP_TESTS, W, PRIM, PNEEDS, PINSN, LEAF)

#define LOOP_TESTS(...) \
	LOOP_DELAYS(none, "", __VA_ARGS__) \
	LOOP_DELAYS(spintest, "spintest", __VA_ARGS__) \
	LOOP_DELAYS(pretest, "pretest", __VA_ARGS__)

#define LOOP_DELAYS(...) \
	WITHOUT_DELAY(__VA_ARGS__) \
	SPB_ARCH_DELAYS(LOOP_ORDERS, __VA_ARGS__)

/* Without a delay there is nothing to come first. */
#define WITHOUT_DELAY(TEST, TLABEL, F, FLABEL, FNEEDS, FACQUIRE, FRELEASE, \
					  W, PRIM, PNEEDS, PINSN, LEAF) \
	LEAF(PRIM, PNEEDS, PINSN, W, F, FLABEL, FNEEDS, FACQUIRE, FRELEASE, \
		 TEST, TLABEL, none, "", spb_always, "", testfirst, "")

#define LOOP_ORDERS(DELAY, DNEEDS, DINSN, \
					TEST, TLABEL, F, FLABEL, FNEEDS, FACQUIRE, FRELEASE, \
					W, PRIM, PNEEDS, PINSN, LEAF) \
	LEAF(PRIM, PNEEDS, PINSN, W, F, FLABEL, FNEEDS, FACQUIRE, FRELEASE, \
		 TEST, TLABEL, DELAY, #DELAY, DNEEDS, DINSN, testfirst, "") \
	LEAF(PRIM, PNEEDS, PINSN, W, F, FLABEL, FNEEDS, FACQUIRE, FRELEASE, \
		 TEST, TLABEL, DELAY, #DELAY, DNEEDS, DINSN, delayfirst, "delayfirst")

#define NAME(PRIM, W, F, TEST, DELAY, ORDER) \
	spb_##PRIM##_w##W##_f##F##_##TEST##_##DELAY##_##ORDER

/* NAME must be expanded before DEFINE_SPINLOCK pastes to it. */
#define DEFINE(...) DEFINE_SPINLOCK(__VA_ARGS__)
#define LEAF_DEFINE(PRIM, PNEEDS, PINSN, W, F, FLABEL, FNEEDS, FACQUIRE, FRELEASE, \
					TEST, TLABEL, DELAY, DLABEL, DNEEDS, DINSN, ORDER, OLABEL) \
	DEFINE(NAME(PRIM, W, F, TEST, DELAY, ORDER), \
		   PRIM, W, F, TEST_##TEST, DELAY, ORDER_##ORDER)

FOR_EACH_SPINLOCK(LEAF_DEFINE)

static size_t
spin_size(int participants)
{
	(void) participants;
	return sizeof(uint64_t);	/* of the widest, so that a word's neighbours
								 * in a line do not depend on the width */
}

/* Any of the words is free when it is zero. */
static void
spin_init(void *lock, int participants)
{
	memset(lock, 0, spin_size(participants));
}

#define STRING(X) #X
#define ENTRY(NAME, PRIM, PNEEDS, PINSN, W, FLABEL, FNEEDS, FACQUIRE, FRELEASE, \
			  TLABEL, DLABEL, DNEEDS, DINSN, OLABEL) \
	{ \
		.symbol = STRING(NAME), \
		.primitive = #PRIM, .test = TLABEL, .delay = DLABEL, .order = OLABEL, \
		.fences = FLABEL, .width = W, \
		.primitive_runs = PNEEDS, .primitive_needs = SPB_NEEDS_##PNEEDS, \
		.delay_runs = DNEEDS, .delay_needs = SPB_NEEDS_##DNEEDS, \
		.fences_run = FNEEDS, .fences_need = SPB_NEEDS_##FNEEDS, \
		.primitive_instructions = PINSN(W), .delay_instructions = DINSN, \
		.fence_instructions = FACQUIRE, \
		.release_fence_instructions = FRELEASE, \
		.release_instructions = SPB_ARCH_RELEASE_INSTRUCTIONS(W), \
		.ops = { \
			.size = spin_size, .init = spin_init, \
			.try_acquire = NAME##_try, .acquire = NAME##_acquire, \
			.release = NAME##_release, .hammer = NAME##_hammer, \
			.fetch_add = NAME##_fetch_add \
		}, \
		.slow = NAME##_slow \
	},
#define EXPAND_ENTRY(...) ENTRY(__VA_ARGS__)
#define LEAF_ENTRY(PRIM, PNEEDS, PINSN, W, F, FLABEL, FNEEDS, FACQUIRE, FRELEASE, \
				   TEST, TLABEL, DELAY, DLABEL, DNEEDS, DINSN, ORDER, OLABEL) \
	EXPAND_ENTRY(NAME(PRIM, W, F, TEST, DELAY, ORDER), PRIM, PNEEDS, PINSN, W, \
				 FLABEL, FNEEDS, FACQUIRE, FRELEASE, \
				 TLABEL, DLABEL, DNEEDS, DINSN, OLABEL)

const SpbSpinlock spb_spinlocks[] = {
	FOR_EACH_SPINLOCK(LEAF_ENTRY)
};

const int	spb_num_spinlocks = sizeof(spb_spinlocks) / sizeof(spb_spinlocks[0]);
