# Copyright (c) 2026, spinbench contributors

# pgbench drives runs from several clients at once, and each client sees the
# results of its own run only.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $clients = 4;
my $transactions = 3;
my $all = $clients * $transactions;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', qq{
max_worker_processes = 24
max_parallel_workers = 0
autovacuum = off
});
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION spinbench');

my $options = "-n -c $clients -j 2 -t $transactions";

# The scripts as they are, with the settings of the environment.
for my $script ('pipelined', 'roundtrip')
{
	local $ENV{PGOPTIONS} = '-c spinbench.lock=tas -c spinbench.acquisitions=3';
	$node->pgbench(
		"$options -f contrib_spinbench/pgbench/$script.sql",
		0,
		[qr{processed: $all/$all\b}],
		[qr{^$}],
		"$script.sql from $clients clients");
}

# Each client asks for something else, checks its row, and then that its
# session remembers the participants of its own last run.
$node->pgbench(
	$options, 0,
	[qr{processed: $all/$all\b}],
	[qr{^$}],
	'each client gets what it has asked for',
	{
		'own_results.sql' => q{
\set workers 1 + :client_id
\set messages 2000 + 100 * :client_id
\set acquisitions 1 + :client_id
SET spinbench.acquisitions = :acquisitions;
SELECT messages AS got_messages, acquisitions AS got_acquisitions
  FROM spinbench_pipelined(16384, 'xyzzy', :messages, :workers) \gset
SELECT 1 / (:got_messages = :messages
            AND :got_acquisitions = :messages * :workers * :acquisitions)::int;
SELECT 1 / (count(*) = :workers + 1 AND sum(acquisitions) = :got_acquisitions
            AND count(*) FILTER (WHERE pid = pg_backend_pid()) = 1)::int
  FROM spinbench_workers();
}
	});

# What tells wrong rows from right ones does so.
$node->pgbench(
	'-n -t 1', 2,
	[qr{processed: 0/1\b}],
	[qr{division by zero}],
	'a wrong result is found out',
	{
		'wrong.sql' => q{
SELECT 1 / (messages = 11)::int FROM spinbench_pipelined(16384, 'xyzzy', 10, 1);
}
	});

# More than the server has slots for fails by an error that says so.
$node->pgbench(
	'-n -t 1', 2,
	[qr{processed: 0/1\b}],
	[qr{too few background worker slots.*HINT:  Set "max_worker_processes"}s],
	'too few slots',
	{
		'slots.sql' => q{
SELECT spinbench_pipelined(16384, 'xyzzy', 10, 24);
}
	});

is( $node->safe_psql('postgres',
		"SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'spinbench worker'"),
	'0', 'no worker is left');

$node->stop;
done_testing();
