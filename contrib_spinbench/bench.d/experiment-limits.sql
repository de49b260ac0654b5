-- What this machine's CPUs can show and what they cannot; and what it costs that code is
-- replaced.

CREATE TEMP TABLE there AS SELECT max(cpus) AS cpus FROM machines;

SELECT '';
SELECT spb_item('CPUs', concat_ws('; ',
       h.cpus || ' here, ' || coalesce(t.cpus || ' there', 'how many there is not published'),
       CASE WHEN h.cpus = 1 THEN 'nobody here waits for who runs at the same time, only for who has lost the one CPU'
            ELSE format('a lock is waited for here by at most %s who run at the same time, or because its holder has lost '
                        'its CPU', h.cpus - 1) END,
       CASE WHEN t.cpus > h.cpus
            THEN format('what up to %s more do who wait at the same time, as there, cannot be shown here, so that "no '
                        'difference" here does not speak against a difference there', t.cpus - h.cpus)
            WHEN t.cpus IS NULL
            THEN 'what more of them do who wait at the same time cannot be shown here' END,
       'what can be shown is what a variant costs where few wait, and where there are more processes than CPUs'))
  FROM here h, there t;
SELECT spb_item('Live', 'of the server''s spinlocks, what waits is replaced: the test, the delay and its place, the '
       'waiting; the first try, the width and the release are inlined in its code and the same for all locks here. '
       'pgbench runs on the same CPUs; its tables are in memory, and each of its queries is planned')
  FROM halves WHERE workload = 'pgbench';
SELECT spb_item('Live', format('all rows pass the queues, with %s by %s: what else the query takes, above all to '
       'aggregate them in the leader, is the same for all queues and makes their ratios smaller', 'at most '
       || spb_plural(max(s.workers), 'worker'), spb_plural(h.cpus, 'CPU')))
  FROM halves l JOIN spinbench_samples s USING (sweep) CROSS JOIN here h
 WHERE l.workload = 'query' GROUP BY h.cpus;
-- stock does what untouched code does
SELECT spb_item('Patching', format('speed of the same %s in our code over the server''s own, in two servers that are equal but for it: %s', min(c.dimension),
           CASE WHEN bool_or(c.low IS NULL) THEN 'not known, too few rounds'
                ELSE string_agg(format('%s at %s', pg_temp.number(c.speedup, c.low, c.high), spb_plural(c.workers, h.counted)),
                                ', ' ORDER BY c.workers) END))
  FROM compared c JOIN halves h USING (half)
 WHERE c.half = 'live' AND (c.base_label, c.label) = ('server', 'stock')
HAVING count(*) > 0;
