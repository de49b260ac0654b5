-- Bad arguments of a sweep are its errors, before anything runs.
\set VERBOSITY terse
SET client_min_messages = warning;
CALL spinbench_sweep(NULL, '{1}');
CALL spinbench_sweep('{}', '{1}');
CALL spinbench_sweep('{server,NULL}', '{1}');
CALL spinbench_sweep('{nonesuch}', '{1}');
CALL spinbench_sweep('{server}', NULL);
CALL spinbench_sweep('{server}', '{}');
CALL spinbench_sweep('{server}', '{1,NULL}');
CALL spinbench_sweep('{server}', '{-1}');
CALL spinbench_sweep('{server}', '{2,1,2}');
CALL spinbench_sweep('{server}', '{1}', NULL);
CALL spinbench_sweep('{server}', '{1}', '{}');
CALL spinbench_sweep('{server}', '{1}', '{nonesuch}');
CALL spinbench_sweep('{server}', '{1}', workload => NULL);
CALL spinbench_sweep('{server}', '{1}', workload => 'workers');
CALL spinbench_sweep('{server}', '{1}', rounds => 0);
CALL spinbench_sweep('{server}', '{1}', duration_ms => 0);
CALL spinbench_sweep('{server}', '{1}', repeat_count => -1);
CALL spinbench_sweep('{server}', '{1}', queue_size => NULL);
CALL spinbench_sweep('{server}', '{1}', queue_size => 0);
CALL spinbench_sweep('{server}', '{1}', queue_size => 1, queues => '{spsc}');
CALL spinbench_sweep('{server}', '{1}', message => NULL);
CALL spinbench_sweep('{server}', '{1}', verify => NULL);
CALL spinbench_sweep('{server}', '{1}', acquisitions => -1);
CALL spinbench_sweep('{server}', '{1}', critical_section_lines => -1);
CALL spinbench_sweep('{server}', '{1}', cpus => 'all');
CALL spinbench_sweep('{server}', '{1}', narrower_than => 0, rounds => 10);
CALL spinbench_sweep('{server}', '{1}', narrower_than => 'NaN', rounds => 10);
CALL spinbench_sweep('{server}', '{1}', narrower_than => 0.1, rounds => 10);
CALL spinbench_sweep('{server,server}', '{1}', narrower_than => 0.1);
CALL spinbench_sweep('{server}', '{1}', time_limit => '0');
CALL spinbench_resume(NULL);
CALL spinbench_resume(-1);

-- what to do instead
\set VERBOSITY default
\set SHOW_CONTEXT never
CALL spinbench_sweep('{server/nop}', '{1}');
CALL spinbench_sweep('{server}', '{1}', workload => 'nonesuch');
CALL spinbench_sweep('{server,server}', '{1}', narrower_than => 0.1);
BEGIN;
CALL spinbench_sweep('{server}', '{1}');
ROLLBACK;
BEGIN;
CALL spinbench_resume(1);
ROLLBACK;
-- neither inside of a function
CREATE FUNCTION pg_temp.sweep() RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
    sweep int8;
BEGIN
    CALL spinbench_sweep('{server}', '{1}', rounds => 1, repeat_count => 1, sweep => sweep);
END $$;
SELECT pg_temp.sweep();

-- nothing of this has become a sweep
SELECT count(*) FROM spinbench_sweeps;

-- as many workers as there cannot be
SELECT current_setting('max_worker_processes')::int + 1 AS wanted \gset
SET client_min_messages = error;
CALL spinbench_sweep('{server}', ARRAY[:wanted], rounds => 1, repeat_count => 1) \gset
SELECT count(*), sqlstate FROM spinbench_samples GROUP BY sqlstate;
DELETE FROM spinbench_sweeps;
