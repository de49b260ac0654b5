-- Statistics: medians with exact intervals, and what makes figures doubtful.

-- The ranks, from 1, of the order statistics between which the median of the
-- population lies with at least this confidence, however it is distributed,
-- and the real coverage.  The number of samples below the median is binomial
-- with p = 1/2, so for ranks k and n + 1 - k the coverage is
--     1 - 2 P(B <= k - 1);
-- the largest k that has enough is taken.  Null where even the smallest and
-- the largest sample do not have enough: below n = 6 at 95 %.
--
-- W. J. Conover, Practical Nonparametric Statistics, section 3.2; H. A. David
-- and H. N. Nagaraja, Order Statistics, section 7.1.
CREATE FUNCTION spinbench_median_ranks(
    n int4,
    confidence float8 DEFAULT 0.95,
    OUT lower int4,
    OUT upper int4,
    OUT coverage float8)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    -- ln C(n, i), by which 2 ^ -n is multiplied: alone, it vanishes above n = 1074
    ln_choose float8 := 0;
    ln_term float8;
    -- P(B <= i)
    tail float8 := 0;
BEGIN
    IF confidence <= 0 OR confidence >= 1 OR confidence = 'NaN' THEN
        RAISE EXCEPTION 'confidence must be between 0 and 1, not %', confidence
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOR i IN 0 .. (n - 1) / 2 LOOP
        IF i > 0 THEN
            ln_choose := ln_choose + ln((n - i + 1)::float8 / i);
        END IF;
        ln_term := ln_choose - n * ln(2::float8);
        IF ln_term > -700 THEN
            tail := tail + exp(ln_term);
        END IF;
        EXIT WHEN 1 - 2 * tail < confidence;
        lower := i + 1;
        upper := n - i;
        coverage := 1 - 2 * tail;
    END LOOP;
END
$$;

-- The median of the values that are not null, and the interval in which the
-- median of the population lies at 95 %, with its real coverage; see
-- spinbench_median_ranks().
CREATE FUNCTION spinbench_median(
    "values" float8[],
    OUT n int4,
    OUT median float8,
    OUT low float8,
    OUT high float8,
    OUT coverage float8)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    sorted float8[] := (SELECT array_agg(v ORDER BY v) FROM unnest("values") v
                         WHERE v IS NOT NULL);
    ranks record;
BEGIN
    n := coalesce(cardinality(sorted), 0);
    IF n > 0 THEN
        -- the middle one, or the mean of the two in the middle
        median := (sorted[(n + 1) / 2] + sorted[n / 2 + 1]) / 2;
        SELECT * INTO ranks FROM spinbench_median_ranks(n);
        low := sorted[ranks.lower];
        high := sorted[ranks.upper];
        coverage := ranks.coverage;
    END IF;
END
$$;

-- What the doubts of samples have in common: each doubt once, with the range
-- of its number and in how many of the samples it occurs.  An element is what
-- one run said, "doubt; doubt", or null.
CREATE FUNCTION spb_doubts(doubts text[])
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    WITH each AS (
        SELECT regexp_replace(doubt, '[0-9]+(\.[0-9]+)?', '#') AS kind,
               substring(doubt FROM '[0-9]+(?:\.[0-9]+)?') AS number
          FROM unnest(doubts) d, regexp_split_to_table(d, '; ') doubt
    ), kinds AS (
        SELECT kind, count(*),
               (array_agg(number ORDER BY number::numeric))[1] AS low,
               (array_agg(number ORDER BY number::numeric DESC))[1] AS high
          FROM each GROUP BY kind
    )
    SELECT string_agg(
               CASE WHEN low IS NULL THEN kind
                    ELSE replace(kind, '#', low || CASE WHEN low <> high THEN ' to ' || high ELSE '' END)
               END || ' in ' || count || ' of ' || cardinality(doubts),
               '; ' ORDER BY count DESC, kind COLLATE "C")
      FROM kinds
$$;

-- A number with so many significant digits, or more if its integral part has.
CREATE FUNCTION spb_digits(number float8, digits int4)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT CASE WHEN number = 0 THEN '0'
                WHEN abs(number) IN ('Infinity', 'NaN') THEN number::text
                ELSE round(number::numeric,
                           least(greatest(digits - 1 - floor(log(abs(number)))::int4, 0), 15))::text
           END
$$;

-- The sweep of that number; an error if there is none.
CREATE FUNCTION spb_sweep(sweep int8)
RETURNS spinbench_sweeps
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    this spinbench_sweeps;
BEGIN
    IF sweep IS NULL THEN
        RAISE EXCEPTION 'sweep must not be null'
            USING ERRCODE = 'null_value_not_allowed';
    END IF;
    SELECT s.* INTO this FROM spinbench_sweeps s WHERE s.sweep = spb_sweep.sweep;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no sweep %', sweep
            USING ERRCODE = 'undefined_object',
                  HINT = 'The table spinbench_sweeps lists them.';
    END IF;
    RETURN this;
END
$$;

-- Each cell of each sweep.
--
-- n                    samples, but for those that failed
-- median_ns, low_ns, high_ns, coverage
--                      of the time per message, see spinbench_median()
-- mean_ns, best_ns, worst_ns
-- messages_per_second  at the median
-- contended_percent    of the acquisitions of all samples
-- handoff_percent      of the same: another participant had it before
-- sleeps_per_second    waits that went to sleep, of all workers
-- latch_sets, wakeups  per message, where the queue is ours
-- cpu_ns               CPU time of all participants per message
CREATE VIEW spinbench_summary AS
SELECT c.sweep, c.workload, c.queue_entry, c.queue, c.workers, c.lock_entry, c.lock,
       m.n, c.failed,
       m.median AS median_ns, m.low AS low_ns, m.high AS high_ns, m.coverage,
       c.mean_ns, c.best_ns, c.worst_ns,
       1e9 / nullif(m.median, 0) AS messages_per_second,
       c.contended_percent, c.handoff_percent, c.sleeps_per_second, c.latch_sets, c.wakeups,
       c.cpu_ns,
       nullif(concat_ws('; ',
           CASE WHEN m.coverage IS NULL THEN 'too few samples for an interval' END,
           CASE WHEN c.failed > 0 THEN 'failed in ' || c.failed || ' of ' || c.failed + m.n END,
           spb_doubts(c.doubts)), '') AS doubts
  FROM (SELECT sweep, workload, queue_entry, queue, workers, lock_entry, lock,
               array_agg(ns_per_message) AS all_ns,
               count(sqlstate)::int4 AS failed,
               avg(ns_per_message) AS mean_ns,
               min(ns_per_message) AS best_ns,
               max(ns_per_message) AS worst_ns,
               (100 * sum(contended) / nullif(sum(acquisitions), 0))::float8 AS contended_percent,
               (100 * sum(handoffs) / nullif(sum(acquisitions), 0))::float8 AS handoff_percent,
               sum(sleeps)::float8 / nullif(sum(elapsed_ms) / 1000, 0) AS sleeps_per_second,
               sum(latch_sets)::float8 / nullif(sum(messages), 0)::float8 AS latch_sets,
               sum(wakeups)::float8 / nullif(sum(messages), 0)::float8 AS wakeups,
               1e6 * sum(cpu_ms) / nullif(sum(messages), 0)::float8 AS cpu_ns,
               array_agg(doubts) FILTER (WHERE sqlstate IS NULL) AS doubts
          FROM spinbench_samples
         GROUP BY sweep, workload, queue_entry, queue, workers, lock_entry, lock) c,
       LATERAL spinbench_median(c.all_ns) m;

GRANT SELECT ON spinbench_summary TO pg_monitor;
