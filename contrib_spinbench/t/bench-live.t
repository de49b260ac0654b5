#!/usr/bin/env bash
#
# What bench promises about pgbench in live servers: what is refused, a sweep of locks
# and one of queues, an interrupt, a crash.  No test looks at a time.

# shellcheck disable=SC2016		# what is in single quotes is for another shell
# shellcheck disable=SC2154		# tap.bash and bench.bash set variables

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=/dev/null
. "$here/tap.bash"
# shellcheck source=/dev/null
. "$here/bench.bash"

# refused NAME PATTERN OPTION...
refused()
{
	"$bench" "${@:3}" --output "$out.refused" >"$out" 2>&1
	is $? 1 "$1: status"
	like "$(<"$out")" "$2" "$1: message"
	is "$(find "$out.refused" -type f 2>/dev/null)" "" "$1: no files"
}

# columns NAME...: of samples.csv in $directory, without the header.
columns()
{
	local fields
	fields=$(head -n 1 "$directory/samples.csv" | tr ',' '\n' | grep -nxE "$(IFS='|'; echo "$*")" | cut -d: -f1 | paste -sd,)
	samples "$directory" | cut -d, -f"$fields"
}

refused "messages" '^bench: --repeat-count is not for workload pgbench$' --workload=pgbench --repeat-count=5
refused "queues" '^bench: workload pgbench has no queues: ' --workload=pgbench --queues=stock,spsc
refused "no message" 'workload query has no messages: ' --workload=query --message=abc
refused "settings of runs" '^bench: spinbench.acquisitions is not for workload pgbench$' --workload=pgbench --acquisitions=2
refused "no such CPU" 'This machine has no CPU [0-9]*[.]'$'\n''bench: clients and servers cannot be pinned to CPUs 0-99999$' \
	--workload=pgbench --cpus=0-99999
refused "less than a second" 'measured in whole seconds: --duration-ms must be a multiple of 1000$' \
	--workload=query --duration-ms=1500
refused "untouched lock, other queue" '^bench: lock server cannot run with queue spsc: .*'$'\n''bench: Lock stock ' \
	--workload=query --locks=stock,server --queues=server,spsc
refused "no worker" 'workload pgbench needs at least 1 worker$' --workload=pgbench --workers=0,1

# Where code cannot be replaced, that is said, and nothing else can be tested.
case $(uname -sm) in
	'Linux x86_64' | 'Linux aarch64') ;;
	*)
		refused "this machine" 'the server refuses to be patched: ' --workload=pgbench --locks=stock --workers=1
		done_testing
		exit
		;;
esac

refused "unknown label" 'There is no option "no"' --workload=pgbench --locks=stock,tas/no --workers=1 --scale=1
refused "what the slow path does not decide" 'primitive is "tas"' --workload=pgbench --locks=stock,cas --workers=1 --scale=1
refused "baseline" '--baseline: "tas/nop" is not among the locks'$'\n''bench: These are: stock,tas$' --workload=pgbench \
	--locks=stock,tas --baseline=tas/nop --workers=1 --scale=1

# Without what it takes.
cat >"$out.pg_config" <<'SH'
#!/usr/bin/env bash
if [[ $* == --pkglibdir ]]; then echo /nonexistent; else exec "$REAL_PG_CONFIG" "$@"; fi
SH
chmod +x "$out.pg_config"
"$here/../with-server" -- bash -c '
	export REAL_PG_CONFIG=$PG_CONFIG PG_CONFIG=$1.pg_config
	"$0" --server --workload=pgbench --locks=stock --workers=1 --output "$1.refused" 2>&1
	"$0" experiment ppc-2012 --server --rounds 1 --duration-ms 1 --workers 1 --output "$1.half" >"$1.report" 2>&1' \
	"$bench" "$out" >"$out.without"
is $? 0 "no pg_stat_statements: half of an experiment is run"
like "$(<"$out.without")" 'bench: there is no pg_stat_statements, ' "no pg_stat_statements: message"
like "$(<"$out.report")" $'\nNot here +pgbench -S -T 300: not rerun: there is no pg_stat_statements, .*beside its[ '$'\n'']+figures' \
	"no pg_stat_statements: in the report of an experiment"

# Locks.
directory=$out.locks
"$bench" --workload=pgbench --locks=stock,tas/nop/spintest,server,stock --workers=2 --rounds=2 --scale=1 \
	--output "$directory" >"$out" 2>"$out.err"
is $? 0 "locks: status"
like "$(<"$out")" $'^spinbench: pgbench, 2 rounds, .*, all rounds done\n' "locks: heading"
like "$(<"$out")" $'\nTransactions per second: .*\nclients +stock +tas/spintest/nop +server +stock #2\n +2( +'"$number"$'){4}\n' \
	"locks: table"
like "$(<"$out")" $'\nSpeedup over stock .*\n +2 +tas/spintest/nop .*\n +server .*\n +stock #2 ' "locks: comparison"
like "$(<"$out")" $'\nServers .*pg_stat_statements.track_planning = on' "locks: settings"
like "$(<"$out")" $'\nCommand .* --workload=pgbench[ \n]+--locks=stock,tas/spintest/nop,server,stock[ \n].* --workers=2[ \n].* --scale=1\n' \
	"locks: command"
is "$(columns lock sqlstate | sort | uniq -c | tr -s ' \n' ' ')" " 2 server, 4 stock, 2 tas/spintest/nop, " "locks: samples"
is "$(columns lock contended | sed 's/,[0-9][0-9]*$/,counted/' | sort -u | tr '\n' ' ')" \
	"server, stock,counted tas/spintest/nop,counted " "locks: waits are counted where they are in our code"
is "$(columns messages elapsed_ms cpu_ms stolen_ms other_cpu_ms | grep -cE '^[1-9][0-9]*,[1-9][0-9.]*,[1-9][0-9.]*,[0-9.]+,[0-9.]+$')" 8 \
	"locks: transactions, their time and CPU time"
is_plot "$directory" times stock tas/spintest/nop "stock #2"
like "$(<"$directory/times.svg")" 'Time per transaction by number of clients' "plot speaks of clients"
nothing_left "locks"

# Queues; where people write 0,4 and not 0.4, and in German.
directory=$out.queues
mkdir "$out.locales"
if localedef -i de_DE -f UTF-8 "$out.locales/de_DE.UTF-8" >/dev/null 2>&1; then
	export LOCPATH=$out.locales LC_ALL=de_DE.UTF-8
	is "$(bash -c 'printf "%.1f" 0,4')" 0,4 "a locale with a decimal comma"
else
	skip "a locale with a decimal comma" "no definition of de_DE"
fi
"$bench" --workload=query --queues=stock,spsc,server --workers=1,3 --rounds=1 --set=shared_buffers=64MB --cpus="$cpu" --output "$directory" >"$out" 2>"$out.err"
is $? 0 "queues: status"
like "$(<"$out")" $'\nMilliseconds per query: .*, lock stock\nworkers +stock +spsc +server\n +1( +'"$number"$'){3}\n +3( +'"$number"'){3}' \
	"queues: table"
like "$(<"$out")" $'\nServers .*shared_buffers = 64MB' "queues: a setting of the servers"
like "$(<"$out")" $'\nServers .*spinbench.cpus = '"$cpu"$',.*\nCommand .* --cpus='"$cpu"$'[ \n]' "queues: the CPU is told"
like "$(<"$directory/environment.json")" '"usable_cpus": 1,' "queues: it is the only one of the servers"
is "$(columns queue sqlstate | sort | uniq -c | tr -s ' \n' ' ')" " 2 server, 2 spsc, 2 stock, " "queues: samples"
unset LOCPATH LC_ALL
nothing_left "queues"

# An interrupt, between samples and in them: what there is by then is reported.
for delay in 0 0.5 1.1; do
	directory=$out.INT-$delay
	rm -f "$out.err"
	env --default-signal=INT "$bench" --workload=pgbench --rounds 50 --workers 1 --locks stock,tas --scale=1 \
		--output "$directory" >"$out" 2>"$out.err" </dev/null &
	await grep -qs 'sample 1 of 100' "$out.err"
	sleep "$delay"
	kill -INT $!
	wait $!
	is $? 130 "interrupt after $delay s: status"
	like "$(<"$out")" $'\nINTERRUPTED after [0-9]+ of 100 samples$' "interrupt after $delay s: said so"
	is "$(samples "$directory" | wc -l)" "$(sed -n 's/^INTERRUPTED after \([0-9]*\) .*/\1/p' "$out")" \
		"interrupt after $delay s: samples"
	is "$(columns sqlstate | sort -u)" "" "interrupt after $delay s: what was interrupted is no sample"
	nothing_left "interrupt after $delay s"
done

# A crash of a live server, the youngest here, is the loss of one sample; one of the
# server that keeps the sweep, of none.
directory=$out.crash
rm -f "$out.err"
"$bench" --workload=pgbench --rounds 3 --duration-ms=3000 --workers 2 --locks stock,tas --scale=1 \
	--output "$directory" >"$out" 2>"$out.err" &
await grep -qs 'sample 1 of 6' "$out.err"
# server 1|$: the pid of the postmaster that was started then; its children have
# its command line for a moment, so what it has written is asked
server()
{
	find "$TMPDIR" -name postmaster.pid -exec awk 'FNR == 1 { pid = $1 } FNR == 3 { print $1, pid }' {} + 2>/dev/null |
		sort -k 1,1n -k 2,2n | sed -n "${1}p" | cut -d ' ' -f 2
}
# kill_child 1|$ COUNT PATTERN: when there are so many of them
kill_child()
{
	local pids
	read -ra pids <<<"$(pgrep -d ' ' -P "$(server "$1")" -f "$3" 2>/dev/null)"
	((${#pids[@]} == $2)) && kill -KILL "${pids[0]}"
}
# both clients of pgbench are connected: it has just begun
await kill_child '$' 2 'postgres postgres \[local\] (SELECT|idle)'
is $? 0 "crash: of the live server"
await kill_child 1 1 checkpointer
is $? 0 "crash: of the server that keeps the sweep"
wait $!
is $? 0 "crash: status"
is "$(columns sqlstate | sort | uniq -c | tr -s ' \n' ' ')" " 5 1 58000 " "crash: one sample has failed"
like "$(<"$out")" $'\nFailed +1 sample of lock (stock|tas), queue server, 2 clients: pgbench: ' "crash: in the report"
nothing_left "crash"

# The end of a live server is that of the sweep, but not of its report.
directory=$out.end
rm -f "$out.err"
"$bench" --workload=pgbench --rounds 3 --duration-ms=3000 --workers 2 --locks stock,tas --scale=1 \
	--output "$directory" >"$out" 2>"$out.err" &
await grep -qs 'sample 1 of 6' "$out.err"
kill -KILL "$(server '$')"
wait $!
is $? 1 "end of a server: status"
like "$(<"$out.err")" $'\nbench: server "lock" (is gone|does not answer)' "end of a server: message"
like "$(<"$out")" $'\nABORTED after [0-9] of 6 samples$' "end of a server: the report"
is "$(columns sqlstate | head -n 1)" "" "end of a server: samples"
nothing_left "end of a server"

done_testing
