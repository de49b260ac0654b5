# For bench: where the workers of each cell spend their time, by perf.  To be sourced.
#
# The constraint that shaped it: perf costs time itself, and workers live only as
# long as their run.  So the sweep is over when this begins, and each cell is run
# once more, for perf alone, which is given the pids of workers that are there.

# shellcheck shell=bash
# shellcheck disable=SC2154		# bench's own variables

# How long each cell is recorded, in ms.
perf_duration=1000

# How many symbols are shown, as in the mail that this is after: Jingtang Zhang, "Re:
# use a non-locking initial test in TAS_SPIN on AArch64", January 2025.
perf_symbols=6

# Is there a perf that works here, for what we may watch ourselves?  Says why not.
have_perf()
{
	local said
	if ! command -v perf >/dev/null; then
		echo "there is no perf (Debian: linux-perf, Ubuntu: linux-tools-$(uname -r))"
	elif ! said=$(perf record -q -o "$scratch/perf.data" -- true 2>&1); then
		why_not "$said"
	else
		return 0
	fi
	return 1
}

# What perf said, in a line, and the setting that it depends on.
why_not()
{
	local paranoid
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo unknown)
	echo "kernel.perf_event_paranoid is $paranoid, and perf says:" \
		"$(grep -v '^ *$' <<<"$1" | head -n 3 | tr -s ' \t\n' ' ')"
}

# Record all cells of the sweep.  Adds what is to be shown to perf.txt.
perf_sweep()
{
	local why lock queue count counted=workers
	[[ $workload != pgbench ]] || counted=clients
	if ! why=$(have_perf); then
		echo "Perf       not recorded: $why" >>"$output/perf.txt"
		return 0
	fi
	while IFS=$'\t' read -r lock queue count; do
		[[ -z $interrupted ]] || break
		[[ ! -t 2 ]] || printf '\rperf: lock %s, queue %s, %d %s\e[K' "$lock" "$queue" "$count" "$counted" >&2
		printf '\n%s, lock %s, queue %s, %d %s:\n' "$workload" "$lock" "$queue" "$count" "$counted"
		perf_cell "$lock" "$queue" "$count" >"$scratch/perf.cell"
		sed 's/^/  /' "$scratch/perf.cell"
	done < <(query -F $'\t' -c "SELECT DISTINCT lock, queue, workers, min(lock_entry), min(queue_entry)
		FROM spinbench_samples WHERE sweep = $sweep AND sqlstate IS NULL AND workers > 0
		GROUP BY lock, queue, workers ORDER BY min(queue_entry), workers, min(lock_entry)" | cut -f 1-3) \
		>>"$output/perf.txt"
	clear_bar
}

# Run one cell and record its workers as soon as all of them are there.  The run is
# longer than that takes even on a busy machine, and is cancelled then.
perf_cell()
{
	local pids='' before said status=0 live='' said_file=$scratch/perf.error
	! is_live || live=live_ said_file=$scratch/pgbench
	if ! "start_${live}cell" "$@" $((perf_duration / 1000 + 10)); then
		echo "not recorded: ${live_why:-it could not be started}"
		return 0
	fi
	for _ in {1..100}; do
		# who is there twice has not only come to look
		before=$pids
		pids=$("${live}cell_pids" "$@" || true)
		if [[ -n $pids && $pids == "$before" ]] || ! kill -0 "$psql_pid" 2>/dev/null; then
			break
		fi
		sleep 0.05
	done
	if [[ -z $pids ]]; then
		echo "not recorded: its workers were not found"
	else
		said=$(perf record -o "$scratch/perf.data" -p "$pids" \
			-- sleep "$((perf_duration / 1000))" 2>&1) || status=$?
		if ((status != 0)); then
			echo "not recorded: $(why_not "status $status ${said}")"
		else
			top_symbols
		fi
	fi
	if kill -INT "$psql_pid" 2>/dev/null; then
		wait "$psql_pid" || true
	else
		wait "$psql_pid" || echo "failed: $(head -n 1 "$said_file")"
	fi
	psql_pid=''
}

# start_cell LOCK QUEUE WORKERS SECONDS: in the background.
start_cell()
{
	query -v sweep="$sweep" -v lock="$1" -v queue="$2" -v workers="$3" \
		-v duration_ms=$(($4 * 1000)) -f "$parts/perf.sql" >/dev/null 2>"$scratch/perf.error" &
	psql_pid=$!
}

cell_pids()
{
	query -c "SELECT string_agg(pid::text, ',') FROM pg_stat_activity
		WHERE backend_type = 'spinbench worker' HAVING count(*) = $3"
}

top_symbols()
{
	perf report -q --stdio --no-children -F overhead,dso,sym -i "$scratch/perf.data" 2>"$scratch/perf.said" |
		sed 's/ *$//; /^$/d' | awk "NR <= $perf_symbols { print } END { exit NR == 0 }" ||
		echo "not recorded: perf has no samples. $(head -n 1 "$scratch/perf.said")"
}

# Of what was recorded, the largest number of workers of each workload, where locks
# matter most.
show_perf()
{
	awk '
		BEGIN					{ block = 0 }
		/^[a-z]+, lock .*:$/	{
			block++
			workload[block] = $1
			count[block] = $(NF - 1) + 0
			if (count[block] > most[$1])
				most[$1] = count[block]
		}
								{ text[block] = text[block] $0 "\n" }
		END {
			printf "%s%s", text[0] ~ /[^\n]/ ? "\n" : "", text[0]
			if (block)
				print "\nTop symbols of the workers, by perf (more in perf.txt):"
			for (i = 1; i <= block; i++)
				if (count[i] == most[workload[i]])
					printf "%s", text[i]
		}' "$output/perf.txt" | cat -s
}
