-- A published measurement beside what sweeps came to here; see experiment-figures.sql.
-- :live_why says why there is none of live servers, if there should be.

\ir experiment-arms.sql
\ir experiment-figures.sql

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
SELECT spb_item('Not here', format('a 32-bit build is not run, but %s: what its atomics cost is what queue "emulated" is for', h.architecture)
                || CASE h.architecture WHEN 'x86-64'
                   THEN '; "contrib_spinbench/pg-version 15/i386 contrib_spinbench/bench experiment ' || :'experiment'
                        || '" runs one' ELSE '' END)
  FROM here h WHERE EXISTS (SELECT FROM arms WHERE architecture = 'i386' AND dimension = 'queue') AND h.architecture <> 'i386';
SELECT spb_item('Not here', format('%s: not rerun: %s; instead, beside its figures stand those of spinbench_%s',
           p.workload, coalesce(nullif(:'live_why', ''), 'interrupted before it was'), h.workload))
  FROM parts p JOIN halves h USING (half)
 WHERE p.is_pgbench AND p.half = 'micro'
   AND p.part = (SELECT min(o.part) FROM parts o WHERE o.workload = p.workload)
 ORDER BY p.part;
SELECT spb_item('Not here', format('%s %ss: %s', string_agg(workers::text, ', ' ORDER BY workers), counted, why))
  FROM (SELECT DISTINCT f.workers, t.counted,
               CASE WHEN :'asked' <> '' AND NOT f.workers = ANY (string_to_array(:'asked', ',')::int[]) THEN 'not asked for'
                    WHEN EXISTS (SELECT FROM halves o JOIN spinbench_samples s USING (sweep)
                                  WHERE (o.half, s.workers) = (t.half, f.workers)) THEN 'all samples have failed'
                    WHEN t.half = 'micro' AND f.workers > h.slots THEN 'max_worker_processes is ' || h.slots
                    WHEN t.half = 'live' AND f.workers > 4 * h.cpus
                    THEN format('more than four for each of %s', spb_plural(h.cpus, 'CPU'))
                    ELSE 'not measured' END AS why
          FROM figures f JOIN parts t USING (part) CROSS JOIN here h
         WHERE NOT EXISTS (SELECT FROM times o WHERE (o.half, o.workers) = (f.half, f.workers))
           AND f.workers IS NOT NULL) counts
 GROUP BY counted, why;

-- Our own figures.  What is the same lock, or queue, comes once; of live servers, what
-- nobody proposed comes last.
CREATE TEMP TABLE shown AS
SELECT DISTINCT ON (t.half, a.dimension, a.label) t.half, a.number, a.dimension, a.label,
       a.letter || ' ' || CASE a.dimension WHEN 'none' THEN 'no lock' ELSE a.label END AS name
  FROM times t JOIN arms a USING (letter)
 ORDER BY t.half, a.dimension, a.label, a.number;
INSERT INTO shown
SELECT h.half, 100000 + n, (SELECT min(dimension) FROM pairs), label, label
  FROM halves h, unnest(ARRAY['stock', 'server']) WITH ORDINALITY l(label, n)
 WHERE h.half = 'live';

CREATE TEMP TABLE our_table AS
SELECT h.half, b.n, b.line
  FROM halves h
  JOIN (SELECT half, array_agg(name ORDER BY number) AS names FROM shown GROUP BY half) s USING (half)
  JOIN (SELECT half, array_agg(workers::text ORDER BY workers) AS "rows", array_agg(cells ORDER BY workers) AS cells
          FROM (SELECT s.half, c.workers,
                       array_agg((SELECT spb_figure(h.workload, m.median_ns, m.low_ns, m.high_ns)
                                    FROM spinbench_summary m
                                   WHERE m.sweep = CASE s.dimension WHEN 'none' THEN nullif(:'lockless_sweep', '')::int8
                                                                    ELSE h.sweep END
                                     AND m.workers = c.workers AND m.n > 0
                                     AND s.label = CASE s.dimension WHEN 'queue' THEN m.queue ELSE m.lock END
                                   ORDER BY m.lock_entry, m.queue_entry LIMIT 1)
                                 ORDER BY s.number) AS cells
                  FROM shown s JOIN halves h USING (half)
                  JOIN (SELECT DISTINCT half, workers FROM times) c USING (half)
                 GROUP BY s.half, c.workers) l
         GROUP BY half) c USING (half),
       spb_table(c."rows", s.names, c.cells, h.counted) WITH ORDINALITY b(line, n);

SELECT rtrim(line)
  FROM (SELECT h.half, -1 AS n, 0 AS m, '' AS line FROM halves h
        UNION ALL
        SELECT h.half, 0, t.m, t.line
          FROM halves h, spb_sweep(h.sweep) w,
               spb_wrap(format('Here: %s, %s, %s: median [95 %% interval]',
                   CASE h.workload
                   WHEN 'pgbench' THEN format('pgbench -b select-only, scale %s, with pg_stat_statements.track_planning',
                                              w.arguments ->> 'scale')
                   WHEN 'query' THEN format('select aid, count(*) from pgbench_accounts group by 1 having count(*) > 1; '
                                            'scale %s, no primary key', w.arguments ->> 'scale')
                   ELSE format('spinbench_%s(%s, %s bytes)', h.workload, w.arguments ->> 'queue_size',
                               octet_length(w.arguments ->> 'message'))
                   END,
                   spb_plural((SELECT max(s.round) FROM spinbench_samples s WHERE s.sweep = w.sweep), 'round')
                       || coalesce(' of ' || (w.arguments ->> 'duration_ms') || ' ms', ''), h.unit), 100)
               WITH ORDINALITY t(line, m)
        UNION ALL
        SELECT half, 1, n, line FROM our_table) l
 ORDER BY half DESC, n, m;

-- Each published table, and its ratios beside ours.
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
      JOIN (SELECT part, array_agg(letter ORDER BY letter) AS names FROM shown GROUP BY part) s USING (part)
      JOIN parts t USING (part),
           spb_table(l."rows", s.names, l.cells, t.counted) WITH ORDINALITY b(line, n)
    UNION ALL
    SELECT part, n, i.row, 0, i.line
      FROM compared_parts p, LATERAL (VALUES
           (-3, NULL),
           (-2, format('Speed of %s over %s', p.fast, p.base)),
           (-1, format('%ss  published  %s  %s', p.counted, rpad('here, as many', 27),
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
      LEFT JOIN ratios r ON (r.n, r.half, r.workers) = (p.n, f.half, f.workers)
      LEFT JOIN ratios s ON (s.n, s.half, s.workers) = (p.n, f.half, f.scaled_workers)
    UNION ALL
    -- at our own numbers, where theirs are not known
    SELECT p.part, p.n, 2, r.workers, format('%7s  %9s  %s', r.workers, '', r.text)
      FROM compared_parts p
      JOIN ratios r USING (n, half)
      JOIN here h ON p.half = 'live' OR r.workers IN (h.cpus, 2 * h.cpus, 4 * h.cpus, 8 * h.cpus)
     WHERE EXISTS (SELECT FROM figures f WHERE f.part = p.part AND f.workers IS NULL)
)
SELECT rtrim(coalesce(line, '')) FROM blocks ORDER BY part, block, row, number;

-- Pairs that nobody has published, or at other numbers of workers.
SELECT format(E'\nHere only, %s\n%ss  speed of  over\n', h.workload, h.counted)
       || string_agg(format('%7s  %8s  %4s  %s', r.workers, p.fast, p.base, coalesce(r.text, '-')), E'\n'
                     ORDER BY p.n, r.workers)
  FROM pairs p JOIN ratios r USING (n) JOIN halves h USING (half)
 WHERE NOT EXISTS (SELECT FROM figures f JOIN figures b USING (part, counted)
                    WHERE f.half = r.half AND f.letter = p.fast AND b.letter = p.base
                      AND (f.workers = r.workers OR f.scaled_workers = r.workers OR f.workers IS NULL))
 GROUP BY h.half, h.workload, h.counted ORDER BY h.half DESC;

\ir experiment-limits.sql

SELECT unnest(CASE WHEN (SELECT count(*) FROM halves) > 1 THEN ARRAY['', format('Of %s:', h.workload)] ELSE ARRAY[''] END
              || ARRAY(SELECT spb_report_doubts(w, NULL, spb_across(w, NULL))))
  FROM halves h, spb_sweep(h.sweep) w
 ORDER BY h.half DESC;
