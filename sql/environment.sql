-- What spinbench_environment() tells is different everywhere; its shape is not.
CREATE TEMP TABLE environment AS SELECT spinbench_environment() AS e;

SELECT o.key AS part, string_agg(k, ' ' ORDER BY k COLLATE "C") AS keys
  FROM environment, jsonb_each(e) o, jsonb_object_keys(o.value) k
 GROUP BY o.key ORDER BY o.key COLLATE "C";

-- what is known everywhere
SELECT e #>> '{server,version}' = version() AS version,
       e #>> '{server,max_worker_processes}' = current_setting('max_worker_processes') AS setting,
       (e #>> '{machine,usable_cpus}')::int > 0 AS cpus,
       (e #>> '{system,page_size}')::int >= 4096 AS page_size,
       e #>> '{module,compiler}' <> '' AS compiler,
       e #>> '{module,cflags}' LIKE '%-O%' AS cflags
  FROM environment;

-- no cost is nothing, and the median is no less than the minimum
SELECT bool_and((cost -> 'minimum')::float8 > 0) AS costs,
       bool_and((cost -> 'median')::float8 >= (cost -> 'minimum')::float8) AS ordered
  FROM environment,
       LATERAL (SELECT value FROM jsonb_each(e #> '{costs,delay_ns}')
                 WHERE jsonb_typeof(value) = 'object'
                UNION ALL
                SELECT e #> '{costs,acquire_and_release_ns}') c(cost);

-- it tells about the machine, so it is not for everyone
CREATE ROLE regress_spinbench_user;
SET ROLE regress_spinbench_user;
SELECT spinbench_environment();
RESET ROLE;
DROP ROLE regress_spinbench_user;
