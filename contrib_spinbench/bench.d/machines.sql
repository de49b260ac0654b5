-- Several sweeps, such as those of different machines, side by side: the cells that
-- at least two of them have.

CREATE TEMP TABLE chosen AS
SELECT w.sweep, n AS place, spb_across(w, nullif(:'across', '')) AS dimension, w.environment, w.started, w.arguments,
       format('sweep %s: %s', w.sweep, coalesce(w.environment #>> '{machine,product}',
                                                w.environment #>> '{machine,model}')) AS name
  FROM unnest(string_to_array(:'sweeps', ',')::int8[]) WITH ORDINALITY s(sweep, n),
       spb_sweep(s.sweep) w;

-- The second of two equal locks says nothing new here.
CREATE TEMP TABLE cell AS
SELECT DISTINCT ON (c.place, s.workload, s.queue, s.lock, s.workers)
       c.place, s.workload, s.queue, s.lock, s.workers, s.lock_entry, s.queue_entry,
       s.median_ns, s.low_ns, s.high_ns
  FROM chosen c JOIN spinbench_summary s USING (sweep)
 WHERE s.n > 0
 ORDER BY c.place, s.workload, s.queue, s.lock, s.workers, s.lock_entry, s.queue_entry;

-- What they are compared with is the first that all sweeps have, unless it is said.
CREATE TEMP TABLE comparison AS
SELECT c.place, k.*
  FROM (SELECT coalesce(nullif(:'baseline', ''),
                   (SELECT l.label
                      FROM chosen f, jsonb_array_elements_text(f.arguments -> (f.dimension || 's'))
                           WITH ORDINALITY l(label, entry)
                     WHERE f.place = 1
                       AND NOT EXISTS (SELECT FROM chosen o
                                        WHERE NOT o.arguments -> (f.dimension || 's') ? l.label)
                     ORDER BY l.entry LIMIT 1)) AS label) b,
       chosen c, spinbench_compare(c.sweep, b.label, c.dimension) k
 WHERE b.label IS NOT NULL;

CREATE TEMP TABLE side_by_side AS
SELECT k.workload, k.queue, k.lock, min(k.queue_entry) AS queue_entry, min(k.lock_entry) AS lock_entry,
       array_agg(DISTINCT k.place) AS places
  FROM cell k
 GROUP BY k.workload, k.queue, k.lock
HAVING count(DISTINCT k.place) > 1;

SELECT format('%s, %s', c.name, to_char(c.started, 'YYYY-MM-DD HH24:MI')) || E'\n'
       || (SELECT string_agg(line, E'\n') FROM spb_describe(c.environment) line) || E'\n'
  FROM chosen c ORDER BY c.place;

SELECT 'There is no cell that two of these sweeps have.'
 WHERE NOT EXISTS (SELECT FROM side_by_side);

-- A table for each lock and queue, with a column for each sweep.
WITH contents AS (
    SELECT b.workload, b.queue, b.lock, w.workers, p.place,
           spb_figure(k.workload, k.median_ns, k.low_ns, k.high_ns) AS figure,
           to_char(s.speedup, 'FM9999990.000')
               || coalesce(' [' || to_char(s.low, 'FM9999990.000') || ', '
                                || to_char(s.high, 'FM9999990.000') || ']', '') AS speedup,
           s.baseline_label
      FROM side_by_side b
     CROSS JOIN unnest(b.places) p(place)
     CROSS JOIN LATERAL (SELECT DISTINCT c.workers FROM cell c
                          WHERE (c.workload, c.queue, c.lock) = (b.workload, b.queue, b.lock)) w
      LEFT JOIN cell k ON (k.workload, k.queue, k.lock, k.workers, k.place)
                        = (b.workload, b.queue, b.lock, w.workers, p.place)
      LEFT JOIN comparison s ON (s.queue_entry, s.lock_entry, s.workers, s.place)
                              = (k.queue_entry, k.lock_entry, k.workers, k.place)
), lines AS (
    SELECT c.workload, c.queue, c.lock, c.workers,
           array_agg(c.figure ORDER BY c.place) AS figures,
           array_agg(c.speedup ORDER BY c.place) AS speedups,
           min(c.baseline_label) AS baseline_label
      FROM contents c
     GROUP BY c.workload, c.queue, c.lock, c.workers
), tables AS (
    SELECT l.workload, l.queue, l.lock,
           array_agg(l.workers::text ORDER BY l.workers) AS "rows",
           array_agg(l.figures ORDER BY l.workers) AS figures,
           array_agg(l.speedups ORDER BY l.workers) AS speedups,
           min(l.baseline_label) AS baseline_label
      FROM lines l GROUP BY l.workload, l.queue, l.lock
)
SELECT format(E'%s of lock %s over queue %s: %s, median [95 %% interval]\n', t.workload, t.lock, t.queue, s.unit)
       || (SELECT string_agg(line, E'\n') FROM spb_table(t."rows", n.names, t.figures, s.counted) line) || E'\n'
       || CASE WHEN t.baseline_label IS NULL THEN ''
          ELSE format(E'\nspeedup over %s [95 %% interval]\n', t.baseline_label)
               || (SELECT string_agg(line, E'\n') FROM spb_table(t."rows", n.names, t.speedups, s.counted) line) || E'\n'
          END
  FROM tables t
  JOIN side_by_side b USING (workload, queue, lock),
       LATERAL spb_words(t.workload) s,
       LATERAL (SELECT array_agg(c.name ORDER BY c.place) AS names
                  FROM chosen c WHERE c.place = ANY (b.places)) n
 ORDER BY t.workload, b.queue_entry, t.queue, b.lock_entry, t.lock;
