-- What of a published measurement is to run here: locks, queues, workers, and whether
-- there is an arm without a lock; then locks, queues and workers for live servers; one
-- of these a line.

\ir experiment-arms.sql

-- The first is entered once more, for the noise floor.
WITH labels AS (
    SELECT dimension, label, min(number) AS number
      FROM arms WHERE reason IS NULL AND dimension <> 'none' GROUP BY dimension, label
), lists AS (
    SELECT dimension, string_agg(label, ',' ORDER BY number)
           || ',' || (array_agg(label ORDER BY number))[1] AS list
      FROM labels GROUP BY dimension
), counts AS (
    SELECT workers AS n FROM published
    UNION
    SELECT scaled_workers FROM published
    UNION
    SELECT cpus FROM here
    UNION
    -- where it is not known how many they were
    SELECT cpus * factor FROM here, unnest(ARRAY[1, 2, 4, 8]) factor
     WHERE EXISTS (SELECT FROM published WHERE workers IS NULL)
)
SELECT coalesce((SELECT list FROM lists WHERE dimension = 'lock'), 'server')
UNION ALL
SELECT coalesce((SELECT list FROM lists WHERE dimension = 'queue'), 'server')
UNION ALL
SELECT string_agg(n::text, ',' ORDER BY n) FROM counts, here WHERE n <= slots
UNION ALL
SELECT CASE WHEN EXISTS (SELECT FROM arms WHERE dimension = 'none') THEN 'yes' ELSE '' END
UNION ALL
-- There, what is compared is the server's own algorithm in our code, and untouched.
SELECT CASE dimension WHEN :'live_dimension'
       THEN coalesce((SELECT 'stock,' || regexp_replace(list, '[^,]*$', '') FROM lists l WHERE l.dimension = d.dimension), 'stock,')
            || 'server,stock'
       ELSE CASE dimension WHEN 'lock' THEN 'stock' ELSE 'server' END END
  FROM unnest(ARRAY['lock', 'queue']) d(dimension)
UNION ALL
-- Clients: to four times the CPUs, by doubling.  A query: as the messages alone, but
-- its servers have slots for as many.
SELECT string_agg(n::text, ',' ORDER BY n)
  FROM (SELECT n FROM counts WHERE :'live_dimension' = 'queue'
        UNION
        SELECT least(2 ^ e, factor * cpus)::int FROM here, generate_series(0, 20) e, unnest(ARRAY[1, 2, 4]) factor
         WHERE :'live_dimension' = 'lock') w(n);
