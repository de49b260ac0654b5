#!/usr/bin/env bash
#
# What bench promises, as a TAP test for prove.  No test looks at a time.

# shellcheck disable=SC2016		# what is in single quotes is for another shell
# shellcheck disable=SC2154		# tap.bash and bench.bash set variables

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=/dev/null
. "$here/tap.bash"
# shellcheck source=/dev/null
. "$here/bench.bash"
with_server=$here/../with-server

# column NAME DIRECTORY: of the samples, which have no comma before what they say in
# words.
column()
{
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) n = i; next } { print $n }' \
		"$2/samples.csv"
}

"$bench" --help >"$out" 2>&1
is $? 0 "--help: status"
like "$(<"$out")" '^Usage: bench ' "--help: text"
while read -r option; do
	like "$(<"$bench")" "[ |	]$option( |\))" "--help: $option is an option"
done < <(grep -oE '^  --[a-z-]+' "$out")
while read -r option; do
	like "$(<"$out")" "  ${option}[ =]" "$option: is in --help"
done < <(sed -n '/^parse_arguments/,/^}/p' "$bench" | grep -oE -- '--[a-z]+(-[a-z]+)*' | grep -v in-throw-away | sort -u)
for command in run report compare import list experiment; do
	like "$(<"$out")" "bench \[?$command" "--help: $command"
done

while read -r arguments; do
	# shellcheck disable=SC2086
	"$bench" $arguments >"$out" 2>&1
	is $? 1 "$arguments: status"
	like "$(<"$out")" '^bench: ' "$arguments: message"
done <<'ARGUMENTS'
--nonsense
nonsense
run nonsense
report
compare
import
report /nonexistent
compare /nonexistent tas
import /nonexistent
experiment nonsense
experiment ppc-2012 --locks tas
report 1 --rounds 2
list --workers 1
report --output /nonexistent 1 2
--rounds
--rounds 0
--duration-ms=1.5
--workers 1,,2
--precision much
--across workers
--set spinbench.lock
ARGUMENTS

for arguments in --server list "report 1" "compare 1 tas" "import $0"; do
	# shellcheck disable=SC2086
	PGHOST=/nonexistent "$bench" $arguments >"$out" 2>&1
	is $? 1 "no server: $arguments: status"
	like "$(<"$out")" 'bench: no server can be reached' "no server: $arguments: message"
done

# In a server of its own.  "leaky" lets nobody else in, "server" is there twice.  Who
# holds a lock that is one may have to wait for a processor.
"$bench" --rounds 2 --duration-ms 20 --workers 2,1 --locks 'server, tas/nop' --locks=server,leaky \
	--lines=2 --set spinbench.stuck_timeout=1s --note 'a "tiny" run' --output "$out.tiny" >"$out" 2>"$out.err"
is $? 0 "tiny run: status"
report=$(<"$out")
like "$report" '^spinbench: pipelined, 2 rounds, .*, all rounds done' "tiny run: heading"
like "$report" $'\n''Note +a "tiny" run'$'\n' "tiny run: note"
like "$report" $'\n'"workers +server +tas/nop +server #2 +leaky"$'\n' "tiny run: columns"
like "$report" $'\n'" +1 +$number +$number +$number +failed"$'\n'" +2 +$number +$number +$number +failed"$'\n' \
	"tiny run: rows"
like "$report" $'\n'" +2 +tas/nop +[0-9.]+ +- +2 +too few rounds" "tiny run: comparison"
like "$report" $'\n''Failed +2 samples of lock leaky, queue server, 1 worker: .*stuck'$'\n'' +2 samples of lock leaky, queue server, 2 workers: .*stuck'$'\n' \
	"tiny run: stuck lock"
like "$report" $'\nContended +' "tiny run: contention"
like "$report" $'\nDoubts +.*short run' "tiny run: doubts"
like "$report" $'\nMachine +.*\nServer +PostgreSQL .*compiled by' "tiny run: machine, server"
like "$report" 'critical_section_lines => 2' "tiny run: settings"
like "$report" $'\nCommand +contrib_spinbench/bench --locks=server,tas/nop,server,leaky --workers=1,2 ' \
	"tiny run: command"
is "$(awk 'length > 100' <<<"$report")" "" "tiny run: no line is too long for a mail"
is "$(<"$out.tiny/report.txt")" "$report" "tiny run: report.txt"
like "$(<"$out.err")" 'sample 1 of 16, round 1, [0-9]+ s left: [a-z/]+, queue server, workers [12]: ' "tiny run: progress"
like "$(head -n 1 "$out.tiny/samples.csv")" \
	'^sweep,round,position,lock_entry,.*,lock,queue,workers,.*,ns_per_message,.*,doubts,error,.*,environment$' \
	"tiny run: header"
is "$(samples "$out.tiny" | grep -c '^1,[12],[1-8],[1-4],1,')" 16 "tiny run: samples"
is "$(paste -d, <(column round "$out.tiny") <(column lock_entry "$out.tiny") <(column workers "$out.tiny") | sort -u | wc -l)" \
	16 "tiny run: each combination once per round"
is "$(paste -d, <(column round "$out.tiny") <(column position "$out.tiny") | sort -t, -n -k1 -k2 | tr '\n' ' ')" \
	"$(printf '1,%d ' {1..8})$(printf '2,%d ' {1..8})" "tiny run: positions"
is "$(column lock "$out.tiny" | sort | uniq -c | tr -s ' \n' ' ')" " 4 leaky 8 server 4 tas/nop " \
	"tiny run: what was asked for was measured"
like "$(<"$out.tiny/environment.json")" '^\{.*"machine": \{.*"model".*\}$' "tiny run: environment.json"
is_plot "$out.tiny" times server tas/nop "server #2"
is_plot "$out.tiny" ratios tas/nop "server #2"
nothing_left "tiny run"

# What is wrong with a label is said before anything is measured.
"$bench" --workers 1 --locks server,tas/no --output "$out.bad" >"$out" 2>&1
is $? 1 "bad label: status"
like "$(<"$out")" 'There is no option "no"' "bad label: message"
is "$(find "$out.bad" -type f)" "" "bad label: no files"
nothing_left "bad label"

# So it is of the baseline, which need not be written as reports write it.
"$bench" --workers 1 --locks server,tas --baseline cas --output "$out.bad" >"$out" 2>&1
is $? 1 "bad baseline: status"
like "$(<"$out")" '^bench: --baseline: "cas" is not among the locks'$'\n''bench: These are: server,tas$' "bad baseline: message"
is "$(find "$out.bad" -type f)" "" "bad baseline: no files"
nothing_left "bad baseline"
"$bench" --workers 1 --locks server,tas/nop/spintest --baseline tas/nop/spintest --rounds 1 --duration-ms 1 \
	--output "$out.baseline" >"$out" 2>&1
is $? 0 "baseline: status"
like "$(<"$out")" $'\nSpeedup over tas/spintest/nop .*\n +1 +server ' "baseline: report"

"$bench" --dry-run >"$out" 2>&1
is $? 0 "default locks and workers: status"
like "$(<"$out")" '-?lock server, queue server, workers ([0-9]+, )*'"$((2 * $(nproc)))"'(,|'$'\n)' "default workers"
like "$(<"$out")" $'(\nNOTICE: +lock [a-z0-9/]+, queue server, workers [0-9, ]+){3,7}$' "default locks"
is "$(grep -c 'lock server, ' "$out")" 2 "the baseline is there twice"
like "$(<"$out")" ' 9 rounds, .*, about (5[0-9] s|1 min [0-9] s)' "default duration is a minute"

"$bench" --server --output "$out.tiny" >"$out" 2>&1
is $? 1 "samples are not overwritten"

# In a server that is there: without the extension at first, and losing a worker
# to SIGKILL, and thereby all of its sessions, on the way.  One that is stopped, and
# still there, is not at its end when it is killed.
"$with_server" -- bash -c '
	psql -Xq -c "DROP EXTENSION spinbench"
	"$0" --server --rounds 3 --duration-ms 1000 --workers 2 --locks server,tas --output "$1" &
	workers="FROM pg_stat_activity w WHERE w.backend_type = \$\$spinbench worker\$\$"
	for _ in {1..600}; do
		worker=$(psql -XAtc "SELECT w.pid $workers AND EXISTS (SELECT FROM spinbench_samples) LIMIT 1" 2>/dev/null)
		if [[ -n $worker ]] && kill -STOP "$worker" 2>/dev/null; then
			[[ $(psql -XAtc "SELECT count(*) $workers AND w.pid = $worker") != 1 ]] || break
			kill -CONT "$worker" 2>/dev/null
		fi
		sleep 0.1
	done
	kill -KILL "$worker"
	wait $!' "$bench" "$out.crash" >"$out" 2>"$out.err"
is $? 0 "crash: status"
is "$(samples "$out.crash" | wc -l)" 6 "crash: samples"
like "$(<"$out.err")" 'bench: the server has crashed, .*; going on' "crash: said so"
like "$(<"$out")" $'\nCrashes +of the server: 1;' "crash: in the report"
like "$(<"$out")" $'^spinbench: pipelined, 3 rounds, .*, all rounds done\n' "crash: all rounds"
like "$(<"$out")" $'\nCommand .*--server\n' "crash: command"
nothing_left "crash"

for signal in INT TERM; do
	env --default-signal=INT "$bench" --rounds 100 --duration-ms 50 --workers 1 --locks server,tas \
		--output "$out.$signal" >"$out" 2>"$out.$signal.err" </dev/null &
	await grep -qs 'sample 1 of 200' "$out.$signal.err"
	await has_samples 4			# two of each lock
	is $? 0 "SIG$signal: it has samples"
	kill -"$signal" $!
	wait $!
	status=$?
	is $status "$([[ $signal == INT ]] && echo 130 || echo 143)" "SIG$signal: status"
	like "$(<"$out")" $'\nINTERRUPTED after [0-9]+ of 200 samples$' "SIG$signal: said so"
	like "$(<"$out")" 'not at its end'$'\n' "SIG$signal: in the heading"
	like "$(<"$out")" $'\n'"      1 +$number( \[$number, $number\])? +$number( \[$number, $number\])?"$'\n' "SIG$signal: the table"
	is "$(samples "$out.$signal" | wc -l)" "$(sed -n 's/^INTERRUPTED after \([0-9]*\) .*/\1/p' "$out")" "SIG$signal: samples"
	is "$(grep -c canceling "$out.$signal/samples.csv" "$out.$signal.err")" \
		"$out.$signal/samples.csv:0"$'\n'"$out.$signal.err:0" "SIG$signal: what was cancelled is no sample"
	is_plot "$out.$signal" times server tas
	nothing_left "SIG$signal"
done

done_testing
