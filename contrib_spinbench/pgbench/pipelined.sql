-- pgbench script: each client runs a ring of workers of its own.
--
-- What this adds to one session that measures alone: rings that compete for the
-- machine.  They share neither lock nor queues, and what pgbench reports is runs
-- per second, the start of their workers included.
--
-- Four clients, five runs each, in a throw-away server:
--   contrib_spinbench/with-server -- \
--     pgbench -n -c 4 -j 4 -t 5 -f contrib_spinbench/pgbench/pipelined.sql
--
-- In a running one, with any settings:
--   PGOPTIONS='-c spinbench.lock=tas/pause -c spinbench.acquisitions=10' \
--     pgbench -n -c 4 -j 4 -T 30 -f contrib_spinbench/pgbench/pipelined.sql
--
-- With other numbers than those below, which -D does not override:
--   sed 's/^\\set workers .*/\\set workers 8/' contrib_spinbench/pgbench/pipelined.sql |
--     pgbench -n -c 4 -j 4 -T 30 -f -
--
-- The server needs clients x workers free slots (max_worker_processes).

\set workers 2
\set messages 100000
\set queue_size 16384

-- A transaction whose row is not its own run's fails, by a division by zero.
SELECT 1 / (workers = :workers AND messages = :messages AND
            acquisitions = :workers * :messages
                           * current_setting('spinbench.acquisitions')::int)::int
  FROM spinbench_pipelined(:queue_size, 'xyzzy', :messages, :workers);
