-- The sweeps in this database, or those of :only.

\if :{?only}
\else
	\set only ''
\endif
SELECT line
  FROM spinbench_sweeps w,
       LATERAL (SELECT count(*) AS samples, max(s.round) AS rounds
                  FROM spinbench_samples s WHERE s.sweep = w.sweep) n,
       LATERAL (VALUES
           (1, 'sweep ' || w.sweep, concat_ws(', ',
                to_char(w.started, 'YYYY-MM-DD HH24:MI'), spb_plural(n.rounds, 'round'),
                spb_plural(n.samples, 'sample'), coalesce(w.outcome, 'not at its end'))),
           (2, '', nullif(w.note, '')),
           (3, '', concat_ws(', ', w.environment #>> '{machine,model}', w.environment #>> '{machine,product}',
                spb_plural((w.environment #>> '{machine,usable_cpus}')::int8, 'CPU'),
                substring(w.environment #>> '{server,version}' FROM '^\S+ \S+'))),
           (4, '', concat_ws('; ', w.arguments ->> 'workload',
                'locks ' || (SELECT string_agg(l, ', ') FROM jsonb_array_elements_text(w.arguments -> 'locks') l),
                'queues ' || (SELECT string_agg(q, ', ') FROM jsonb_array_elements_text(w.arguments -> 'queues') q),
                'workers ' || (SELECT string_agg(n, ', ') FROM jsonb_array_elements_text(w.arguments -> 'workers') n))))
           AS i(number, heading, content),
       LATERAL (SELECT l.line, l.n FROM spb_item(i.heading, i.content) WITH ORDINALITY l(line, n)) l
 WHERE :'only' = '' OR w.sweep = ANY (string_to_array(:'only', ',')::int8[])
 ORDER BY w.sweep, i.number, l.n;
