# For bench: run a sweep, and show how far it is.  To be sourced.
#
# The constraint that shaped it: whatever becomes of one sample, even if it takes
# the server down, the sweep goes on.  Samples are committed as they are measured;
# so after a crash, the sweep is resumed.

# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154		# bench's own variables

# After so many crashes, one more will not help.
max_crashes=3

# What is beside the duration of a sample, in ms: as the extension estimates it, for
# some ten workers, and the sweep's own book-keeping.
overhead=20

# Locks that were released come first, then in the order of the catalogue.  Policies
# of waiting are a question of their own.  The baseline is there twice: how much it
# differs from itself is the noise.
default_locks()
{
	query <<'SQL'
SELECT concat_ws(',', 'server', string_agg(lock, ',' ORDER BY ordinality), 'server')
  FROM (SELECT lock, ordinality
          FROM spinbench_locks() WITH ORDINALITY
         WHERE runnable AND lock <> 'server' AND lock !~ 'fixed1000|nosleep|schedyield'
         ORDER BY description !~ 'PostgreSQL [0-9]|supported releases', ordinality
         LIMIT 5) AS locks
SQL
}

# A minute for all samples, but for those that would be too short to mean anything.
default_duration()
{
	local samples
	samples=$(($(list_length "$locks") * $(list_length "$queues") * $(list_length "$workers") * rounds))
	echo $((60000 / samples - overhead < 50 ? 50 : 60000 / samples - overhead))
}

list_length()
{
	tr ',' '\n' <<<"$1" | wc -l
}

# Begin a sweep and see it to its end.  Sets sweep to its number, which is empty if
# there is none, and psql_status; what is wrong has been said then.
run_sweep()
{
	sweep='' sample='' total=''
	call -v locks="$locks" -v workers="$workers" -v queues="$queues" -v workload="$workload" \
		-v rounds="$rounds" -v duration_ms="$duration" -v repeat_count="$repeat_count" \
		-v queue_size="$queue_size" -v message="$message" -v verify="$verify" \
		-v precision="$precision" -v time_limit="$time_limit" -v note="$note" \
		-v dry_run="${dry_run:-false}" -f "$parts/sweep.sql"
	while lost_by_crash; do
		((++crashes))
		echo "bench: the server has crashed, so one sample is lost; going on" >&2
		await_server
		call -c "CALL spinbench_resume($sweep)"
	done
}

# psql's status after a lost connection is 2.  An administrator who ends the session
# wants it to end.
lost_by_crash()
{
	[[ $psql_status == 2 && -n $sweep && -z $interrupted && -z $terminated ]] &&
		((crashes < max_crashes))
}

await_server()
{
	for _ in {1..60}; do
		! query -c 'SELECT 1' >/dev/null 2>&1 || return 0
		sleep 0.5 || true
	done
}

# Let psql run a sweep.  Its pid is known, for it to get SIGINT, which ends the
# sweep's statement only; what else a group of processes may get does not end it.
call()
{
	local line notices
	terminated=''
	exec {notices}< <(trap '' HUP TERM; exec psql -XqAtw -v ON_ERROR_STOP=1 -v SHOW_CONTEXT=never "$@" 2>&1 >/dev/null)
	psql_pid=$!
	[[ -z $interrupted ]] || kill -INT "$psql_pid" 2>/dev/null || true
	while IFS= read -r line <&"$notices"; do
		hear "${line#psql:*: }"
	done
	exec {notices}<&-
	psql_status=0
	wait "$psql_pid" || psql_status=$?
	psql_pid=''
	clear_bar
}

# What the sweep says: its number, a sample, or what everyone should know.
hear()
{
	local text=${1#*: }
	text=${text##+( )}
	if [[ $text =~ ^sample\ ([0-9]+)(\ of\ ([0-9]+))?,\ (.*) ]]; then
		sample=${BASH_REMATCH[1]} total=${BASH_REMATCH[3]}
		progress "${BASH_REMATCH[4]}"
		return
	fi
	[[ ! $text =~ ^sweep\ ([0-9]+):\  ]] || sweep=${BASH_REMATCH[1]}
	[[ $text != *'due to administrator command'* ]] || terminated=yes
	# who interrupts it knows that
	[[ -n $interrupted && $text == *'due to user request'* ]] || { clear_bar; printf '%s\n' "$1" >&2; }
}

# Where the line of progress is a line, and where it is a log.
progress()
{
	local bar='' width
	if [[ ! -t 2 ]]; then
		if ((sample == 1 || SECONDS >= ${told:-0} + 10)); then
			told=$SECONDS
			printf 'sample %d%s, %s\n' "$sample" "${total:+ of $total}" "$1" >&2
		fi
		return 0
	fi
	width=$(tput cols 2>/dev/null) || width=80
	if [[ -n $total ]]; then
		printf -v bar '%*s' $((20 * sample / total)) ''
		printf -v bar '[%-20s] ' "${bar// /#}"
	fi
	bar+="sample $sample${total:+ of $total}, $1"
	printf '\r%s\e[K' "${bar:0:width - 1}" >&2
}

clear_bar()
{
	[[ ! -t 2 ]] || printf '\r\e[K' >&2
}
