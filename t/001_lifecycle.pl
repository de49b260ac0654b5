# Copyright (c) 2026, spinbench contributors

# Life and death of a run: whatever ends it, there is a clear error, no worker
# and no shared memory segment is left, and the next run works.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $max_workers = 12;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# Segments of type mmap are files that can be counted.
$node->append_conf('postgresql.conf', qq{
max_worker_processes = $max_workers
max_parallel_workers = 0
dynamic_shared_memory_type = mmap
autovacuum = off
restart_after_crash = on
});
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION spinbench');

my $endless = "SELECT spinbench_pipelined(16384, 'xyzzy', 1000000000000, 3)";
my $next = "SELECT messages FROM spinbench_pipelined(16384, 'xyzzy', 100, $max_workers - 1)";

# The server itself has a segment or two: what counts is that there are no more.
sub segments
{
	my @files = glob($node->data_dir . '/pg_dynshmem/*');
	return scalar @files;
}

my $segments_before = segments();

sub workers_running
{
	return "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'spinbench worker'";
}

# Nothing may be left, at the latest after a moment.
sub nothing_left
{
	my ($what) = @_;
	ok($node->poll_query_until('postgres', workers_running(), '0'),
		"$what: no worker is left");
	my $segments = segments();
	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		last if $segments == $segments_before;
		select(undef, undef, undef, 0.1);
		$segments = segments();
	}
	is($segments, $segments_before, "$what: no segment is left");
	return;
}

# Begin an endless run in the background and return its session, with all of
# its workers at work.
sub begin_run
{
	my ($queue, $run) = @_;
	$queue //= 'server';
	$run //= $endless;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	$session->query_until(qr/^started$/m,
		"SET spinbench.queue = '$queue';\n\\echo started\n$run;\n");
	ok($node->poll_query_until('postgres', workers_running(), '3'), 'workers run');
	return $session;
}

# What the session says next, after the run has failed.
sub next_run_works
{
	my ($session, $what, $error) = @_;
	my $result = $session->query($next);
	like($session->{stderr}, $error, "$what: clear error");
	is($result, '100', "$what: the next run in the same session works");
	$session->{stderr} = '';
	$session->quit;
	nothing_left($what);
	return;
}

# A session that has looked for it before may not have gone yet.
my $leader = q{(SELECT pid FROM pg_stat_activity WHERE query LIKE '%1000000000000%' AND backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid())};

# Cancel.
my $session = begin_run();
is($node->safe_psql('postgres', workers_running() . " AND datname = 'postgres' AND usename = current_user"),
	'3', 'workers are seen in pg_stat_activity');
$node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM (SELECT $leader AS pid) l");
next_run_works($session, 'cancel', qr/canceling statement due to user request/);

# Statement timeout, also with no workers, when the leader never waits.  It is
# that of this statement alone: any other can take long on a busy machine.
for my $workers (0, 3)
{
	my ($ret, $out, $err) = $node->psql('postgres', qq{
BEGIN;
SET LOCAL statement_timeout = '300ms';
SELECT spinbench_pipelined(16384, 'xyzzy', 1000000000000, $workers);
ROLLBACK;
$next;
}, on_error_stop => 0);
	like($err, qr/canceling statement due to statement timeout/,
		"statement_timeout with $workers workers: clear error");
	is($out, '100', "statement_timeout with $workers workers: next run works");
	nothing_left("statement_timeout with $workers workers");
}

# Termination of a worker: the first, the middle and the last of the ring.
for my $number (1 .. 3)
{
	$session = begin_run();
	is( $node->safe_psql('postgres',
			"SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE backend_type = 'spinbench worker' ORDER BY pid LIMIT 1 OFFSET $number - 1) w"),
		't', "terminate worker $number");
	next_run_works($session, "terminated worker $number",
		qr/ERROR:  terminating background worker "spinbench worker" due to administrator command\nCONTEXT:  spinbench worker \d, PID \d+/);
}

# The same with queues of our own, and with workers that only send.
(my $endless_gather = $endless) =~ s/pipelined/gather/;
for my $queue ('spinlock', 'emulated/lazylatch', 'atomic/lazyread/lazywrite', 'spsc')
{
	for my $run ($endless, $endless_gather)
	{
		$session = begin_run($queue, $run);
		$node->safe_psql('postgres',
			"SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE backend_type = 'spinbench worker' ORDER BY pid LIMIT 1 OFFSET 1) w");
		next_run_works($session, "terminated worker, queue $queue",
			qr/ERROR:  terminating background worker "spinbench worker" due to administrator command/);
	}
	$session = begin_run($queue);
	$node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM (SELECT $leader AS pid) l");
	next_run_works($session, "cancel, queue $queue",
		qr/canceling statement due to user request/);
}

# Termination of the leader.
$session = begin_run();
$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM (SELECT $leader AS pid) l");
nothing_left('terminated leader');
$session->{run}->finish;

# A worker that cannot start.
$node->safe_psql('postgres', q{
CREATE ROLE tester LOGIN;
CREATE DATABASE another;
});
$node->safe_psql('another', q{
CREATE EXTENSION spinbench;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO tester;
});
$session = $node->background_psql('another', on_error_stop => 0,
	extra_params => [ '-U', 'tester' ]);
is($session->query($next), '100', 'an ordinary role may run it if it is allowed to');
$node->safe_psql('postgres', 'ALTER ROLE tester NOLOGIN');
$session->query($next);
like($session->{stderr}, qr/ERROR:  role "tester" is not permitted to log in/,
	'a worker that cannot start says why');
$session->{stderr} = '';
$node->safe_psql('postgres', 'ALTER ROLE tester LOGIN');
is($session->query($next), '100', 'the next run after that works');
$session->quit;
nothing_left('worker that cannot start');

# Too few slots, since another run has some of them.
$session = begin_run();
my ($ret, $out, $err) = $node->psql('postgres', $next);
like($err, qr/too few background worker slots for 11 workers/, 'too few slots');
like($err, qr/HINT:  Set "max_worker_processes" to at least (1[4-6]) \(now 12\)/,
	'too few slots: the hint names the setting and the value');
is($node->safe_psql('postgres', workers_running()), '3',
	'too few slots: the other run goes on');
$node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM (SELECT $leader AS pid) l");
next_run_works($session, 'run beside a failed one', qr/canceling statement/);

# As many workers as there can be, again and again.
my $most = $max_workers - 1;	# one slot is the logical replication launcher's
is( $node->safe_psql('postgres',
		"SELECT count(*) FROM generate_series(1, 30) i, LATERAL spinbench_pipelined(16384, 'xyzzy', i, $most)"),
	'30', 'back-to-back runs with all slots');

# An error in a subtransaction does not spoil the rest of the transaction.
is( $node->safe_psql('postgres', qq{
DO \$\$
BEGIN
    BEGIN
        SET LOCAL spinbench.lock = 'leaky';
        SET LOCAL spinbench.stuck_timeout = '50ms';
        PERFORM spinbench_pipelined(16384, 'xyzzy', 100, 2);
    EXCEPTION WHEN lock_not_available THEN
        NULL;
    END;
    PERFORM spinbench_pipelined(16384, 'xyzzy', 100, $most);
END \$\$;
$next;
}), '100', 'a run in a transaction whose subtransaction failed');
nothing_left('failed subtransaction');

# What ends a worker reaches the user even if it does not reach the server log.
# The postmaster, which starts workers, has reloaded when a new session sees it.
$node->append_conf('postgresql.conf', 'log_min_messages = panic');
$node->reload;
$node->poll_query_until('postgres', q{SELECT current_setting('log_min_messages') = 'panic'})
  or BAIL_OUT('the setting does not come into force');
(undef, undef, $err) = $node->psql('postgres', q{
SET spinbench.lock = 'leaky';
SET spinbench.stuck_timeout = '50ms';
SELECT spinbench_pipelined(16384, 'xyzzy', 100, 2);
});
like($err, qr/ERROR:  lock "leaky" is stuck/, 'a worker that logs nothing says why it ended');
$node->append_conf('postgresql.conf', 'log_min_messages = warning');
$node->reload;

# The leader's CPU affinity is what it was, whatever happens.
SKIP:
{
	skip 'no affinity on this system', 1 unless -e '/proc/self/status';
	my $affinity = q{SELECT substring(pg_read_file('/proc/self/status', 0, 100000) from 'Cpus_allowed_list:\s*(\S+)')};
	(undef, $out, undef) = $node->psql('postgres', qq{
$affinity;
SELECT set_config('spinbench.cpus', substring(($affinity) from '^\\d+'), false) AS cpu \\gset
SELECT messages FROM spinbench_pipelined(16384, 'xyzzy', 10, 1);
$affinity;
BEGIN;
SET LOCAL statement_timeout = '200ms';
$endless;
ROLLBACK;
$affinity;
}, on_error_stop => 0);
	my ($before, $messages, $after, $after_error) = split /\n/, $out;
	is("$messages $after $after_error", "10 $before $before",
		'the affinity of the leader is restored after a run and after an error');
}

# Concurrent runs do not disturb each other's results.
my @sessions = map { $node->background_psql('postgres') } (1 .. 3);
for my $i (0 .. 2)
{
	my $n = 20000 + $i;
	$sessions[$i]->query_until(qr/^go$/m,
		"\\echo go\nSELECT messages, acquisitions, (SELECT sum(acquisitions) FROM spinbench_workers()) FROM spinbench_pipelined(16384, 'xyzzy', $n, 2 + $i) OFFSET 0;\n");
}
for my $i (0 .. 2)
{
	my $n = 20000 + $i;
	my $w = 2 + $i;
	like($sessions[$i]->query("SELECT sum(acquisitions) FROM spinbench_workers()"),
		qr/\b@{[ $n * $w ]}$/, "concurrent run with $w workers");
	$sessions[$i]->quit;
}
nothing_left('concurrent runs');

# A worker killed hard takes the cluster through crash recovery, as any process
# with shared memory would; afterwards all is well.
$session = begin_run();
my $pid = $node->safe_psql('postgres',
	"SELECT pid FROM pg_stat_activity WHERE backend_type = 'spinbench worker' LIMIT 1");
is(kill('KILL', $pid), 1, 'kill a worker hard');
$session->{run}->finish;
ok($node->poll_query_until('postgres', 'SELECT 1', '1'), 'the server recovers');
is($node->safe_psql('postgres', $next), '100', 'the next run after a crash works');

# Settings of a server that preloads the module are none here, but a parallel
# worker must know those that its leader has been given.
is($node->safe_psql('postgres', q{
SET max_parallel_workers = 2;
SET spinbench.track_planning = on;
LOAD 'spinbench';
DO $$
BEGIN
	PERFORM set_config(name, 'on', false) FROM pg_settings
	  WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
END $$;
SELECT 7;}), '7', 'a setting without effect, and a parallel worker');

$node->stop;
done_testing();
