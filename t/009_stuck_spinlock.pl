# Copyright (c) 2026, spinbench contributors

# A spinlock that is never released brings a patched server down, as it would
# any other, and is reported.
#
# That takes two minutes of sleeps, each of which a library that is loaded before
# the C library makes a moment.  It is a module of the server, too, that waits
# for what it holds itself: first for a lock that is never released, and, while
# this is reported, for one that is released in the third sleep.

use strict;
use warnings;

use Config;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = PostgreSQL::Test::Utils::tempdir;
append_to_file("$dir/holder.c", q{
#include "postgres.h"

#include <sys/select.h>
#include <time.h>

#include "fmgr.h"
#include "storage/spin.h"

PG_MODULE_MAGIC;

static slock_t never;
static slock_t soon;
static int	sleeps = -1;		/* not counted */
static emit_log_hook_type next_hook;

static int
sleep_a_moment(void)
{
	if (sleeps >= 0 && ++sleeps == 3)
		SpinLockRelease(&soon);
	return 0;
}

/* What pg_usleep() calls: one of these, by the version. */
int
select(int n, fd_set *reads, fd_set *writes, fd_set *errors, struct timeval *timeout)
{
	return sleep_a_moment();
}

int
nanosleep(const struct timespec *time, struct timespec *rest)
{
	return sleep_a_moment();
}

static void
wait_in_report(ErrorData *edata)
{
	if (edata->elevel == PANIC && sleeps < 0)
	{
		sleeps = 0;
		SpinLockAcquire(&soon);
		write_stderr("the other lock was got after %d sleeps\n", sleeps);
	}
	if (next_hook)
		next_hook(edata);
}

PG_FUNCTION_INFO_V1(wait_forever);

Datum
wait_forever(PG_FUNCTION_ARGS)
{
	next_hook = emit_log_hook;
	emit_log_hook = wait_in_report;
	SpinLockInit(&never);
	SpinLockInit(&soon);
	SpinLockAcquire(&soon);
	SpinLockAcquire(&never);
	SpinLockAcquire(&never);
	PG_RETURN_VOID();
}
});
chomp(my $include = `pg_config --includedir-server`);
chomp(my $bindir = `pg_config --bindir`);
my $messages;
my $compiled = eval {
	IPC::Run::run([ $Config{cc}, '-shared', '-fPIC', '-I', $include,
			'-o', "$dir/holder.so", "$dir/holder.c" ], '>&', \$messages);
};
plan skip_all => 'there is no compiler' unless defined $compiled;
$compiled or BAIL_OUT("the module is not compiled: $messages");

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;

sub wait_forever
{
	my (@settings) = @_;
	my $query = "CREATE OR REPLACE FUNCTION wait_forever() RETURNS void LANGUAGE C AS '$dir/holder'\n"
	  . "SELECT wait_forever()\n";
	my $output = '';
	IPC::Run::run(
		[ "$bindir/postgres", '--single', '-D', $node->data_dir,
			(map { ('-c', $_) } @settings), 'postgres' ],
		'<', \$query, '>&', \$output,
		init => sub { $ENV{LD_PRELOAD} = join(' ', "$dir/holder.so", $ENV{LD_PRELOAD} // ()) },
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return $output;
}

# SpinLockAcquire() is a function since PostgreSQL 19, no macro.
my $panic = qr/PANIC:  stuck spinlock detected at (wait_forever, .*holder\.c|SpinLockAcquire, .*spin\.h):\d+/;
like(wait_forever(), $panic, "the server's own: the spinlock is stuck");

for my $lock ('stock', 'tas', 'tas/spintest', 'tas/fixed1000')
{
	my $output = wait_forever('shared_preload_libraries=spinbench',
		'spinbench.patch_server=require', "spinbench.server_lock=$lock");
	last if $output =~ /This can be done on /;
	like($output, $panic, "$lock: the spinlock is stuck");
	is(scalar(() = $output =~ /PANIC/g), 1, "$lock: once");
	like($output, qr/the other lock was got after 3 sleeps/, "$lock: another one is not");
}

done_testing();
