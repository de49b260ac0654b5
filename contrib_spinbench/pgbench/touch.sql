-- pgbench script: each transaction takes the lock so many times, on an entry with
-- counters that all clients share; what pgbench reports is transactions per second.
--
-- Two clients for five seconds, in a throw-away server:
--   PGOPTIONS='-c spinbench.lock=tas/pause' contrib_spinbench/with-server \
--     --conf shared_preload_libraries=spinbench -- \
--     pgbench -n -c 2 -j 2 -T 5 -f contrib_spinbench/pgbench/touch.sql
--
-- Clients spread over several entries with -c spinbench.entries=4, and
-- spinbench_entries() tells how often each was taken.  From PostgreSQL 17 on the
-- module need not be preloaded.

\set times 100

SELECT spinbench_touch(:times);
