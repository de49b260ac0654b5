-- Sweeps whose samples come from outside: pgbench against servers whose
-- spinlocks or message queue are replaced (contrib_spinbench/bench runs them).
--
-- A lock is then a value of spinbench.server_lock, a queue one of
-- spinbench.server_queue, and "server" is untouched code.  A "message" is a
-- transaction or a query, "workers" are clients or parallel workers.

-- CPU time so far, in ms: of the machine, stolen from it, and of this server's
-- postmaster and processes that have ended.
CREATE FUNCTION spb_load(
    OUT busy_ms pg_catalog.int8,
    OUT stolen_ms pg_catalog.int8,
    OUT server_ms pg_catalog.int8)
AS 'MODULE_PATHNAME', 'spb_load'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

-- What other load makes doubtful, as the doubts of a run say it.
CREATE FUNCTION spb_load_doubts(
    elapsed_ms pg_catalog.float8,
    stolen_ms pg_catalog.float8,
    other_cpu_ms pg_catalog.float8)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME', 'spb_load_doubts'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

-- The environment of live servers, without what was in force in place of their
-- own lock and queue when they were asked: each sample has its own.
CREATE FUNCTION spb_live_environment(environment jsonb)
RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT environment #- '{server,lock}' #- '{server,queue}'
$$;

-- Begin such a sweep.  locks and queues have been checked where they are to be
-- used, and environment is that of the servers; settings are theirs.  Returns
-- the state for spb_live_next(), null if it is but a dry run.
CREATE FUNCTION spb_live_begin(
    locks text[],
    queues text[],
    workers int4[],
    others jsonb,
    settings jsonb,
    environment jsonb,
    note text,
    dry_run bool)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    arguments jsonb := jsonb_strip_nulls(others);
BEGIN
    PERFORM spb_check_plan(locks, queues, workers, arguments);
    PERFORM spb_check_least('workers', w, 1) FROM unnest(workers) w;
    arguments := jsonb_build_object('locks', locks, 'workers', workers, 'queues', queues) || arguments;
    IF dry_run THEN
        PERFORM spb_announce('after filling its tables, would run', arguments);
        RETURN NULL;
    END IF;
    RETURN spb_create(arguments, settings, spb_live_environment(environment), note);
END
$$;

-- The cell that is to be measured next, as an object; null if the sweep is over.
CREATE FUNCTION spb_live_next(state jsonb)
RETURNS jsonb
LANGUAGE sql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT to_jsonb(c) FROM spb_sweep((state ->> 'sweep')::int8) w, spb_next(w, state) c
     WHERE c.round IS NOT NULL
$$;

-- Store the sample of a cell that spb_live_next() returned; once, even if it is
-- called again after a crash.
--
-- before, after  counters with the names of spinbench_result's columns, and
--                busy_ms and server_ms of spb_load(), queues that were made, and
--                the pid of the checkpointer, which a crash takes away
-- measured       messages, elapsed_ms, and the CPU time of the client,
--                client_ms
-- error          why there is nothing measured, or null
--
-- Returns the next state.
CREATE FUNCTION spb_live_store(
    state jsonb,
    cell jsonb,
    before jsonb,
    after jsonb,
    measured jsonb,
    error text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    this spinbench_sweeps := spb_sweep((state ->> 'sweep')::int8);
    spent jsonb := (SELECT jsonb_object_agg(a.key, a.value::numeric - (before ->> a.key)::numeric)
                      FROM jsonb_each_text(after) a);
    failure text := coalesce(error, CASE
        -- a run through another queue is none of this one
        WHEN spent ->> 'queues' = '0' THEN 'no queue was made'
        -- a crash clears what is counted, be it after pgbench has ended
        WHEN spent ->> 'checkpointer' <> '0' THEN 'the server has crashed'
    END);
    sample spinbench_samples := jsonb_populate_record(NULL::spinbench_samples,
        CASE WHEN failure IS NULL THEN spent || measured ELSE '{}' END || cell);
BEGIN
    sample.sweep := this.sweep;
    sample.position := cell ->> 'place';
    sample.measured_at := clock_timestamp();
    sample.workload := this.arguments ->> 'workload';
    IF failure IS NULL THEN
        sample.messages_per_second := 1000 * sample.messages / sample.elapsed_ms;
        sample.ns_per_message := 1e6 * sample.elapsed_ms / sample.messages;
        sample.cpu_ms := (spent ->> 'server_ms')::float8 + (measured ->> 'client_ms')::float8;
        sample.other_cpu_ms := (spent ->> 'busy_ms')::float8 - sample.cpu_ms;
        IF sample.other_cpu_ms < 0 THEN
            sample.other_cpu_ms := 0;
        END IF;
        sample.doubts := nullif(concat_ws('; ',
            -- as of the runs: a hundredth of one acquisition per transaction
            CASE WHEN sample.workload = 'pgbench' AND sample.workers > 1 AND sample.contended < 0.01 * sample.messages
                 THEN format('contention not reached (%s waits for spinlocks per transaction)',
                             round(sample.contended / sample.messages::numeric, 4)) END,
            spb_load_doubts(sample.elapsed_ms, sample.stolen_ms, sample.other_cpu_ms)), '');
    ELSE
        sample.error := failure;
        sample.sqlstate := '58000';
    END IF;
    INSERT INTO spinbench_samples SELECT sample.* ON CONFLICT DO NOTHING;
    RETURN spb_tell(this, state, sample);
END
$$;
