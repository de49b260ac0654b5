-- Settings are checked when they are set.  What there is besides this depends
-- on the architecture: contrib_spinbench/selftest has it.
\set VERBOSITY terse
LOAD 'spinbench';
SHOW spinbench.lock;
SHOW spinbench.queue;
SHOW spinbench.acquisitions;
SHOW spinbench.critical_section_lines;
SHOW spinbench.stuck_timeout;
SHOW spinbench.cpus;

-- before the module is loaded a bad value is taken, but no run starts with it
\c
SET spinbench.lock = 'no/such/lock';
SELECT messages FROM spinbench_pipelined(16384, 'xyzzy');
SET spinbench.lock = 'tas/nop/spintest';
SELECT lock FROM spinbench_pipelined(16384, 'xyzzy');
SHOW spinbench.lock;

-- options in any order, one canonical label
SET spinbench.lock = 'tas/nosleep/nop/delayfirst/pretest';
SHOW spinbench.lock;
SET spinbench.lock = 'server';
SHOW spinbench.lock;

SET spinbench.lock = '';
SET spinbench.lock = 'nonesuch';
SET spinbench.lock = 'server/nop';
SET spinbench.lock = 'tas/nonesuch';
SET spinbench.lock = 'tas//nop';
SET spinbench.lock = 'tas/nop/nop';
SET spinbench.lock = 'tas/spintest/pretest';
SET spinbench.lock = 'tas/delayfirst';
SET spinbench.lock = 'TAS';
SET spinbench.queue = 'nonesuch';
SET spinbench.acquisitions = -1;
SET spinbench.critical_section_lines = -1;
-- since 17 the range is shown with its unit
\set VERBOSITY sqlstate
SET spinbench.stuck_timeout = 0;
\set VERBOSITY terse
SET spinbench.cpus = 'zero';
SET spinbench.cpus = '0-';
SET spinbench.cpus = '0,';
SET spinbench.cpus = '3-1';
SET spinbench.cpus = '0-0:0';
SET spinbench.cpus = '8191';
SET spinbench.nonesuch = 1;

-- why, in full
\set VERBOSITY default
SET spinbench.lock = 'tas/nop/nop';
SET spinbench.lock = 'tas/delayfirst';
SET spinbench.cpus = '8191';
\set VERBOSITY terse

-- pinned to one CPU, all participants are found there
SET spinbench.cpus = '0';
SELECT messages FROM spinbench_pipelined(16384, 'xyzzy', 1000, 2);
SELECT participant, cpu FROM spinbench_workers() ORDER BY 1;
RESET spinbench.cpus;

-- every waiting policy
SET spinbench.lock = 'tas/fixed1000';
SELECT lock, acquisitions FROM spinbench_pipelined(16384, 'xyzzy', 1000, 3);
SELECT DISTINCT spin_limit FROM spinbench_workers() WHERE participant > 0;
SET spinbench.lock = 'tas/nosleep';
SELECT lock, acquisitions, sleeps FROM spinbench_pipelined(16384, 'xyzzy', 1000, 3);
SET spinbench.lock = 'tas/schedyield';
SELECT lock, acquisitions FROM spinbench_pipelined(16384, 'xyzzy', 1000, 3);
