# Copyright (c) 2026, spinbench contributors

# A server whose message queue is replaced: parallel queries through every
# queue, whatever ends them, and reloads meanwhile.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'spinbench'
spinbench.patch_server = require
spinbench.server_queue = stock
max_worker_processes = 12
max_parallel_workers = 12
max_parallel_workers_per_gather = 3
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
debug_parallel_query = off
restart_after_crash = on
autovacuum = off
});
# The setting had another name before 16.
my ($version) = `pg_config --version` =~ /(\d+)/;
$node->adjust_conf('postgresql.conf', 'debug_parallel_query', undef) if $version < 16;
my $force = $version < 16 ? 'force_parallel_mode' : 'debug_parallel_query';

my $unsupported = $node->start(fail_ok => 1) ? 0 : slurp_file($node->logfile);
plan skip_all => "not here: $1"
  if $unsupported && $unsupported =~ /(This can be done on .*)/;
ok(!$unsupported, 'a patched server starts') or BAIL_OUT($unsupported);

# Tuples of all sizes: many to a ring, and longer than the ring (64 kB).
$node->safe_psql('postgres', q{
CREATE EXTENSION spinbench;
CREATE TABLE tuples AS
  SELECT i AS id, repeat(md5(i::text), i % 50) AS data FROM generate_series(1, 20000) i;
INSERT INTO tuples SELECT -i, repeat(md5(i::text), 10000 * i) FROM generate_series(1, 5) i;
ALTER TABLE tuples ALTER data SET STORAGE EXTERNAL;
UPDATE tuples SET data = data || '' WHERE id < 0;
ANALYZE tuples;
});
# OFFSET 0 lets all tuples pass the queues; so does data computed by workers.
my $query = q{SELECT count(*), sum(length(data)), md5(string_agg(md5(data), '' ORDER BY id))
  FROM (SELECT id, data || '' AS data FROM tuples OFFSET 0) t};
like($node->safe_psql('postgres', "EXPLAIN $query"), qr/Gather.*Parallel Seq Scan/s,
	'the query is parallel');
my $expected = $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; $query");

sub choose
{
	my ($queue) = @_;
	$node->adjust_conf('postgresql.conf', 'spinbench.server_queue', "'$queue'");
	$node->reload;
	$node->poll_query_until('postgres',
		"SELECT in_force FROM spinbench_server_queues() WHERE queue = '$queue'")
	  or BAIL_OUT("$queue does not come into force");
	return;
}

sub created
{
	my ($queue) = @_;
	return $node->safe_psql('postgres',
		"SELECT created FROM spinbench_server_queues() WHERE queue = '$queue'");
}

sub workers_gone
{
	my ($what) = @_;
	ok($node->poll_query_until('postgres',
			"SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker'"),
		"$what: no worker is left");
	return;
}

is($node->safe_psql('postgres', "SELECT count(*) FROM spinbench_server_patch() WHERE replaced AND function LIKE 'shm\\_mq\\_%'"),
	'11', 'all functions are replaced');
my @queues = split /\n/, $node->safe_psql('postgres', 'SELECT queue FROM spinbench_server_queues()');
cmp_ok(scalar @queues, '>', 10, 'there are queues to choose from');

# The smallest that shm_mq makes, that of PostgreSQL's test_shm_mq, and another.
my ($ret, $out, $err) = $node->psql('postgres', q{
SET spinbench.queue = 'server';
SELECT spinbench_check_queue(1, 0)});
like($err, qr/must be at least (\d+) bytes/, 'queues have a smallest size');
my @sizes = ($err =~ /at least (\d+)/, 100, 500);

for my $queue (@queues)
{
	choose($queue);
	my $before = created($queue);
	is($node->safe_psql('postgres', $query), $expected, "$queue: all tuples arrive");
	cmp_ok(created($queue), '>', $before, "$queue: it was used");

	# in whatever size the server's own has room, too
	my %before = (own => created($queue), stock => created('stock'));
	for my $size (@sizes)
	{
		is($node->safe_psql('postgres', qq{
SET spinbench.queue = 'server';
SELECT spinbench_check_queue($size, 200), spinbench_check_queue($size, 50, 'nowait/downward/chunks')}),
			'200|50', "$queue: a queue of $size bytes");
	}
	cmp_ok(created($queue) - $before{own}, '>=', 2, "$queue: it was used where it had room");
	cmp_ok(created($queue) - $before{own} + ($queue eq 'stock' ? 0 : created('stock') - $before{stock}),
		'>=', 2 * @sizes, "$queue: stock was used where it had none");

	# gathered in order, rescanned, and given up before the end
	is($node->safe_psql('postgres', q{
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT count(*) FROM generate_series(1, 3) g,
  LATERAL (SELECT id FROM tuples WHERE id > g LIMIT 1000) t;
SELECT string_agg(id::text, ' ') FROM (SELECT id FROM tuples ORDER BY data, id LIMIT 3) t;
}),
		"3000\n50 100 150", "$queue: parts of results");

	# an error in a worker reaches the leader
	my ($ret, $out, $err) = $node->psql('postgres',
		'SELECT count(*) FROM tuples WHERE 1 / (id - 10000) > 1');
	like($err, qr/ERROR:  division by zero/, "$queue: an error in a worker");

	# whatever a worker has to say
	($ret, $out, $err) = $node->psql('postgres', qq{
SET $force = regress;
SET client_min_messages = debug1;
CREATE FUNCTION pg_temp.say(text) RETURNS int LANGUAGE plpgsql PARALLEL SAFE
  AS 'BEGIN RAISE NOTICE ''%'', \$1; RETURN length(\$1); END';
SELECT pg_temp.say(repeat('x', 60000));
});
	is($out, '60000', "$queue: a result from a worker");
	like($err, qr/NOTICE:  x{60000}$/m, "$queue: a long message from a worker");

	# waits are called what the server calls them: workers wait for room
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	$session->query_until(qr/^begun$/m,
		"\\echo begun\nSELECT pg_sleep(id * 0 + 1000) FROM (SELECT id, data || '' FROM tuples OFFSET 0) t;\n");
	ok($node->poll_query_until('postgres', q{
SELECT count(*) > 0 FROM pg_stat_activity
 WHERE backend_type = 'parallel worker' AND wait_event_type = 'IPC' AND wait_event = 'MessageQueueSend'}),
		"$queue: a wait for room");
	$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'");
	$session->{run}->finish;

	# the end comes from outside
	($ret, $out, $err) = $node->psql('postgres', q{
SET statement_timeout = '100ms';
SELECT count(*) FROM tuples a, tuples b, tuples c WHERE a.data < b.data AND b.data < c.data;
});
	like($err, qr/ERROR:  canceling statement due to statement timeout/, "$queue: cancel");
	workers_gone($queue);
}

# A worker that dies, as by a terminal's signal.
for my $queue ('stock', 'spinlock', 'spsc')
{
	choose($queue);
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	$session->query_until(qr/^begun$/m,
		"\\echo begun\nSELECT count(*) FROM tuples a, tuples b, tuples c WHERE a.data < b.data AND b.data < c.data;\n");
	ok($node->poll_query_until('postgres', q{
SELECT count(*) > 0 FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE backend_type = 'parallel worker' LIMIT 1) t}),
		"$queue: a worker is terminated");
	is($session->query('SELECT 1'), '1', "$queue: the session goes on");
	like($session->{stderr}, qr/terminating (connection|background worker .*) due to administrator command/,
		"$queue: it has learned what happened");
	$session->{stderr} = '';
	$session->quit;
	workers_gone("$queue, terminated worker");
}

# Reloads in the middle of queries.
my %scripts = (
	'query.sql@' . 2 * @queues => q{
SELECT 1 / (t = (SELECT ROW(count(*), sum(length(data)))::text FROM tuples))::int FROM
  (SELECT ROW(count(*), sum(length(data)))::text AS t FROM
    (SELECT data || '' AS data FROM tuples OFFSET 0) t) t;
});
for my $i (0 .. $#queues)
{
	$scripts{"queue$i.sql"} = "ALTER SYSTEM SET spinbench.server_queue = '$queues[$i]';\n"
	  . "SELECT pg_reload_conf();\n";
}
$node->pgbench('-n -c 3 -j 1 -T 10', 0, [qr{processed: [1-9]}], [qr{^$}],
	'queries while the queue changes', \%scripts);
workers_gone('reloads');
$node->safe_psql('postgres', 'ALTER SYSTEM RESET spinbench.server_queue');

# Without the setting, the algorithm is the server's again, if not the code.
$node->adjust_conf('postgresql.conf', 'spinbench.server_queue', undef);
$node->reload;
ok($node->poll_query_until('postgres',
		"SELECT in_force FROM spinbench_server_queues() WHERE queue = 'stock'"),
	'stock is in force where nothing is set');
is($node->safe_psql('postgres', $query), $expected, 'nothing set: all tuples arrive');
$node->append_conf('postgresql.conf', 'spinbench.server_queue = stock');

# What the other users of the queue make of it.
choose('spsc');
is($node->safe_psql('postgres', q{
SET spinbench.queue = 'server';
SELECT messages FROM spinbench_pipelined(16384, 'xyzzy', 1000, 3)}),
	'1000', 'a run through what takes the place of shm_mq');
is($node->safe_psql('postgres', q{
SET spinbench.queue = 'server';
SELECT spinbench_check_queue(16384, 1000)}),
	'1000', 'it keeps its promises');

# To and from the server's own: in the file, for the next start.
sub alter
{
	my ($queue) = @_;
	my $offset = -s $node->logfile;
	my ($ret, $out, $err) = $node->psql('postgres',
		"ALTER SYSTEM SET spinbench.server_queue = '$queue'");
	return $err if $ret != 0;
	$node->reload;
	$node->poll_query_until('postgres', "SELECT current_setting('spinbench.server_queue') = '$queue'")
	  or BAIL_OUT("$queue is not reloaded");
	return substr(slurp_file($node->logfile), $offset);
}

sub in_force
{
	return $node->safe_psql('postgres',
		"SELECT string_agg(queue, ' ') FROM spinbench_server_queues() WHERE in_force");
}

like(alter('nonesuch'), qr/invalid value.*DETAIL:  There is no queue "nonesuch"/s, 'no such queue');
like(alter('server'), qr/LOG:  the server's message queue stays replaced until .*\n.*DETAIL:  Meanwhile "stock"/,
	"back to the server's own: not yet");
is(in_force(), 'stock', "back to the server's own: its algorithm");
is($node->safe_psql('postgres', $query), $expected, "back to the server's own: all tuples arrive");
unlike(alter('spsc'), qr/LOG:  the server's message queue/, 'away from it, not having got there');
is(in_force(), 'spsc', 'away from it: in force');
alter('server');
$node->restart;
is($node->safe_psql('postgres', $query), $expected, "the server's own: all tuples arrive");
is($node->safe_psql('postgres', q{
SELECT DISTINCT replaced, reason FROM spinbench_server_patch() WHERE function LIKE 'shm%'}),
	'f|"spinbench.server_queue" was "server" when the server started.',
	"the server's own: nothing is replaced");
like(alter('spsc'), qr/LOG:  the server's message queue is not replaced by a reload\n.*DETAIL:  .* was "server" when/,
	'away from it: not yet');
is(in_force(), '', "away from it: the server's own is in force");
$node->restart;
is(in_force(), 'spsc', 'away from it: in force after a restart');

# Nothing is replaced, whatever is wanted: what is set can be set back.
$node->adjust_conf('postgresql.conf', 'spinbench.patch_server', 'off');
$node->restart;
unlike(alter('server'), qr/message queue/, "off: back to the server's own");
like(alter('spinlock'), qr/LOG:  the server's message queue is not replaced by a reload\n.*DETAIL:  "spinbench.patch_server" is off/,
	'off: away from it');
$node->safe_psql('postgres', 'ALTER SYSTEM RESET spinbench.server_queue');
$node->adjust_conf('postgresql.conf', 'spinbench.patch_server', 'require');

# After a crash.
$node->adjust_conf('postgresql.conf', 'spinbench.server_queue', 'spsc');
$node->restart;
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', $query), $expected, 'restart: all tuples arrive');
is(created('spsc') > 0, 1, 'restart: the same queue is in force');

$node->stop;
done_testing();
