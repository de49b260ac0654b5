#!/usr/bin/env bash
#
# Experiments: each runs, with tiny samples, and prints what was published beside what
# was measured.  No test looks at a time of ours.

# shellcheck disable=SC2154		# tap.bash and bench.bash set variables

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=/dev/null
. "$here/tap.bash"
# shellcheck source=/dev/null
. "$here/bench.bash"
published=$here/../experiments/published.csv
architecture=$(uname -m)

"$bench" experiment >"$out" 2>&1
is $? 0 "list: status"
is "$(sed 's/: .*?$//' "$out")" "$(tail -n +2 "$published" | cut -d, -f1 | sort -u)" \
	"list: every experiment of published.csv, with its question"

"$bench" experiment gather-2018 --rounds 3 --workers 1,2 --dry-run --output "$out.dry" >"$out" 2>&1
is $? 0 "dry run: status"
report=$(<"$out")
like "$report" $'would run gather, [0-9]+ cells, 3 rounds, [0-9]+ samples, about ' "dry run: of the messages"
is "$(find "$out.dry" 2>/dev/null)" "" "dry run: no files"
nothing_left "dry run"

# The server's own locks and queue can be replaced on these.
case $(uname -sm) in
	'Linux x86_64' | 'Linux aarch64') live=yes ;;
	*) live='' ;;
esac

# live_is NAME PATTERN: the report has it if there can be live servers here, and else
# why there are none.
live_is()
{
	if [[ -n $live ]]; then
		like "$report" "$2" "$1"
	else
		like "$report" $'\nNot here .*: not rerun: the server refuses to be patched: ' "$1: not on this machine"
	fi
}

[[ -z $live ]] || like "$report" 'after filling its tables, would run query, [0-9]+ cells, 3 rounds, ' "dry run: of the query"
duration=(--duration-ms 5)

# try NAME OPTION...: the report is in $report then.
try()
{
	"$bench" experiment "$1" --rounds 2 "${duration[@]}" --output "$out.$1" "${@:2}" >"$out" 2>"$out.err"
	is $? 0 "$1: status"
	report=$(<"$out")
	like "$report" "^$1: .*\?"$'\n' "$1: question"
	like "$report" $'\nPublished +[A-Z][a-z]+ .*pgsql-hackers' "$1: source"
	like "$report" $'\nMachine +' "$1: machine"
	like "$report" $'\nHere: spinbench_[a-z]+\(.*, [12] rounds? of (5|250) ms, ns per message' "$1: here"
	is "$(awk 'length > 100' <<<"$report")" "" "$1: no line is too long for a mail"
	is "$(<"$out.$1/report.txt")" "$report" "$1: report.txt"
	is "$(grep -cE '^[0-9]' "$out.$1/samples.csv")" "$(grep -c . < <(tail -n +2 "$out.$1/samples.csv"))" \
		"$1: samples"
	is_plot "$out.$1" times
	nothing_left "$1"
}

# rows NAME LINE...: lines that are in the report, one below the other.
rows()
{
	local pattern
	pattern=$(printf '\n%s' "${@:2}")
	like "$report" "$pattern"$'(\n|$)' "$1"
}

ours="$number( \[[^]]*\])?"

try arm-isb-2025 --workers 1,2
rows "published times, as ns per message" 'workers +A +B +C +D' ' +1 +140 +160 +150 +160' ' +2 +210 +200 +210 +210' \
	' +4 +320 +350 +330 +350'
rows "published times of the second loop" ' +256 +430000 +664000 +244000 +45000'
rows "what was not published is not made up" ' +64 +8510 +\? +14760 +10010'
rows "ratios beside ours" 'Speed of D over C' 'workers .*' " +1 +0\.938 +$ours.*" " +2 +1\.000 +$ours.*" ' +4 +0\.943 +-.*'
rows "pgbench: ratio, then ours" 'Speed of D over C' '(clients|workers) .*' " +\? +1\.656 +-" " +[12] +$ours"
live_is "pgbench: our figures" $'\nHere: pgbench -b select-only, .*track_planning, .*\ntps: .*\nclients( .*)? A .* D .* stock  server\n +1( +'"$number"'){6}'$'\n'
live_is "pgbench: what the CPUs can show" $'\nCPUs +[0-9]+ here, 96 there; '
live_is "pgbench: what was replaced" $'\nLive +of the server\'s spinlocks, what waits is replaced'
live_is "pgbench: what it costs that it is" $'\nPatching +speed of the same lock .*: not[ \n]+known,[ \n]+too[ \n]+few[ \n]+rounds'
live_is "pgbench: doubts of its own" $'\nOf pgbench:\nNoise .*\nWaits +for spinlocks, per transaction: '
case $architecture in
	aarch64) rows "no analogues" 'D  w/ 3d0b4b1, no ISB \(tas/spintest\) +tas/spintest' ;;
	x86_64)
		rows "analogues, and called so" 'A  w/o 3d0b4b1, ISB \(tas/isb\) +tas/pause \(ANALOGUE\)' \
			'B .*\(tas\) +tas \(ANALOGUE\)' 'C .* +tas/spintest/pause \(ANALOGUE\)' 'D .* +tas/spintest \(ANALOGUE\)'
		like "$report" $'\nAnalogues +.*says nothing' "analogues: what they do not say"
		;;
esac
# seven in live servers: stock twice, and untouched code
is "$(samples "$out.arm-isb-2025" | cut -d, -f1,4 | grep -E '^[0-9]+,[0-9]+$' | sort -u | cut -d, -f1 | uniq -c | tr -s ' \n' ' ')" \
	" 5 1 ${live:+7 2 }" "four locks, and the first one again"
[[ -z $live ]] || is_plot "$out.arm-isb-2025" pgbench-times stock server

like "$report" $'\nNot here +4, 8, 16, 32, 64, 128, 256 workers: not asked for\n' "numbers of workers that are left out"

try arm-spin-delay-2022 --workers 1,2
rows "no lock injected" 'A  stock, no injected lock +no lock taken'
rows "times of the Xeon" ' +8 +137\.3 +766'
rows "cost of the lock" 'Speed of B over A' 'workers .*' " +1 +1\.030 +$number of medians.*" ' +4 +0\.393 +-.*'
is "$(tail -n +2 "$out.arm-spin-delay-2022/samples.csv" | cut -d, -f1 | sort -u | tr '\n' ' ')" "1 2 " \
	"samples of both sweeps"

# one setting that only a server of its own can have, one of sessions, and one of both
try ppc-2012 --workers 2 --rounds 1 --cpus="$cpu" --set=shared_buffers=64MB --set=work_mem=8MB
rows "published rates" ' +128 +134195\.4 +133311\.8 +133386\.4 +134551\.8 +135143\.8 +133892\.1'
rows "the load is faster where its rate is higher" 'Speed of C over A' '(clients|workers) .*' ' +1 +1\.007 +-' " +2 +0\.996 +$ours"
like "$report" $'\nCPUs +1 here, .*; nobody here waits' "one CPU"
if [[ $architecture != ppc64* ]]; then
	like "$report" 'E +hint, LWSYNC in unlock \(tas/hint/isync\) +tas[a-z/]* \(ANALOGUE\) = A, D'$'\n' "what is the same here"
	like "$report" 'Speed of E over D.* +2 +1\.000 +the same lock here' "what is the same is not compared"
fi

# as long as is usual
duration=()
try arm-tas-spin-2024 --workers 1 --rounds 1
rows "published rates of one machine" ' +\? +74135\.1 +549462\.8'
rows "and of the other" ' +\? +295335\.7 +864638\.2'
rows "ratio" 'Speed of B over A' '(clients|workers) .*' ' +\? +2\.928 +-'
live_is "pgbench: usual duration" $'\nHere: pgbench .*, 1 round of[ \n]1000[ \n]ms,[ \n]tps'
live_is "pgbench: two machines, one sweep" $'\nCPUs +[0-9]+ here, 96 there; '

duration=(--duration-ms 5)
try gather-2018 --workers 2 --rounds 1
rows "medians of the runs" ' +10 +16563\.8 +17217\.1 +15455\.8'
rows "ratio" 'Speed of C over B' 'workers .*' ' +10 +1\.114 +-'
like "$report" $'\nHere only, gather\nworkers  speed of  over\n(.*\n)* +2 +C +B +'"$ours"$'\n' "ours"
live_is "query: our figures" $'\nHere: select aid, count.*pgbench_accounts.*; scale [0-9]+, .*\n.*ms per query: .*\nworkers( +[A-H] [a-z/]+)+\n'
live_is "query: ratios" $'\nHere only, query\nworkers  speed of  over\n( .*\n)* +2 +C +B +'"$ours"$'\n'
live_is "query: where they come from" $'\nLive +all rows pass the queues, with at most 2 workers by '
like "$report" $'\nNot here +a 32-bit build' "a 32-bit build is not run"
like "$report" 'H  not published \(queue spsc\) +spsc' "what the mail did not have"

# What it costs that code is replaced, where rounds are enough for intervals.
parts=$here/../bench.d
"$here/../with-server" -- psql -XqAt -v ON_ERROR_STOP=1 >"$out" 2>&1 <<SQL
$(sed -n '/^CREATE FUNCTION pg_temp.number/,/;$/p' "$parts/experiment-figures.sql")
CREATE TEMP TABLE machines AS SELECT 96 AS cpus;
CREATE TEMP TABLE here AS SELECT 2 AS cpus;
CREATE TEMP TABLE halves AS SELECT 'live' AS half, 1::int8 AS sweep, 'pgbench' AS workload, 'client' AS counted;
CREATE TEMP TABLE compared AS
SELECT 'live' AS half, 'lock' AS dimension, 'server' AS base_label, c.*
  FROM (VALUES ('stock', 2, 0.956::float8, 0.935::float8, 1.034::float8), ('stock', 1, 0.998, 0.962, 1.144), ('tas', 1, 2, 1, 3))
       c(label, workers, speedup, low, high);
\\i $parts/experiment-limits.sql
SQL
is $? 0 "cost of patching: status"
is "$(sed -n '/^Patching/,$p' "$out" | tr -s ' \n' ' ')" "Patching speed of the same lock in our code over the server's own, in two \
servers that are equal but for it: 0.998 [0.962, 1.144] at 1 client, 0.956 [0.935, 1.034] at 2 clients " "cost of patching"

# Numbers of workers: those that were published, for which there are slots, and as many
# for each CPU.
"$here/../with-server" --conf max_worker_processes=5 -- "$bench" experiment arm-spin-delay-2022 --server --rounds 1 \
	--duration-ms 1 --output "$out.slots" >"$out" 2>"$out.err"
is $? 0 "few slots: status"
like "$(<"$out")" $'\nNot here +8 workers: max_worker_processes is 5\n' "few slots: said so"
like "$(<"$out")" $'\n +1 +.*\n +2 +.*\n +4 +' "few slots: what fits is run"
nothing_left "few slots"

done_testing
