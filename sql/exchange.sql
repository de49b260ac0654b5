-- Sweeps go from one machine to another, and come back the same.
SET client_min_messages = warning;
LOAD 'spinbench';
ALTER TABLE spinbench_sweeps ALTER sweep RESTART WITH 1;
SET spinbench.stuck_timeout = '20ms';
CALL spinbench_sweep('{server,tas/spintest,server,leaky}', '{0,1}', rounds => 2, repeat_count => 30,
                     note => E'what a "note",\nreally') \gset
CREATE TEMP TABLE sweeps_before AS SELECT * FROM spinbench_sweeps;
CREATE TEMP TABLE samples_before AS SELECT * FROM spinbench_samples;
SELECT count(*) AS samples, count(error) AS failed FROM samples_before;

-- out and in again, through the client
\copy (SELECT * FROM spinbench_csv) TO 'results/exchange.csv' (FORMAT csv, HEADER)
DELETE FROM spinbench_sweeps;
ALTER TABLE spinbench_sweeps ALTER sweep RESTART WITH 1000;
SET client_min_messages = notice;
\copy spinbench_import FROM 'results/exchange.csv' (FORMAT csv, HEADER match)
SET client_min_messages = warning;
SELECT to_jsonb(b) - 'sweep' = to_jsonb(a) - 'sweep' AS same_sweep
  FROM sweeps_before b FULL JOIN spinbench_sweeps a USING (id);
SELECT count(*), bool_and(to_jsonb(b) - 'sweep' = to_jsonb(a) - 'sweep') AS same_samples
  FROM samples_before b
  FULL JOIN spinbench_samples a USING (round, lock_entry, queue_entry, workers);
-- it is a sweep like any other
SELECT count(*) AS cells, sum(n) AS n, sum(failed) AS failed FROM spinbench_summary WHERE sweep = 1000;
SELECT count(*) FROM spinbench_report(1000) line WHERE line LIKE 'Note %what a "note",%';

-- once more: nothing new
\copy spinbench_import FROM 'results/exchange.csv' (FORMAT csv, HEADER match)
SELECT count(DISTINCT sweep) AS sweeps, count(*) AS samples FROM spinbench_samples;
-- after more rounds over there
CALL spinbench_resume(1000, 1);
\copy (SELECT * FROM spinbench_csv) TO 'results/exchange.csv' (FORMAT csv, HEADER)
DELETE FROM spinbench_samples WHERE round = 3;
UPDATE spinbench_sweeps SET (ended, outcome) = (NULL, NULL);
\copy spinbench_import FROM 'results/exchange.csv' (FORMAT csv, HEADER match)
SELECT arguments -> 'rounds' AS rounds, outcome, ended IS NOT NULL AS ended,
       (SELECT count(*) FROM spinbench_samples) AS samples
  FROM spinbench_sweeps;
-- not the same samples
UPDATE spinbench_samples SET messages = messages + 1 WHERE error IS NULL;
\set SHOW_CONTEXT never
DO $$
BEGIN
    INSERT INTO spinbench_import SELECT * FROM spinbench_csv WHERE round = 1 LIMIT 1;
    INSERT INTO spinbench_import
    SELECT (jsonb_populate_record(c, '{"ns_per_message": 1}')).* FROM spinbench_csv c;
EXCEPTION WHEN unique_violation THEN
    RAISE WARNING 'refused: %', regexp_replace(sqlerrm, '\d+', 'N', 'g');
END $$;
-- not the first row first
CREATE TEMP TABLE file AS SELECT * FROM spinbench_csv;
DELETE FROM spinbench_sweeps;
\set VERBOSITY terse
INSERT INTO spinbench_import SELECT (jsonb_populate_record(f, '{"id": null}')).* FROM file f;
DO $$
BEGIN
    INSERT INTO spinbench_import SELECT * FROM file WHERE environment IS NULL;
EXCEPTION WHEN null_value_not_allowed THEN
    RAISE WARNING 'refused: %', replace(sqlerrm, (SELECT id::text FROM file LIMIT 1), 'N');
END $$;

-- the same cells on two machines, side by side
INSERT INTO spinbench_import SELECT * FROM file;
INSERT INTO spinbench_import
SELECT (jsonb_populate_record(f, jsonb_build_object('id', md5(id::text)::uuid, 'environment',
            jsonb_set(environment, '{machine,model}', '"abacus"')))).*
  FROM file f;
UPDATE spinbench_samples SET ns_per_message = 100 * lock_entry + 10 * workers + sweep - 1000;
UPDATE spinbench_sweeps SET environment = jsonb_set(environment, '{machine,model}', '"slide rule"')
 WHERE environment #>> '{machine,model}' <> 'abacus';
SELECT lock_entry || ' ' || lock AS lock, workers, environment #>> '{machine,model}' AS machine, median_ns
  FROM spinbench_summary JOIN spinbench_sweeps USING (sweep)
 WHERE workers = 0
 ORDER BY lock_entry, workers \crosstabview lock machine median_ns

-- Go's format: each line is as its specification has it
UPDATE spinbench_sweeps SET environment = '{"machine": {"model": "an abacus", "architecture": "aarch64", "usable_cpus": 8},
    "system": {"kernel": "Linux 6.1.0"}, "server": {"version": "PostgreSQL 15"}}', started = '2026-01-01 00:00:00+00'
 WHERE sweep = (SELECT min(sweep) FROM spinbench_sweeps)
RETURNING sweep \gset
UPDATE spinbench_samples
   SET messages = 1000, ns_per_message = round * 100.5, contended = 30, sleeps = 2, handoffs = NULL, latch_sets = 500, wakeups = 250, cpu_ms = 1.5,
       position = -lock_entry * 10 - workers + 100
 WHERE sweep = :sweep AND sqlstate IS NULL;
SELECT regexp_replace(line, '^sweep: [0-9a-f-]{36}$', 'sweep: ID')
  FROM (SELECT line FROM spinbench_gobench(:sweep) WITH ORDINALITY g(line, n) ORDER BY n LIMIT 16) g(line)
 \g (format=unaligned tuples_only)
SELECT count(*) AS lines,
       count(*) FILTER (WHERE line ~ '^[a-z][^[:upper:][:space:]:]*:[ \t]+[^\n]+$') AS configuration,
       count(*) FILTER (WHERE line ~ '^Benchmark[[:upper:]][^[:space:]]*-[0-9]+[ \t]+[1-9][0-9]*([ \t]+[-+0-9.e]+[ \t]+[^[:space:]0-9][^[:space:]]*)+$') AS results
  FROM spinbench_gobench(:sweep) line;
SELECT spinbench_gobench(-1);
DELETE FROM spinbench_sweeps;
