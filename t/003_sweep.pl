# Copyright (c) 2026, spinbench contributors

# Sweeps that are interrupted, and what is kept of them: each sample but the one
# that was running, by the server and by pg_dump.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', qq{
max_worker_processes = 8
max_parallel_workers = 0
autovacuum = off
restart_after_crash = on
});
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION spinbench');

my $samples = 'SELECT count(*) FROM spinbench_samples WHERE sweep = ';
my $sweeping = q{SELECT pid FROM pg_stat_activity WHERE query LIKE 'CALL spinbench_%'
	AND backend_type = 'client backend'};

# Begin or go on with a sweep.
sub begin
{
	my ($call) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	$session->query_until(qr/^begun$/m, "\\echo begun\n$call;\n");
	return $session;
}

# Wait until a sweep has that many samples more than were there, which are counted
# again, then end its session by this function and check that no sample is lost.
my $count = 0;

sub interrupt
{
	my ($what, $sweep, $more, $function) = @_;
	await_samples($what, $sweep, $more);
	$node->safe_psql('postgres', "SELECT $function(pid) FROM ($sweeping) s");
	ok($node->poll_query_until('postgres', "SELECT count(*) FROM ($sweeping AND state = 'active') s", '0'),
		"$what: it has ended");
	my $seen = $count;
	$count = $node->safe_psql('postgres', "$samples $sweep");
	cmp_ok($count, '>=', $seen, "$what: samples are kept");
	is($node->safe_psql('postgres', "SELECT outcome IS NULL AND ended IS NULL FROM spinbench_sweeps WHERE sweep = $sweep"),
		't', "$what: it has not come to its end");
	return;
}

sub await_samples
{
	my ($what, $sweep, $more) = @_;
	my $least = $count + $more;
	ok($node->poll_query_until('postgres', "SELECT count(*) >= $least FROM spinbench_samples WHERE sweep = $sweep"),
		"$what: it has $least samples");
	$count = $node->safe_psql('postgres', "$samples $sweep");
	return;
}

# A sweep of 2 locks at 1 and 2 workers, with samples long enough to be caught in
# the middle of one, and too many of them to come to its end meanwhile.
my $session = begin(q{CALL spinbench_sweep('{server,tas}', '{1,2}', rounds => 100000, duration_ms => 400)});

# In the middle of the second round, or of a later one.
interrupt('terminated', 1, 5, 'pg_terminate_backend');
eval { $session->{run}->finish };

# Cancel, after a part of the rest.
$session = begin('SET spinbench.lock = "tas/spintest"; SET spinbench.acquisitions = 5; CALL spinbench_resume(1)');
interrupt('cancelled', 1, 2, 'pg_cancel_backend');
is($session->query('SHOW spinbench.lock'), 'tas/spintest', 'the settings of the session are as before');
like($session->{stderr}, qr/NOTICE:  sample $count of 400000, round \d+, \d+ h \d+ min left: \S+, queue server, workers \d: \S+ ns per message/,
	'progress is shown as it goes');
like($session->{stderr}, qr/canceling statement due to user request/, 'the cancel is reported');
$session->{stderr} = '';

# A statement timeout is no failure of a cell.
$session->query("SET statement_timeout = '600ms'; CALL spinbench_resume(1); RESET statement_timeout");
like($session->{stderr}, qr/canceling statement due to statement timeout/, 'statement_timeout ends a sweep');
$session->quit;
is($node->safe_psql('postgres', "$samples 1 AND error IS NOT NULL"), '0', 'no sample has failed');
$count = $node->safe_psql('postgres', "$samples 1");

# The server goes down hard.
$session = begin('CALL spinbench_resume(1)');
await_samples('crash', 1, 1);
$node->stop('immediate');
eval { $session->{run}->finish };
$node->start;
cmp_ok($node->safe_psql('postgres', "$samples 1"), '>=', $count, 'crash: samples are kept');

# To its end, which is that of the round after this one.
my $rounds = 1 + $node->safe_psql('postgres', 'SELECT max(round) FROM spinbench_samples');
$node->safe_psql('postgres', "UPDATE spinbench_sweeps SET arguments = arguments || '{\"rounds\": $rounds}'");
my ($ret, $out, $err) = $node->psql('postgres', 'CALL spinbench_resume(1)');
is($ret, 0, 'resumed');
like($err, qr/NOTICE:  sweep 1 has ended after round $rounds: all rounds done/, 'resumed to the end');
is( $node->safe_psql('postgres', q{
SELECT DISTINCT count(*), count(DISTINCT (lock_entry, workers)), min(position), max(position), min(acquisitions / messages / workers)
  FROM spinbench_samples WHERE sweep = 1 GROUP BY round}),
	'4|4|1|4|1',
	'each cell once in each round, with the settings it was begun with');
is($node->safe_psql('postgres', 'SELECT max(round) FROM spinbench_samples'), $rounds, 'no round more');
is($node->safe_psql('postgres', 'SELECT outcome FROM spinbench_sweeps'), 'all rounds done', 'outcome');

# A worker that is terminated makes a sample fail, and no more.  That sample would
# last until then; the one after it is short.
my $last = $node->safe_psql('postgres', q{CALL spinbench_sweep('{server}', '{1}', rounds => 1, duration_ms => 1)});
my $set_duration = "UPDATE spinbench_sweeps SET arguments = arguments || '{\"duration_ms\": %d}' WHERE sweep = $last";
$node->safe_psql('postgres', sprintf($set_duration, 1000000000));
$session = begin("CALL spinbench_resume($last, 2)");
ok($node->poll_query_until('postgres', q{
SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'spinbench worker'}), 'worker terminated: it runs');

# Nobody else may go on with it meanwhile; between samples, there is a moment for that.
($ret, $out, $err) = $node->psql('postgres', "CALL spinbench_resume($last)");
like($err, qr/ERROR:  sweep $last is being run by another session/, 'one session at a time');

$node->safe_psql('postgres', sprintf($set_duration, 1));
$node->safe_psql('postgres', q{
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'spinbench worker'});
ok($node->poll_query_until('postgres',
		"SELECT count(*) = 2 FROM spinbench_sweeps WHERE outcome = 'all rounds done'"),
	'worker terminated: the sweep goes on');
is($node->safe_psql('postgres', "SELECT string_agg(coalesce(sqlstate, 'ok'), ' ' ORDER BY round) FROM spinbench_samples WHERE sweep = $last"),
	'ok 57000 ok', 'worker terminated: its sample has failed, no other has');
$session->quit;

# pg_dump keeps sweeps and samples, and the sweep after that has a new number.
my $dump = $node->basedir . '/dump.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('restored') ], 'restore');
my $all = q{SELECT md5(string_agg(s::text, ',' ORDER BY s::text)) FROM %s s};
foreach my $table ('spinbench_sweeps', 'spinbench_samples')
{
	is( $node->safe_psql('restored', sprintf($all, $table)),
		$node->safe_psql('postgres', sprintf($all, $table)), "restored: $table");
}
is($node->safe_psql('restored', q{CALL spinbench_sweep('{server}', '{0}', rounds => 1, repeat_count => 1)}),
	$node->safe_psql('postgres', 'SELECT max(sweep) + 1 FROM spinbench_sweeps'),
	'restored: the next sweep has a new number');
$node->safe_psql('restored', 'CALL spinbench_resume(1, 1)');
is($node->safe_psql('restored', 'SELECT max(round) FROM spinbench_samples WHERE sweep = 1'), $rounds + 1,
	'restored: a sweep can be resumed');

$node->stop;
done_testing();
