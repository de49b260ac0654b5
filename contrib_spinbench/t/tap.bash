# For tests that are bash scripts and print TAP.  To be sourced.
#
# Gives the test a directory for temporary files, TMPDIR, that tells what is left
# over; files whose names begin with $out are the test's own.

# shellcheck shell=bash

count=0
TMPDIR=$(mktemp -d /tmp/spinbench-test.XXXXXX)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
chmod 755 "$TMPDIR"
out=$TMPDIR/out

# is GOT EXPECTED NAME
is()
{
	((++count))
	if [[ $1 == "$2" ]]; then
		echo "ok $count - $3"
	else
		echo "not ok $count - $3"
		printf 'got:\n%s\nexpected:\n%s\n' "$1" "$2" | sed 's/^/#   /'
	fi
}

# like GOT PATTERN NAME
like()
{
	if [[ $1 =~ $2 ]]; then is ok ok "$3"; else is "$1" "like: $2" "$3"; fi
}

# skip NAME REASON
skip()
{
	((++count))
	echo "ok $count # SKIP $1: $2"
}

# Neither a process that mentions our directory nor anything in it.  One that was
# killed is there until it gets a processor to die on.
nothing_left()
{
	local left=''
	await no_process || left=$(pgrep -fa "$TMPDIR/")
	left+=$(find "$TMPDIR" -mindepth 1 ! -path "$out*" -printf '%p\n' | head -n 5)
	is "$left" "" "$1: nothing is left"
}

no_process()
{
	! pgrep -f "$TMPDIR/" >/dev/null
}

# await COMMAND...: until it succeeds, but not for longer than some minutes
await()
{
	for _ in {1..3000}; do
		"$@" && return
		sleep 0.1
	done
	return 1
}

done_testing()
{
	echo "1..$count"
}
