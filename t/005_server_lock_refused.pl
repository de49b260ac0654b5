# Copyright (c) 2026, spinbench contributors

# Servers whose slow path of spinlocks cannot be replaced: they start as they
# are and say why, or do not start if that is what was asked for.

use strict;
use warnings;

use Config;
use File::Copy;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
my $data = $node->data_dir;
chomp(my $bindir = `pg_config --bindir`);
chomp(my $library = `pg_config --pkglibdir`);
$library .= '/spinbench.so';
my $dir = PostgreSQL::Test::Utils::tempdir;

# A server for a single user loads what is preloaded, too, and is soon over.
# Further settings of ours may follow that of patch_server: "on server_lock=tas".
sub start
{
	my ($postgres, $settings, $preload, $init) = @_;
	my $query = "SELECT 'the server has started'\n";
	my $output = '';
	IPC::Run::run(
		[ $postgres, '--single', '-D', $data,
			'-c', "shared_preload_libraries=$preload",
			(map { ('-c', "spinbench.$_") } split(' ', "patch_server=$settings")), 'postgres' ],
		'<', \$query, '>&', \$output, init => $init // sub { },
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return $output;
}

sub refuses_part
{
	my ($what, $part, $why, $postgres, $others, $preload, $init) = @_;
	my $output = start($postgres, "on$others", $preload, $init);
	like($output, qr/WARNING:  could not replace the server's $part.*\n.*DETAIL:  $why/,
		"$what: the reason is given");
	like($output, qr/the server has started/, "$what: the server starts as it is");
	$output = start($postgres, "require$others", $preload, $init);
	like($output, qr/FATAL:  could not replace the server's $part.*\n.*DETAIL:  $why/,
		"$what, required: the reason is given");
	unlike($output, qr/the server has started/, "$what, required: the server does not start");
	return;
}

sub refuses
{
	my ($what, $why, $postgres, $preload, $init) = @_;
	refuses_part($what, 'slow path', $why, $postgres, '', $preload // $library, $init);
	return;
}

my $server = "$bindir/postgres";
plan skip_all => 'the server is behind a script' if slurp_file($server) !~ /^\x7fELF/;
my $output = start($server, 'on', $library);
if ($output =~ /This can be done on /)
{
	refuses('another processor', qr/This can be done on .* only; this is \w/, $server);
	done_testing();
	exit;
}
like($output, qr/LOG:  the server's slow path .* has been replaced/, 'the server as it is can be patched');
like($output, qr/the server has started/, 'it starts');
unlike(start($server, 'off', $library), qr/slow path|WARNING/, 'off: not a word');
$output = start($server, 'off server_lock=tas server_queue=spsc', $library);
for my $what ('lock', 'queue')
{
	like($output, qr/WARNING:  "spinbench.server_$what" has no effect.*\n.*DETAIL:  "spinbench.patch_server" is off/,
		"off: a $what is chosen in vain");
}

# Who requires something gets it or nothing.
for my $bad (
	[ 'require server_lock=cas', qr/"spinbench.server_lock": "cas".*\n.*DETAIL:  .*primitive/ ],
	[ 'require server_queue=spcs', qr/"spinbench.server_queue": "spcs".*\n.*DETAIL:  There is no queue "spcs"/ ],
	[ 'requier', qr/"spinbench.patch_server": "requier".*\n.*DETAIL:  The server would start as it is.*\n.*HINT:  Available values/ ])
{
	my ($settings, $why) = @$bad;
	$output = start($server, $settings, $library);
	like($output, qr/FATAL:  invalid value for parameter $why/, "$settings: the reason is given");
	unlike($output, qr/the server has started/, "$settings: the server does not start");
}
$output = start($server, 'REQUIRE server_lock=tas/nosleep/nop server_queue=spsc', $library);
like($output, qr/the server has started/, 'any spelling that is valid will do');
$output = start($server, 'on server_lock=cas', $library);
like($output, qr/WARNING:  invalid value .*"cas"/, 'nothing required: a bad label is told');
like($output, qr/the server has started/, 'nothing required: the server starts');

#
# Other servers, made from this one by changes in the file.
#

# Where a function's symbol, its name and its code are in an ELF file of 64 bits.
sub find_function
{
	my ($elf, $name) = @_;
	my ($shoff, $shentsize, $shnum) = unpack('x40 Q< x10 S< S<', $$elf);
	my @sections = map { [ unpack('L< L< Q< Q< Q< Q< L< L< Q< Q<',
				substr($$elf, $shoff + $_ * $shentsize, 64)) ] } 0 .. $shnum - 1;
	for my $section (grep { $_->[1] == 11 } @sections)	# SHT_DYNSYM
	{
		my ($offset, $size, $strings) = (@$section[ 4, 5 ], $sections[ $section->[6] ][4]);
		for (my $at = $offset; $at < $offset + $size; $at += 24)
		{
			my ($st_name, $shndx, $value) = unpack('L< x2 S< Q<', substr($$elf, $at, 16));
			next if unpack('Z*', substr($$elf, $strings + $st_name, 100)) ne $name;
			my $text = $sections[$shndx];
			return ($at, $strings + $st_name, $text->[4] + $value - $text->[3]);
		}
	}
	die "no symbol $name";
}

my $number = 0;

# A copy of the server's executable with bytes written over some of it: the size
# of a function, its name, or its code.
sub other_server
{
	my ($function, %changes) = @_;
	my $file = "$dir/postgres" . $number++;
	my $elf = slurp_file($server);
	my ($symbol, $name, $code) = find_function(\$elf, $function);
	my %where = (size => $symbol + 16, name => $name, code => $code);
	while (my ($what, $bytes) = each %changes)
	{
		substr($elf, $where{$what}, length $bytes) = $bytes;
	}
	open(my $out, '>:raw', $file) or die "$file: $!";
	print $out $elf;
	close $out;
	chmod(0755, $file);
	return $file;
}

chomp(my $machine = `uname -m`);
my ($jump, $return, $landing_pad) = $machine eq 'x86_64'
  ? (pack('C*', 0xe9, 0, 0, 0, 0), pack('C', 0xc3), pack('C*', 0xf3, 0x0f, 0x1e, 0xfa))
  : (pack('L<', 0x14000001), pack('L<', 0xd65f03c0), pack('L<', 0xd503245f));

refuses('short function', qr/finish_spin_delay\(\) is 12 bytes long, and the jump needs (14|16|18|20)\./,
	other_server('finish_spin_delay', size => pack('Q<', 12)));
refuses('function with room for the jump alone, not behind a landing pad',
	qr/finish_spin_delay\(\) is 16 bytes long, and the jump needs (18|20)\./,
	other_server('finish_spin_delay', size => pack('Q<', 16), code => $landing_pad));
refuses('function that begins with a jump', qr/s_lock\(\) begins with a jump/,
	other_server('s_lock', code => $jump));
refuses('another algorithm',
	qr/finish_spin_delay\(\) of this server does not do what it does in PostgreSQL/,
	other_server('finish_spin_delay', code => $return));
refuses('another variable', qr/The server's variable "spins_per_delay" was not found/,
	other_server('set_spins_per_delay', code => $return));

# A later server may have more functions that know what a queue is like.
refuses_part('function of a later version', 'message queue', qr/shm_mq_later\(\) of this server is not known/,
	other_server('shm_toc_freespace', name => "shm_mq_later\0"), ' server_queue=spsc', $library);

#
# The same server in other circumstances.
#

# Memory that is executable cannot be made writable: prctl(PR_SET_MDWE), Linux 6.3.
sub forbid
{
	return syscall($machine eq 'x86_64' ? 157 : 167, 65, 1, 0, 0, 0) == 0;
}

SKIP:
{
	my $pid = fork() // die "fork: $!";
	exec($^X, '-e', 'exit(syscall($ARGV[0], 65, 1, 0, 0, 0) != 0)',
		$machine eq 'x86_64' ? 157 : 167) if $pid == 0;
	waitpid($pid, 0);
	skip 'this kernel does not protect memory like that', 4 if $? != 0;
	refuses('memory protection', qr/Memory protection forbids .*: Permission denied/,
		$server, $library, \&forbid);
}

# Another module has been there before.
SKIP:
{
	my $source = "$dir/meddler.c";
	append_to_file($source, q{
#include "postgres.h"

#include <sys/mman.h>

#include "fmgr.h"
#include "storage/s_lock.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

/* Makes a function return at once: spinning without a delay does no harm. */
void
_PG_init(void)
{
	uintptr_t	page = (uintptr_t) perform_spin_delay & ~(uintptr_t) 4095;

	mprotect((void *) page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
#ifdef __x86_64__
	*(unsigned char *) perform_spin_delay = 0xc3;
#else
	*(unsigned int *) perform_spin_delay = 0xd65f03c0;
#endif
	__builtin___clear_cache((char *) page, (char *) page + 8192);
}
});
	chomp(my $include = `pg_config --includedir-server`);
	my $messages;
	my $compiled = eval {
		IPC::Run::run([ $Config{cc}, '-shared', '-fPIC', '-I', $include,
				'-o', "$dir/meddler.so", $source ], '>&', \$messages);
	};
	skip 'there is no compiler', 4 unless defined $compiled;
	$compiled or BAIL_OUT("the module is not compiled: $messages");
	refuses('changed function', qr/perform_spin_delay\(\) has been changed already/,
		$server, "$dir/meddler.so,$library");
}

# Not preloaded, but loaded by a session: settings without effect are told of
# once, and a typo is PostgreSQL's business.
append_to_file("$data/postgresql.conf", "session_preload_libraries = '$library'\n");
$output = start($server, 'on server_lock=tas track_planning=on server_lok=tas', '');
like($output, qr/WARNING:  without effect here: "spinbench.patch_server", "spinbench.server_lock", "spinbench.track_planning"\n/,
	'not preloaded: what has no effect');
like($output, qr/WARNING:  invalid configuration parameter name "spinbench.server_lok"/, 'not preloaded: a typo');
is(scalar(() = $output =~ /WARNING/g), 2, 'not preloaded: not a word more');
like($output, qr/the server has started/, 'not preloaded: the server starts');

done_testing();
