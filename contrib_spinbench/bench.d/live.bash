# For bench: sweeps of pgbench in live servers (see live-servers.bash), which are kept
# where all others are.  To be sourced.

# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154		# bench's own variables

is_live()
{
	[[ $workload == pgbench || $workload == query ]]
}

# What was not asked for.  The first lock, or queue, is there twice, for the noise.
live_defaults()
{
	case $workload in
		pgbench) locks=${locks:-$(live_locks)} queues=${queues:-server} ;;
		query)
			locks=${locks:-stock}
			queues=${queues:-stock,spinlock,atomic,atomic/lazyread,atomic/lazyread/lazywrite,spsc,server,stock}
			;;
	esac
	rounds=${rounds:-9} duration=${duration:-1000}
}

live_locks()
{
	query <<-SQL
		SELECT concat_ws(',', 'stock', string_agg(l.lock, ','), 'server', 'stock')
		  FROM unnest(string_to_array('$(default_locks)', ',')) l(lock)
		 WHERE l.lock IN (SELECT s.lock FROM spinbench_server_locks() s)
	SQL
}

# What cannot be meant; before anything is started for it.
check_live()
{
	local lock queue count setting
	[[ -z $repeat_count ]] || fail "--repeat-count is not for workload $workload"
	[[ $workload != pgbench || ${queues:-server} == server ]] ||
		fail "workload pgbench has no queues: --queues is not for it"
	[[ $queue_size == 16384 && $message == xyzzy && $verify == true ]] ||
		fail "workload $workload has no messages: --queue-size, --message and --no-verify are not for it"
	for setting in "${settings[@]}"; do
		[[ $setting != spinbench.* || $setting == spinbench.cpus=* ]] ||
			fail "${setting%%=*} is not for workload $workload"
	done
	[[ -z $duration ]] || ((duration % 1000 == 0)) ||
		fail "workload $workload is measured in whole seconds: --duration-ms must be a multiple of 1000"
	for lock in ${locks//,/ }; do
		for queue in ${queues//,/ }; do
			[[ $lock != server || $queue == server ]] ||
				fail "lock server cannot run with queue $queue: where the queue is replaced, spinlocks wait in our code, too" \
					"Lock stock does there what the server's own does."
		done
	done
	for count in ${workers//,/ }; do
		((count > 0)) || fail "workload $workload needs at least 1 worker"
	done
}

#
# The sweep.
#

# As run_sweep.  The servers are there.  What ends it early, but for an interrupt, is
# said, and left in live_why.
run_live_sweep()
{
	local kind state cell lock queue count
	sweep='' sample='' total='' psql_status=0 live_why=''
	for kind in queue lock off; do
		[[ -z ${live_host[$kind]:-} ]] || break
	done
	locks=$(canonical lock "$locks") || fail "no such lock"
	queues=$(canonical queue "$queues") || fail "no such queue"
	check_baseline
	ask "$(<"$parts/live-begin.sql")" -v locks="$locks" -v queues="$queues" -v workers="$workers" \
		-v workload="$workload" -v rounds="$rounds" -v duration_ms="$duration" -v precision="$precision" \
		-v time_limit="$time_limit" -v scale="$scale" -v settings="$(printf '%s\n' "${live_conf[@]}")" \
		-v asked="$(printf '%s\n' "${live_asked[@]}")" \
		-v environment="$(at_live "$kind" query -c 'SELECT spinbench_environment()')" \
		-v note="$note" -v dry_run="${dry_run:-false}" || return 0
	state=$answer
	while [[ -n $state && -z $interrupted ]]; do
		ask "SELECT c, c ->> 'lock', c ->> 'queue', c ->> 'workers' FROM spb_live_next(:'state') c WHERE c IS NOT NULL" \
			-F $'\t' -v state="$state" || return 0
		[[ -n $answer ]] || break
		IFS=$'\t' read -r cell lock queue count <<<"$answer"
		live_kind "$lock" "$queue"
		if ! live_sample "$kind" "$lock" "$queue" "$count"; then
			[[ -z $interrupted ]] || break
			echo "bench: $live_why" >&2
			psql_status=1
			break
		fi
	done
}

# live_sample KIND LOCK QUEUE CLIENTS|WORKERS: measure the cell and store the sample.
live_sample()
{
	local before after measured error=''
	if ! { put_in_force "$1" "$2" "$3" &&
		before=$(live_counters "$1" "$2" "$3") &&
		measure_live "$1" "$4" &&
		after=$(live_counters "$1" "$2" "$3"); }; then
		[[ -n $live_why ]] || live_why="server \"$1\" does not answer"
		return 1
	fi
	[[ -z $interrupted ]] || return 1
	ask "SELECT spb_live_store(:'state', :'cell', :'before', :'after', :'measured', nullif(:'error', ''))" \
		-v state="$state" -v cell="$cell" -v before="$before" -v after="$after" -v measured="$measured" \
		-v error="$error" || return 1
	state=$answer
}

# ask SQL OPTION...: let psql answer, and hear what it has to say besides.  A crash of the
# server is no reason to give up: what was asked can be asked again.
ask()
{
	local line
	while :; do
		psql_status=0
		query "${@:2}" <<<"$1" >"$scratch/answer" 2>"$scratch/said" || psql_status=$?
		while IFS= read -r line; do
			hear "${line#psql:*: }"
		done <"$scratch/said"
		if ((psql_status != 2 || crashes >= max_crashes)) || [[ -n $interrupted ]]; then
			break
		fi
		((++crashes))
		await_server
	done
	answer=$(<"$scratch/answer")
	((psql_status == 0)) || {
		live_why="what is measured cannot be stored: $(head -n 1 "$scratch/said")"
		return 1
	}
}

# live_canonical lock|queue KIND LIST: the server itself says what is wrong with a label.
live_canonical()
{
	local label one canonical=''
	for label in ${3//,/ }; do
		one=$label
		if [[ $label != server && $label != stock ]]; then
			one=$(at_live "$2" query -v label="$label" <<-SQL
				SELECT set_config('spinbench.$1', :'label', false);
			SQL
			) || return 1
		fi
		[[ $one == server ]] || at_live "$2" query -c "ALTER SYSTEM SET spinbench.server_$1 = '$one'" || return 1
		canonical+=${canonical:+,}$one
	done
	at_live "$2" query -c "ALTER SYSTEM RESET spinbench.server_$1" && echo "$canonical"
}

put_in_force()
{
	[[ $1 == off ]] || reload_live "$1" lock "$2" || return 1
	[[ $1 != queue ]] || reload_live "$1" queue "$3"
}

# reload_live KIND lock|queue LABEL: and see that it has come into force.
reload_live()
{
	[[ ${live_in_force[$1-$2]} != "$3" ]] || return 0
	at_live "$1" query -c "ALTER SYSTEM SET spinbench.server_$2 = '$3'" -c 'SELECT pg_reload_conf()' >/dev/null || return 1
	for _ in {1..500}; do
		if [[ $(at_live "$1" query -c "SELECT in_force FROM spinbench_server_$2s() WHERE $2 = '$3'" 2>/dev/null) == t ]]; then
			live_in_force[$1-$2]=$3
			return 0
		fi
		is_up "$1" || return 1
		sleep 0.02 || true
	done
	live_why="$2 $3 does not come into force in server \"$1\""
	return 1
}

# What only grows, as an object, when no client is left.
live_counters()
{
	for _ in {1..500}; do
		if [[ $(at_live "$1" query -c "SELECT count(*) FROM pg_stat_activity
			WHERE backend_type IN ('client backend', 'parallel worker')" 2>/dev/null) == 1 ]]; then
			at_live "$1" query -v kind="$1" -v lock="$2" -v queue="$3" -f "$parts/live-counters.sql"
			return
		fi
		is_up "$1" || return 1
		sleep 0.02 || true
	done
	return 1
}

# measure_live KIND CLIENTS|WORKERS: sets measured to what pgbench says, as an object, or
# error.  pgbench's time includes that of connecting, which its figures do not; for many
# clients it has to run longer, and so do later samples of them.
measure_live()
{
	local status processed=0 elapsed_ms=0 failed=0
	for _ in {1..5}; do
		status=0
		run_pgbench "$1" "$2" $((duration / 1000 + ${live_extra[$2]:-0})) || status=$?
		read -r processed elapsed_ms failed < <(read_pgbench) || break
		if ((status != 0 || 10 * ${elapsed_ms%.*} >= 9 * duration)) || [[ -n $interrupted ]]; then
			break
		fi
		live_extra[$2]=$((${live_extra[$2]:-0} + 1))
	done
	measured='{}'
	if ((status == 0 && processed > 0 && failed == 0)); then
		printf -v measured '{"messages": %s, "elapsed_ms": %s, "client_ms": %s}' "$processed" "$elapsed_ms" "$client_ms"
		return 0
	fi
	error=$(grep -m 1 -E 'error|fatal|FATAL|ERROR|failed transactions: [^0]' "$scratch/pgbench") ||
		error="status $status, $processed transactions"
	error="pgbench: ${error#pgbench: }"
	[[ -n $interrupted ]] || await_live_server "$1"
}

# run_pgbench KIND CLIENTS|WORKERS SECONDS: what it says is in a file; sets client_ms to
# the CPU time that it used.
run_pgbench()
{
	local status=0
	times >"$scratch/times"
	start_pgbench "$@"
	while wait "$psql_pid" && status=0 || status=$?; kill -0 "$psql_pid" 2>/dev/null; do
		:						# a trap has interrupted wait
	done
	psql_pid=''
	times >>"$scratch/times"
	client_ms=$(awk 'NR % 2 == 0 { for (i = 1; i <= 2; i++) { split($i, t, "[ms]"); s[NR] += 60000 * t[1] + 1000 * t[2] } }
		END { printf "%.3f\n", s[4] - s[2] }' "$scratch/times")
	return "$status"
}

# The same in the background, where a terminal's interrupt would be ignored.
start_pgbench()
{
	local words=(pgbench -n -T "$3") options='' cpus
	cpus=$(nproc)
	case $workload in
		pgbench) words+=(-b select-only -c "$2" -j $(($2 < cpus ? $2 : cpus))) ;;
		query)
			words+=(-c 1 -f "$parts/live-query.sql")
			options="-c max_parallel_workers_per_gather=$2"
			;;
	esac
	(
		live_environment "$1"
		export PGOPTIONS=$options
		# a file for each client
		ulimit -Sn "$(ulimit -Hn)"
		exec env --default-signal=INT "${words[@]}"
	) >"$scratch/pgbench" 2>&1 &
	psql_pid=$!
}

# Transactions, the time that they took in ms, and how many failed.
read_pgbench()
{
	awk '/^number of transactions actually processed:/	{ n = $NF + 0 }
		/^number of failed transactions:/				{ failed = $5 }
		/^tps = .*without initial connection time/		{ tps = $3 }
		END { printf "%.0f %.3f %.0f\n", n, (tps > 0 ? 1000 * n / tps : 0), failed }' "$scratch/pgbench"
}

# Is there any use in waiting for it?
is_up()
{
	[[ -z $interrupted ]] && kill -0 "${live_postmaster[$1]}" 2>/dev/null
}

# It may have crashed.
await_live_server()
{
	for _ in {1..120}; do
		! at_live "$1" query -c 'SELECT 1' >/dev/null 2>&1 || return 0
		is_up "$1" || break
		sleep 0.5 || true
	done
	live_why="server \"$1\" is gone"
	return 1
}

#
# For perf.
#

# Run one cell for so many seconds, in the background.
start_live_cell()
{
	local kind
	live_kind "$1" "$2"
	put_in_force "$kind" "$1" "$2" || return 1
	start_pgbench "$kind" "$3" "$4"
}

# Those who do its work, if they are all there.  Parallel workers come and go, but all
# are children of the postmaster.
live_cell_pids()
{
	local clients=1 kind
	[[ $workload != pgbench ]] || clients=$3
	live_kind "$1" "$2"
	at_live "$kind" query -c "SELECT concat_ws(',', split_part(pg_read_file('postmaster.pid'), E'\n', 1),
			string_agg(pid::text, ','))
		FROM pg_stat_activity WHERE application_name = 'pgbench' AND backend_type = 'client backend'
		HAVING count(*) = $clients"
}
