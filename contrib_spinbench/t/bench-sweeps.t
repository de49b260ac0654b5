#!/usr/bin/env bash
#
# What bench promises about sweeps that were measured before: report, compare, import
# and list.  And --perf, by a perf of ours.  No test looks at a time.

# shellcheck disable=SC2016		# what is in single quotes is for another shell
# shellcheck disable=SC2154		# tap.bash and bench.bash set variables

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=/dev/null
. "$here/tap.bash"
# shellcheck source=/dev/null
. "$here/bench.bash"
with_server=$here/../with-server

# A perf that says what it is told to, of recordings that it is said to have made.
mkdir "$out.bin"
cat >"$out.bin/perf" <<'PERF'
#!/usr/bin/env bash
case "$1 $*" in
	'record '*' -- true') [[ $FAKE_PERF != forbidden ]] || { echo 'Access is limited.' >&2; exit 255; } ;;
	'record '*) [[ $* =~ '-p '[0-9]+,[0-9]+' -- sleep ' ]] && sleep 0.1 ;;
	'report '*) printf '    %d0.00%%  postgres  [.] symbol_%d  \n\n' 9 1 8 2 7 3 6 4 5 5 4 6 3 7 ;;
esac
PERF
chmod +x "$out.bin/perf"

# Sweeps of two locks and two queues, in a server that keeps them, with the plots of
# both; and one of other numbers of workers.
PATH=$out.bin:$PATH FAKE_PERF=works "$with_server" -- bash -c '
	out=$1
	"$0" run --server --rounds 6 --duration-ms 10 --workers 1,2 --locks tas,tas/nop,tas --queues server,spsc \
		--output "$out.one" >"$out.run" 2>&1 || exit 1
	"$0" --server --rounds 1 --duration-ms 10 --workers 2 --locks server,tas/nop --note second \
		--output "$out.two" --perf >"$out.perf" 2>&1 || exit 2
	"$0" list >"$out.list" 2>&1 || exit 3
	"$0" report 1 >"$out.report" 2>&1 || exit 4
	"$0" report 1 --baseline tas/nop --across lock --output "$out.again" >"$out.baseline" 2>&1 || exit 5
	"$0" compare 1 tas/nop >"$out.compare" 2>&1 || exit 6
	"$0" compare 1 --across=queue >"$out.across" 2>&1 || exit 7
	"$0" compare 1 2 >"$out.both" 2>&1 || exit 8
	"$0" import "$out.one" "$out.two/samples.csv" >"$out.import" 2>&1 || exit 9
	"$0" compare 1 --baseline nonsense >"$out.nonsense" 2>&1 && exit 10
	"$0" report 7 >"$out.seven" 2>&1 && exit 11
	"$0" report "$out.run.none" >"$out.none" 2>&1 && exit 12
	"$0" import "$out.list" >"$out.garbage" 2>&1 && exit 13
	psql -XAtc "SELECT count(*) FROM spinbench_sweeps"' "$bench" "$out" >"$out.sweeps" 2>&1
is $? 0 "sweeps in a server: status"
is "$(<"$out.sweeps")" 2 "what is imported again is not there twice"

is_plot "$out.one" times-1 tas tas/nop "tas #2"
is_plot "$out.one" ratios-2 tas/nop "tas #2"
like "$(<"$out.one/times-2.svg")" 'pipelined, queue spsc' "a plot for each queue"
is "$(ls "$out.two")" "$(printf '%s\n' environment.json perf.txt ratios.{png,svg} report.txt samples.csv times.{png,svg})" \
	"files of a sweep"

like "$(<"$out.list")" $'^sweep 1 .*, 6 rounds, 72 samples, all rounds done\n.*locks tas, tas/nop, tas; queues server, spsc; workers 1, 2\nsweep 2 .* 1 round, 2 samples' \
	"list"
like "$(<"$out.list")" $'\n +second\n' "list: note"
is "$(awk 'length > 100' "$out.list" "$out.compare" "$out.both")" "" "no line is too long"
is "$(sed '/^Command/,$d' "$out.one/report.txt")" "$(<"$out.report")" "report is that of the run"
like "$(<"$out.baseline")" $'Speedup over tas/nop ' "report: baseline"
like "$(<"$out.again/report.txt")" $'Speedup over tas/nop ' "report: --output"
is "$(<"$out.again/samples.csv")" "$(<"$out.one/samples.csv")" "report: samples"
like "$(<"$out.again/ratios-1.svg")" 'Speedup over tas/nop' "report: plot has the baseline"

like "$(<"$out.compare")" 'Speedup over tas/nop,' "compare: baseline"
is "$(grep -cE "^ +[12] \| tas +\| (server|spsc) +\| $number +\| $number to $number +\| 96.9 % \| 6 \| " "$out.compare")" 8 \
	"compare: each cell with its interval"
is "$(grep -cE '^ +[12] \| tas(/nop)? +\| spsc +\| ' "$out.across")" 6 "compare: across queues"
like "$(<"$out.compare")" $'\n(Noise|Chance) ' "compare: what else is to be known"
like "$(<"$out.both")" $'^sweep 1: .*\nMachine .*\nsweep 2: .*\nMachine ' "side by side: machines"
like "$(<"$out.both")" 'pipelined of lock tas/nop over queue server: ns per message' "side by side: common lock"
is "$(grep -c '^pipelined of ' "$out.both")" 1 "side by side: nothing else is common"
like "$(<"$out.both")" $'\n'" +1 +$number \[$number, $number\] +-"$'\n'" +2 +$number \[$number, $number\] +$number"$'(\n|$)' \
	"side by side: columns"
is "$(<"$out.import")" "$(<"$out.list")" "import"

like "$(<"$out.nonsense")" 'sweep 1 has no lock "nonsense"' "unknown baseline"
like "$(<"$out.seven")" 'there is no sweep 7' "unknown sweep"
like "$(<"$out.none")" "^bench: there are no samples in \"$out.run.none\"$" "no file"
like "$(<"$out.garbage")" "bench: \"$out.list\" cannot be imported" "not a file of samples"

# perf: the largest number of workers, six symbols each.
like "$(<"$out.perf")" $'\nTop symbols of the workers, .*\npipelined, lock server, queue server, 2 workers:\n +90.00%  postgres  \[\.\] symbol_1\n' \
	"perf: symbols of a lock"
is "$(grep -c symbol_ "$out.perf")" 12 "perf: six symbols for each lock"
is "$(grep -c symbol_ "$out.two/perf.txt")" 12 "perf.txt"

# From files only, in a server for that.
"$bench" report "$out.one" >"$out" 2>"$out.err"
is $? 0 "report of a directory: status"
is "$(<"$out")" "$(<"$out.report")" "report of a directory"
"$bench" compare "$out.one/samples.csv" "$out.two" >"$out" 2>"$out.err"
is $? 0 "compare of files: status"
is "$(<"$out")" "$(<"$out.both")" "compare of files"
nothing_left "sweeps from files"

# Where perf is not allowed to, the sweep is reported all the same.
PATH=$out.bin:$PATH FAKE_PERF=forbidden "$bench" --rounds 1 --duration-ms 10 --workers 1 --locks tas --perf \
	--output "$out.three" >"$out" 2>"$out.err"
is $? 0 "perf is not allowed: status"
like "$(<"$out")" $'\nPerf +not recorded: kernel.perf_event_paranoid is [-a-z0-9]+, and perf says: Access is limited.' \
	"perf is not allowed: says why"
like "$(<"$out")" $'^spinbench: .*\nNanoseconds per message' "perf is not allowed: the report"
is_plot "$out.three" times tas
is "$(find "$out.three" -name 'ratios*')" "" "no plot of ratios of a single lock"

# The perf that is here, if there is one.
"$bench" --rounds 1 --duration-ms 10 --workers 1 --locks tas --perf --output "$out.four" >"$out" 2>"$out.err"
is $? 0 "perf of this machine: status"
like "$(<"$out")" $'(\nPerf +not recorded: (there is no perf|kernel)|\npipelined, lock tas, queue server, 1 workers:\n  (not recorded: | +[0-9.]+%  ))' \
	"perf of this machine: symbols, or why not"
nothing_left "perf"

done_testing
