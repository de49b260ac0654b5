#!/usr/bin/env bash
#
# What server-regress finds and what it does not take for a failure, as a TAP test
# for prove: with a suite of two tests in the place of PostgreSQL's.

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=/dev/null
. "$here/tap.bash"
server_regress=$here/../server-regress

# shellcheck disable=SC2154		# tap.bash sets $out
suite=$out.source
regress=$suite/src/test/regress

# A test that makes a table, and one of parallel query that passes.
make_suite()
{
	mkdir -p "$regress"/{sql,expected,data} "$suite/contrib/spi"
	printf 'test: test_setup\ntest: unwanted\ntest: gathers unwanted dated differs\n' >"$regress/parallel_schedule"
	touch "$regress/resultmap"
	printf '#include "postgres.h"\n#include "fmgr.h"\nPG_MODULE_MAGIC;\n' |
		tee "$regress/regress.c" "$suite"/contrib/spi/{refint,autoinc}.c >"$out"

	write_test test_setup 'CREATE TABLE numbers AS SELECT generate_series(1, 10000) AS n;'
	write_test gathers "SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT sum(n) FROM (SELECT n FROM numbers OFFSET 0) n;" '   sum    
----------
 50005000
(1 row)
'
}

# write_test NAME SQL [OUTPUT]
write_test()
{
	echo "$2" >"$regress/sql/$1.sql"
	{
		echo "$2"
		[[ -z ${3:-} ]] || echo "$3"
	} >"$regress/expected/$1.out"
}

# try VERSION OPTION...: the suite being of that version.
try()
{
	echo "PACKAGE_VERSION='$1'" >"$suite/configure"
	"$server_regress" --source="$suite" --lock=tas "${@:2}" >"$out" 2>&1
	status=$?
}

"$server_regress" --help >"$out" 2>&1
is $? 0 "--help: status"
like "$(<"$out")" '^Usage: server-regress ' "--help: text"
"$server_regress" --nonsense >"$out" 2>&1
is $? 2 "unknown option"

mkdir "$out.bin"
printf '#!/bin/sh\nexit 100\n' | tee "$out.bin/apt-get" >"$out.bin/apt-cache"
chmod 755 "$out.bin"/*
PATH=$out.bin:$PATH SPINBENCH_ROOTS=$out.roots "$server_regress" >"$out" 2>&1
is $? 77 "no source to be had: status"
like "$(<"$out")" $'ok 1 - .* # SKIP .*cannot be had\n' "no source to be had: told in TAP"
like "$(<"$out")" 'NOTHING IS TESTED' "no source to be had: told in words"
nothing_left "no source to be had"

# a version before its first release, which Debian names otherwise
cat >"$out.bin/apt-get" <<'SH'
#!/bin/sh
case "$*" in
	*source*) tar -czf server.orig.tar.gz -C "$0.source" server ;;
	*) exit 100 ;;
esac
SH
mkdir -p "$out.bin/apt-get.source/server"
echo "PACKAGE_VERSION='19rc1'" >"$out.bin/apt-get.source/server/configure"
printf '#!/bin/sh\necho Version: 19~rc1-1\n' >"$out.bin/apt-cache"
printf '#!/bin/sh\necho "PostgreSQL 19rc1 (Debian 19~rc1-1)"\n' >"$out.bin/pg_config"
chmod 755 "$out.bin"/pg_config
PATH=$out.bin:$PATH PG_CONFIG=$out.bin/pg_config SPINBENCH_ROOTS=$out.roots "$here/../pg-source" >"$out" 2>&1
is "$?, $(<"$out")" "0, $out.roots/pg19-source/19rc1" "source of the installed release candidate"

version=$("${PG_CONFIG:-pg_config}" --version | sed 's/^PostgreSQL \([^ ]*\).*/\1/')
make_suite
# what both servers do otherwise
write_test dated "SET parallel_setup_cost = 0;
SELECT 1;" 'as it was long ago'
try "${version%%[!0-9]*}.other" --queue=spsc
if ((status == 77)); then
	((++count))
	echo "ok $count - a server that is patched # SKIP not here"
	done_testing
	exit
fi
is "$status" 0 "tests of another version: status"
like "$(grep -v '^#' "$out")" \
	"^ok 1 - PostgreSQL $version, not patched: 2 tests"$'\nok 2 - queue spsc, lock tas: 2 tests\n1..2$' \
	"tests of another version: TAP"
like "$(<"$out")" $'^#   dated: [0-9]+ lines are not as in the tests, which are of PostgreSQL [0-9]+.other\n' \
	"tests of another version: what differs is told"
nothing_left "tests of another version"

# what the patched server does otherwise, having other settings
write_test differs "SET parallel_setup_cost = 0;
SELECT count(*) FROM pg_settings WHERE name LIKE 'spinbench.patch%';" ' count 
-------
     0
(1 row)
'
try "$version" --queue=spsc
is "$status" 1 "failures: status"
like "$(<"$out")" $'not ok 1 - PostgreSQL [^\n]*not patched\n#   failed: dated\n' \
	"a test of the server's version that fails in any server"
like "$(<"$out")" \
	$'not ok 2 - queue spsc, lock tas: 2 of 3 tests\n#   failed: (dated differs|differs dated)\n.*\n#   -     0\n#   \\+     1\n' \
	"a test that fails in the patched server only"

# nothing passes the queue
rm "$regress"/sql/{dated,differs}.sql
write_test gathers "SET parallel_setup_cost = 0;"
try "$version" --queue=spsc --queue=nonesuch
is "$status" 1 "unused and unknown queues: status"
like "$(<"$out")" $'\nnot ok 2 - [^\n]* have made no queue\n' "an unused queue"
like "$(<"$out")" $'\nnot ok 3 - queue nonesuch, lock tas: come into force\n' "an unknown queue"
nothing_left "failures"

done_testing
