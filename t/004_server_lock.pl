# Copyright (c) 2026, spinbench contributors

# A server whose slow path of spinlocks is replaced: under load, through every
# label, through crashes and restarts.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $clients = 8;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'spinbench'
spinbench.patch_server = require
spinbench.server_lock = stock
max_connections = 40
max_worker_processes = 12
restart_after_crash = on
autovacuum = off
});
my $unsupported = $node->start(fail_ok => 1) ? 0 : slurp_file($node->logfile);
plan skip_all => "not here: $1"
  if $unsupported && $unsupported =~ /(This can be done on .*)/;
ok(!$unsupported, 'a patched server starts') or BAIL_OUT($unsupported);
$node->safe_psql('postgres', 'CREATE EXTENSION spinbench');

# A jump, and where it leads to; a landing pad before it stays.
my %jump = (
	'x86_64' => qr/^\\x(f30f1efa)?ff2500000000[0-9a-f]{16}/,
	'aarch64' => qr/^\\x(5f2403d5|df2403d5)?5000005800021fd6[0-9a-f]{16}/);
my ($machine) = $node->safe_psql('postgres', 'SELECT version()') =~ / on (\w+)-/;

sub is_patched
{
	my ($what) = @_;
	is($node->safe_psql('postgres',
			"SELECT string_agg(function, ' ' ORDER BY function) FROM spinbench_server_patch() WHERE replaced AND reason IS NULL"),
		'finish_spin_delay perform_spin_delay s_lock', "$what: all functions are replaced");
	for my $entry (split /\n/, $node->safe_psql('postgres',
			'SELECT entry FROM spinbench_server_patch() WHERE replaced'))
	{
		like($entry, $jump{$machine}, "$what: a function begins with a jump");
	}
	return;
}

sub in_force
{
	return $node->safe_psql('postgres',
		"SELECT string_agg(lock, ' ') FROM spinbench_server_locks() WHERE in_force");
}

# The postmaster has reloaded when a session sees it, whichever came first.
sub choose
{
	my ($lock) = @_;
	$node->adjust_conf('postgresql.conf', 'spinbench.server_lock', "'$lock'");
	$node->reload;
	$node->poll_query_until('postgres',
		"SELECT in_force FROM spinbench_server_locks() WHERE lock = '$lock'")
	  or BAIL_OUT("$lock does not come into force");
	return 1;
}

# Contention for locks of the server's own kind, which must exclude each other:
# the run fails if an increment is lost.
sub contend
{
	my ($acquisitions) = @_;
	return $node->safe_psql('postgres', qq{
SET spinbench.lock = 'server';
SET spinbench.acquisitions = $acquisitions;
SET spinbench.critical_section_lines = 1;
SELECT acquisitions FROM spinbench_pipelined(16384, 'xyzzy', 200, 4);
});
}

is_patched('start');
is(in_force(), 'stock', 'the original algorithm is in force at first');

# Labels that ask for what the slow path does not decide, in a reload.
my $offset = -s $node->logfile;
for my $refused (
	[ 'cas', 'its primitive is "tas"' ],
	[ 'tas/w8', 'The width of a lock' ],
	[ 'tas/pretest', 'the first try, too' ],
	[ 'server', 'no slow path' ],
	[ 'broken', 'no slow path' ],
	[ 'nonesuch', 'There is no lock "nonesuch"' ])
{
	my ($label, $why) = @$refused;
	my ($ret, $out, $err) = $node->psql('postgres',
		"ALTER SYSTEM SET spinbench.server_lock = '$label'");
	like($err, qr/invalid value.*DETAIL:.*$why/s, "$label is refused");
}
$node->adjust_conf('postgresql.conf', 'spinbench.server_lock', "'cas'");
$node->reload;
$node->wait_for_log(qr/invalid value for parameter "spinbench.server_lock": "cas"/, $offset)
  if $node->can('wait_for_log');
is(in_force(), 'stock', 'a label that is refused in a reload changes nothing');
is($node->psql('postgres', "SET spinbench.server_lock = 'tas'"), 3,
	'a session cannot choose');

# Any order of options.
ok(choose('tas/nop'), 'another label');
$node->adjust_conf('postgresql.conf', 'spinbench.server_lock', "'tas/nosleep/nop/spintest'");
$node->reload;
ok($node->poll_query_until('postgres',
		"SELECT current_setting('spinbench.server_lock') = 'tas/spintest/nop/nosleep'"),
	'the setting is shown as the canonical label');

# Every label, each for about a second, under a load of transactions for a
# minute at least.
my @labels = split /\n/, $node->safe_psql('postgres', 'SELECT lock FROM spinbench_server_locks()');
my $seconds = @labels > 55 ? @labels + 5 : 60;
$node->safe_psql('postgres', 'SELECT spinbench_reset_server_locks()');
$node->command_ok([ 'pgbench', '-i', '-q', '-s', '2', 'postgres' ], 'pgbench -i');
my ($pgbench_out, $pgbench_err) = ('', '');
my $pgbench = IPC::Run::start(
	[ 'pgbench', '-n', '-c', $clients, '-j', '2', '-T', $seconds,
		'-h', $node->host, '-p', $node->port, 'postgres' ],
	'>', \$pgbench_out, '2>', \$pgbench_err,
	IPC::Run::timeout(10 * $PostgreSQL::Test::Utils::timeout_default + $seconds));
for my $label (@labels)
{
	ok(choose($label), "$label: in force");
	is(contend(50), 200 * 4 * 50, "$label: no increment is lost");
	sleep(0.5);
}
while ($pgbench->pumpable)
{
	choose($labels[ rand @labels ]);
	sleep(0.2);
	$pgbench->pump_nb;
}
$pgbench->finish;
is($pgbench->result(0), 0, 'pgbench has come to its end');
is($pgbench_err =~ s/^pgbench \(.*\)\n//r, '', 'pgbench has nothing to complain about');
my ($transactions) = $pgbench_out =~ /transactions actually processed: (\d+)/;
cmp_ok($transactions, '>', 0, 'transactions were processed');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pgbench_history'), $transactions,
	'no transaction is lost');
is($node->safe_psql('postgres', q{
SELECT count(DISTINCT sum) FROM (
    SELECT sum(abalance) FROM pgbench_accounts UNION ALL
    SELECT sum(tbalance) FROM pgbench_tellers UNION ALL
    SELECT sum(bbalance) FROM pgbench_branches UNION ALL
    SELECT sum(delta) FROM pgbench_history) sums}),
	'1', 'all balances agree');
ok($node->poll_query_until('postgres',
		"SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend'"),
	'no backend is stuck');

# What was counted.
my $counted = $node->safe_psql('postgres', q{
SELECT count(*) FILTER (WHERE contended > 0) || ' of ' || count(*),
       count(*) FILTER (WHERE sleeps > 0 AND lock LIKE '%/nosleep'),
       count(*) FILTER (WHERE slept_ms > 0 AND sleeps = 0)
  FROM spinbench_server_locks()});
note("labels with contended acquisitions: $counted");
like($counted, qr/\|0\|0$/, 'what never sleeps has not slept, and sleeps take time');
is($node->safe_psql('postgres',
		'SELECT sum(contended) > 0 FROM spinbench_server_locks()'),
	't', 'contended acquisitions are counted');
choose('stock');
$node->safe_psql('postgres', 'SELECT spinbench_reset_server_locks()');
is($node->safe_psql('postgres',
		"SELECT sum(contended + spins + sleeps) + sum(slept_ms) FROM spinbench_server_locks() WHERE lock <> 'stock'"),
	'0', 'counters are reset');

# A parallel query, whose workers begin and end.
$node->safe_psql('postgres', q{ALTER TABLE pgbench_accounts SET (parallel_workers = 2)});
for my $label ('stock', grep { /delayfirst/ } @labels)
{
	choose($label);
	is($node->safe_psql('postgres', q{
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*) FROM (SELECT aid FROM pgbench_accounts OFFSET 0) a;
}),
		'200000', "$label: a parallel query");
}

# A backend that crashes takes the shared memory with it, not the choice.
choose('tas/nop/schedyield');
my $victim = $node->background_psql('postgres', on_error_stop => 0);
my $pid = $victim->query_safe('SELECT pg_backend_pid()');
is(kill('KILL', $pid), 1, 'kill a backend hard');
$offset = -s $node->logfile;
ok(poll_start(), 'the server recovers from a crash');
is_patched('crash');
is(in_force(), 'tas/nop/schedyield', 'crash: the same lock is in force');
is(contend(50), 200 * 4 * 50, 'crash: spinlocks work');
ok(choose('tas/fixed1000'), 'crash: another label can be chosen');

sub poll_start
{
	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		my ($ret, $out) = $node->psql('postgres',
			"SELECT count(*) FROM pg_stat_activity WHERE pid = $pid");
		return 1 if $ret == 0 && $out eq '0';
		sleep(0.1);
	}
	return 0;
}

for my $mode ('immediate', 'fast')
{
	$node->stop($mode);
	$node->start;
	is_patched("restart after stop $mode");
	is(in_force(), 'tas/fixed1000', "restart after stop $mode: the same lock is in force");
}

# The extension's objects are one thing, its module in the server another.
$node->safe_psql('postgres', 'DROP EXTENSION spinbench');
$node->adjust_conf('postgresql.conf', 'spinbench.server_lock', "'tas'");
$node->reload;
ok($node->poll_query_until('postgres', "SELECT current_setting('spinbench.server_lock') = 'tas'"),
	'settings work without the extension');
$node->safe_psql('postgres', 'CREATE EXTENSION spinbench');
is(in_force(), 'tas', 'the extension comes back');

# Off: nothing is touched.
$node->adjust_conf('postgresql.conf', 'spinbench.patch_server', 'off');
$node->restart;
is($node->safe_psql('postgres', q{
SELECT count(*) FILTER (WHERE replaced) || ' ' || max(reason) FROM spinbench_server_patch()}),
	'0 "spinbench.patch_server" is off, or "shared_preload_libraries" does not have spinbench.',
	'off: nothing is replaced');
is($node->safe_psql('postgres', 'SELECT count(*) FROM spinbench_server_locks() WHERE in_force OR contended IS NOT NULL'),
	'0', 'off: nothing is in force, nothing is counted');
is(contend(50), 200 * 4 * 50, 'off: spinlocks work');

# Not preloaded: the settings are not there, and do no harm.
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->adjust_conf('postgresql.conf', 'spinbench.patch_server', 'require');
$node->restart;
is(contend(50), 200 * 4 * 50, 'not preloaded: spinlocks work');
is($node->safe_psql('postgres', 'SELECT count(*) FROM spinbench_server_patch() WHERE replaced'),
	'0', 'not preloaded: nothing is replaced');

$node->stop;
done_testing();
