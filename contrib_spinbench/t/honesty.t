#!/usr/bin/env bash
#
# That honesty measures and judges, as a TAP test for prove.  Not what it finds:
# a test that looks at times is one that fails.

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=/dev/null
. "$here/tap.bash"
honesty=$here/../honesty

# shellcheck disable=SC2154		# tap.bash sets $out
"$honesty" --help >"$out" 2>&1
is $? 0 "--help: status"
like "$(<"$out")" '^Usage: honesty ' "--help: text"

while read -r arguments; do
	# shellcheck disable=SC2086
	"$honesty" $arguments >"$out" 2>&1
	is $? 2 "$arguments: status"
	like "$(<"$out")" '^honesty: ' "$arguments: message"
done <<'ARGUMENTS'
--nonsense
--sweeps
--sweeps 0
--rounds 5
--max-rounds=1
ARGUMENTS

"$honesty" --sweeps 3 --rounds 7 --slowed-sweeps 2 --max-rounds 13 --sample-ms 1 >"$out" 2>&1
status=$?
like "$status" '^[01]$' "tiny: status"
report=$(<"$out")
like "$report" $'\n3 sweeps of server and server: ' "tiny: equal locks"
like "$report" $'\n *6 +[0-9.]+ s +96.9 % +[0-3] of 3 +[0-9.]+ % +[0-9.]+\n' "tiny: after 6 rounds"
like "$report" $'\n *7 +[0-9.]+ s +98.4 % +[0-3] of 3 +[0-9.]+ % +[0-9.]+\n' "tiny: after 7 rounds"
like "$report" $'\n2 sweeps of server and slowed: ' "tiny: slowed lock"
like "$report" $'\n *12 +[0-9.]+ s +96.1 % +[0-2] of 2 +[0-9.]+ % +[0-9.]+(\n|$)' "tiny: after 12 rounds"
like "$report" $'\n *(13 +[0-9.]+ s +97.8 %|12 .* 2 of 2) ' "tiny: goes on until it is found"
is "$(grep -q 'FALSE' "$out"; echo $?)" "$((status == 0))" "tiny: the status is the judgement"
nothing_left "tiny"

done_testing
