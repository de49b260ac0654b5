-- Comparisons within rounds.
--
-- Two cells are compared by the ratios of their times in the same round, so
-- whatever makes the machine slower for a while does so to both.  The order
-- within a round is drawn anew for each round.  Hence, for two cells that are
-- equal, each ratio is as likely above 1 as below it, whatever the noise is
-- like: the sign test, on which the interval of the median rests, is exact
-- (R. A. Fisher, The Design of Experiments, section 21; Conover, section 3.4).

-- What a sweep varies, to be compared: 'lock', or 'queue' if that has been
-- asked for or if there is but one lock and several queues.
CREATE FUNCTION spb_across(this spinbench_sweeps, across text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
BEGIN
    IF across NOT IN ('lock', 'queue') THEN
        RAISE EXCEPTION 'across must be "lock" or "queue", not "%"', across
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN coalesce(across,
        CASE WHEN jsonb_array_length(this.arguments -> 'locks') = 1
                  AND jsonb_array_length(this.arguments -> 'queues') > 1
             THEN 'queue' ELSE 'lock'
        END);
END
$$;

-- The samples of a sweep, or of so many of its rounds, as they are compared:
-- arms beside each other in a group.  Across locks an arm is an entry of a lock
-- and a group is one of a queue; across queues it is the other way round.
CREATE FUNCTION spb_arms(
    sweep int8,
    across text,
    rounds int4,
    OUT round int4,
    OUT workers int4,
    OUT "group" int4,
    OUT group_label text,
    OUT arm int4,
    OUT label text,
    OUT ns float8,
    OUT failed bool,
    OUT doubts text)
RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT s.round, s.workers,
           CASE across WHEN 'lock' THEN s.queue_entry ELSE s.lock_entry END,
           CASE across WHEN 'lock' THEN s.queue ELSE s.lock END,
           CASE across WHEN 'lock' THEN s.lock_entry ELSE s.queue_entry END,
           CASE across WHEN 'lock' THEN s.lock ELSE s.queue END,
           s.ns_per_message, s.sqlstate IS NOT NULL, s.doubts
      FROM spinbench_samples s
     WHERE s.sweep = spb_arms.sweep
       AND (rounds IS NULL OR s.round <= rounds)
$$;

-- The entry that others are compared with: the first with this label, or the
-- first of all.
CREATE FUNCTION spb_baseline(this spinbench_sweeps, baseline text, across text)
RETURNS int4
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    labels jsonb := this.arguments -> (across || 's');
    entry int4;
BEGIN
    IF baseline IS NULL THEN
        RETURN 1;
    END IF;
    entry := (SELECT min(l.entry)
                FROM jsonb_array_elements_text(labels) WITH ORDINALITY l(label, entry)
               WHERE l.label = baseline);
    IF entry IS NULL THEN
        RAISE EXCEPTION 'sweep % has no % "%"', this.sweep, across, baseline
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = format('It has: %s.',
                      (SELECT string_agg(DISTINCT l, ', ') FROM jsonb_array_elements_text(labels) l));
    END IF;
    RETURN entry;
END
$$;

-- Compare the cells of a sweep with those of a baseline, which is the label of
-- a lock (or, across queues, of a queue) of the sweep, by default the first;
-- each in the same group, which is a queue (or a lock), and with the same
-- number of workers.  rounds: only the first so many.
--
-- queue_entry, queue, workers, lock_entry, lock
--                  the cell; the baseline's label again is an A/A pair
-- baseline_label   what it is compared with
-- n                rounds in which both have a time
-- speedup          median of baseline's time / this one's time per message:
--                  above 1, this one is faster
-- low, high        interval of that median at 95 %, or null if n is too small
-- coverage         its real coverage, at least 0.95
-- differs          the interval does not contain 1; null without one
-- noise_floor      how far from 1 the intervals of A/A pairs reach: 0.015 is
--                  1.5 %; null without such a pair
-- verdict          in words
-- doubts           what makes it doubtful, or null
CREATE FUNCTION spinbench_compare(
    sweep int8,
    baseline text DEFAULT NULL,
    across text DEFAULT NULL,
    rounds int4 DEFAULT NULL,
    OUT queue_entry int4,
    OUT queue text,
    OUT workers int4,
    OUT lock_entry int4,
    OUT lock text,
    OUT baseline_label text,
    OUT n int4,
    OUT speedup float8,
    OUT low float8,
    OUT high float8,
    OUT coverage float8,
    OUT differs bool,
    OUT noise_floor float8,
    OUT verdict text,
    OUT doubts text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    this spinbench_sweeps := spb_sweep(sweep);
    dimension text := spb_across(this, across);
    only_rounds int4 := rounds;
    base int4 := spb_baseline(this, baseline, dimension);
    base_label text := this.arguments -> (dimension || 's') ->> base - 1;
BEGIN
    RETURN QUERY
    WITH samples AS MATERIALIZED (
        SELECT a.* FROM spb_arms(this.sweep, dimension, only_rounds) a
    ), cells AS (
        SELECT s."group", s.group_label, s.workers, s.arm, s.label,
               array_agg(b.ns / nullif(s.ns, 0)) AS ratios,
               count(*) FILTER (WHERE s.failed) AS failed,
               count(*) FILTER (WHERE b.failed) AS base_failed,
               count(*) AS total,
               array_agg(s.doubts) FILTER (WHERE NOT s.failed) AS doubts,
               array_agg(b.doubts) FILTER (WHERE NOT b.failed) AS base_doubts
          FROM samples s
          JOIN samples b USING ("group", workers, round)
         WHERE b.arm = base AND s.arm <> base
         GROUP BY s."group", s.group_label, s.workers, s.arm, s.label
    ), compared AS (
        SELECT c.*, m.*, m.low > 1 OR m.high < 1 AS differs
          FROM cells c, LATERAL spinbench_median(c.ratios) m
    ), floors AS (
        SELECT c.*,
               max(greatest(c.high, 1 / c.low) - 1) FILTER (WHERE c.label = base_label)
                   OVER (PARTITION BY c."group", c.workers) AS noise_floor
          FROM compared c
    )
    SELECT CASE dimension WHEN 'lock' THEN f."group" ELSE f.arm END,
           CASE dimension WHEN 'lock' THEN f.group_label ELSE f.label END,
           f.workers,
           CASE dimension WHEN 'lock' THEN f.arm ELSE f."group" END,
           CASE dimension WHEN 'lock' THEN f.label ELSE f.group_label END,
           base_label, f.n, f.median, f.low, f.high, f.coverage, f.differs, f.noise_floor,
           CASE WHEN f.n = 0 THEN 'no samples'
                WHEN f.coverage IS NULL THEN 'too few rounds'
                WHEN f.low > 1 THEN 'faster'
                WHEN f.high < 1 THEN 'slower'
                ELSE 'no difference shown'
           END,
           nullif(concat_ws('; ',
               CASE WHEN f.n > 0 AND f.coverage IS NULL
                   THEN format('an interval needs at least 6 rounds, not %s', f.n)
               END,
               CASE WHEN f.differs AND greatest(f.median, 1 / f.median) - 1 <= f.noise_floor
                   THEN 'no more than the noise floor'
               END,
               CASE WHEN f.failed > 0 THEN format('failed in %s of %s', f.failed, f.total) END,
               CASE WHEN f.base_failed > 0
                   THEN format('baseline failed in %s of %s', f.base_failed, f.total)
               END,
               spb_doubts(f.doubts),
               'baseline: ' || spb_doubts(f.base_doubts)), '')
      FROM floors f
     ORDER BY f."group", f.workers, f.arm;
END
$$;

-- Whether, after so many rounds, each comparison of a sweep has an interval no
-- wider than this part of its median.  What has failed in every round is not
-- waited for.
CREATE FUNCTION spb_is_precise(sweep int8, width float8, rounds int4)
RETURNS bool
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT coalesce(bool_and(coalesce(c.high - c.low <= width * c.speedup, false)), false)
      FROM spinbench_compare(sweep, rounds => spb_is_precise.rounds) c
     WHERE c.n > 0
$$;
