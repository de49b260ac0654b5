# Copyright (c) 2026, spinbench contributors

# A lock that ordinary sessions contend for, by function call and by planning.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $clients = 4;
my $transactions = 50;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'spinbench'
max_connections = 10
spinbench.track_planning = off
autovacuum = off
});
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION spinbench');

# A pgbench script that takes the lock so often: pgbench() makes each file once.
my $scripts = 0;

sub script
{
	my ($times) = @_;
	return { 'touch' . $scripts++ . '.sql' => "SELECT spinbench_touch($times);" };
}

sub acquisitions
{
	my ($lock) = @_;
	return $node->safe_psql('postgres',
		"SET spinbench.lock = '$lock'; SELECT sum(acquisitions) FROM spinbench_entries()");
}

# No increment of the counter beside the lock is lost, whatever the lock.
for my $lock ('server', 'tas/spintest/nop', 'cas/w4')
{
	local $ENV{PGOPTIONS} = "-c spinbench.lock=$lock -c spinbench.critical_section_lines=8";
	$node->pgbench(
		"-n -c $clients -j 2 -t $transactions", 0,
		[qr{processed: @{[ $clients * $transactions ]}/}], [qr{^$}],
		"$lock: pgbench",
		script(1000));
	is(acquisitions($lock), $clients * $transactions * 1000, "$lock: no increment is lost");
}

{
	local $ENV{PGOPTIONS} = '-c spinbench.lock=tas/pretest/nop';
	$node->pgbench(
		"-n -c $clients -j 2 -t $transactions -f contrib_spinbench/pgbench/touch.sql",
		0, [qr{processed: @{[ $clients * $transactions ]}/}], [qr{^$}],
		'touch.sql');
	is(acquisitions('tas/pretest/nop'), $clients * $transactions * 100,
		'touch.sql: acquisitions');
}

# Locks that differ in their waiting only are the same lock.
is(acquisitions('tas/spintest/nop/nosleep'), $clients * $transactions * 1000,
	'waiting is not part of the lock');
is(acquisitions('tas/spintest'), '0', 'each lock has entries of its own');

# What is no lock loses increments: the counter can tell.  Sessions that never
# meet lose none, so they have more than one chance.
{
	local $ENV{PGOPTIONS} = '-c spinbench.lock=broken -c spinbench.critical_section_lines=8';
	my $taken = 0;
	for my $try (1 .. 20)
	{
		$node->pgbench(
			"-n -c $clients -j 2 -t $transactions", 0, [qr{processed: }], [qr{^$}],
			"broken: pgbench, try $try",
			script(20000));
		$taken += $clients * $transactions * 20000;
		last if acquisitions('broken') < $taken;
	}
	cmp_ok(acquisitions('broken'), '<', $taken,
		'broken: increments are lost');
}

# Sessions spread over entries by their numbers, which are any from 0 to 9: three
# or more of each entry, so no eight of them leave one out.
{
	local $ENV{PGOPTIONS} = '-c spinbench.lock=tas -c spinbench.entries=3';
	$node->pgbench(
		"-n -c 8 -j 2 -t 1", 0, [qr{processed: }], [qr{^$}],
		'three entries: pgbench',
		script(1000));
	is($node->safe_psql('postgres',
			'SELECT string_agg(entry::text, \' \' ORDER BY entry) FROM spinbench_entries() WHERE acquisitions > 0'),
		'0 1 2', 'three entries are used');
}

# Planning.
is($node->safe_psql('postgres', q{
SET spinbench.lock = 'tas/nop';
SET spinbench.track_planning = on;
SELECT 1;
SELECT 2;
SELECT sum(acquisitions) FROM spinbench_entries();
}),
	"1\n2\n3", 'each planning takes the lock');
{
	local $ENV{PGOPTIONS} = '-c spinbench.lock=tas/pretest -c spinbench.track_planning=on';
	$node->pgbench(
		"-n -c $clients -j 2 -t $transactions", 0,
		[qr{processed: @{[ $clients * $transactions ]}/}], [qr{^$}],
		'planning: pgbench', { 'select.sql' => 'SELECT 1;' });
}
is(acquisitions('tas/pretest'), $clients * $transactions, 'planning: no increment is lost');

# There is room for all locks: who may choose one takes no room from others.
my @locks = split /\n/, $node->safe_psql('postgres', q{
CREATE FUNCTION choosable(label text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('spinbench.lock', label, true);
    RETURN true;
EXCEPTION WHEN invalid_parameter_value THEN
    RETURN false;
END $$;
SELECT label FROM (
  SELECT concat_ws('/', name, NULLIF(test, ''), NULLIF(delay, ''), NULLIF(o, ''), width) AS label
    FROM unnest('{tas,cas,swp,llsc}'::text[]) name, unnest('{"",spintest,pretest}'::text[]) test,
         unnest('{"",pause,nop,isb,yield}'::text[]) delay, unnest('{w1,w4,w8}'::text[]) width,
         unnest('{"",delayfirst}'::text[]) o) t
 WHERE choosable(label);
});
cmp_ok(scalar @locks, '>', 15, 'there are locks to choose from');
$node->safe_psql('postgres', q{
CREATE ROLE regress_spinbench_touch LOGIN;
ALTER ROLE regress_spinbench_touch SET spinbench.track_planning = on;
});
for my $session (1 .. 2)
{
	my ($ret, $out, $err) = $node->psql('postgres',
		join("\n", map { "SET spinbench.lock = '$_'; SELECT 1;" } @locks),
		extra_params => [ '-U', 'regress_spinbench_touch' ],
		on_error_stop => 0);
	is($err, '', "planning with each lock, session $session: no error");
}
my @taken = split /\n/, $node->safe_psql('postgres',
	join("\n", map { "SET spinbench.lock = '$_'; SELECT sum(acquisitions) FROM spinbench_entries();" } @locks));
is(scalar(@taken), scalar(@locks), 'each lock has entries');
is(scalar(grep { $_ < 2 } @taken), 0, 'each lock has been taken in its entries');

# Errors.
my ($ret, $out, $err) = $node->psql('postgres', q{
SELECT spinbench_touch(-1);
SET spinbench.critical_section_lines = 9;
SELECT spinbench_touch(1);
SET spinbench.critical_section_lines = 1;
SET spinbench.entries = 65;
BEGIN;
SET LOCAL statement_timeout = '100ms';
SELECT spinbench_touch(1000000000000);
ROLLBACK;
SET spinbench.stuck_timeout = '50ms';
SET spinbench.lock = 'leaky';
SELECT spinbench_touch(2);
RESET spinbench.stuck_timeout;
BEGIN;
SET LOCAL statement_timeout = '100ms';
SELECT spinbench_touch(1);
ROLLBACK;
SET spinbench.lock = 'tas/nop';
SELECT spinbench_touch(0);
}, on_error_stop => 0);
like($err, qr/ERROR:  the number of acquisitions must not be negative/, 'negative number');
like($err, qr/ERROR:  an entry has 8 cache lines only\nHINT:  .*\(now 9\)/, 'too many lines');
like($err, qr/ERROR:  65 is outside the valid range/, 'too many entries');
like($err, qr/ERROR:  canceling statement due to statement timeout/, 'statement_timeout');
like($err, qr/ERROR:  lock "leaky" is stuck\nDETAIL:  .*\(50 ms\)/, 'stuck lock');
like($err, qr/is stuck.*ERROR:  canceling statement due to statement timeout$/s, 'a wait that is canceled');
is($out, '0', 'the session goes on after errors');

# A restart, here with the setting in force for all.
$node->adjust_conf('postgresql.conf', 'spinbench.track_planning', 'on');
$node->stop('immediate');
$node->start;
is(acquisitions('tas/pretest'), 1, 'a restart begins with new entries');

# Without being preloaded: depends on the version.
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->restart;
($ret, $out, $err) = $node->psql('postgres', 'SELECT spinbench_touch(100)');
my ($version) = $node->safe_psql('postgres', 'SHOW server_version_num') =~ /^(\d\d)/;
if ($version >= 17)
{
	like($out, qr/^\d+$/, 'not preloaded: works');
}
else
{
	like($err, qr/ERROR:  this needs shared memory.*\nHINT:  Add "spinbench" to "shared_preload_libraries"/,
		'not preloaded: what to do');
}

$node->stop;
done_testing();
