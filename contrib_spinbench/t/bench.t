#!/usr/bin/env bash
#
# What bench promises, as a TAP test for prove.  No test looks at a time.

# shellcheck disable=SC2016		# what is in single quotes is for another shell

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=/dev/null
. "$here/tap.bash"
bench=$here/../bench
with_server=$here/../with-server
number='[0-9]+(\.[0-9])?'
cell="$number \\($number-$number\\)"

# Samples in DIRECTORY, without the header.
samples()
{
	tail -n +2 "$1/samples.csv" 2>/dev/null
}

at_least_samples()
{
	(($(samples "$1" | wc -l) >= $2))
}

# shellcheck disable=SC2154		# tap.bash sets $out
"$bench" --help >"$out" 2>&1
is $? 0 "--help: status"
like "$(<"$out")" '^Usage: bench ' "--help: text"
while read -r option; do
	like "$(<"$bench")" "[ |	]$option( |\))" "--help: $option is an option"
done < <(grep -oE '^  --[a-z-]+' "$out")

while read -r arguments; do
	# shellcheck disable=SC2086
	"$bench" $arguments >"$out" 2>&1
	is $? 1 "$arguments: status"
	like "$(<"$out")" '^bench: ' "$arguments: message"
done <<'ARGUMENTS'
--nonsense
nonsense
--rounds
--rounds 0
--duration-ms=1.5
--workers 1,,2
--set spinbench.lock
ARGUMENTS

PGHOST=/nonexistent "$bench" --server >"$out" 2>&1
is $? 1 "no server: status"
like "$(<"$out")" 'bench: no server can be reached' "no server: message"

# In a server of its own.  "leaky" lets nobody else in, "server" is there twice.
"$bench" --rounds 2 --duration-ms 20 --workers 2,1 --locks 'server, tas/nop,server,tas/no,leaky' \
	--lines=2 --set spinbench.stuck_timeout=100ms --output "$out.tiny" >"$out" 2>"$out.err"
is $? 0 "tiny run: status"
report=$(<"$out")
like "$report" $'\n'"workers +server +tas/nop +server +tas/no +leaky"$'\n' "tiny run: columns"
for workers in 1 2; do
	like "$report" $'\n'" +$workers +$cell +$cell +$cell +error +error"$'\n' "tiny run: row $workers"
done
like "$report" 'too few rounds for an interval of 95 %.* 50\.0 % \(2 samples\)' "tiny run: coverage"
like "$report" 'error +tas/no: 4 of 4 samples failed: .*"no"' "tiny run: bad label"
like "$report" 'error +leaky: 4 of 4 samples failed: ' "tiny run: stuck lock"
like "$report" $'\nerror +tas/no' "tiny run: errors are listed"
like "$report" $'\ncontention +[a-zA-Z]+ ' "tiny run: contention"
like "$report" $'\ndoubts +.*short run' "tiny run: doubts"
like "$report" $'\nmachine +.* x .*\nserver +PostgreSQL .*compiled by' "tiny run: machine, server"
like "$report" 'spinbench.critical_section_lines = 2' "tiny run: settings"
like "$report" 'repeat +contrib_spinbench/bench --locks=server,tas/nop,server,tas/no,leaky --workers=1,2' \
	"tiny run: command"
is "$(awk 'length > 100' <<<"$report")" "" "tiny run: no line is too long for a mail"
is "$(<"$out.tiny/report.txt")" "$report" "tiny run: report.txt"
like "$(<"$out.err")" 'sample 1 of 20, [0-9]+:[0-9]+ left' "tiny run: progress"
like "$(head -n 1 "$out.tiny/samples.csv")" \
	'^round,position,at,entry,asked_lock,asked_workers,error,lock,queue,workers,.*,ns_per_message,.*,doubts$' \
	"tiny run: header"
is "$(samples "$out.tiny" | cut -d, -f1,4,6 | sort -u | wc -l) $(samples "$out.tiny" | wc -l)" "20 20" \
	"tiny run: each combination once per round"
is "$(samples "$out.tiny" | cut -d, -f1,2 | sort -t, -n -k1 -k2 | tr '\n' ' ')" \
	"$(printf '1,%d ' {1..10})$(printf '2,%d ' {1..10})" "tiny run: positions"
is "$(samples "$out.tiny" | grep -cvE ',"(tas/no|leaky)",')" 12 "tiny run: lines of good locks"
is "$(samples "$out.tiny" | grep -vE ',"(tas/no|leaky)",' | grep -cE ',"(.*)",([12]),,\1,server,\2,5,')" 12 \
	"tiny run: what was asked for was measured"
nothing_left "tiny run"

"$bench" --rounds 1 --duration-ms 10 --output "$out.default" >"$out" 2>/dev/null
is $? 0 "default locks and workers: status"
like "$(<"$out")" $'\n'"workers +server( +[a-z0-9/]+){1,5}"$'\n' "default locks"
like "$(<"$out")" "--workers=([0-9]+,)*$((2 * $(nproc)))[, ]" "default workers"

"$bench" --server --output "$out.tiny" >"$out" 2>&1
is $? 1 "samples are not overwritten"

# In a server that is there: without the extension at first, and losing a worker
# to SIGKILL, and thereby all of its sessions, on the way.
"$with_server" -- bash -c '
	psql -Xq -c "DROP EXTENSION spinbench"
	"$0" --server --rounds 3 --duration-ms 2000 --workers 2 --locks server,tas --output "$1" &
	for _ in {1..600}; do
		worker=$(psql -XAtc "SELECT pid FROM pg_stat_activity WHERE backend_type = \$\$spinbench worker\$\$ LIMIT 1")
		[[ -z $worker ]] || break
		sleep 0.1
	done
	kill -KILL "$worker"
	wait $!' "$bench" "$out.crash" >"$out" 2>"$out.err"
is $? 0 "crash: status"
is "$(samples "$out.crash" | wc -l)" 6 "crash: samples"
is "$(samples "$out.crash" | grep -c ',2,"[^"]*connection')" 1 "crash: one sample is an error"
like "$(<"$out")" $'\n'"      2 +(error +$cell|$cell +error)"$'\n' "crash: the table"
like "$(<"$out")" 'repeat .*--server' "crash: command"
nothing_left "crash"

env --default-signal=INT "$bench" --rounds 100 --duration-ms 50 --workers 1 --locks server,tas \
	--output "$out.int" >"$out" 2>&1 </dev/null &
await at_least_samples "$out.int" 5
kill -INT $!
wait $!
is $? 130 "SIGINT: status"
like "$(<"$out")" $'\nINTERRUPTED after [0-9]+ of 200 samples\n' "SIGINT: said so"
like "$(<"$out")" $'\n'"      1 +$cell +$cell"$'\n' "SIGINT: the table"
is "$(samples "$out.int" | grep -c canceling)" 0 "SIGINT: what was cancelled is no sample"
nothing_left "SIGINT"

done_testing
