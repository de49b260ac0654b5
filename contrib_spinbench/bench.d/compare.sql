-- How the cells of a sweep compare with its baseline.

SELECT coalesce(min(baseline_label), 'nothing') AS over
  FROM spinbench_compare(:sweep, nullif(:'baseline', ''), nullif(:'across', '')) \gset
\set heading 'Speedup over ' :over ', by time per message within rounds'
\pset title :heading

SELECT workers, lock, queue, to_char(speedup, 'FM9999990.000') AS speedup,
       to_char(low, 'FM9999990.000') || ' to ' || to_char(high, 'FM9999990.000') AS "interval",
       round(coverage::numeric * 100, 1) || ' %' AS "covers", n, verdict
  FROM spinbench_compare(:sweep, nullif(:'baseline', ''), nullif(:'across', ''))
 ORDER BY queue_entry, workers, lock_entry;
\pset title
\pset tuples_only on
\pset format unaligned
SELECT spb_report_doubts(w, nullif(:'baseline', ''), spb_across(w, nullif(:'across', '')))
  FROM spb_sweep(:sweep) w;
