# For tests of bench.  To be sourced after tap.bash.

# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154		# what the test and tap.bash set and use

bench=$here/../bench
number='[0-9]+(\.[0-9]+)?'
# one that may be used
cpu=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')

# Samples in DIRECTORY, without the header.
samples()
{
	tail -n +2 "$1/samples.csv" 2>/dev/null
}

# has_samples COUNT: by now, in the throw-away server of a bench that runs, which says
# so only now and then.
has_samples()
{
	local psql
	psql=$("${PG_CONFIG:-pg_config}" --bindir)/psql
	[[ $("$psql" -XAt -h "$(echo "$TMPDIR"/spinbench.*/socket)" -p 5432 -U postgres -d postgres \
		-c "SELECT count(*) >= $1 FROM spinbench_samples" 2>/dev/null) == t ]]
}

# is_plot DIRECTORY NAME LABEL...: both forms of it are there, and the labels in it.
is_plot()
{
	local directory=$1 name=$2 label
	is "$(head -c 8 "$directory/$name.png" | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a "$name.png is PNG"
	like "$(tail -c 8 "$directory/$name.png" | od -An -tx1)" '49 45 4e 44 ae 42 60 82' "$name.png is complete"
	(($(wc -c <"$directory/$name.png") > 10000))
	is $? 0 "$name.png is not empty"
	like "$(head -c 300 "$directory/$name.svg")" '^<\?xml .*<svg ' "$name.svg is SVG"
	like "$(tail -c 20 "$directory/$name.svg")" '</svg>' "$name.svg is complete"
	for label in "${@:3}"; do
		grep -qF ">$label<" "$directory/$name.svg"
		is $? 0 "$name.svg: $label"
	done
}
