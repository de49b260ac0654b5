-- What sweeps here came to, for experiment-report.sql: :sweep, :lockless_sweep if there
-- is an arm without a lock, and :live_sweep if there is one of live servers.
--
-- halves  the sweeps that compare something: "micro", of the lock or the queue alone,
--         and "live"
-- times   our times of each arm
-- pairs   which arms are to be compared
-- ratios  what came of that here
-- parts   published tables, and which half stands beside each
-- figures the published figures of each

CREATE FUNCTION pg_temp.number(x float8) RETURNS text LANGUAGE sql AS
$$ SELECT to_char(x, 'FM9999990.000') $$;

-- With its interval, if it has one.
CREATE FUNCTION pg_temp.number(x float8, low float8, high float8) RETURNS text LANGUAGE sql AS
$$ SELECT pg_temp.number(x) || coalesce(' [' || pg_temp.number(low) || ', ' || pg_temp.number(high) || ']', '') $$;

CREATE TEMP TABLE halves AS
SELECT h.half, w.sweep, w.arguments ->> 'workload' AS workload, words.*
  FROM (VALUES ('micro', :sweep::int8), ('live', nullif(:'live_sweep', '')::int8)) h(half, sweep)
  JOIN spinbench_sweeps w USING (sweep),
       LATERAL spb_words(w.arguments ->> 'workload') words;

-- Of each arm the first entry of its label.
CREATE TEMP TABLE times AS
SELECT DISTINCT ON (h.half, a.letter, s.workers)
       h.half, a.letter, s.workers, s.median_ns
  FROM halves h
 CROSS JOIN arms a
  JOIN spinbench_summary s
    ON s.sweep = CASE WHEN a.dimension <> 'none' THEN h.sweep
                      WHEN h.half = 'micro' THEN nullif(:'lockless_sweep', '')::int8 END
   AND a.label = CASE a.dimension WHEN 'queue' THEN s.queue ELSE s.lock END
 WHERE s.n > 0
 ORDER BY h.half, a.letter, s.workers, s.lock_entry, s.queue_entry;

-- Speed of one arm over another, at each number of workers of ours: from ratios
-- within rounds if both are in one sweep.
CREATE TEMP TABLE pairs AS
SELECT p.n, x.letter AS fast, y.letter AS base, x.label AS fast_label, y.label AS base_label, x.dimension, x.dimension = y.dimension AS one_sweep
  FROM regexp_split_to_table(:'ratios', ' ') WITH ORDINALITY p(pair, n)
  JOIN arms x ON x.letter = split_part(p.pair, '/', 1)
  JOIN arms y ON y.letter = split_part(p.pair, '/', 2);

-- Of a live sweep, the untouched server is one more that is compared.
CREATE TEMP TABLE compared AS
SELECT DISTINCT ON (b.half, b.label, arm, c.workers)
       b.half, b.dimension, b.label AS base_label, arm AS label, c.workers, c.speedup, c.low, c.high
  FROM (SELECT DISTINCT h.half, h.sweep, p.base_label AS label, p.dimension
          FROM pairs p CROSS JOIN halves h
         WHERE one_sweep AND fast_label <> base_label
        UNION
        SELECT h.half, h.sweep, 'server', (SELECT min(dimension) FROM pairs) FROM halves h WHERE h.half = 'live') b,
       LATERAL spinbench_compare(b.sweep, b.label, b.dimension) c,
       LATERAL (SELECT CASE b.dimension WHEN 'queue' THEN c.queue ELSE c.lock END) l(arm)
 WHERE b.label IN (SELECT CASE b.dimension WHEN 'queue' THEN s.queue ELSE s.lock END
                     FROM spinbench_samples s WHERE s.sweep = b.sweep)
 ORDER BY b.half, b.label, arm, c.workers, c.lock_entry, c.queue_entry;

CREATE TEMP TABLE ratios AS
SELECT p.n, w.half, w.workers,
       CASE WHEN p.one_sweep AND p.fast_label = p.base_label THEN 'the same ' || p.dimension || ' here'
            WHEN p.one_sweep THEN pg_temp.number(c.speedup, c.low, c.high)
            ELSE pg_temp.number(b.median_ns / f.median_ns) || ' of medians'
       END AS text
  FROM pairs p
 CROSS JOIN (SELECT DISTINCT half, workers FROM times) w
  LEFT JOIN compared c ON (c.half, c.base_label, c.label, c.workers) = (w.half, p.base_label, p.fast_label, w.workers)
  LEFT JOIN times f ON (f.half, f.letter, f.workers) = (w.half, p.fast, w.workers)
  LEFT JOIN times b ON (b.half, b.letter, b.workers) = (w.half, p.base, w.workers);

-- Client counts of pgbench are options of one workload.
CREATE TEMP TABLE parts AS
SELECT row_number() OVER (ORDER BY min(p.n)) AS part, p.machine, w.workload, min(p.unit) AS unit,
       w.workload NOT LIKE 'test\_shm\_mq\_%' AS is_pgbench, h.half, h.counted
  FROM published p,
       LATERAL regexp_replace(p.workload, ' -j \d+$', '') w(workload),
       LATERAL (SELECT * FROM halves h
                 WHERE h.half = 'micro' OR w.workload NOT LIKE 'test\_shm\_mq\_%'
                 ORDER BY h.half LIMIT 1) h
 GROUP BY p.machine, w.workload, h.half, h.counted;
CREATE TEMP TABLE figures AS
SELECT t.part, t.half, p.*, coalesce(p.workers::text, '?') AS counted
  FROM published p
  JOIN parts t ON (t.machine, t.workload) = (p.machine, regexp_replace(p.workload, ' -j \d+$', ''));

CREATE TEMP TABLE compared_parts AS
SELECT t.part, t.half, t.counted, p.n, p.fast, p.base
  FROM parts t, pairs p
 WHERE EXISTS (SELECT FROM figures f WHERE f.part = t.part AND f.letter = p.fast)
   AND EXISTS (SELECT FROM figures f WHERE f.part = t.part AND f.letter = p.base);
