#!/usr/bin/env perl

# Copyright (c) 2026, spinbench contributors

# What machine.c reads on machines that are not this one: their files, as far
# as they matter, in a directory, and a program that prints what it makes of
# them.

use strict;
use warnings;

use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Spec;
use File::Temp qw(tempdir);
use Test::More;

my $source = File::Spec->rel2abs(dirname(__FILE__) . '/../../src');
my $dir = tempdir(CLEANUP => 1);

sub spill
{
	my ($path, $text) = @_;
	make_path(dirname($path));
	open(my $file, '>', $path) or die "$path: $!";
	print $file $text;
	close($file) or die "$path: $!";
	return;
}

spill("$dir/main.c", <<'C');
#include <stdio.h>
#include "cpu/machine.h"

int
main(int argc, char **argv)
{
	static SpbMachine m;

	spb_machine_read(&m, argv[1]);
	printf("model=%s\nproduct=%s\ntopology=%d/%d/%d\nnodes=%d\nhypervisor=%s\n",
		   m.model, m.product, m.sockets, m.cores, m.threads, m.numa_nodes, m.hypervisor);
	printf("governor=%s\nmitigations=%s\nthp=%s\nload=%s\n",
		   m.governor, m.mitigations, m.transparent_huge_pages, m.load);
	for (int i = 0; i < m.ncaches; i++)
		printf("cache=L%d %s %d kB by %d\n", m.caches[i].level, m.caches[i].type,
			   m.caches[i].kilobytes, m.caches[i].shared_by);
	return 0;
}
C
my $cc = $ENV{CC} // 'cc';
system("$cc -std=gnu99 -Wall -Werror -I$source -o $dir/machine $dir/main.c"
	  . " $source/cpu/machine.c $source/cpu/model.c") == 0
  or BAIL_OUT('machine.c does not compile alone');

my $machines = 0;

# The answer for a machine with these files, as a hash; caches as a list.
sub machine
{
	my (%files) = @_;
	my $root = "$dir/" . ++$machines;
	make_path($root);
	spill("$root/$_", $files{$_}) foreach keys %files;
	my %answer = (cache => []);
	foreach (split /\n/, `$dir/machine $root`)
	{
		my ($key, $value) = split /=/, $_, 2;
		if ($key eq 'cache') { push @{ $answer{cache} }, $value }
		else { $answer{$key} = $value }
	}
	return \%answer;
}

sub cpu_files
{
	my ($sockets, $cores, $threads) = @_;
	my %files;
	my $cpu = 0;
	foreach my $thread (1 .. $threads)
	{
		foreach my $socket (0 .. $sockets - 1)
		{
			foreach my $core (0 .. $cores - 1)
			{
				my $topology = "sys/devices/system/cpu/cpu$cpu/topology";
				$files{"$topology/physical_package_id"} = "$socket\n";
				$files{"$topology/core_id"} = "$core\n";
				$cpu++;
			}
		}
	}
	return %files;
}

# Nothing is there.
my $m = machine();
is_deeply(
	$m,
	{
		model => '', product => '', topology => '0/0/0', nodes => 0, hypervisor => '',
		governor => '', mitigations => '', thp => '', load => '', cache => []
	},
	'without any file nothing is known, and nothing fails');

# A server with two sockets.
my $cache = 'sys/devices/system/cpu/cpu0/cache';
$m = machine(
	cpu_files(2, 4, 2),
	'proc/cpuinfo' => "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
	  . "model\t\t: 85\nmodel name\t: Intel(R) Xeon(R)  W-2245 CPU @ 3.90GHz\ncpu MHz\t\t: 1200\n"
	  . "cpu cores\t: 4\nflags\t\t: fpu " . ('x' x 3000) . "\n",
	'sys/devices/system/node/node0/cpulist' => "0-3\n",
	'sys/devices/system/node/node1/cpulist' => "4-7\n",
	'sys/devices/system/node/possible' => "0-1\n",
	"$cache/index0/level" => "1\n",
	"$cache/index0/type" => "Data\n",
	"$cache/index0/size" => "32K\n",
	"$cache/index0/shared_cpu_list" => "0,8\n",
	"$cache/index1/level" => "3\n",
	"$cache/index1/type" => "Unified\n",
	"$cache/index1/size" => "16M\n",
	"$cache/index1/shared_cpu_list" => "0-3,8-11\n",
	'sys/devices/system/cpu/cpu0/cpufreq/scaling_governor' => "powersave\n",
	'sys/devices/system/cpu/vulnerabilities/meltdown' => "Mitigation: PTI\n",
	'sys/devices/system/cpu/vulnerabilities/mds' => "Not affected\n",
	'sys/devices/system/cpu/vulnerabilities/spectre_v2' => "Mitigation: Retpolines\n",
	'sys/kernel/mm/transparent_hugepage/enabled' => "always [madvise] never\n",
	'proc/loadavg' => "0.20 1.18 2.12 1/80 11206\n",
	'sys/class/dmi/id/sys_vendor' => "Dell Inc.\n",
	'sys/class/dmi/id/product_name' => "Precision\x{7}\n");
is_deeply(
	$m,
	{
		model => 'Intel(R) Xeon(R) W-2245 CPU @ 3.90GHz',
		product => 'Dell Inc. Precision?',
		topology => '2/8/16', nodes => 2, hypervisor => '', governor => 'powersave',
		mitigations => 'meltdown, spectre_v2', thp => 'madvise', load => '0.20 1.18 2.12',
		cache => [ 'L1 Data 32 kB by 2', 'L3 Unified 16384 kB by 8' ]
	},
	'x86-64 with two sockets');

# Names of processors, as each architecture's kernel gives them.
my %models = (
	"processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\n"
	  . "CPU part\t: 0xd4f\nCPU revision\t: 1\n\nprocessor\t: 1\nCPU implementer\t: 0x41\n"
	  . "CPU part\t: 0xd4f\n" => 'Arm Neoverse-V2',
	"CPU implementer\t: 0x61\nCPU part\t: 0x022\nCPU implementer\t: 0x61\nCPU part\t: 0x023\n" =>
	  'Apple Icestorm (M1) + Apple Firestorm (M1)',
	"CPU implementer\t: 0x48\nCPU part\t: 0xd01\n" => 'HiSilicon TaiShan v110 (Kunpeng 920)',
	"CPU implementer\t: 0xc0\nCPU part\t: 0xac3\n" => 'AmpereOne',
	"CPU implementer\t: 0x7f\nCPU part\t: 0x123\n" => 'implementer 0x7f part 0x123',
	"processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\nclock\t\t: 2200MHz\n" =>
	  'POWER9 (architected), altivec supported',
	"vendor_id       : IBM/S390\nprocessor 0: version = FF,  identification = 0AB,  machine = 3931\n" =>
	  'machine 3931',
	"hart\t\t: 1\nisa\t\t: rv64imafdc\nmmu\t\t: sv39\nuarch\t\t: sifive,u74-mc\n" => 'sifive,u74-mc',
	"cpu family\t: Loongson-64bit\nModel Name\t: Loongson-3A5000\n" => 'Loongson-3A5000',
);
foreach my $cpuinfo (sort keys %models)
{
	is(machine('proc/cpuinfo' => $cpuinfo)->{model}, $models{$cpuinfo}, $models{$cpuinfo});
}

# Boards, and guests that have a device tree.
$m = machine(
	'proc/device-tree/model' => "Raspberry Pi 5 Model B Rev 1.0\0",
	'proc/device-tree/hypervisor/compatible' => "linux,kvm\0");
is($m->{product}, 'Raspberry Pi 5 Model B Rev 1.0', 'product from a device tree');
is($m->{hypervisor}, 'linux,kvm', 'hypervisor from a device tree');

done_testing();
