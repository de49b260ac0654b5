# For bench: pgbench against servers whose own spinlocks or message queue are
# replaced.  To be sourced.
#
# The constraint that shaped it: a reload changes the lock and the queue of a server,
# but what is replaced at all is decided when it starts.  So there are up to three
# servers that are equal but for that, each called by what is replaced: off, lock and
# queue, which includes the lock.  They are thrown away afterwards, and all wait but
# the one that is measured.  Their sweep is kept where all others are.

# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154		# bench's own variables

# What each of them is known by.
declare -gA live_host live_pid live_in_force

# A query is to last about so long, in ms, and a sample of it some queries.
live_query_ms=400

is_live()
{
	[[ $workload == pgbench || $workload == query ]]
}

# Which of the servers runs this lock and this queue?
live_kind()
{
	if [[ $1 == server ]]; then
		echo off
	elif [[ $2 == server ]]; then
		echo lock
	else
		echo queue
	fi
}

# Of all cells.
live_kinds()
{
	local lock queue
	for lock in ${locks//,/ }; do
		for queue in ${queues//,/ }; do
			live_kind "$lock" "$queue"
		done
	done | sort -u
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
	[[ $queue_size == 16384 && $message == xyzzy && $verify == true ]] ||
		fail "workload $workload has no messages: --queue-size, --message and --no-verify are not for it"
	for setting in "${settings[@]}"; do
		[[ $setting != spinbench.* ]] ||
			fail "${setting%%=*} is not for workload $workload" "To choose CPUs for all of it: taskset -c LIST bench ..."
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
# The servers.
#

# Settings of all of them; ours, which are about runs, are not.
live_settings()
{
	local most=${workers##*,} memory setting
	memory=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo 2>/dev/null || echo 1024)
	live_conf=(
		max_connections=$((most + 20))
		shared_buffers=$((memory / 8 > 1024 ? 1024 : memory / 8))MB
	)
	case $workload in
		pgbench)
			live_conf+=(
				shared_preload_libraries=spinbench,pg_stat_statements
				pg_stat_statements.track_planning=on
			)
			;;
		query)
			live_conf+=(
				shared_preload_libraries=spinbench
				max_worker_processes=$((most + 8))
				max_parallel_workers="$most"
				parallel_setup_cost=0
				parallel_tuple_cost=0
				min_parallel_table_scan_size=0
				work_mem=1GB
			)
			;;
	esac
	for setting in "${settings[@]}"; do
		[[ $setting == spinbench.* ]] || live_conf+=("$setting")
	done
}

# Start and fill all servers that the sweep needs.  If that cannot be done here, sets
# live_why to the reason and returns false.
start_live_servers()
{
	local kind
	live_settings
	live_why=$(live_obstacle)
	[[ -z $live_why ]] || return 1
	for kind in $(live_kinds); do
		[[ -z $interrupted ]] || return 1
		preparing "starting server \"$kind\""
		start_live_server "$kind" || return 1
		preparing "filling server \"$kind\""
		fill_live_server "$kind" || return 1
	done
	clear_bar
}

preparing()
{
	if [[ -t 2 ]]; then printf '\r%s\e[K' "$1" >&2; else echo "$1" >&2; fi
}

live_obstacle()
{
	local pg_config=${PG_CONFIG:-pg_config}
	if ! command -v "$pg_config" >/dev/null; then
		echo "there is no pg_config, which tells what server to start"
	elif [[ $workload == pgbench ]] && ! compgen -G "$("$pg_config" --pkglibdir)/pg_stat_statements.*" >/dev/null; then
		echo "there is no pg_stat_statements, which is among PostgreSQL's additional modules"
	elif ! compgen -c pgbench >/dev/null && [[ ! -x $("$pg_config" --bindir)/pgbench ]]; then
		echo "there is no pgbench"
	fi
}

# It ends with us, however we end.
start_live_server()
{
	local kind=$1 conf=("${live_conf[@]}")
	[[ $kind == off ]] || conf+=(spinbench.patch_server=on)
	[[ $kind != queue ]] || conf+=(spinbench.server_queue=stock)
	# shellcheck disable=SC2016		# that shell is to expand it
	"$here/with-server" "${conf[@]/#/--conf=}" -- bash -c '
		printf "%s\n" "$PGHOST" "$PATH" >"$0.new" && mv "$0.new" "$0"
		exec tail -s 0.2 --pid="$1" -f /dev/null' "$scratch/$kind" $$ \
		</dev/null >/dev/null 2>"$scratch/$kind.said" &
	live_pid[$kind]=$!
	while [[ ! -e $scratch/$kind ]]; do
		if ! kill -0 "${live_pid[$kind]}" 2>/dev/null; then
			live_why="a server did not start: $(tail -n 3 "$scratch/$kind.said" | tr -s '\n\t ' ' ')"
			return 1
		fi
		sleep 0.1 || true
	done
	live_host[$kind]=$(<"$scratch/$kind")
	live_in_force[$kind-lock]=stock live_in_force[$kind-queue]=stock

	[[ $kind != off ]] || return 0
	live_why=$(at_live "$kind" query -c "SELECT 'the server refuses to be patched: ' || min(reason)
		FROM spinbench_server_patch()
		WHERE NOT replaced AND (function !~ '^shm_mq_' OR '$kind' = 'queue') HAVING count(*) > 0")
	[[ -z $live_why ]]
}

stop_live_servers()
{
	local pid
	for pid in "${live_pid[@]}"; do
		kill -TERM "$pid" 2>/dev/null || true
	done
	for pid in "${live_pid[@]}"; do
		wait "$pid" 2>/dev/null || true
	done
	live_pid=()
}

# Run a command, or a function of ours, as a client of one of the servers.
at_live()
{
	(
		live_environment "$1"
		"${@:2}"
	)
}

# Nothing of the caller's may lead to another server.
live_environment()
{
	local variable
	for variable in $(compgen -e PG); do
		unset "$variable"
	done
	export PGHOST=${live_host[$1]%%$'\n'*} PATH=${live_host[$1]#*$'\n'}
	export PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
}

fill_live_server()
{
	local kind=$1
	case $workload in
		pgbench)
			scale=${scale:-10}
			# once, so that all is in memory
			load_accounts "$kind" dtgvp "$scale" && run_pgbench "$kind" 1 1
			;;
		query)
			[[ -n $scale ]] || choose_scale "$kind" || return 1
			load_accounts "$kind" dtgv "$scale" && check_plans "$kind"
			;;
	esac || {
		[[ -n $live_why ]] || live_why="a server could not be filled: $(grep -v '^$' "$scratch/pgbench" | tail -n 2 | tr -s '\n' ' ')"
		return 1
	}
}

# Without a primary key, as the query wants it, where there is no step p.
load_accounts()
{
	at_live "$1" pgbench -i -q -I "$2" -s "$3" >"$scratch/pgbench" 2>&1 &&
		at_live "$1" query -c "ALTER TABLE pgbench_accounts SET (parallel_workers = ${workers##*,})" \
			-c 'ANALYZE pgbench_accounts' -c 'CHECKPOINT' >>"$scratch/pgbench" 2>&1
}

# As many rows as the query reads in its time, but no more than a sixteenth of the
# memory holds, or the published query had.
choose_scale()
{
	local memory
	memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo 2>/dev/null || echo 1024)
	load_accounts "$1" dtgv 1 && run_pgbench "$1" "${workers##*,}" 1 || return 1
	scale=$(read_pgbench | awk -v most=$((memory / 16 / 15)) -v wanted="$live_query_ms" '{
		n = int(wanted / ($2 / $1) + 0.5)
		if (n > 100) n = 100
		if (n > most) n = most
		print n < 1 ? 1 : n }')
}

# Is it the plan that passes all rows through the queues, with all its workers?
check_plans()
{
	local count plan
	for count in ${workers//,/ }; do
		plan=$(at_live "$1" query -c "SET max_parallel_workers_per_gather = $count" \
			-c "EXPLAIN (ANALYZE, COSTS off, TIMING off) $(<"$parts/live-query.sql")") || return 1
		[[ $plan =~ Aggregate.*Gather.*Workers\ Launched:\ "$count"$'\n'.*Parallel\ Seq\ Scan && ! $plan =~ Partial ]] || {
			live_why="the query is not planned as it should be, with $count workers: $(tr -s '\n ' ' ' <<<"$plan")"
			return 1
		}
	done
}

#
# The sweep.
#

# As run_sweep.  The servers are there.
run_live_sweep()
{
	local kind state cell lock queue count measured before after
	sweep='' crashes=0 sample='' total='' psql_status=0
	for kind in queue lock off; do
		[[ -z ${live_host[$kind]:-} ]] || break
	done
	make_canonical lock "$kind" "$locks" && locks=$canonical || fail "no such lock"
	make_canonical queue "$kind" "$queues" && queues=$canonical || fail "no such queue"
	ask -v locks="$locks" -v queues="$queues" -v workers="$workers" -v workload="$workload" \
		-v rounds="$rounds" -v duration_ms="$duration" -v precision="$precision" \
		-v time_limit="$time_limit" -v scale="$scale" -v settings="$(printf '%s\n' "${live_conf[@]}")" \
		-v environment="$(at_live "$kind" query -c 'SELECT spinbench_environment()')" \
		-v note="$note" -v dry_run="${dry_run:-false}" -f "$parts/live-begin.sql" || return 0
	state=$answer
	while [[ -n $state && -z $interrupted ]]; do
		ask -F $'\t' -v state="$state" <<-'SQL' || return 0
			SELECT c, c ->> 'lock', c ->> 'queue', c ->> 'workers' FROM spb_live_next(:'state') c WHERE c IS NOT NULL
		SQL
		[[ -n $answer ]] || break
		IFS=$'\t' read -r cell lock queue count <<<"$answer"
		kind=$(live_kind "$lock" "$queue")
		put_in_force "$kind" "$lock" "$queue"
		before=$(live_counters "$kind" "$lock" "$queue")
		measure_live "$kind" "$count"
		[[ -z $interrupted ]] || break
		after=$(live_counters "$kind" "$lock" "$queue")
		ask -v state="$state" -v cell="$cell" -v before="$before" -v after="$after" -v measured="$measured" <<-'SQL' || return 0
			SELECT spb_live_store(:'state', :'cell', :'before', :'after', :'measured')
		SQL
		state=$answer
	done
}

# Let psql answer, and hear what it has to say besides.
ask()
{
	local line
	query "$@" >"$scratch/answer" 2>"$scratch/said" || psql_status=$?
	while IFS= read -r line; do
		hear "${line#psql:*: }"
	done <"$scratch/said"
	answer=$(<"$scratch/answer")
	((psql_status == 0))
}

# make_canonical lock|queue KIND LIST: sets canonical.  The server itself says what is
# wrong with a label.
make_canonical()
{
	local label one
	canonical=''
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
	at_live "$2" query -c "ALTER SYSTEM RESET spinbench.server_$1"
}

put_in_force()
{
	[[ $1 == off ]] || reload_live "$1" lock "$2"
	[[ $1 != queue ]] || reload_live "$1" queue "$3"
}

# reload_live KIND lock|queue LABEL: and see that it has come into force.
reload_live()
{
	[[ ${live_in_force[$1-$2]} != "$3" ]] || return 0
	at_live "$1" query -c "ALTER SYSTEM SET spinbench.server_$2 = '$3'" -c 'SELECT pg_reload_conf()' >/dev/null
	for _ in {1..500}; do
		if [[ $(at_live "$1" query -c "SELECT in_force FROM spinbench_server_$2s() WHERE $2 = '$3'") == t ]]; then
			live_in_force[$1-$2]=$3
			return 0
		fi
		sleep 0.02 || true
	done
	fail "$2 $3 does not come into force in server \"$1\""
}

# What only grows, as an object, when no client is left.
live_counters()
{
	for _ in {1..100}; do
		[[ $(at_live "$1" query -c "SELECT count(*) FROM pg_stat_activity
			WHERE backend_type IN ('client backend', 'parallel worker')") != 1 ]] || break
		sleep 0.01 || true
	done
	at_live "$1" query -v kind="$1" -v lock="$2" -v queue="$3" -f "$parts/live-counters.sql"
}

# Sets measured to what pgbench says, as an object.
measure_live()
{
	local status=0 processed elapsed_ms failed
	run_pgbench "$1" "$2" $((duration / 1000)) || status=$?
	read -r processed elapsed_ms failed < <(read_pgbench)
	if ((status == 0 && processed > 0 && failed == 0)); then
		printf -v measured '{"messages": %s, "elapsed_ms": %s, "client_ms": %s}' "$processed" "$elapsed_ms" "$client_ms"
	else
		measured=$(query -v said="$(grep -m 1 -iE 'error|fatal|failed transactions: [^0]' "$scratch/pgbench" ||
			echo "status $status")" <<-'SQL'
			SELECT jsonb_build_object('error', 'pgbench: ' || :'said', 'sqlstate', '58000')
		SQL
		)
		await_live_server "$1"
	fi
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
		END { print s[4] - s[2] }' "$scratch/times")
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
		END { print n + 0, (tps > 0 ? 1000 * n / tps : 0), failed + 0 }' "$scratch/pgbench"
}

# It may have crashed.
await_live_server()
{
	for _ in {1..120}; do
		! at_live "$1" query -c 'SELECT 1' >/dev/null 2>&1 || return 0
		kill -0 "${live_pid[$1]}" 2>/dev/null || break
		sleep 0.5 || true
	done
	fail "server \"$1\" is gone"
}

#
# For perf.
#

# Run one cell for so many seconds, in the background.
start_live_cell()
{
	local kind
	kind=$(live_kind "$1" "$2")
	put_in_force "$kind" "$1" "$2"
	start_pgbench "$kind" "$3" "$4"
}

# Those who do its work, if they are all there.  Parallel workers come and go, but all
# are children of the postmaster.
live_cell_pids()
{
	local clients=1
	[[ $workload != pgbench ]] || clients=$3
	at_live "$(live_kind "$1" "$2")" query -c "SELECT concat_ws(',', split_part(pg_read_file('postmaster.pid'), E'\n', 1),
			string_agg(pid::text, ','))
		FROM pg_stat_activity WHERE application_name = 'pgbench' AND backend_type = 'client backend'
		HAVING count(*) = $clients"
}
