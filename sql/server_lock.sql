-- A server whose slow path is not replaced: t/004_server_lock.pl has the others.
LOAD 'spinbench';

-- what can be chosen is known all the same, but nothing is in force or counted
SELECT lock, in_force, contended, spins, sleeps, slept_ms
  FROM spinbench_server_locks() WHERE lock IN ('stock', 'tas/nop/nosleep') ORDER BY 1;
SELECT count(*) > 20 AS many, count(*) = count(DISTINCT lock) AS each_once
  FROM spinbench_server_locks();
SELECT DISTINCT reason FROM spinbench_server_patch();
SELECT count(*), bool_or(replaced), min(length(entry)) FROM spinbench_server_patch();

-- nothing to reset
SELECT spinbench_reset_server_locks();

-- the settings are the server's
\set VERBOSITY terse
SELECT count(*) > 10 AS many, bool_or(in_force) AS any, max(created) FROM spinbench_server_queues();
SHOW spinbench.patch_server;
SET spinbench.server_lock = 'tas/nop';
