# For bench: throw-away servers whose own spinlocks or message queue are replaced.  To be
# sourced.
#
# The constraint that shaped it: a reload changes the lock and the queue of a server,
# but what is replaced at all is decided when it starts.  So there are up to three
# servers that are equal but for that, each called by what is replaced: off, lock and
# queue, which includes the lock.  All wait but the one that is measured.

# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154		# bench's own variables

# What each of them is known by.
declare -gA live_host live_pid live_postmaster live_in_force live_extra

# A query is to last about so long, in ms, and a sample of it some queries.
live_query_ms=400

# Which of the servers runs this lock and this queue?  Sets kind.
live_kind()
{
	if [[ $1 == server ]]; then
		kind=off
	elif [[ $2 == server ]]; then
		kind=lock
	else
		kind=queue
	fi
}

# Of all cells.
live_kinds()
{
	local lock queue kind
	for lock in ${locks//,/ }; do
		for queue in ${queues//,/ }; do
			live_kind "$lock" "$queue"
			echo "$kind"
		done
	done | sort -u
}

# Settings of all of them; ours, which are about runs, are not, but that of CPUs tells
# where they run.
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
				shared_preload_libraries='spinbench,pg_stat_statements'
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
	live_asked=()
	for setting in "${settings[@]}"; do
		case $setting in
			spinbench.cpus=*) live_conf+=("$setting") ;;
			spinbench.*) ;;
			*) live_asked+=("$setting") ;;
		esac
	done
	live_conf+=("${live_asked[@]}")
}

# What is started from now on runs on the CPUs of the last option --cpus.
pin_live()
{
	local setting cpus=''
	for setting in "${settings[@]}"; do
		[[ $setting != spinbench.cpus=* ]] || cpus=${setting#*=}
	done
	[[ -n $cpus ]] || return 0
	live_why="clients and servers cannot be pinned to CPUs $cpus"
	query -v cpus="$cpus" <<<"SELECT set_config('spinbench.cpus', :'cpus', false), spinbench_workers()" >/dev/null &&
		taskset -cp "$cpus" $$ >/dev/null && live_why=''
}

# Start and fill all servers that the sweep needs; for a dry run, they are only asked
# whether labels make sense.  If that cannot be done here, sets live_why to the reason and
# returns false.
start_live_servers()
{
	local kind
	live_settings
	live_why=$(live_obstacle)
	[[ -z $live_why ]] && pin_live || return 1
	for kind in $(live_kinds); do
		[[ -z $interrupted ]] || return 1
		preparing "starting server \"$kind\""
		start_live_server "$kind" || return 1
		[[ ${dry_run:-} != true ]] || continue
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
	live_postmaster[$kind]=$(at_live "$kind" query -c "SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)")

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
		[[ -n $live_why || -n $interrupted ]] || live_why="a server could not be filled: $(grep -v '^$' "$scratch/pgbench" | tail -n 2 | tr -s '\n' ' ')"
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
