-- Shape of results, never their speed.

-- every message comes back, and the lock is taken once per message and worker
SELECT lock, queue, workers, message_bytes, messages, acquisitions,
       elapsed_ms > 0 AS took_time,
       abs(messages_per_second * ns_per_message / 1e9 - 1) < 1e-6 AS rates_agree,
       contended <= acquisitions AS contended_in_range,
       handoffs, cpu_ms > 0 AS used_cpu
  FROM spinbench_pipelined(16384, 'xyzzy', 10000, 2);
SELECT messages, acquisitions FROM spinbench_roundtrip(16384, 'xyzzy', 100, 3);

-- the ancestors' default count is 1
SELECT messages, workers FROM spinbench_pipelined(16384, 'xyzzy');
SELECT messages, workers FROM spinbench_roundtrip(16384, 'xyzzy');

-- no workers, no messages, empty messages, messages larger than the queue
SELECT messages, acquisitions FROM spinbench_pipelined(16384, 'xyzzy', 1000, 0);
SELECT messages, acquisitions FROM spinbench_roundtrip(16384, 'xyzzy', 1000, 0);
SELECT messages, ns_per_message IS NULL AS no_rate
  FROM spinbench_pipelined(16384, 'xyzzy', 0, 1);
SELECT messages, message_bytes FROM spinbench_pipelined(16384, '', 1000, 1);
SELECT messages, message_bytes
  FROM spinbench_pipelined(1024, repeat('0123456789', 10000), 10, 2);
SELECT messages, message_bytes
  FROM spinbench_roundtrip(1024, repeat('0123456789', 10000), 10, 0);

-- a time limit instead of a count; whichever is reached first, if both
SELECT messages > 0 AS some, elapsed_ms >= 99 AS not_before
  FROM spinbench_pipelined(16384, 'xyzzy', num_workers => 1, duration_ms => 100);
SELECT messages, elapsed_ms < 60000 AS ended_early
  FROM spinbench_roundtrip(16384, 'xyzzy', 10, 1, duration_ms => 60000);

-- any number of acquisitions per message
SET spinbench.acquisitions = 7;
SELECT acquisitions FROM spinbench_pipelined(16384, 'xyzzy', 1000, 2);
SET spinbench.acquisitions = 0;
SELECT acquisitions, contended FROM spinbench_pipelined(16384, 'xyzzy', 1000, 2);
RESET spinbench.acquisitions;

-- the participants of the last run
SELECT participant, pid = pg_backend_pid() AS is_leader, pid > 0 AS has_pid,
       cpu >= 0 AS has_cpu, acquisitions, spin_limit BETWEEN 10 AND 1000 AS limit_in_range
  FROM spinbench_workers() ORDER BY participant;
SET spinbench.lock = 'cas/spintest/nop';
SELECT lock, sum(w.acquisitions) = 4000 AS all_there
  FROM spinbench_pipelined(16384, 'xyzzy', 2000, 2) r, LATERAL spinbench_workers() w
 WHERE r.messages > 0 GROUP BY lock;

-- a critical section: counters must add up, and hand-offs are known
SET spinbench.critical_section_lines = 3;
SELECT acquisitions, handoffs BETWEEN 2 AND acquisitions AS handoffs_in_range
  FROM spinbench_pipelined(16384, 'xyzzy', 5000, 2);
RESET spinbench.critical_section_lines;
RESET spinbench.lock;

-- workers that are done before others have begun do not measure each other
SELECT doubts LIKE '%at work together for only%' AS told
  FROM spinbench_gather(16384, 'xyzzy', 1, 4);

-- one run after the other finds its worker slots free
SELECT count(*), sum(messages)
  FROM generate_series(1, 20), LATERAL spinbench_pipelined(16384, 'xyzzy', generate_series, 4);
