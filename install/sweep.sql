-- Running a sweep.
--
-- Each sample is a transaction of its own.  The procedures do nothing but
-- commit: what they call has a search_path of its own, which a procedure that
-- commits cannot have.  Settings are changed for the transaction only, so the
-- session keeps its own.

-- Keep a sweep from being run by two sessions at once, for this transaction.
CREATE FUNCTION spb_claim(sweep int8)
RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock('spinbench_sweeps'::regclass::oid::int8::bit(32)::int4,
                                     sweep::bit(32)::int4) THEN
        RAISE EXCEPTION 'sweep % is being run by another session', sweep
            USING ERRCODE = 'object_in_use';
    END IF;
END
$$;

-- Measure one cell and store the sample.  What fails is stored as well; but an
-- argument that the workload refuses in the very first sample would fail in
-- all of them, so that is the sweep's own error.  Returns the sample.
CREATE FUNCTION spb_measure(
    this spinbench_sweeps,
    round int4,
    place int4,
    lock_entry int4,
    lock text,
    queue_entry int4,
    queue text,
    workers int4)
RETURNS spinbench_samples
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    result spinbench_result;
    sample spinbench_samples;
    measured_at timestamptz := clock_timestamp();
    failure text;
    code text;
BEGIN
    -- an imported sweep may say anything
    PERFORM set_config(s.key, s.value, true) FROM jsonb_each_text(this.settings) s
      WHERE s.key LIKE 'spinbench.%';
    BEGIN
        PERFORM set_config('spinbench.lock', lock, true),
                set_config('spinbench.queue', queue, true);
        EXECUTE format('SELECT * FROM %I(queue_size => $1, message => $2, '
                       'repeat_count => $3, num_workers => $4, verify => $5, '
                       'duration_ms => $6)',
                       'spinbench_' || (this.arguments ->> 'workload'))
           INTO result
          USING (this.arguments ->> 'queue_size')::int8,
                this.arguments ->> 'message',
                (this.arguments ->> 'repeat_count')::int8,
                workers,
                (this.arguments ->> 'verify')::bool,
                (this.arguments ->> 'duration_ms')::int4;
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS failure = MESSAGE_TEXT, code = RETURNED_SQLSTATE;
        IF code LIKE '22%' AND round = 1 AND place = 1 THEN
            RAISE;
        END IF;
        result := NULL;
        result.lock := lock;
        result.queue := queue;
        result.workers := workers;
    END;
    INSERT INTO spinbench_samples
    SELECT this.sweep, round, place, lock_entry, queue_entry, measured_at,
           this.arguments ->> 'workload', (result).*, failure, code
    RETURNING * INTO sample;
    RETURN sample;
END
$$;

-- Why a sweep is over after this round, or null.
CREATE FUNCTION spb_outcome(this spinbench_sweeps, round int4, deadline timestamptz, round_time interval)
RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    width float8 := this.arguments ->> 'narrower_than';
BEGIN
    -- Whoever stops as soon as an interval is narrow stops when it is so by
    -- chance, and contains the truth less often than it says: at 92 to 93 %, in
    -- simulations of long sweeps.  With a quarter more rounds than that it does
    -- so again.  (To stop as soon as something differs would be far worse.)
    IF width IS NOT NULL
       AND spb_is_precise(this.sweep, width, round * 4 / 5)
       AND spb_is_precise(this.sweep, width, round) THEN
        RETURN 'precision reached';
    ELSIF round >= (this.arguments ->> 'rounds')::int4 THEN
        RETURN 'all rounds done';
    ELSIF clock_timestamp() + round_time > deadline THEN
        RETURN 'time is over';
    ELSIF NOT this.arguments ? 'rounds' AND
          (SELECT bool_and(s.sqlstate IS NOT NULL) FROM spinbench_samples s
            WHERE s.sweep = this.sweep AND s.round = spb_outcome.round) THEN
        -- it would fail thousands of times until the time is over
        RETURN 'all samples failed';
    END IF;
    RETURN NULL;
END
$$;

-- The state of a sweep while it is run is an object with
--     sweep
--     since        when this call of the procedure began
--     done         samples so far, of this call
--     deadline     when to stop, or null

-- The cell that is next, with its place in its round: any of those that the
-- round has not had yet, so that its order is random.  All are null if the
-- sweep is over, which is noted then.
CREATE FUNCTION spb_next(
    this spinbench_sweeps,
    state jsonb,
    OUT round int4,
    OUT place int4,
    OUT lock_entry int4,
    OUT lock text,
    OUT queue_entry int4,
    OUT queue text,
    OUT workers int4)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    done int4 := state ->> 'done';
    elapsed interval := clock_timestamp() - (state ->> 'since')::timestamptz;
    cells int8 := (SELECT count(*) FROM spb_cells(this.arguments));
    last_round int4;
    reason text;
BEGIN
    PERFORM spb_claim(this.sweep);

    -- a round that was interrupted comes first
    SELECT r.round INTO round
      FROM (SELECT s.round, count(*) FROM spinbench_samples s
             WHERE s.sweep = this.sweep GROUP BY s.round) r
     WHERE r.count < cells ORDER BY r.round LIMIT 1;
    IF NOT FOUND THEN
        last_round := (SELECT coalesce(max(s.round), 0) FROM spinbench_samples s
                        WHERE s.sweep = this.sweep);
        reason := spb_outcome(this, last_round, (state ->> 'deadline')::timestamptz,
                              elapsed / nullif(done, 0) * cells);
        IF last_round > 0 AND reason IS NOT NULL THEN
            UPDATE spinbench_sweeps s SET ended = clock_timestamp(), outcome = reason
             WHERE s.sweep = this.sweep;
            RAISE NOTICE 'sweep % has ended after round %: %', this.sweep, last_round, reason;
            RETURN;
        END IF;
        round := last_round + 1;
    END IF;

    SELECT c.lock_entry, c.lock, c.queue_entry, c.queue, c.workers
      INTO lock_entry, lock, queue_entry, queue, workers
      FROM spb_cells(this.arguments) c
     WHERE NOT EXISTS (SELECT FROM spinbench_samples s
                        WHERE (s.sweep, s.round) = (this.sweep, spb_next.round)
                          AND (s.lock_entry, s.queue_entry, s.workers)
                            = (c.lock_entry, c.queue_entry, c.workers))
     ORDER BY random() LIMIT 1;
    place := (SELECT coalesce(max(s.position), 0) + 1 FROM spinbench_samples s
               WHERE (s.sweep, s.round) = (this.sweep, spb_next.round));
END
$$;

-- Tell of a sample, and how long the sweep will go on.  Returns the next state.
CREATE FUNCTION spb_tell(this spinbench_sweeps, state jsonb, sample spinbench_samples)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    done int4 := (state ->> 'done')::int4 + 1;
    elapsed interval := clock_timestamp() - (state ->> 'since')::timestamptz;
    stored int8 := (SELECT count(*) FROM spinbench_samples s WHERE s.sweep = this.sweep);
    total int8 := (this.arguments ->> 'rounds')::int8
                  * (SELECT count(*) FROM spb_cells(this.arguments));
    time_left float8 := least(extract(epoch FROM elapsed) / done * (total - stored),
                              extract(epoch FROM (state ->> 'deadline')::timestamptz - clock_timestamp()));
BEGIN
    RAISE NOTICE '%', (SELECT format('sample %s%s, round %s, %s left: %s, queue %s, %ss %s: %s',
        stored, ' of ' || total, sample.round, spb_duration(time_left),
        sample.lock, sample.queue, w.counted, sample.workers,
        coalesce('failed: ' || sample.error,
                 spb_figure(sample.workload, sample.ns_per_message) || ' ' || w.unit))
        FROM spb_words(sample.workload) w);
    RETURN state || jsonb_build_object('done', done);
END
$$;

-- Run the next sample of a sweep.  Returns the next state; null if it is over.
CREATE FUNCTION spb_step(state jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    this spinbench_sweeps;
    cell record;
BEGIN
    SELECT s.* INTO this FROM spinbench_sweeps s WHERE s.sweep = (state ->> 'sweep')::int8;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'sweep % has been deleted', state ->> 'sweep'
            USING ERRCODE = 'undefined_object';
    END IF;
    cell := spb_next(this, state);
    IF cell.round IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN spb_tell(this, state,
                    spb_measure(this, cell.round, cell.place, cell.lock_entry, cell.lock,
                                cell.queue_entry, cell.queue, cell.workers));
END
$$;

-- Create a sweep, with checked arguments, and return the state for its steps.
CREATE FUNCTION spb_create(arguments jsonb, settings jsonb, environment jsonb, note text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    sweep int8;
BEGIN
    INSERT INTO spinbench_sweeps AS s (note, arguments, settings, environment)
    VALUES (note, arguments, settings, environment)
    RETURNING s.sweep INTO sweep;
    PERFORM spb_announce(format('sweep %s:', sweep), arguments);
    RETURN spb_state(sweep, arguments);
END
$$;

CREATE FUNCTION spb_state(sweep int8, arguments jsonb)
RETURNS jsonb
LANGUAGE sql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT jsonb_build_object('sweep', sweep, 'since', clock_timestamp(), 'done', 0,
        'deadline', clock_timestamp() + (arguments ->> 'time_limit')::interval)
$$;

-- Check the arguments of spinbench_sweep() and begin it.  Returns null if it is
-- but a dry run.
CREATE FUNCTION spb_begin(
    locks text[],
    queues text[],
    workers int4[],
    others jsonb,
    settings jsonb,
    note text,
    dry_run bool)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    arguments jsonb;
    line text;
BEGIN
    PERFORM set_config(s.key, s.value, true)
       FROM jsonb_each_text(settings) s WHERE s.value IS NOT NULL;
    arguments := spb_check_arguments(locks, queues, workers, jsonb_strip_nulls(others));
    IF NOT coalesce(dry_run, false) THEN
        RETURN spb_create(arguments, spb_settings(), spinbench_environment(), note);
    END IF;
    PERFORM spb_announce('would run', arguments);
    FOR line IN
        SELECT format('lock %s, queue %s, workers %s',
                      lock, queue, string_agg(c.workers::text, ', ' ORDER BY c.workers))
          FROM spb_cells(arguments) c
         GROUP BY lock_entry, lock, queue_entry, queue
         ORDER BY lock_entry, queue_entry
    LOOP
        RAISE NOTICE '%', line;
    END LOOP;
    RETURN NULL;
END
$$;

-- What tells another machine, server or module from this one: the first that
-- differs, such as: machine model is "A", here it is "B".  Null if nothing does.
-- A server whose own lock or queue is replaced is another one with each of them.
CREATE FUNCTION spb_difference(environment jsonb, here jsonb)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT format('%s is %s, here it is %s', replace(p, ',', ' '),
                  coalesce('"' || (environment #>> path) || '"', 'null'), coalesce('"' || (here #>> path) || '"', 'null'))
      FROM unnest(ARRAY['machine,model', 'machine,threads', 'system,kernel', 'server,version',
                        'server,lock', 'server,queue', 'module,version', 'module,compiler', 'module,cflags']) WITH ORDINALITY u(p, n),
           LATERAL string_to_array(p, ',') path
     WHERE environment #>> path IS DISTINCT FROM here #>> path
     ORDER BY n LIMIT 1
$$;

-- Begin to resume a sweep: change what it is to do, if asked to.
CREATE FUNCTION spb_resume(sweep int8, rounds int4, time_limit interval)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    this spinbench_sweeps;
    difference text;
BEGIN
    this := spb_sweep(sweep);
    IF spb_is_live(this.arguments) THEN
        RAISE EXCEPTION 'sweep % cannot be resumed', sweep
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = 'The servers that it measured have been thrown away.',
                  HINT = 'spinbench_report() has the command that repeats it.';
    END IF;
    PERFORM spb_check_least('rounds', rounds, 0);
    IF time_limit <= '0' THEN
        RAISE EXCEPTION 'time_limit must be greater than 0'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM spb_claim(sweep);

    -- samples of different machines must not become one comparison
    difference := spb_difference(this.environment, spinbench_environment());
    IF difference IS NOT NULL THEN
        RAISE EXCEPTION 'sweep % was measured elsewhere', sweep
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('Its %s.', difference),
                  HINT = 'Start a sweep of its own here, and compare their medians.';
    END IF;

    -- who asks for so many more rounds wants so many
    IF rounds > 0 THEN
        this.arguments := this.arguments - ARRAY['narrower_than', 'time_limit']
            || jsonb_build_object('rounds', rounds +
                greatest((this.arguments ->> 'rounds')::int4,
                         (SELECT max(s.round) FROM spinbench_samples s WHERE s.sweep = this.sweep),
                         0));
    END IF;
    IF time_limit IS NOT NULL THEN
        this.arguments := this.arguments || jsonb_build_object('time_limit', time_limit);
    END IF;
    UPDATE spinbench_sweeps s
       SET arguments = this.arguments, ended = NULL, outcome = NULL
     WHERE s.sweep = this.sweep;
    PERFORM spb_announce(format('sweep %s:', sweep), this.arguments);
    RETURN spb_state(sweep, this.arguments);
END
$$;

-- Run a sweep: every cell, which is a combination of a lock, a queue and a
-- number of workers, once per round and in random order.
--
-- locks and queues are labels; each list may have the same one twice, which
-- shows how much two equal cells differ.  The first is what the others are
-- compared with.  A sample ends after duration_ms milliseconds or
-- repeat_count messages, whatever comes first (default: 500 ms).  The sweep
-- ends after so many rounds (default: 10), or before a round that would end
-- later than time_limit, or when each 95 % interval is narrower than
-- narrower_than times its median, and was so after four fifths of the rounds.  acquisitions, critical_section_lines and
-- cpus are the settings of that name; null: as the session has them.
-- queue_size is in bytes.  A dry run only says what would be done.
--
-- Returns the number of the sweep; null for a dry run.
CREATE PROCEDURE spinbench_sweep(
    locks pg_catalog.text[],
    workers pg_catalog.int4[],
    queues pg_catalog.text[] DEFAULT '{server}',
    workload pg_catalog.text DEFAULT 'pipelined',
    rounds pg_catalog.int4 DEFAULT NULL,
    duration_ms pg_catalog.int4 DEFAULT NULL,
    repeat_count pg_catalog.int8 DEFAULT NULL,
    queue_size pg_catalog.int8 DEFAULT 16384,
    message pg_catalog.text DEFAULT 'xyzzy',
    verify pg_catalog.bool DEFAULT true,
    acquisitions pg_catalog.int4 DEFAULT NULL,
    critical_section_lines pg_catalog.int4 DEFAULT NULL,
    cpus pg_catalog.text DEFAULT NULL,
    narrower_than pg_catalog.float8 DEFAULT NULL,
    time_limit pg_catalog.interval DEFAULT NULL,
    note pg_catalog.text DEFAULT NULL,
    dry_run pg_catalog.bool DEFAULT false,
    INOUT sweep pg_catalog.int8 DEFAULT NULL)
LANGUAGE plpgsql
AS $$
DECLARE
    state pg_catalog.jsonb;
BEGIN
    PERFORM @extschema@.spb_require_no_transaction('spinbench_sweep');
    state := @extschema@.spb_begin(locks, queues, workers,
        pg_catalog.jsonb_build_object('workload', workload, 'rounds', rounds,
            'duration_ms', duration_ms, 'repeat_count', repeat_count,
            'queue_size', queue_size, 'message', message, 'verify', verify,
            'narrower_than', narrower_than, 'time_limit', time_limit),
        pg_catalog.jsonb_build_object('spinbench.acquisitions', acquisitions,
            'spinbench.critical_section_lines', critical_section_lines,
            'spinbench.cpus', cpus),
        note, dry_run);
    sweep := pg_catalog.jsonb_extract_path_text(state, 'sweep');
    WHILE state IS NOT NULL LOOP
        -- the first sample belongs to the transaction that made the sweep
        state := @extschema@.spb_step(state);
        COMMIT;
    END LOOP;
    COMMIT;
END
$$;

-- Go on with a sweep: finish the round that was interrupted, if any, and all
-- rounds that were planned, then run so many more rounds.  A sweep with a
-- time limit gets as much time again, or this new one.
CREATE PROCEDURE spinbench_resume(
    sweep pg_catalog.int8,
    rounds pg_catalog.int4 DEFAULT 0,
    time_limit pg_catalog.interval DEFAULT NULL)
LANGUAGE plpgsql
AS $$
DECLARE
    state pg_catalog.jsonb;
BEGIN
    PERFORM @extschema@.spb_require_no_transaction('spinbench_resume');
    state := @extschema@.spb_resume(sweep, rounds, time_limit);
    WHILE state IS NOT NULL LOOP
        COMMIT;
        state := @extschema@.spb_step(state);
    END LOOP;
    COMMIT;
END
$$;

REVOKE ALL ON PROCEDURE spinbench_sweep(pg_catalog.text[], pg_catalog.int4[],
    pg_catalog.text[], pg_catalog.text, pg_catalog.int4, pg_catalog.int4,
    pg_catalog.int8, pg_catalog.int8, pg_catalog.text, pg_catalog.bool,
    pg_catalog.int4, pg_catalog.int4, pg_catalog.text, pg_catalog.float8,
    pg_catalog.interval, pg_catalog.text, pg_catalog.bool, pg_catalog.int8) FROM PUBLIC;
REVOKE ALL ON PROCEDURE spinbench_resume(pg_catalog.int8, pg_catalog.int4,
    pg_catalog.interval) FROM PUBLIC;
