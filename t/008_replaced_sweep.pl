# Copyright (c) 2026, spinbench contributors

# Sweeps in a server whose own spinlocks and message queue are replaced: what is
# called the server's own there is something else, and that is told.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'spinbench'
spinbench.patch_server = require
spinbench.server_lock = stock
spinbench.server_queue = spinlock
autovacuum = off
});
my $unsupported = $node->start(fail_ok => 1) ? 0 : slurp_file($node->logfile);
plan skip_all => "not here: $1"
  if $unsupported && $unsupported =~ /(This can be done on .*)/;
ok(!$unsupported, 'a patched server starts') or BAIL_OUT($unsupported);
$node->safe_psql('postgres', 'CREATE EXTENSION spinbench');

sub choose
{
	my ($what, $label) = @_;
	$node->adjust_conf('postgresql.conf', "spinbench.server_$what", "'$label'");
	$node->reload;
	$node->poll_query_until('postgres',
		"SELECT in_force FROM spinbench_server_${what}s() WHERE $what = '$label'")
	  or BAIL_OUT("$label does not come into force");
	return;
}

sub in_place
{
	return $node->safe_psql('postgres', q{
SELECT e #>> '{server,lock}', e #>> '{server,queue}' FROM spinbench_environment() e});
}

sub report
{
	my ($sweep) = @_;
	return join(' ', split(/\s+/, $node->safe_psql('postgres', "SELECT * FROM spinbench_report($sweep)")));
}

my $lock_doubt = "the slow path of the server's spinlocks is replaced by stock";
my $queue_doubt = "the server's message queue is replaced by spinlock";

is(in_place(), 'stock|spinlock', 'the environment tells what is in force');
$node->safe_psql('postgres', q{
CALL spinbench_sweep('{server,tas}', '{1}', '{server,spsc}', rounds => 1, repeat_count => 1)});
for my $cell (
	[ 'server', 'server', "$lock_doubt; $queue_doubt" ],
	[ 'server', 'spsc', $lock_doubt ],
	[ 'tas', 'server', $queue_doubt ],
	[ 'tas', 'spsc', '' ])
{
	my ($lock, $queue, $doubts) = @$cell;
	is($node->safe_psql('postgres', qq{
SELECT array_to_string(ARRAY(SELECT d FROM regexp_split_to_table(doubts, '; ') d WHERE d ~ 'replaced'), '; ')
  FROM spinbench_samples WHERE sweep = 1 AND lock = '$lock' AND queue = '$queue'}),
		$doubts, "doubts about lock $lock, queue $queue");
}
like(report(1),
	qr/Server .*, its spinlocks' slow path replaced by stock, its message queue replaced by spinlock Module/,
	'the report tells what is replaced');
like(report(1), qr/Doubts .*\Q$lock_doubt\E in 2 of 4/, 'and what that makes doubtful');

# Samples of different locks or queues under the same name must not be mixed.
my ($ret, $out, $err);
for my $other ([ 'lock', 'stock', 'tas/nop' ], [ 'queue', 'spinlock', 'spsc' ])
{
	my ($what, $before, $after) = @$other;
	choose($what, $after);
	($ret, $out, $err) = $node->psql('postgres', 'CALL spinbench_resume(1, 1)');
	like($err, qr/ERROR:  sweep 1 was measured elsewhere.*Its server $what is "$before", here it is "$after"/s,
		"another $what: not resumed");
	choose($what, $before);
}
($ret, $out, $err) = $node->psql('postgres', 'CALL spinbench_resume(1, 1)');
is($ret, 0, 'resumed where nothing differs');

# In a live sweep each sample has its own lock and queue.
$node->safe_psql('postgres', q{
SELECT spb_live_begin('{stock,tas}', '{server}', '{1}', '{"workload": "pgbench", "rounds": 1}',
                      '{}', spinbench_environment(), NULL, false)});
unlike(report(2), qr/replaced by/, 'a live sweep does not tell what was in force when it began');

# Nothing replaced.
$node->adjust_conf('postgresql.conf', 'spinbench.patch_server', 'off');
$node->restart;
is(in_place(), '|', 'off: nothing takes the place of the server\'s own');
($ret, $out, $err) = $node->psql('postgres', 'CALL spinbench_resume(1, 1)');
like($err, qr/Its server lock is "stock", here it is null/, 'off: not resumed');
$node->safe_psql('postgres', q{
CALL spinbench_sweep('{server}', '{1}', rounds => 1, repeat_count => 1)});
unlike(report(3), qr/replaced/, 'off: a report has nothing to tell');

$node->stop;
done_testing();
