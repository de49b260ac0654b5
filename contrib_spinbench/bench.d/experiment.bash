# For bench: run published measurements, and print ours beside them.  To be sourced.
#
# A measurement is a file in experiments/ that only says what to run, with these
# variables; the figures are in experiments/published.csv, where the label of each lock
# stands in the last parentheses of its name.
#
#     origin    author, subject, list and date of the mail
#     machines  pattern of a machine's name|architecture|CPUs, a line for each
#     ratios    what is to be compared, by letters: arms have them in order
#     more      queues that the mail did not have
#     workload, queue_size, message, verify, settings
#               as the options of bench, if other than their defaults
#     live      the workload that runs its other half in live servers, if it has one

# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154		# bench's own variables

# As many as any of them had.
max_published_workers=256

list_experiments()
{
	local file
	for file in "$here"/experiments/*; do
		[[ $file == *.csv ]] || sed -n '1s/^# //p' "$file"
	done
}

# Without a name there is nothing to run.
check_experiment()
{
	if ((${#operands[@]} == 0)); then
		list_experiments
		exit 0
	fi
	((${#operands[@]} == 1)) || fail "one experiment at a time"
	experiment=${operands[0]}
	[[ $experiment =~ ^[a-z0-9-]+$ && -f $here/experiments/$experiment ]] ||
		fail "there is no experiment \"$experiment\"" "There are:" "$(list_experiments)"
	more='' live=''
	# shellcheck source=/dev/null
	. "$here/experiments/$experiment"
}

experiment_query()
{
	query -v experiment="$experiment" -v title="$(sed -n '1s/^# //p' "$here/experiments/$experiment")" \
		-v origin="$origin" -v machines="$machines" -v ratios="$ratios" -v more="$more" \
		"$@" <"$here/experiments/published.csv"
}

run_experiment()
{
	local plan lockless_sweep='' live_sweep='' live_why='' all=() status=0 asked=$workers
	output=${output:-spinbench-results/$experiment-$(date +%Y-%m-%d-%H%M%S)}
	[[ $dry_run == true ]] || make_output
	mapfile -t plan < <(experiment_query -v live_dimension="$(live_dimension)" -f "$parts/experiment-plan.sql")
	wait $! || fail "no plan"
	locks=${plan[0]} queues=${plan[1]} workers=${asked:-${plan[2]}}
	rounds=${rounds:-9}
	note=$experiment

	trap end_early INT TERM HUP
	if [[ -n ${plan[3]} ]]; then
		duration=${duration:-250} locks=server queues=server \
			PGOPTIONS="$PGOPTIONS -c spinbench.acquisitions=0" run_sweep
		[[ -z $sample ]] || lockless_sweep=$sweep
		status=$psql_status
	fi
	[[ -n $interrupted ]] || duration=${duration:-250} run_sweep
	((status == 0)) || psql_status=$status
	if [[ $dry_run == true ]]; then
		[[ -z $live ]] || run_live_half
		[[ -z $live_why ]] || echo "bench: would not run $live: $live_why" >&2
		((psql_status == 0)) || exit 1
		return 0
	fi
	[[ -n $sweep && -n $sample ]] || fail "nothing was measured"
	[[ -z $perf || -n $interrupted ]] || perf_sweep
	[[ -z $live || -n $interrupted ]] || run_live_half
	trap '' INT TERM HUP

	all=("$sweep" ${lockless_sweep:+"$lockless_sweep"} ${live_sweep:+"$live_sweep"})
	{
		experiment_query -v sweep="$sweep" -v lockless_sweep="$lockless_sweep" -v live_sweep="$live_sweep" \
			-v live_why="$live_why" -v asked="$asked" -f "$parts/experiment-report.sql" && tell_end "${all[@]}"
	} | tee "$output/report.txt" || psql_status=1
	write_files "${all[@]}"
	finish
}

# What of a live server is compared.
live_dimension()
{
	case $live in
		pgbench) echo lock ;;
		query) echo queue ;;
	esac
}

# The figures of this half come from pgbench.  Sets live_sweep to its sweep, or live_why
# to the reason why there is none.
run_live_half()
{
	local workload=$live locks=${plan[4]} queues=${plan[5]} workers=${asked:-${plan[6]}} \
		duration=$(((${duration:-1000} + 999) / 1000 * 1000)) \
		micro=$sweep sweep='' sample='' total='' micro_status=$psql_status
	if start_live_servers && is_same_machine "$micro"; then
		run_live_sweep
		[[ -z $sample ]] || live_sweep=$sweep
		((micro_status == 0)) || psql_status=$micro_status
		[[ -z $perf || -z $live_sweep || -n $interrupted ]] || perf_sweep
	fi
	stop_live_servers
}

# The other half may have run in a server that was there, which can be anywhere.
is_same_machine()
{
	local environment
	[[ $dry_run != true ]] || return 0
	environment=$(at_live lock query -c 'SELECT spinbench_environment()') &&
		live_why=$(query -v environment="$environment" <<-SQL
			SELECT 'pgbench would be measured elsewhere: ' || spb_difference(
					spb_live_environment(:'environment'), spb_live_environment(w.environment))
			  FROM spinbench_sweeps w WHERE w.sweep = $1
		SQL
		) && [[ -z $live_why ]]
}
