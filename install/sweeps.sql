-- Sweeps: where and how they were made, and their samples.

-- Where a result comes from; see src/environment.c for what is in it.
CREATE FUNCTION spinbench_environment()
RETURNS pg_catalog.jsonb
AS 'MODULE_PATHNAME', 'spinbench_environment'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;

REVOKE ALL ON FUNCTION spinbench_environment() FROM PUBLIC;

CREATE TABLE spinbench_sweeps (
    sweep int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- the same wherever the sweep has been copied to
    id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    started timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended timestamptz,
    -- why it ended; null: it runs, or was interrupted
    outcome text CHECK (outcome IN ('all rounds done', 'precision reached', 'time is over',
        'all samples failed')),
    note text,
    -- those of spinbench_sweep() that are not null
    arguments jsonb NOT NULL,
    -- spinbench.* as they were in force, but lock and queue
    settings jsonb NOT NULL,
    -- as spinbench_environment() returns it
    environment jsonb NOT NULL
);

-- The columns of a run's result stand here as they are there.  Where a run has
-- failed, all of them are null but lock, queue and workers.
CREATE TABLE spinbench_samples (
    sweep int8 NOT NULL REFERENCES spinbench_sweeps ON DELETE CASCADE,
    round int4 NOT NULL CHECK (round > 0),
    -- in the round, from 1: its order is random
    position int4 NOT NULL CHECK (position > 0),
    -- place in the sweep's lists: the same lock can be entered twice (A/A)
    lock_entry int4 NOT NULL,
    queue_entry int4 NOT NULL,
    measured_at timestamptz NOT NULL,
    workload text NOT NULL,
    LIKE spinbench_result,
    error text,
    sqlstate text,
    PRIMARY KEY (sweep, round, lock_entry, queue_entry, workers),
    UNIQUE (sweep, round, position)
);

SELECT pg_catalog.pg_extension_config_dump('spinbench_sweeps', '');
SELECT pg_catalog.pg_extension_config_dump('spinbench_sweeps_sweep_seq', '');
SELECT pg_catalog.pg_extension_config_dump('spinbench_samples', '');

GRANT SELECT ON spinbench_sweeps, spinbench_samples TO pg_monitor;
