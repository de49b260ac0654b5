# For bench: what is to be read and looked at.  To be sourced.

# shellcheck shell=bash
# shellcheck disable=SC2154		# bench's own variables

make_output()
{
	output=${output:-spinbench-results/$(date +%Y-%m-%d-%H%M%S)}
	[[ ! -e $output/samples.csv ]] || fail "there are samples in \"$output\" already"
	mkdir -p "$output" || fail "cannot write to \"$output\""
}

# Words, with commas between.
with_commas()
{
	(IFS=,; echo "$*")
}

show_report()
{
	query -v sweep="$1" -v baseline="$baseline" -v across="$across" <<'SQL'
SELECT spinbench_report(:sweep, nullif(:'baseline', ''), nullif(:'across', ''));
SQL
}

show_command()
{
	echo
	repeat_command | fold -s -w 85 | sed '1s/^/Command    /; 1!s/^/           /; s/ *$//; $!s/$/ \\/'
}

# What the extension cannot know about the end of sweeps.
tell_end()
{
	local all resume
	# what was said last may not have been committed any more
	IFS='|' read -r sample all resume < <(query -c "
		SELECT (SELECT count(*) FROM spinbench_samples WHERE sweep IN ($(with_commas "$@"))),
			' of ' || sum((arguments ->> 'rounds')::int * (SELECT count(*) FROM spb_cells(arguments))),
			min(sweep) FILTER (WHERE outcome IS NULL AND NOT spb_is_live(arguments))
		FROM spinbench_sweeps WHERE sweep IN ($(with_commas "$@"))")
	[[ $server == running ]] || resume=''
	resume=${resume:+; to go on: CALL spinbench_resume($resume)}
	if [[ -n $interrupted ]]; then
		echo "INTERRUPTED after $sample$all samples$resume"
	elif ((psql_status != 0)); then
		echo "ABORTED after $sample$all samples$resume"
	fi
	((crashes == 0)) || echo "Crashes    of the server: $crashes; what was lost was measured again"
}

# The command with all that it has found out by itself.
repeat_command()
{
	local setting words=(contrib_spinbench/bench)
	add_list locks "$locks"
	words+=(--workers="$workers")
	[[ $queues == server ]] || add_list queues "$queues"
	add_unless pipelined workload workload
	add_unless '' rounds rounds
	add_unless '' duration-ms duration
	add_unless '' repeat-count repeat_count
	add_unless '' precision precision
	add_unless '' time-limit time_limit
	add_unless 16384 queue-size queue_size
	add_unless xyzzy message message
	add_unless '' baseline baseline
	add_unless '' across across
	[[ $verify == true ]] || words+=(--no-verify)
	for setting in "${settings[@]}"; do
		words+=(--set="$setting")
	done
	[[ $server != running ]] || words+=(--server)
	printf '%s' "${words[0]}"
	for setting in "${words[@]:1}"; do
		[[ $setting =~ ^[A-Za-z0-9_./,=:@+-]*$ ]] || setting=${setting@Q}
		printf ' %s' "$setting"
	done
	echo
}

# add_unless DEFAULT OPTION VARIABLE
add_unless()
{
	[[ ${!3} == "$1" ]] || words+=(--"$2=${!3}")
}

# add_list OPTION LIST: as often as it takes for a line to hold each.
add_list()
{
	local label part=''
	for label in ${2//,/ }; do
		if [[ -n $part ]] && ((${#part} + ${#label} > 70)); then
			words+=(--"$1=$part")
			part=''
		fi
		part+=${part:+,}$label
	done
	words+=(--"$1=$part")
}

# The files of a sweep, and of others that belong to it, but for the report.
write_files()
{
	local file
	query --csv -P tuples_only=off -c "SELECT * FROM spinbench_csv WHERE sweep IN ($(with_commas "$@"))" \
		>"$output/samples.csv" || fail "cannot write \"$output/samples.csv\""
	query -c "SELECT jsonb_pretty(environment) FROM spinbench_sweeps WHERE sweep = $1" \
		>"$output/environment.json"
	written=(samples.csv environment.json)
	for file in report.txt perf.txt; do
		[[ ! -e $output/$file ]] || written+=("$file")
	done
	plot "$1" ''
	[[ -z ${live_sweep:-} ]] || plot "$live_sweep" "$live-"
	echo "bench: see $output/ for ${written[*]}" >&2
}

# plot SWEEP PREFIX: two for each of its queues (or, across queues, locks).
plot()
{
	local sweep=$1 prefix=$2 group suffix groups
	if ! command -v gnuplot >/dev/null && { ((EUID != 0)) || ! "$here/need" gnuplot >&2; }; then
		echo "bench: no plots: there is no gnuplot" >&2
		return 0
	fi

	mapfile -t groups < <(plot_data "$sweep" groups)
	for group in "${groups[@]}"; do
		suffix=''
		((${#groups[@]} == 1)) || suffix=-$group
		plot_data "$sweep" times "$group" >"$scratch/times"
		plot_data "$sweep" ratios "$group" >"$scratch/ratios"
		plot_data "$sweep" noise "$group" >"$scratch/noise"
		plot_data "$sweep" words "$group" >"$scratch/words.gp"
		draw times
		[[ ! -s $scratch/ratios ]] || draw ratios
	done
}

# draw NAME: as PREFIXNAME.png and .svg
draw()
{
	local kind terminal
	for kind in png svg; do
		case $kind in
			png) terminal="pngcairo noenhanced size 1200,800 fontscale 1.1 linewidth 1.5" ;;
			svg) terminal="svg noenhanced size 1200,800 fontscale 1.1 linewidth 1.5 font 'sans-serif' background 'white'" ;;
		esac
		gnuplot -e "set terminal $terminal" -e "set output '$scratch/plot'" \
			-e "data = '$scratch/'; parts = '$parts/'" "$parts/$1.gp" >"$scratch/gnuplot" 2>&1 ||
			{
				echo "bench: no $prefix$1$suffix.$kind: $(head -n 5 "$scratch/gnuplot")" >&2
				return 0
			}
		cp "$scratch/plot" "$output/$prefix$1$suffix.$kind"
		written+=("$prefix$1$suffix.$kind")
	done
}

plot_data()
{
	query -F $'\t' -v sweep="$1" -v what="$2" -v group="${3:-1}" -v baseline="$baseline" \
		-v across="$across" -f "$parts/plot.sql"
}

report_sweeps()
{
	local sweep first=yes
	for sweep in "${sweeps[@]}"; do
		[[ -n $first ]] || echo
		first=''
		if [[ -n $output ]]; then
			make_output
			show_report "$sweep" | tee "$output/report.txt"
			write_files "$sweep"
		else
			show_report "$sweep"
		fi
	done
}

# The cells of one sweep, or several sweeps side by side.
compare_sweeps()
{
	if ((${#sweeps[@]} == 1)); then
		query -v sweep="${sweeps[0]}" -v baseline="$baseline" -v across="$across" \
			-P tuples_only=off -P format=aligned -P footer=off -f "$parts/compare.sql"
	else
		query -v sweeps="$(with_commas "${sweeps[@]}")" -v baseline="$baseline" \
			-v across="$across" -f "$parts/machines.sql"
	fi
}

list_sweeps()
{
	query -f "$parts/list.sql" "$@"
}

import_sweeps()
{
	list_sweeps -v only="$(with_commas "${sweeps[@]}")"
}
