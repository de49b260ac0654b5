#!/usr/bin/env bash
#
# What with-server promises, as a TAP test for prove.

# shellcheck disable=SC2016		# what is in single quotes is for another shell

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=/dev/null
. "$here/tap.bash"
with_server=$here/../with-server

query='SELECT count(*) FROM pg_extension WHERE extname = $$spinbench$$'

# shellcheck disable=SC2154		# tap.bash sets $out
"$with_server" --help >"$out" 2>&1
is $? 0 "--help: status"
like "$(<"$out")" '^Usage: with-server ' "--help: text"

"$with_server" --conf work_mem=3MB --conf "spinbench_test.quoted=it's \\ here" \
	--keep-log="$out.log" -- psql -XAt -c "$query" -c 'SHOW work_mem' \
	-c 'SHOW spinbench_test.quoted' -c "SELECT usesuper FROM pg_user WHERE usename = user" \
	-c "SHOW listen_addresses" >"$out" 2>&1
is $? 0 "command succeeds: status"
is "$(<"$out")" $'1\n3MB\nit\'s \\ here\nt' "extension, settings, superuser, no TCP"
like "$(<"$out.log")" 'database system is ready' "--keep-log"
nothing_left "command succeeds"

"$with_server" -- bash -c 'id -u; echo "$PGHOST $PGPORT $PGUSER $PGDATABASE"' >"$out" 2>&1
like "$(<"$out")" "^$(id -u)"$'\n'"$TMPDIR/[^ ]+ [0-9]+ [^ ]+ [^ ]+$" "user and environment"

PGHOST=/nonexistent PGSERVICE=nonexistent PGOPTIONS='-c work_mem=5MB' \
	"$with_server" psql -XAt -c 'SHOW work_mem' >"$out" 2>&1
is "$(<"$out")" 4MB "the caller's PG variables do not matter"

mkdir -m 700 "$out.private"
(cd "$out.private" && "$with_server" true) >"$out" 2>&1
is "$(<"$out")" "" "nothing is said, in a directory that only the caller can enter"

echo input | "$with_server" cat >"$out" 2>&1
is "$(<"$out")" input "standard input"

"$with_server" -- bash -c 'exit 7'
is $? 7 "command fails: status"
nothing_left "command fails"

"$with_server" -- bash -c 'kill -KILL $$' >"$out" 2>&1
is $? 137 "command killed: status"
nothing_left "command killed"

"$with_server" -- bash -c 'exec -a "$TMPDIR/sleeper" sleep 1000 >/dev/null &'
nothing_left "command leaves a process behind"

"$with_server" -- bash -c '
	psql -Xq -c "SELECT pg_sleep(60)" >/dev/null 2>&1 &
	for _ in {1..600}; do
		pid=$(psql -XAt -c "SELECT pid FROM pg_stat_activity WHERE query LIKE \$\$%sleep(60)\$\$ AND pid <> pg_backend_pid()")
		[[ -z $pid ]] || break
		sleep 0.1
	done
	kill -KILL "$pid"
	wait
	# whose entry is there until all of shared memory is new
	until [[ $(psql -XAt -c "SELECT count(*) FROM pg_stat_activity WHERE pid = $pid" 2>/dev/null) == 0 ]]; do
		sleep 0.1
	done
	psql -XAt -c "$0"' "$query" >"$out" 2>&1
is "$(<"$out")" 1 "the extension outlives a crash of the server"

"$with_server" -- /nonexistent >"$out" 2>&1
is $? 127 "no such command: status"
nothing_left "no such command"

"$with_server" --conf port=nonsense -- true >"$out" 2>&1
is $? 125 "server does not start: status"
like "$(<"$out")" 'invalid value for parameter "port"' "server does not start: its log is shown"
nothing_left "server does not start"

mkdir "$out with a blank"
TMPDIR="$out with a blank" "$with_server" -- true >"$out" 2>&1
is $? 125 "a name that make cannot read: status"
like "$(<"$out")" '^with-server: make cannot work in ".*out with a blank": ' "a name that make cannot read: message"
nothing_left "a name that make cannot read"

"$with_server" --nonsense -- true >"$out" 2>&1
is $? 125 "unknown option"
"$with_server" >"$out" 2>&1
is $? 125 "no command"

# Signals to with-server alone, and one to everything that a terminal or a
# job scheduler would kill.
for signal in INT TERM HUP; do
	rm -f "$out.up"
	env --default-signal=INT "$with_server" -- \
		bash -c "touch '$out.up'; bash -c 'exec -a $TMPDIR/sleeper sleep 1000'; true" >"$out" 2>&1 </dev/null &
	await test -e "$out.up"
	kill -"$signal" $!
	wait $!
	is $? $((128 + $(kill -l "$signal"))) "SIG$signal: status"
	nothing_left "SIG$signal"
done

rm -f "$out.up"
set -m
"$with_server" -- bash -c "touch '$out.up'; bash -c 'exec -a $TMPDIR/sleeper sleep 1000'; true" >"$out" 2>&1 </dev/null &
set +m
await test -e "$out.up"
kill -KILL -- -$!
wait $! 2>/dev/null
is $? 137 "SIGKILL to the process group: status"
await eval 'no_process && [[ -z $(find "$TMPDIR" -path "*/spinbench.*" -print -quit) ]]'
nothing_left "SIGKILL to the process group"

done_testing
