-- What a published measurement compared, and what of it can run here.  The rows of
-- published.csv come from standard input.
--
-- arms       what was compared, each with a letter
-- published  the figures, for each arm, machine and number of workers one

CREATE TEMP TABLE csv (n int GENERATED ALWAYS AS IDENTITY, experiment text, machine text,
    workload text, variant text, workers int, metric text, value float8, unit text, seed text);
\copy csv (experiment, machine, workload, variant, workers, metric, value, unit, seed) FROM pstdin (FORMAT csv, HEADER)

CREATE TEMP TABLE machines AS
SELECT p[1] AS pattern, p[2] AS architecture, nullif(p[3], '')::int AS cpus
  FROM regexp_split_to_table(:'machines', E'\n') line, string_to_array(line, '|') p;

-- CPUs are those that may be used, by the setting or at all.
CREATE TEMP TABLE here AS
SELECT e #>> '{machine,architecture}' AS architecture,
       coalesce(nullif(s.count, 0), (e #>> '{machine,usable_cpus}')::int8)::int AS cpus,
       current_setting('max_worker_processes')::int AS slots
  FROM spinbench_environment() e,
       (SELECT count(DISTINCT n)
          FROM regexp_matches(current_setting('spinbench.cpus'), '(\d+)(?:-(\d+)(?::(\d+))?)?', 'g') m,
               generate_series(m[1]::int, coalesce(m[2], m[1])::int, coalesce(m[3], '1')::int) n) s;

-- The same lock on another architecture: the primitive, the test, the order and the
-- waiting stay; the delay becomes this architecture's; fences, hints and widths are
-- its own.
CREATE FUNCTION pg_temp.analogue(label text, here text) RETURNS text LANGUAGE sql AS
$$
    SELECT string_agg(part, '/' ORDER BY n)
      FROM (SELECT n, CASE WHEN n = 1 AND part IN ('swp', 'llsc') THEN 'tas'
                           WHEN part IN ('isb', 'pause', 'yield', 'sb', 'wfe', 'nop')
                           THEN CASE WHEN here IN ('x86-64', 'i386') THEN 'pause'
                                     WHEN here = 'aarch64' THEN 'isb' END
                           WHEN part IN ('isync', 'sync', 'hint', 'w1', 'w4', 'w8') THEN NULL
                           ELSE part END AS part
              FROM regexp_split_to_table(label, '/') WITH ORDINALITY p(part, n)) parts
$$;

-- The canonical label, and why it cannot run here, if so.
CREATE FUNCTION pg_temp.try(setting text, INOUT label text, OUT reason text) LANGUAGE plpgsql AS
$$
DECLARE
    detail text;
BEGIN
    label := set_config(setting, label, true);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS reason = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    reason := coalesce(nullif(detail, ''), reason);
END
$$;

-- The label stands in the last parentheses.  Without one, no lock was injected.
CREATE TEMP TABLE arms AS
SELECT a.number, chr(64 + a.number::int) AS letter, a.variant, a.dimension, a.architecture,
       a.foreign, t.label, t.reason
  FROM (SELECT row_number() OVER (ORDER BY v.n) AS number, v.variant,
               CASE WHEN v.variant ~ '\(queue [^()]*\)$' THEN 'queue'
                    WHEN v.variant ~ '\([^()]*\)$' THEN 'lock'
                    ELSE 'none' END AS dimension,
               substring(v.variant FROM '\((?:queue )?([^()]*)\)$') AS label,
               m.architecture, replace(m.architecture, 'ppc64le', 'ppc64') <> replace(h.architecture, 'ppc64le', 'ppc64') AS foreign,
               h.architecture AS here
          FROM (SELECT min(n) AS n, variant, min(machine) AS machine FROM csv
                 WHERE experiment = :'experiment' GROUP BY variant
                UNION ALL
                SELECT 100000 + n, format('not published (queue %s)', q), NULL
                  FROM regexp_split_to_table(nullif(:'more', ''), ' ') WITH ORDINALITY q(q, n)) v
         CROSS JOIN here h
          LEFT JOIN machines m ON v.machine LIKE m.pattern) a,
       LATERAL pg_temp.try(CASE a.dimension WHEN 'queue' THEN 'spinbench.queue' ELSE 'spinbench.lock' END,
                           CASE WHEN a.dimension = 'none' THEN 'server'
                                WHEN a.dimension = 'lock' AND a.foreign THEN pg_temp.analogue(a.label, a.here)
                                ELSE a.label END) t;

-- Repeated runs come as their median; times, where the number of messages is known,
-- as ns per message, which ours are.
CREATE TEMP TABLE published AS
SELECT min(c.n) AS n, c.machine, c.workload, a.letter, c.workers,
       CASE WHEN m.messages IS NULL THEN c.unit ELSE 'ns per message' END AS unit,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY c.value)
           * CASE WHEN m.messages IS NULL THEN 1
                  ELSE CASE c.unit WHEN 's' THEN 1e9 WHEN 'ms' THEN 1e6 END / m.messages END AS value,
       c.unit IN ('tps', 'ktps') AS is_rate,
       CASE WHEN c.workers * t.cpus > 0
            THEN greatest(round(c.workers * h.cpus / t.cpus::numeric), 1)::int END AS scaled_workers
  FROM csv c
  JOIN arms a USING (variant)
  CROSS JOIN here h
  LEFT JOIN machines t ON c.machine LIKE t.pattern,
       LATERAL (SELECT substring(c.workload FROM '^test_shm_mq_[a-z]+\([0-9]+,[^,]*,([0-9]+),n\)$')::float8) m(messages)
 WHERE c.experiment = :'experiment'
 GROUP BY c.machine, c.workload, a.letter, c.workers, c.unit, h.cpus, t.cpus, m.messages;
