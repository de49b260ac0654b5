-- Sweeps: what they run, store and say.  Never how long it takes.
SET client_min_messages = warning;

-- the samples have the columns of a run's result, in one piece and in order
SELECT attname, format_type(atttypid, atttypmod), rank() OVER (ORDER BY attnum)
  FROM pg_attribute WHERE attrelid = 'spinbench_result'::regclass AND attnum > 0
EXCEPT
SELECT attname, format_type(atttypid, atttypmod),
       attnum + 1 - (SELECT attnum FROM pg_attribute
                      WHERE attrelid = 'spinbench_samples'::regclass AND attname = 'lock')
  FROM pg_attribute WHERE attrelid = 'spinbench_samples'::regclass AND attnum > 0;
SELECT string_agg(attname, ' ' ORDER BY attnum) AS others
  FROM pg_attribute
 WHERE attrelid = 'spinbench_samples'::regclass AND attnum > 0
   AND attname NOT IN (SELECT attname FROM pg_attribute WHERE attrelid = 'spinbench_result'::regclass);

-- every cell once per round, A/A as two cells, in any order of options
SET spinbench.lock = 'tas/spintest';
SET spinbench.acquisitions = 3;
CALL spinbench_sweep(ARRAY['server', 'tas/nop/spintest', 'server'], ARRAY[0, 2],
                     rounds => 3, repeat_count => 20, critical_section_lines => 2,
                     note => 'a test') \gset
SELECT note, outcome, ended > started AS ended, arguments - 'message' AS arguments, settings
  FROM spinbench_sweeps WHERE sweep = :sweep;
SELECT environment - 'costs' = spinbench_environment() - 'costs' #- '{system,load}' AS environment
  FROM (SELECT environment #- '{system,load}' AS environment FROM spinbench_sweeps WHERE sweep = :sweep) s;
SELECT round, count(*), count(DISTINCT position), min(position), max(position),
       count(DISTINCT (lock_entry, workers)) AS cells, count(sqlstate) AS failed
  FROM spinbench_samples WHERE sweep = :sweep GROUP BY round ORDER BY round;
SELECT DISTINCT lock_entry, lock, queue_entry, queue, workload, workers, messages, acquisitions,
       ns_per_message > 0 AS time, error
  FROM spinbench_samples WHERE sweep = :sweep ORDER BY workers, lock_entry;

-- the session has its settings as before
SHOW spinbench.lock;
SHOW spinbench.acquisitions;
SHOW spinbench.critical_section_lines;
RESET spinbench.lock;
RESET spinbench.acquisitions;
SHOW search_path;

-- the order of cells is random: 20 rounds of 5 cells in one order are no chance
CALL spinbench_sweep(ARRAY['server'], ARRAY[0, 1, 2, 3, 4], rounds => 20, repeat_count => 1) \gset
SELECT count(DISTINCT cells) > 5 AS random
  FROM (SELECT string_agg(workers::text, ' ' ORDER BY position) AS cells
          FROM spinbench_samples WHERE sweep = :sweep GROUP BY round) r;

-- a cell that fails is recorded, and the sweep goes on
SET spinbench.stuck_timeout = '20ms';
CALL spinbench_sweep(ARRAY['leaky', 'server'], ARRAY[1], rounds => 2, repeat_count => 5,
                     workload => 'roundtrip') \gset
RESET spinbench.stuck_timeout;
SELECT round, lock, workload, workers, messages, sqlstate, error IS NOT NULL AS error
  FROM spinbench_samples WHERE sweep = :sweep ORDER BY round, lock;

-- resume: what was lost, then more rounds
DELETE FROM spinbench_samples
 WHERE sweep = :sweep AND (round = 2 AND lock = 'leaky' OR round = 1 AND lock = 'server');
UPDATE spinbench_sweeps SET ended = NULL, outcome = NULL WHERE sweep = :sweep;
CALL spinbench_resume(:sweep);
SELECT round, count(*), count(DISTINCT position) AS positions
  FROM spinbench_samples WHERE sweep = :sweep GROUP BY round ORDER BY round;
CALL spinbench_resume(:sweep, 2);
SELECT round, count(*), count(DISTINCT position) AS positions
  FROM spinbench_samples WHERE sweep = :sweep GROUP BY round ORDER BY round;
SELECT outcome, arguments -> 'rounds' AS rounds, settings ->> 'spinbench.stuck_timeout' AS stuck_timeout
  FROM spinbench_sweeps WHERE sweep = :sweep;
-- not on another machine
UPDATE spinbench_sweeps SET environment = jsonb_set(environment, '{machine,model}', '"abacus"')
 WHERE sweep = :sweep;
DO $$
DECLARE
    last int8 := (SELECT max(sweep) FROM spinbench_sweeps);
BEGIN
    PERFORM spb_resume(last, 0, NULL);
EXCEPTION WHEN object_not_in_prerequisite_state THEN
    RAISE WARNING '%', replace(sqlerrm, last::text, 'N');
END $$;

-- until the intervals have been narrow for a while: six rounds, and a quarter more;
-- of a single message, which an interruption makes thousands of times as long
CALL spinbench_sweep(ARRAY['server', 'server'], ARRAY[0], narrower_than => 1e12,
                     rounds => 100, repeat_count => 1) \gset
SELECT outcome, (SELECT max(round) FROM spinbench_samples s WHERE s.sweep = :sweep) AS rounds
  FROM spinbench_sweeps WHERE sweep = :sweep;
-- until the time is over: a round that would be too long is not begun
CALL spinbench_sweep(ARRAY['server', 'server'], ARRAY[0], narrower_than => 1e-9,
                     time_limit => '250ms', duration_ms => 50) \gset
SELECT outcome,
       (SELECT max(round) BETWEEN 1 AND 2 FROM spinbench_samples s WHERE s.sweep = :sweep) AS rounds,
       (SELECT count(*) % 2 FROM spinbench_samples s WHERE s.sweep = :sweep) AS half
  FROM spinbench_sweeps WHERE sweep = :sweep;
-- nothing to wait for
SET spinbench.stuck_timeout = '20ms';
CALL spinbench_sweep(ARRAY['leaky', 'leaky'], ARRAY[1], narrower_than => 1,
                     time_limit => '1h', repeat_count => 2) \gset
RESET spinbench.stuck_timeout;
SELECT outcome FROM spinbench_sweeps WHERE sweep = :sweep;

-- samples that come from outside, and what is none
SELECT spb_live_begin(ARRAY['stock'], ARRAY['server'], ARRAY[2],
                      '{"workload": "pgbench", "rounds": 4, "duration_ms": 1000}', '{}',
                      spinbench_environment(), NULL, false) AS state \gset
CREATE FUNCTION pg_temp.store(state jsonb, before jsonb, after jsonb, error text) RETURNS jsonb
RETURN (SELECT spb_live_store(state, spb_live_next(state), before || '{"busy_ms": 10, "stolen_ms": 0, "server_ms": 5}',
                              after || '{"busy_ms": 1010, "stolen_ms": 0, "server_ms": 505}',
                              '{"messages": 2000, "elapsed_ms": 1000, "client_ms": 500}', error));
SELECT pg_temp.store(:'state', '{"contended": 7, "queues": 1, "checkpointer": 41}', '{"contended": 9, "queues": 2, "checkpointer": 41}', NULL) AS state \gset
SELECT pg_temp.store(:'state', '{"contended": 7, "queues": 1}', '{"contended": 9, "queues": 1}', NULL) AS state \gset
SELECT pg_temp.store(:'state', '{"contended": 7, "checkpointer": 41}', '{"contended": 9, "checkpointer": 51}', NULL) AS state \gset
SELECT pg_temp.store(:'state', '{"contended": 7}', '{"contended": 9}', 'pgbench: no room') AS state \gset
SELECT spb_live_next(:'state');
SELECT round, messages, elapsed_ms, messages_per_second, ns_per_message, contended, cpu_ms, other_cpu_ms, doubts, sqlstate, error
  FROM spinbench_samples WHERE sweep = (:'state'::jsonb ->> 'sweep')::int8 ORDER BY round;
SELECT outcome FROM spinbench_sweeps WHERE sweep = (:'state'::jsonb ->> 'sweep')::int8;

-- a dry run changes nothing, and says what would be done
SET client_min_messages = notice;
SELECT count(*) AS sweeps FROM spinbench_sweeps \gset
CALL spinbench_sweep(ARRAY['server', 'tas'], ARRAY[1, 8], rounds => 12, dry_run => true);
CALL spinbench_sweep(ARRAY['server', 'tas'], ARRAY[4, 1], ARRAY['server', 'server'], 'roundtrip',
                     repeat_count => 1000, dry_run => true);
CALL spinbench_sweep(ARRAY['server'], ARRAY[1], duration_ms => 1000, time_limit => '90s', dry_run => true);
CALL spinbench_sweep(ARRAY['server', 'server'], ARRAY[1], duration_ms => 1000, rounds => 30,
                     narrower_than => 0.02, dry_run => true);
SELECT count(*) - :sweeps AS more FROM spinbench_sweeps;
SHOW spinbench.lock;

-- clean up: samples go with their sweep
DELETE FROM spinbench_sweeps;
SELECT count(*) FROM spinbench_samples;

-- progress
ALTER TABLE spinbench_sweeps ALTER sweep RESTART WITH 1;
SET spinbench.stuck_timeout = '20ms';
CALL spinbench_sweep(ARRAY['leaky'], ARRAY[1], workload => 'roundtrip', rounds => 1, repeat_count => 3);
CALL spinbench_resume(1);
DELETE FROM spinbench_sweeps;
