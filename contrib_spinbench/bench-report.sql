-- The report of bench about the samples on standard input.  What is a name and a
-- text comes as two columns, which bench lays out.

CREATE TEMP TABLE sample (
    round int, position int, at timestamptz, entry int, asked_lock text,
    asked_workers int, error text, LIKE spinbench_result);
\copy sample FROM pstdin WITH (FORMAT csv, HEADER)

CREATE TEMP TABLE lock AS
SELECT entry, left(coalesce(max(s.lock), asked), 80) AS label
  FROM unnest(string_to_array(:'locks', ',')) WITH ORDINALITY AS l (asked, entry)
  LEFT JOIN sample s USING (entry)
 GROUP BY entry, asked;

-- Each combination, whether it was reached or not; ns are sorted.
CREATE TEMP TABLE cell AS
SELECT entry, asked_workers,
       count(error) AS errors,
       count(ns_per_message) AS n,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY ns_per_message) AS median,
       array_agg(ns_per_message ORDER BY ns_per_message)
           FILTER (WHERE ns_per_message IS NOT NULL) AS ns
  FROM lock
 CROSS JOIN unnest(string_to_array(:'workers', ' ')::int[]) AS asked_workers
  LEFT JOIN sample USING (entry, asked_workers)
 GROUP BY entry, asked_workers;

-- The interval from the k-th smallest of n samples to the k-th largest does not
-- contain the median if fewer than k samples, of a fair coin's n throws, are on one
-- side of it.  The narrowest that covers it with 95 %, else the widest there is.
CREATE TEMP TABLE interval_of AS
SELECT DISTINCT ON (n) n, k, coverage
  FROM (SELECT n, k,
               1 - 2 * sum(factorial(n) / factorial(k - 1) / factorial(n - k + 1))
                       OVER (PARTITION BY n ORDER BY k) / 2::numeric ^ n AS coverage
          FROM (SELECT DISTINCT n FROM cell WHERE n > 0) AS numbers,
               generate_series(1, (n + 1) / 2) AS k) AS intervals
 WHERE coverage >= 0.95 OR k = 1
 ORDER BY n, k DESC;

CREATE FUNCTION pg_temp.short(ns float8) RETURNS text LANGUAGE SQL AS
$$ SELECT round(ns::numeric, CASE WHEN ns < 99.95 THEN 1 ELSE 0 END)::text $$;

CREATE TEMP TABLE entry AS
SELECT entry, label, asked_workers,
       CASE WHEN errors > 0 THEN 'error'
            WHEN n = 0 THEN '-'
            WHEN n = 1 THEN pg_temp.short(median)
            ELSE format('%s (%s-%s)', pg_temp.short(median),
                        pg_temp.short(ns[k::int]), pg_temp.short(ns[(n + 1 - k)::int]))
       END AS text
  FROM cell JOIN lock USING (entry) LEFT JOIN interval_of USING (n);

SELECT format('spinbench_pipelined(%s, %L), %s ms per sample, %s',
              :queue_size, left(:'message', 20), :duration_ms,
              to_char(min(at), 'YYYY-MM-DD HH24:MI TZ')),
       ''
  FROM sample;
SELECT format('INTERRUPTED after %s of %s samples', count(*), :total), ''
  FROM sample HAVING count(*) < :total;
SELECT 'ns per message: median (interval)', '';

-- As many columns side by side as fit into 100 characters.
WITH RECURSIVE width AS (
    SELECT entry, greatest(length(label), max(length(text))) + 2 AS width
      FROM entry GROUP BY entry, label
), layout AS (
    SELECT entry, width, 1 AS block, 7 + width AS right_edge FROM width WHERE entry = 1
    UNION ALL
    SELECT w.entry, w.width,
           block + CASE WHEN right_edge + w.width > 100 THEN 1 ELSE 0 END,
           CASE WHEN right_edge + w.width > 100 THEN 7 ELSE right_edge END + w.width
      FROM layout l JOIN width w ON w.entry = l.entry + 1
)
SELECT line, ''
  FROM (SELECT block, -2 AS workers, '' AS line FROM layout GROUP BY block
        UNION ALL
        SELECT block, -1, 'workers' || string_agg(lpad(label, width), '' ORDER BY entry)
          FROM lock JOIN layout USING (entry) GROUP BY block
        UNION ALL
        SELECT block, asked_workers,
               lpad(asked_workers::text, 7) || string_agg(lpad(text, width), '' ORDER BY entry)
          FROM entry JOIN layout USING (entry) GROUP BY block, asked_workers) AS lines
 ORDER BY block, workers;
SELECT '', '';

SELECT 'interval',
       concat(CASE WHEN min(n) < 6 THEN 'too few rounds for an interval of 95 %, which takes 6; ' END,
              'contains the true median with a probability of ' ||
              string_agg(format('%s %% (%s samples)', round(100 * coverage, 1), n), ', ' ORDER BY n))
  FROM interval_of WHERE n > 1
HAVING count(*) > 0;

-- Contention: what the samples' own doubts say, and how much there was.
WITH many AS (
    SELECT entry, asked_workers, 100.0 * contended / nullif(acquisitions, 0) AS contended,
           coalesce(doubts, '') LIKE '%contention not reached%' AS not_reached
      FROM sample
     WHERE error IS NULL AND asked_workers > 1
), known AS (
    SELECT * FROM many WHERE contended IS NOT NULL
), medians AS (
    SELECT asked_workers, percentile_cont(0.5) WITHIN GROUP (ORDER BY contended)::numeric AS contended
      FROM known GROUP BY entry, asked_workers
), by_workers AS (
    SELECT string_agg(format('%s to %s %% with %s workers', lowest, highest, asked_workers), ', '
                      ORDER BY asked_workers) AS text
      FROM (SELECT asked_workers, round(min(contended), 2) AS lowest, round(max(contended), 2) AS highest
              FROM medians GROUP BY asked_workers) AS ranges
)
SELECT 'contention',
       CASE WHEN NOT EXISTS (SELECT FROM many) THEN 'not tried: there is no sample with 2 workers or more'
            WHEN NOT EXISTS (SELECT FROM sample WHERE acquisitions > 0) THEN 'no lock under test was taken'
            WHEN NOT EXISTS (SELECT FROM known) THEN 'not known'
            ELSE (SELECT CASE WHEN bool_and(not_reached)
                              THEN format('NOT REACHED in any of %s samples', count(*))
                              ELSE format('reached in %s of %s samples',
                                          count(*) FILTER (WHERE NOT not_reached), count(*)) END
                    FROM known) ||
                 ' with 2 workers or more; acquisitions that had to wait, lowest to highest median of a lock: ' ||
                 by_workers.text
       END
  FROM by_workers;

-- Other doubts, alike but for their figures.
SELECT 'doubts',
       coalesce(string_agg(format('%s (%s of %s samples)', text, samples, (SELECT count(*) FROM sample)),
                           '; ' ORDER BY samples DESC), 'none')
  FROM (SELECT regexp_replace(min(doubt), '[0-9.]+', 'up to ' ||
                              coalesce(max(substring(doubt FROM '[0-9.]+')::numeric)::text, '')) AS text,
               count(*) AS samples
          FROM sample, unnest(string_to_array(doubts, '; ')) AS doubt
         WHERE doubt NOT LIKE 'contention not reached%'
         GROUP BY regexp_replace(doubt, '[0-9.]+', '')) AS doubts;

SELECT 'error',
       format('%s: %s of %s samples failed: %s', label, count(error), count(*),
              regexp_replace(min(error), '\s+', ' ', 'g'))
  FROM sample JOIN lock USING (entry)
 GROUP BY entry, label HAVING count(error) > 0 ORDER BY entry;

SELECT CASE WHEN inet_server_addr() IS DISTINCT FROM inet_client_addr() THEN 'client' ELSE 'machine' END,
       :'machine';
SELECT 'server', version();
SELECT has_function_privilege('pg_config()', 'EXECUTE') AS may_see_flags \gset
\if :may_see_flags
SELECT 'flags', setting FROM pg_config WHERE name = 'CFLAGS';
\endif
-- loads the module, for its settings to be there
SELECT FROM spinbench_workers() \g /dev/null
SELECT 'settings', string_agg(name || ' = ' || coalesce(nullif(setting, ''), '''''') , ', ' ORDER BY name)
  FROM pg_settings
 WHERE name LIKE 'spinbench.%' AND name <> 'spinbench.lock' OR name = 'dynamic_shared_memory_type';
SELECT 'repeat', :'command';
SELECT 'samples', :'samples';
