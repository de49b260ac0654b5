-- pgbench script: as pipelined.sql, which tells how to use it, with one message
-- at a time: how long a message takes rather than how many there are.

\set workers 2
\set messages 5000
\set queue_size 16384

SELECT 1 / (workers = :workers AND messages = :messages AND
            acquisitions = :workers * :messages
                           * current_setting('spinbench.acquisitions')::int)::int
  FROM spinbench_roundtrip(:queue_size, 'xyzzy', :messages, :workers);
