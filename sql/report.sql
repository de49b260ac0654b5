-- The report, on a sweep that never was.
ALTER TABLE spinbench_sweeps ALTER sweep RESTART WITH 1;
INSERT INTO spinbench_sweeps (id, started, ended, outcome, note, arguments, settings, environment)
VALUES ('00000000-0000-0000-0000-000000000001', '2025-05-01 20:00:00+00', '2025-05-01 20:30:00+00',
    'all rounds done', 'pre-test and delay, as in the thread about removing the ISB',
    '{"locks": ["tas/isb", "tas", "tas/spintest/isb", "tas/spintest", "swp/spintest/isb/delayfirst/w8/fixed1000", "llsc", "tas/isb"],
      "workers": [1, 8, 64, 256], "queues": ["server"], "workload": "pipelined", "rounds": 9,
      "duration_ms": 1000, "queue_size": 16384, "message": "it''s a message", "verify": true}',
    '{"spinbench.acquisitions": "1", "spinbench.critical_section_lines": "0", "spinbench.cpus": "0-95",
      "spinbench.stuck_timeout": "1min"}',
    '{"machine": {"model": "Arm Neoverse-V2", "product": "Amazon EC2 c8g.24xlarge", "architecture": "aarch64",
       "sockets": 1, "cores": 96, "threads": 96, "usable_cpus": 48, "numa_nodes": 1,
       "caches": [{"level": 1, "type": "Data", "kilobytes": 64, "shared_by": 1},
                  {"level": 2, "type": "Unified", "kilobytes": 2048, "shared_by": 1},
                  {"level": 3, "type": "Unified", "kilobytes": 36864, "shared_by": 96}],
       "hypervisor": null, "governor": null, "mitigations": "spectre_v1, spectre_v2"},
      "system": {"kernel": "Linux 6.8.0-1021-aws", "kernel_build": "#23-Ubuntu SMP PREEMPT_DYNAMIC",
       "page_size": 4096, "transparent_huge_pages": "madvise", "load": "0.10 0.20 0.30"},
      "server": {"version": "PostgreSQL 18.0 on aarch64-unknown-linux-gnu, compiled by gcc 13.3.0, 64-bit",
       "cc": "gcc", "cflags": "-Wall -g -O2 -march=armv8.1-a", "huge_pages": "try", "huge_pages_status": "off",
       "max_worker_processes": "300"},
      "module": {"version": "1.0.0", "compiler": "gcc 13.3.0", "cflags": "-Wall -O2 -march=armv8.1-a -fPIC",
       "server_headers": "18.0"},
      "costs": {"delay_ns": {"isb": {"median": 12.25, "minimum": 12.1}, "sb": null,
                             "yield": {"median": 0.36, "minimum": 0.36}},
       "acquire_and_release_ns": {"lock": "server", "median": 3.91, "minimum": 3.9}}}')
RETURNING sweep \gset
INSERT INTO spinbench_samples (sweep, round, position, lock_entry, queue_entry, measured_at,
        workload, lock, queue, workers, messages, elapsed_ms, ns_per_message, acquisitions,
        contended, doubts, error, sqlstate)
SELECT :sweep, round, row_number() OVER (PARTITION BY round), lock_entry, 1, '2025-05-01 20:00:00+00',
       'pipelined', lock, 'server', workers, 1000, ns / 1000, ns, 1000 * workers,
       CASE WHEN workers > 1 THEN 5 * workers END,
       CASE WHEN workers = 8 THEN 'contention not reached (0.5' || round || ' % of acquisitions)'
            WHEN workers = 1 AND round = 1 THEN 'short run; other processes used 7 % of the CPU time' END,
       CASE WHEN ns IS NULL THEN 'lock "llsc" is stuck' END, CASE WHEN ns IS NULL THEN '55P03' END
  FROM generate_series(1, 9) round,
       (SELECT l.lock, l.lock_entry FROM spinbench_sweeps,
               jsonb_array_elements_text(arguments -> 'locks') WITH ORDINALITY l(lock, lock_entry)
         WHERE sweep = :sweep) l,
       unnest(ARRAY[1, 8, 64, 256]) workers,
       LATERAL (SELECT CASE WHEN lock = 'llsc' AND workers = 256 THEN NULL
                            ELSE 100 * workers ^ 1.5 * (ARRAY[1, 1.9, 0.7, 0.5, 2.5, 1.001, 1])[lock_entry]
                                 -- drift, and some noise
                                 * (1 + round / 10.0) * (1 + 0.01 * ((17 * round + 5 * lock_entry + workers) % 7 - 3))
                       END) f(ns);

SELECT spinbench_report(:sweep) \g (format=unaligned tuples_only)
SELECT max(length(line)) <= 100 AS narrow, bool_and(line = rtrim(line)) AS tidy
  FROM spinbench_report(:sweep) line;

-- another baseline, in a part of it
SELECT line FROM spinbench_report(:sweep, 'tas') WITH ORDINALITY r(line, n)
 WHERE n > (SELECT min(n) FROM spinbench_report(:sweep, 'tas') WITH ORDINALITY r(line, n) WHERE line LIKE 'Speedup%')
   AND line ~ 'Speedup|tas/spintest  |Noise|Chance' \g (format=unaligned tuples_only)
\set VERBOSITY terse
SELECT spinbench_report(:sweep, 'cas');
SELECT spinbench_report(NULL);

-- psql's own way to a table
SELECT workers, lock_entry || ' ' || lock AS lock, round(median_ns) AS ns
  FROM spinbench_summary
 WHERE sweep = :sweep AND lock_entry <= 4
 ORDER BY workers, lock_entry \crosstabview workers lock ns

-- queues beside each other; another machine of which nothing is known; samples
-- that are missing
INSERT INTO spinbench_sweeps (started, arguments, settings, environment)
VALUES ('2026-01-01 00:00:00+00',
    '{"locks": ["server"], "workers": [2], "queues": ["server", "atomic/lazyread"], "workload": "roundtrip",
      "narrower_than": 0.05, "time_limit": "00:05:00", "repeat_count": 5}', '{}', '{}')
RETURNING sweep \gset
SELECT spinbench_report(:sweep) \g (format=unaligned tuples_only)
INSERT INTO spinbench_samples (sweep, round, position, lock_entry, queue_entry, measured_at, workload,
                               lock, queue, workers, messages, ns_per_message)
SELECT :sweep, 1, n, 1, n, '2026-01-01 00:01:00+00', 'roundtrip', 'server',
       (ARRAY['server', 'atomic/lazyread'])[n], 2, 10, 1000 / n FROM generate_series(1, 2) n;
SELECT spinbench_report(:sweep) \g (format=unaligned tuples_only)

-- samples of live servers: transactions and queries, whose figures are rates and
-- times of other units
INSERT INTO spinbench_sweeps (started, ended, outcome, arguments, settings, environment)
VALUES ('2026-01-01 00:00:00+00', '2026-01-01 00:10:00+00', 'all rounds done',
    '{"locks": ["stock", "tas/spintest/pause/fixed1000", "server", "stock"], "workers": [1, 8], "queues": ["server"],
      "workload": "pgbench", "rounds": 6, "duration_ms": 1000, "narrower_than": 0.05, "scale": 10}',
    '{"shared_buffers": "512MB", "pg_stat_statements.track_planning": "on"}', '{}')
RETURNING sweep \gset
INSERT INTO spinbench_samples (sweep, round, position, lock_entry, queue_entry, measured_at, workload,
                               lock, queue, workers, messages, elapsed_ms, ns_per_message, contended, doubts)
SELECT :sweep, round, row_number() OVER (PARTITION BY round), entry, 1, '2026-01-01 00:01:00+00', 'pgbench',
       lock, 'server', workers, 20000, 1000, ns, CASE WHEN lock <> 'server' THEN workers * entry * 100 END,
       CASE WHEN entry = 2 THEN 'other processes used 1' || round || ' % of the CPU time' END
  FROM generate_series(1, 6) round, unnest(ARRAY[1, 8]) workers,
       unnest(ARRAY['stock', 'tas/spintest/pause/fixed1000', 'server', 'stock']) WITH ORDINALITY l(lock, entry),
       LATERAL (SELECT 50000 * workers * (ARRAY[1, 0.9, 0.99, 1])[entry]
                       * (1 + 0.01 * ((17 * round + 5 * entry + workers) % 7 - 3))) f(ns);
SELECT spinbench_report(:sweep) \g (format=unaligned tuples_only)
CALL spinbench_resume(:sweep);
INSERT INTO spinbench_sweeps (started, arguments, settings, environment)
VALUES ('2026-01-01 00:00:00+00',
    '{"locks": ["stock"], "workers": [2], "queues": ["stock", "spinlock", "atomic", "atomic/lazyread", "spsc"],
      "workload": "query", "time_limit": "00:05:00", "duration_ms": 2000, "scale": 3}', '{"work_mem": "1GB"}', '{}')
RETURNING sweep \gset
INSERT INTO spinbench_samples (sweep, round, position, lock_entry, queue_entry, measured_at, workload,
                               lock, queue, workers, messages, ns_per_message, contended)
SELECT :sweep, 1, n, 1, n, '2026-01-01 00:01:00+00', 'query', 'stock',
       (ARRAY['stock', 'spinlock', 'atomic', 'atomic/lazyread', 'spsc'])[n], 2, 3, 3e8 + 1e7 * n, n
  FROM generate_series(1, 5) n;
SELECT spinbench_report(:sweep) \g (format=unaligned tuples_only)

-- what is printed does repeat the sweep
DELETE FROM spinbench_sweeps;
SET client_min_messages = warning;
CALL spinbench_sweep('{server,tas/spintest,server}', '{0,1}', '{server}', 'roundtrip', 2, 1000, 3, 20000,
                     $$it's  a message, {with} "quotes" \ and =>$$, false, 2, 1, NULL, 2000, '1 min') \gset
SELECT string_agg(line, E'\n' ORDER BY n) AS call
  FROM spinbench_report(:sweep) WITH ORDINALITY r(line, n)
 WHERE n BETWEEN (SELECT min(n) FROM spinbench_report(:sweep) WITH ORDINALITY r(line, n) WHERE line LIKE 'CALL %')
             AND (SELECT min(n) FROM spinbench_report(:sweep) WITH ORDINALITY r(line, n) WHERE line LIKE '%);') \gset
\o /dev/null
:call
\o
SELECT count(*), count(DISTINCT arguments) AS arguments, count(DISTINCT settings) AS settings
  FROM spinbench_sweeps;
-- a long message is not printed in full
CALL spinbench_sweep('{server}', '{0}', message => repeat('x', 70000), rounds => 1, repeat_count => 1) \gset
SELECT line FROM spinbench_report(:sweep) line WHERE line LIKE '%repeat(%';
DELETE FROM spinbench_sweeps;
