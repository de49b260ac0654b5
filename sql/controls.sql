-- What is no lock is found out.
\set VERBOSITY terse

-- "broken" lets two in at once.  Each run may be lucky, but not all of them.
DO $$
BEGIN
    SET LOCAL spinbench.lock = 'broken';
    SET LOCAL spinbench.acquisitions = 10000;
    SET LOCAL spinbench.critical_section_lines = 1;
    FOR i IN 1..100 LOOP
        PERFORM spinbench_pipelined(16384, 'xyzzy', 100, 4);
    END LOOP;
    RAISE NOTICE 'a broken lock has passed for a lock';
EXCEPTION WHEN data_corrupted THEN
    RAISE NOTICE '%', SQLERRM;
END $$;

-- "leaky" never lets go.
SET spinbench.lock = 'leaky';
SET spinbench.stuck_timeout = '100ms';
SELECT messages FROM spinbench_pipelined(16384, 'xyzzy', 100, 2);
DO $$
DECLARE
    detail text;
BEGIN
    PERFORM spinbench_pipelined(16384, 'xyzzy', 100, 2);
EXCEPTION WHEN lock_not_available THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    -- who may hold it is not always known
    RAISE NOTICE '%', regexp_replace(regexp_replace(detail, ';.*', '.'), 'Participant [0-9]+', 'Participant N');
END $$;

-- and the next run works
RESET spinbench.lock;
SELECT messages FROM spinbench_pipelined(16384, 'xyzzy', 100, 2);

-- "slowed" is a lock, though it takes longer: contrib_spinbench/honesty measures that
SET spinbench.lock = 'slowed';
SET spinbench.acquisitions = 7;
SET spinbench.critical_section_lines = 2;
SELECT lock, messages, acquisitions FROM spinbench_pipelined(16384, 'xyzzy', 1000, 3);
RESET spinbench.lock;
RESET spinbench.acquisitions;
RESET spinbench.critical_section_lines;
