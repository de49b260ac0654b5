-- What a sweep is to do: its arguments, checked, and the cells that follow.
--
-- Functions named spb_ are not for users: what they expect may change.

-- Raise an error if the calling procedure may not commit.
CREATE FUNCTION spb_require_no_transaction(procedure pg_catalog.text)
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'spb_require_no_transaction'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

-- The workloads that a sweep can run: functions with the result and the
-- arguments of spinbench_pipelined().
CREATE FUNCTION spb_workloads()
RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT substr(p.proname, length('spinbench_') + 1)
      FROM pg_proc p, pg_proc model
     WHERE model.oid = 'spinbench_pipelined'::regproc
       AND p.pronamespace = model.pronamespace
       AND p.prorettype = model.prorettype
       AND p.proargtypes = model.proargtypes
     ORDER BY 1
$$;

-- A cell is a lock, a queue and a number of workers, the lock and the queue
-- with their places in the lists.
CREATE FUNCTION spb_cells(
    arguments jsonb,
    OUT lock_entry int4,
    OUT lock text,
    OUT queue_entry int4,
    OUT queue text,
    OUT workers int4)
RETURNS SETOF record
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT l.entry::int4, l.label, q.entry::int4, q.label, w.number::int4
      FROM jsonb_array_elements_text(arguments -> 'locks') WITH ORDINALITY l(label, entry),
           jsonb_array_elements_text(arguments -> 'queues') WITH ORDINALITY q(label, entry),
           jsonb_array_elements_text(arguments -> 'workers') w(number)
$$;

-- Raise an error unless the list has elements, none of them null.
CREATE FUNCTION spb_check_list(name text, list anyarray)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
BEGIN
    IF list IS NULL OR array_position(list, NULL) IS NOT NULL THEN
        RAISE EXCEPTION '% must not be null', name
            USING ERRCODE = 'null_value_not_allowed';
    ELSIF cardinality(list) = 0 THEN
        RAISE EXCEPTION '% must not be empty', name
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$$;

-- Raise an error if the value is less than the minimum; null is none.
CREATE FUNCTION spb_check_least(name text, value anyelement, minimum anyelement)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
BEGIN
    IF value < minimum THEN
        RAISE EXCEPTION '% must be at least %, not %', name, minimum, value
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$$;

-- Set a setting to each label of a list until the transaction ends.  Returns
-- the canonical labels; the setting itself refuses one that cannot run here.
CREATE FUNCTION spb_canonical(setting text, labels text[])
RETURNS text[]
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    -- a function of the module, without which it could be any setting
    SELECT array_agg(set_config(setting, l.label, true) ORDER BY l.entry)
      FROM (SELECT count(*) FROM spinbench_workers()) loaded,
           unnest(labels) WITH ORDINALITY l(label, entry)
$$;

-- All settings of this module that a run depends on, but what a sweep varies.
CREATE FUNCTION spb_settings()
RETURNS jsonb
LANGUAGE sql STABLE PARALLEL RESTRICTED
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT jsonb_object_agg(s.name, current_setting(s.name))
      FROM pg_settings s
     WHERE s.name LIKE 'spinbench.%' AND s.context = 'user'
       AND s.name NOT IN ('spinbench.lock', 'spinbench.queue', 'spinbench.entries')
$$;

-- Check what all sweeps have in common; others is an object of the arguments
-- that are not lists.
CREATE FUNCTION spb_check_plan(
    locks text[],
    queues text[],
    workers int4[],
    others jsonb)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
BEGIN
    PERFORM spb_check_list('locks', locks);
    PERFORM spb_check_list('workers', workers);
    PERFORM spb_check_list('queues', queues);
    PERFORM spb_check_least('workers', w, 0) FROM unnest(workers) w;
    IF EXISTS (SELECT FROM unnest(workers) w GROUP BY w HAVING count(*) > 1) THEN
        RAISE EXCEPTION 'workers must not have the same number twice'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Only locks and queues can be entered twice, to see how much two equal cells differ.';
    END IF;
    PERFORM spb_check_least('rounds', (others ->> 'rounds')::int4, 1);
    PERFORM spb_check_least('duration_ms', (others ->> 'duration_ms')::int4, 1);
    PERFORM spb_check_least('repeat_count', (others ->> 'repeat_count')::int8, 1::int8);

    IF (others ->> 'narrower_than')::float8 <= 0 OR others ->> 'narrower_than' = 'NaN' THEN
        RAISE EXCEPTION 'narrower_than must be greater than 0'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'It is the width of an interval in relation to its median: 0.02 is 2 %.';
    ELSIF (others ->> 'time_limit')::interval <= '0' THEN
        RAISE EXCEPTION 'time_limit must be greater than 0'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF others ? 'narrower_than' AND NOT others ?| ARRAY['time_limit', 'rounds'] THEN
        RAISE EXCEPTION 'narrower_than needs a time_limit or a number of rounds'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'On a noisy machine the precision may never be reached.';
    ELSIF others ? 'narrower_than' AND cardinality(locks) < 2 AND cardinality(queues) < 2 THEN
        RAISE EXCEPTION 'narrower_than needs something to compare'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Enter at least two locks or two queues.';
    END IF;
END
$$;

-- Check the arguments of a sweep, as a JSON object, and return them with
-- canonical labels and defaults.  Changes settings until the transaction ends.
CREATE FUNCTION spb_check_arguments(
    locks text[],
    queues text[],
    workers int4[],
    others jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    name text;
    canonical_locks text[];
    canonical_queues text[];
    unusable text;
BEGIN
    PERFORM spb_check_plan(locks, queues, workers, others);
    FOREACH name IN ARRAY ARRAY['workload', 'queue_size', 'message', 'verify'] LOOP
        IF others ->> name IS NULL THEN
            RAISE EXCEPTION '% must not be null', name
                USING ERRCODE = 'null_value_not_allowed';
        END IF;
    END LOOP;
    PERFORM spb_check_least('queue_size', (others ->> 'queue_size')::int8, 1::int8);
    IF others ->> 'workload' NOT IN (SELECT spb_workloads()) THEN
        RAISE EXCEPTION 'there is no workload "%"', others ->> 'workload'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = format('There are: %s.', (SELECT string_agg(w, ', ') FROM spb_workloads() w));
    END IF;
    canonical_locks := spb_canonical('spinbench.lock', locks);
    canonical_queues := spb_canonical('spinbench.queue', queues);

    SELECT string_agg(w::text, ', ' ORDER BY w) INTO unusable
      FROM unnest(workers) w
     WHERE w > current_setting('max_worker_processes')::int4;
    IF unusable IS NOT NULL THEN
        RAISE WARNING 'too few background worker slots for % workers: these cells will fail', unusable
            USING HINT = format('Set "max_worker_processes" to more than %s (now %s) and restart the server.',
                                (SELECT max(w) FROM unnest(workers) w),
                                current_setting('max_worker_processes'));
    END IF;

    IF NOT others ?| ARRAY['rounds', 'time_limit'] THEN
        -- the interval is then the 2nd to the 9th of the ratios, at 97.9 %
        others := others || '{"rounds": 10}';
    END IF;
    IF NOT others ?| ARRAY['duration_ms', 'repeat_count'] THEN
        -- 50 times the ticks in which stolen time and the like are counted
        others := others || '{"duration_ms": 500}';
    END IF;
    RETURN jsonb_build_object('locks', canonical_locks, 'workers', workers,
                              'queues', canonical_queues) || others;
END
$$;

-- A time in words, to two units at most; what is left of a second is one.
CREATE FUNCTION spb_duration(seconds float8)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT CASE WHEN s < 60 THEN s || ' s'
                WHEN s < 3600 THEN s / 60 || ' min ' || s % 60 || ' s'
                ELSE s / 3600 || ' h ' || s % 3600 / 60 || ' min'
           END
      FROM (SELECT CASE WHEN seconds > 0 THEN greatest(round(seconds), 1) ELSE 0 END::int8) AS whole(s)
$$;

-- Say what a sweep with these (checked) arguments is to do and, if that can be
-- known, how long it will take.
CREATE FUNCTION spb_announce(beginning text, arguments jsonb)
RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    cells int8 := (SELECT count(*) FROM spb_cells(arguments));
    rounds int8 := arguments ->> 'rounds';
    -- Starting and ending a run takes some 5 ms, and 1 ms more for each worker;
    -- it takes longer to let a live server reload and pgbench connect to it.
    round_s float8 := (SELECT sum((arguments ->> 'duration_ms')::int8 + workers
                                  + CASE WHEN spb_is_live(arguments) THEN 250 ELSE 5 END) / 1000.0
                         FROM spb_cells(arguments));
    seconds float8 := least(round_s * rounds,
                            extract(epoch FROM (arguments ->> 'time_limit')::interval));
BEGIN
    RAISE NOTICE '%', concat_ws(', ',
        format('%s %s, %s cells', beginning, arguments ->> 'workload', cells),
        CASE WHEN rounds IS NOT NULL THEN format('%s%s rounds, %s samples',
            CASE WHEN arguments ?| ARRAY['narrower_than', 'time_limit'] THEN 'at most ' END,
            rounds, cells * rounds)
        END,
        CASE WHEN arguments ? 'narrower_than'
            THEN format('until intervals are narrower than %s %%',
                        trim_scale((arguments ->> 'narrower_than')::numeric * 100))
        END,
        CASE WHEN arguments ? 'time_limit' OR arguments ? 'narrower_than' AND seconds IS NOT NULL
            THEN 'at most ' || spb_duration(seconds)
            WHEN seconds IS NULL THEN 'for as long as repeat_count takes'
            WHEN arguments ? 'repeat_count' THEN 'at most about ' || spb_duration(seconds)
            ELSE 'about ' || spb_duration(seconds)
        END);
END
$$;
