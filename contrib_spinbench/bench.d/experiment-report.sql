-- A published measurement beside what sweep :sweep, and :lockless_sweep if there is
-- an arm without a lock, came to here.

\ir experiment-arms.sql

CREATE FUNCTION pg_temp.number(x float8) RETURNS text LANGUAGE sql AS
$$ SELECT to_char(x, 'FM9999990.000') $$;

-- With its interval, if it has one.
CREATE FUNCTION pg_temp.number(x float8, low float8, high float8) RETURNS text LANGUAGE sql AS
$$ SELECT pg_temp.number(x) || coalesce(' [' || pg_temp.number(low) || ', ' || pg_temp.number(high) || ']', '') $$;

-- Our times: of each arm the first entry of its label.
CREATE TEMP TABLE times AS
SELECT DISTINCT ON (a.letter, s.workers)
       a.number, a.letter, s.workers, s.median_ns, s.low_ns, s.high_ns
  FROM arms a
  JOIN spinbench_summary s
    ON s.sweep = CASE a.dimension WHEN 'none' THEN nullif(:'lockless_sweep', '')::int8 ELSE :sweep END
   AND a.label = CASE a.dimension WHEN 'queue' THEN s.queue ELSE s.lock END
 WHERE s.n > 0
 ORDER BY a.letter, s.workers, s.lock_entry, s.queue_entry;

-- Speed of one arm over another, at each number of workers of ours: from ratios
-- within rounds if both are in one sweep.
CREATE TEMP TABLE pairs AS
SELECT p.n, x.letter AS fast, y.letter AS base, x.variant AS fast_variant, y.variant AS base_variant,
       x.label AS fast_label, y.label AS base_label, x.dimension, x.dimension = y.dimension AS one_sweep
  FROM regexp_split_to_table(:'ratios', ' ') WITH ORDINALITY p(pair, n)
  JOIN arms x ON x.letter = split_part(p.pair, '/', 1)
  JOIN arms y ON y.letter = split_part(p.pair, '/', 2);

CREATE TEMP TABLE compared AS
SELECT DISTINCT ON (b.label, arm, c.workers) b.label AS base_label, arm AS label, c.workers, c.speedup, c.low, c.high
  FROM (SELECT DISTINCT base_label AS label, dimension FROM pairs
         WHERE one_sweep AND fast_label <> base_label
           AND base_label IN (SELECT CASE dimension WHEN 'queue' THEN s.queue ELSE s.lock END
                                FROM spinbench_samples s WHERE s.sweep = :sweep)) b,
       LATERAL spinbench_compare(:sweep, b.label, b.dimension) c,
       LATERAL (SELECT CASE b.dimension WHEN 'queue' THEN c.queue ELSE c.lock END) l(arm)
 ORDER BY b.label, arm, c.workers, c.lock_entry, c.queue_entry;

CREATE TEMP TABLE ratios AS
SELECT p.n, w.workers,
       CASE WHEN p.one_sweep AND p.fast_label = p.base_label THEN 'the same lock here'
            WHEN p.one_sweep THEN pg_temp.number(c.speedup, c.low, c.high)
            ELSE pg_temp.number(b.median_ns / f.median_ns) || ' of medians'
       END AS text
  FROM pairs p
 CROSS JOIN (SELECT DISTINCT workers FROM times) w
  LEFT JOIN compared c ON (c.base_label, c.label, c.workers) = (p.base_label, p.fast_label, w.workers)
  LEFT JOIN times f ON (f.letter, f.workers) = (p.fast, w.workers)
  LEFT JOIN times b ON (b.letter, b.workers) = (p.base, w.workers);

SELECT spb_wrap(:'title', 100);
SELECT '';
SELECT spb_item('Published', :'origin');
SELECT spb_describe(environment) FROM spinbench_sweeps WHERE sweep = :sweep;

SELECT '';
SELECT format('   %s  %s', rpad('published', w), 'here, on ' || h.architecture)
  FROM here h, (SELECT max(length(variant)) FROM arms) l(w);
SELECT spb_wrap(format('%s  %s  %s', a.letter, rpad(a.variant, w),
              concat_ws(' ', CASE WHEN a.reason IS NOT NULL THEN 'NOT RUN: ' || a.reason
                                  WHEN a.dimension = 'none' THEN 'no lock taken'
                                  ELSE a.label END,
                        CASE WHEN a.foreign AND a.dimension = 'lock' THEN '(ANALOGUE)' END,
                        '= ' || (SELECT string_agg(o.letter, ', ' ORDER BY o.number) FROM arms o
                                  WHERE (o.dimension, o.label) = (a.dimension, a.label) AND o.number < a.number))), 100)
  FROM arms a, (SELECT max(length(variant)) FROM arms) l(w)
 ORDER BY a.number;

-- What of it is not what was published.
SELECT '';
SELECT spb_item('Analogues', format(
           'the locks marked so were measured on %s; here the same primitive and test, with the delay and '
           'the fences of %s, stand for them, which says nothing about the other architecture''s own',
           string_agg(DISTINCT a.architecture, ', '), min(h.architecture)))
  FROM arms a, here h WHERE a.foreign AND a.dimension = 'lock' HAVING count(*) > 0;
SELECT spb_item('Not here', format('a 32-bit build is not run: what its atomics cost is what queue "emulated" is for; here %s', h.architecture))
  FROM here h WHERE EXISTS (SELECT FROM arms WHERE architecture = 'i386' AND dimension = 'queue') AND h.architecture <> 'i386';
SELECT spb_item('Not here', format('%s: not rerun, as it takes %s; instead, beside its figures stand those of %s',
           p.workload,
           CASE WHEN p.workload LIKE '%pgbench_accounts%' THEN 'tables and a server built with each queue'
                ELSE 'a server built with each lock' END,
           'spinbench_' || (w.arguments ->> 'workload')))
  FROM (SELECT workload, min(n) AS n FROM published
         WHERE workload NOT LIKE 'test_shm_mq_%' GROUP BY workload) p,
       spb_sweep(:sweep) w
 WHERE NOT p.workload LIKE 'pgbench -S%' OR p.n = (SELECT min(n) FROM published)
 ORDER BY p.n;
SELECT spb_item('Not here', format('%s workers: %s', string_agg(workers::text, ', ' ORDER BY workers), why))
  FROM (SELECT DISTINCT p.workers,
               CASE WHEN :'asked' <> '' THEN 'not asked for'
                    ELSE 'max_worker_processes is ' || h.slots END AS why
          FROM published p CROSS JOIN here h
         WHERE p.workers NOT IN (SELECT workers FROM times)) counts
 GROUP BY why;

SELECT '';
SELECT spb_wrap(format('Here: spinbench_%s(%s, %s bytes), %s, ns per message: median [95 %% interval]',
           w.arguments ->> 'workload', w.arguments ->> 'queue_size', octet_length(w.arguments ->> 'message'),
           spb_plural((SELECT max(s.round) FROM spinbench_samples s WHERE s.sweep = w.sweep), 'round')
           || coalesce(' of ' || (w.arguments ->> 'duration_ms') || ' ms', '')), 100)
  FROM spb_sweep(:sweep) w;
WITH shown AS (
    SELECT DISTINCT ON (dimension, label) number, letter, letter || ' ' ||
           CASE dimension WHEN 'none' THEN 'no lock' ELSE label END AS name
      FROM arms a
     WHERE letter IN (SELECT letter FROM times)
     ORDER BY dimension, label, number
), counts AS (
    SELECT DISTINCT workers FROM times
), lines AS (
    SELECT c.workers, array_agg(spb_digits(t.median_ns, 4)
               || coalesce(' [' || spb_digits(t.low_ns, 4) || ', ' || spb_digits(t.high_ns, 4) || ']', '')
               ORDER BY s.number) AS cells
      FROM counts c CROSS JOIN shown s LEFT JOIN times t USING (workers, letter)
     GROUP BY c.workers
)
SELECT spb_table((SELECT array_agg(workers::text ORDER BY workers) FROM lines),
                 (SELECT array_agg(name ORDER BY number) FROM shown),
                 (SELECT array_agg(cells ORDER BY workers) FROM lines));

-- Each published table, and its ratios beside ours.  Client counts of pgbench are
-- options of one workload.
CREATE TEMP TABLE parts AS
SELECT row_number() OVER (ORDER BY min(n)) AS part, machine,
       regexp_replace(workload, ' -j \d+$', '') AS workload, min(unit) AS unit
  FROM published GROUP BY machine, regexp_replace(workload, ' -j \d+$', '');
CREATE TEMP TABLE figures AS
SELECT t.part, p.*, coalesce(p.workers::text, '?') AS counted
  FROM published p
  JOIN parts t ON (t.machine, t.workload) = (p.machine, regexp_replace(p.workload, ' -j \d+$', ''));

CREATE TEMP TABLE compared_parts AS
SELECT t.part, p.n, p.fast, p.base
  FROM parts t, pairs p
 WHERE EXISTS (SELECT FROM figures f WHERE f.part = t.part AND f.letter = p.fast)
   AND EXISTS (SELECT FROM figures f WHERE f.part = t.part AND f.letter = p.base);

WITH shown AS (
    SELECT DISTINCT part, letter FROM figures
), lines AS (
    SELECT c.part, c.workers, c.counted,
           array_agg(coalesce(trim_scale(round(f.value::numeric, 1))::text, '?') ORDER BY s.letter) AS cells
      FROM (SELECT DISTINCT part, workers, counted FROM figures) c
      JOIN shown s USING (part)
      LEFT JOIN figures f ON f.part = c.part AND f.letter = s.letter AND f.counted = c.counted
     GROUP BY c.part, c.workers, c.counted
), blocks AS (
    SELECT t.part, 0 AS block, 0 AS row, 0 AS number, NULL AS line FROM parts t
    UNION ALL
    SELECT t.part, 0, 0, h.n, h.line
      FROM parts t, spb_wrap(format('Published: %s, %s: %s', t.machine, t.workload, t.unit), 100)
           WITH ORDINALITY h(line, n)
    UNION ALL
    SELECT l.part, 0, 1, b.n, b.line
      FROM (SELECT part, array_agg(counted ORDER BY workers) AS "rows",
                   array_agg(cells ORDER BY workers) AS cells
              FROM lines GROUP BY part) l
      JOIN (SELECT part, array_agg(letter ORDER BY letter) AS names FROM shown GROUP BY part) s USING (part),
           spb_table(l."rows", s.names, l.cells) WITH ORDINALITY b(line, n)
    UNION ALL
    SELECT part, n, i.row, 0, i.line
      FROM compared_parts p, LATERAL (VALUES
           (-3, NULL),
           (-2, format('Speed of %s over %s', p.fast, p.base)),
           (-1, format('workers  published  %s  %s', rpad('here, as many', 27),
                CASE WHEN EXISTS (SELECT FROM figures f WHERE f.part = p.part AND f.scaled_workers IS NOT NULL)
                     THEN 'here, as many for each CPU' ELSE '' END))) i("row", line)
    UNION ALL
    SELECT f.part, p.n, 1, row_number() OVER (PARTITION BY f.part, p.n ORDER BY f.workers),
           format('%7s  %9s  %s  %s', f.counted,
               coalesce(pg_temp.number(CASE WHEN f.is_rate THEN f.value / b.value ELSE b.value / f.value END), '?'),
               rpad(coalesce(r.text, '-'), 27),
               -- where several come to the same here, the largest is nearest to it
               CASE WHEN f.workers = max(f.workers) OVER (PARTITION BY f.part, p.n, f.scaled_workers)
                         AND f.scaled_workers IS NOT NULL
                    THEN format('%s: %s', f.scaled_workers, coalesce(s.text, '-')) ELSE '' END)
      FROM figures f
      JOIN pairs p ON p.fast = f.letter
      JOIN figures b ON b.part = f.part AND b.letter = p.base AND b.counted = f.counted
      LEFT JOIN ratios r ON (r.n, r.workers) = (p.n, f.workers)
      LEFT JOIN ratios s ON (s.n, s.workers) = (p.n, f.scaled_workers)
    UNION ALL
    -- at our own numbers, where theirs are not known
    SELECT p.part, p.n, 2, r.workers, format('%7s  %9s  %s', r.workers, '', r.text)
      FROM compared_parts p
      JOIN ratios r USING (n)
      JOIN here h ON r.workers IN (h.cpus, 2 * h.cpus, 4 * h.cpus, 8 * h.cpus)
     WHERE EXISTS (SELECT FROM figures f WHERE f.part = p.part AND f.workers IS NULL)
)
SELECT rtrim(coalesce(line, '')) FROM blocks ORDER BY part, block, row, number;

-- Pairs that nobody has published, or at other numbers of workers.
SELECT E'\nSpeed of ' || p.fast || ' over ' || p.base || E', here only\n'
       || string_agg(format('%7s  %s', r.workers, coalesce(r.text, '-')), E'\n' ORDER BY r.workers)
  FROM pairs p JOIN ratios r USING (n)
 WHERE NOT EXISTS (SELECT FROM figures f JOIN figures b USING (part, counted)
                    WHERE f.letter = p.fast AND b.letter = p.base
                      AND (f.workers = r.workers OR f.scaled_workers = r.workers OR f.workers IS NULL))
 GROUP BY p.n, p.fast, p.base ORDER BY p.n;

SELECT '';
SELECT spb_report_doubts(w, NULL, spb_across(w, NULL)) FROM spb_sweep(:sweep) w;
