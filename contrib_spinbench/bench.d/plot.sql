-- What the plots of a sweep show, as text for gnuplot.  :what is one of
--     groups    numbers of the queues (or, across queues, locks)
--     times     of a group: a block for each lock, of workers, median, low, high
--     ratios    the same of the speedups over the baseline
--     noise     workers, and how far from 1 equal cells are
--     words     titles, as variables of gnuplot's
-- Blocks begin with a name and are separated by two empty lines.

SELECT spb_across(w, nullif(:'across', '')) AS dimension,
       CASE spb_across(w, nullif(:'across', '')) WHEN 'lock' THEN 'queue' ELSE 'lock' END AS others,
       :'what' = 'groups' AS groups, :'what' = 'times' AS times, :'what' = 'ratios' AS ratios,
       :'what' = 'noise' AS noise, :'what' = 'words' AS words
  FROM spb_sweep(:sweep) w \gset

CREATE FUNCTION pg_temp.block(name text, lines text[]) RETURNS text LANGUAGE sql AS
$$ SELECT concat('"', replace(name, '"', ''''), E'"\n', array_to_string(lines, E'\n'), E'\n\n') $$;

\if :groups
SELECT n.arm FROM spb_sweep(:sweep) w, spb_names(w, :'others') n ORDER BY n.arm;
\elif :times
SELECT pg_temp.block(n.name,
           array_agg(concat_ws(E'\t', s.workers, s.median_ns, coalesce(s.low_ns, s.median_ns),
                               coalesce(s.high_ns, s.median_ns)) ORDER BY s.workers)
               FILTER (WHERE s.n > 0))
  FROM spb_sweep(:sweep) w CROSS JOIN spb_names(w, :'dimension') n
  LEFT JOIN spinbench_summary s
    ON s.sweep = :sweep AND s.workers > 0
   AND n.arm = CASE :'dimension' WHEN 'lock' THEN s.lock_entry ELSE s.queue_entry END
   AND :group = CASE :'dimension' WHEN 'lock' THEN s.queue_entry ELSE s.lock_entry END
 GROUP BY n.arm, n.name ORDER BY n.arm;
\else
CREATE TEMP TABLE comparison AS
SELECT c.*, CASE :'dimension' WHEN 'lock' THEN c.lock_entry ELSE c.queue_entry END AS arm
  FROM spinbench_compare(:sweep, nullif(:'baseline', ''), :'dimension') c
 WHERE CASE :'dimension' WHEN 'lock' THEN c.queue_entry ELSE c.lock_entry END = :group
   AND c.n > 0 AND c.workers > 0;
\endif
\if :ratios
-- The baseline has no line of its own: it is at 1.
SELECT pg_temp.block(n.name,
           array_agg(concat_ws(E'\t', c.workers, c.speedup, coalesce(c.low, c.speedup),
                               coalesce(c.high, c.speedup)) ORDER BY c.workers)
               FILTER (WHERE c.n > 0))
  FROM spb_sweep(:sweep) w CROSS JOIN spb_names(w, :'dimension') n
  LEFT JOIN comparison c ON n.arm = c.arm
 WHERE EXISTS (SELECT FROM comparison)
 GROUP BY n.arm, n.name ORDER BY n.arm;
\elif :noise
-- as far as the x axis reaches
SELECT DISTINCT workers * stretch, noise_floor
  FROM (SELECT workers, noise_floor, min(workers) OVER () AS first, max(workers) OVER () AS last
          FROM comparison WHERE noise_floor IS NOT NULL) c,
       unnest(ARRAY[CASE workers WHEN first THEN 1 / 1.5 END, 1, CASE workers WHEN last THEN 1.5 END]) stretch
 WHERE stretch IS NOT NULL
 ORDER BY 1;
\elif :words
SELECT format('%s = ''%s''', v.name, replace(v.value, '''', ''''''))
  FROM spb_sweep(:sweep) w, LATERAL (VALUES
       ('what', concat_ws(', ', w.arguments ->> 'workload',
            (SELECT :'others' || ' ' || n.name FROM spb_names(w, :'others') n WHERE n.arm = :group),
            (SELECT spb_plural(max(s.round), 'round') FROM spinbench_samples s WHERE s.sweep = w.sweep))),
       ('per', (SELECT s.per FROM spb_words(w.arguments ->> 'workload') s)),
       ('counted', (SELECT s.counted || 's' FROM spb_words(w.arguments ->> 'workload') s)),
       ('dimension', :'dimension'),
       ('baseline', w.arguments -> (:'dimension' || 's')
            ->> spb_baseline(w, nullif(:'baseline', ''), :'dimension') - 1),
       ('machine', concat_ws(', ', w.environment #>> '{machine,model}',
            w.environment #>> '{machine,product}',
            spb_plural((w.environment #>> '{machine,usable_cpus}')::int8, 'CPU'),
            substring(w.environment #>> '{server,version}' FROM '^\S+ \S+'),
            to_char(w.started, 'YYYY-MM-DD'))),
       ('counts', (SELECT string_agg(n, ' ' ORDER BY n::int)
                     FROM jsonb_array_elements_text(w.arguments -> 'workers') n WHERE n <> '0')))
       AS v(name, value);
\endif
