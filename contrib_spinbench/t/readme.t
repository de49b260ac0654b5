#!/usr/bin/env bash
#
# What README.md tells those who add a lock, as a TAP test for prove: the patch in
# it, the first block of the language diff, does what it is said to do.

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=/dev/null
. "$here/tap.bash"
tree=$here/../..
label=tas/spintest/lfence

# shellcheck disable=SC2154		# tap.bash sets $out
copy=$out.copy
mkdir "$copy"
cp -R "$tree/src" "$copy"
awk '/^```/ { if (inside) exit; inside = /^```diff/; next } inside' "$tree/README.md" >"$out.patch"
like "$(<"$out.patch")" '^--- ' "there is a patch"
(cd "$copy" && patch -p1 --fuzz=0) <"$out.patch" >"$out" 2>&1
is $? 0 "the patch applies"
is "$(find "$copy" -name '*.rej' -o -name '*.orig')" "" "it applies without doubt"

# Tell whether a label names a lock, and what becomes of it.
cat >"$copy/main.c" <<'MAIN'
#include <stdio.h>

#include "lock/lock.h"

int
main(int argc, char **argv)
{
	SpbLockChoice choice;
	SpbLabelProblem problem;
	char		instructions[256];

	if (argc != 2 || !spb_lock_choose(argv[1], &choice, &problem))
	{
		printf("%s\n%s\n", problem.detail, problem.hint);
		return 1;
	}
	spb_lock_instructions(&choice, instructions, sizeof(instructions));
	printf("%s\n%s\n", choice.label, instructions);
	for (int i = 0; i < spb_num_spinlocks; i++)
		if (choice.ops == &spb_spinlocks[i].ops)
			printf("%s\n", spb_spinlocks[i].symbol);
	return 0;
}
MAIN

# Arguments: the directory of the sources, the program to be made.
build()
{
	local sources=()
	mapfile -t sources < <(find "$1/lock" -name '*.c' ! -name server.c)
	gcc -std=gnu11 -O2 -Wall -Wextra -Werror -DSPB_STANDALONE -I"$1" \
		-o "$2" "$copy/main.c" "${sources[@]}"
}

case $(uname -m) in
	x86_64 | i?86)
		is "$(build "$copy/src" "$out.with" 2>&1)" "" "it compiles, without warnings"
		is "$(build "$tree/src" "$out.without" 2>&1)" "" "so do the sources without it"
		"$out.without" "$label" >"$out"
		is $? 1 "without it there is no lock $label"

		mapfile -t said < <("$out.with" "$label" 2>&1)
		is "${said[0]:-}" "$label" "the lock $label is there"
		like "${said[1]:-}" '; delay: lfence; ' "its instructions are told"
		objdump -d --no-show-raw-insn --disassemble="${said[2]:-}_slow" "$out.with" >"$out"
		like "$(<"$out")" '[[:space:]]lfence' "its instructions are there"
		is "$("$out.with" tas/lfence/spintest 2>&1 | head -n 1)" "$label" \
			"options can be given in any order"
		;;
	*)
		((++count))
		echo "ok $count - it compiles # SKIP this is $(uname -m)"
		;;
esac

nothing_left "build"
done_testing
