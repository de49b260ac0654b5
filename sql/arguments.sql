-- Bad arguments are errors.
SELECT * FROM spinbench_pipelined(NULL, 'xyzzy', 1, 1);
SELECT * FROM spinbench_pipelined(16384, NULL, 1, 1);
SELECT * FROM spinbench_pipelined(16384, 'xyzzy', 1, NULL);
SELECT * FROM spinbench_pipelined(16384, 'xyzzy', 1, 1, NULL);
-- the least is not the same everywhere for every queue
SET spinbench.queue = 'spsc';
SELECT * FROM spinbench_pipelined(-1, 'xyzzy', 1, 1);
SELECT * FROM spinbench_pipelined(1, 'xyzzy', 1, 1);
RESET spinbench.queue;
\set VERBOSITY sqlstate
SELECT * FROM spinbench_pipelined(9223372036854775807, 'xyzzy', 1, 1);
\set VERBOSITY default
SELECT * FROM spinbench_pipelined(16384, 'xyzzy', -1, 1);
SELECT * FROM spinbench_pipelined(16384, 'xyzzy', 1, -1);
SELECT * FROM spinbench_pipelined(16384, 'xyzzy', duration_ms => 0);
SELECT * FROM spinbench_pipelined(16384, 'xyzzy', duration_ms => -5);
SELECT * FROM spinbench_roundtrip(16384, NULL, 1, 1);
SELECT * FROM spinbench_roundtrip(16384, 'xyzzy', -1, 1);

-- the message names the setting and the value needed
DO $$
DECLARE
    hint text;
    wanted int := current_setting('max_worker_processes')::int + 1;
BEGIN
    PERFORM spinbench_pipelined(16384, 'xyzzy', 1, wanted);
EXCEPTION WHEN insufficient_resources THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RAISE NOTICE 'the hint names the value needed: %',
        hint LIKE format('Set "max_worker_processes" to at least %s %%', wanted);
END $$;

-- a segment that cannot be had
DO $$
DECLARE
    message text;
    hint text;
BEGIN
    PERFORM spinbench_pipelined(1::int8 << 45, 'xyzzy', 1, 1);
EXCEPTION WHEN disk_full OR out_of_memory OR program_limit_exceeded THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    -- the latter where addresses have 32 bits
    RAISE NOTICE 'it is said what to do: %',
        hint LIKE 'Use a smaller queue_size %' OR message LIKE 'queue_size must be at most %';
END $$;

-- the session goes on, and the next run works
SELECT messages FROM spinbench_pipelined(16384, 'xyzzy', 10, 1);
