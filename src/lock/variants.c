/*-------------------------------------------------------------------------
 *
 * variants.c
 *	  The locks that PostgreSQL had, and those that were measured or proposed.
 *
 * Each line is about one label on one architecture, and says where it comes
 * from: a release and its commit, or a mail to pgsql-hackers by its subject.
 * What no source is known for is not in the list; the labels can be used all
 * the same.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/lock/variants.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock.h"

/* Both byte orders of POWER have one story. */
#define POWER(label, description, origin) \
	{label, "ppc64", description, origin}, \
	{label, "ppc64le", description, origin}

#define MAIL_POWER "Tom Lane, \"Re: spinlocks on powerpc\", January 2012"
#define MAIL_ISB \
	"Nathan Bossart, \"Re: Remove Instruction Synchronization Barrier in " \
	"spin_delay() for ARM64 architecture\", May 2025"
#define BLOG_LSE \
	"Alexander Korotkov, akorotkov.github.io/blog/2021/04/30/arm, April 2021"
#define BUILTIN_ONLY "s_lock.h of PostgreSQL 15 to 19, which has no code of its own here"

static const SpbVariant variants[] = {
	{"tas/spintest/pause", "x86-64",
		"PostgreSQL 9.4 and later",
	"commit b03d196be055, August 2013"},
	{"tas/pause", "x86-64",
		"PostgreSQL 9.3 and earlier: the atomic instruction on every spin",
	"s_lock.h before commit b03d196be055, August 2013"},
	{"tas/spintest/pause/delayfirst", "x86-64",
		"delay at once after a failed try, then test",
	"Thomas Munro and mjg@freebsd, 2018 (gist ba85887538b4e3f37b257b37b81967cf)"},
	{"tas/spintest/pause/fixed1000", "x86-64",
		"1000 spins before each sleep, no adaptation",
	"comment in an s_lock.c that is newer than PostgreSQL 18's; its release is not known"},
	{"tas/spintest/pause/schedyield", "x86-64",
		"give the processor away instead of sleeping",
	"Tom Lane, message 3292.1093358134, August 2004: \"a yield primitive would be nice\""},
	{"cas/pause/w4", "x86-64",
		"PostgreSQL on Windows: InterlockedCompareExchange on a LONG",
	"s_lock.h of PostgreSQL 15 to 18, part for Visual C++"},

	{"tas/pretest/pause", "i386",
		"all supported releases: a load before every try, the first one too",
	"s_lock.h of PostgreSQL 15 to 19"},
	{"tas/spintest/pause", "i386",
		"as on x86-64; \"no-one's done the testing to verify that\"",
	"comment in s_lock.h, commit b03d196be055, August 2013"},
	{"tas/pretest/pause/fixed1000", "i386",
		"a load before every try, 1000 spins before each sleep",
	"Manfred Spraul, patch-spinlock-i386, December 2003"},

	{"tas", "aarch64",
		"PostgreSQL 14 and earlier",
	"s_lock.h before commit a82a5eee3, April 2022; measured again in " MAIL_ISB},
	{"tas/isb", "aarch64",
		"PostgreSQL 15 to 17 as first released; 15.18 still has it",
	"commit a82a5eee3, April 2022; thread \"Add spin_delay() implementation for Arm in s_lock.h\""},
	{"tas/spintest/isb", "aarch64",
		"PostgreSQL 18 and later; 15.20 and 17.12 have it too, by a back-patch",
	"commit 3d0b4b1, January 2025; thread \"use a non-locking initial test in TAS_SPIN on AArch64\""},
	{"tas/spintest", "aarch64",
		"the test without the delay",
	MAIL_ISB},
	{"cas", "aarch64",
		"compare-and-swap instead of test-and-set",
		"Krunal Bauskar, \"Improving spin-lock implementation on ARM\", November 2020; measured by "
	"Tom Lane, \"Re: Add spin_delay() implementation for Arm in s_lock.h\", January 2022"},
	{"tas/yield", "aarch64",
		"the yield instruction as the delay, which many processors take for a nop",
	"Amit Khandekar, \"spin_delay() for ARM\", April 2020"},
	{"tas/spintest/sb", "aarch64",
		"a speculation barrier as the delay, shorter than isb",
	"MySQL pull request 611 and HAProxy pull request 2974, 2025"},
	{"swp/spintest/isb", "aarch64",
		"LSE, whatever the compiler flags",
	BLOG_LSE},
	{"llsc/spintest/isb", "aarch64",
		"exclusives, whatever the compiler flags",
	BLOG_LSE},

	{"tas", "arm",
		"all supported releases",
	"commit 0a41e865845b, January 2012, in all branches of then; before that the swpb instruction"},
	{"tas/spintest", "arm",
		"as on aarch64; \"may be a win on 32-bit ARM, too, but nobody's tested it yet\"",
	"comment in s_lock.h, commit 3d0b4b1, January 2025"},

	POWER("tas/isync/sync",
		  "PostgreSQL 9.1 and earlier; \"HEAD\" of the measurements",
		  MAIL_POWER),
	POWER("tas/isync/sync/w8",
		  "8-byte slock_t, of which PostgreSQL 9.1 used 4 bytes only; here all 8 are used",
		  "s_lock.h before commit 8496c6cd77e2, January 2012; " MAIL_POWER),
	POWER("tas/spintest/isync/sync/hint",
		  "hint bit and TAS_SPIN",
		  "patch by Manabu Ori, December 2011; " MAIL_POWER),
	POWER("tas/spintest/isync/sync",
		  "TAS_SPIN, no hint bit",
		  MAIL_POWER),
	POWER("tas/isync/sync/hint",
		  "hint bit only",
		  "commit 5cfa8dd3007d, January 2012; " MAIL_POWER),
	POWER("tas/isync/hint",
		  "hint bit, LWSYNC for SYNC in the release",
		  MAIL_POWER),
	POWER("tas/hint",
		  "hint bit, LWSYNC for both SYNC and ISYNC",
		  "commit 631beeac3598, January 2012; " MAIL_POWER),
	POWER("tas/spintest/hint",
		  "PostgreSQL 9.2 and later, where the assembler knows the hint bit",
		  "commit bc2a050d4097, January 2012"),

	{"tas", "s390x",
		"all supported releases: compare-and-swap",
	"s_lock.h of PostgreSQL 15 to 19"},
	{"tas", "riscv64",
		"all supported releases: the compiler's builtin",
	BUILTIN_ONLY},
	{"tas", "loongarch64",
		"all supported releases: the compiler's builtin",
	BUILTIN_ONLY},
	{"tas/nop", "loongarch64",
		"amswap_db.w, and a nop as the delay",
	"patch to s_lock.h on the mailing list, 2023 (attachment 146948)"},
	{"tas", "mips64",
		"all supported releases, though their ll/sc does not try again by itself",
	"s_lock.h of PostgreSQL 15 to 19"},
	{"tas", "sparc",
		"all supported releases: ldstub",
	"s_lock.h of PostgreSQL 15 to 19"},
};

const int	spb_num_variants = sizeof(variants) / sizeof(variants[0]);

const SpbVariant *
spb_variant(int i)
{
	return &variants[i];
}

/*
 * As spb_lock_choose(), for a variant that may be another architecture's.
 */
bool
spb_variant_choose(const SpbVariant *variant, SpbLockChoice *choice,
				   SpbLabelProblem *problem)
{
	if (strcmp(variant->arch, SPB_ARCH_NAME) == 0)
		return spb_lock_choose(variant->label, choice, problem);

	memset(problem, 0, sizeof(*problem));
	memset(choice, 0, sizeof(*choice));
	snprintf(problem->detail, sizeof(problem->detail),
			 "It is a lock of %s, and this is %s.", variant->arch, SPB_ARCH_NAME);
	return false;
}
