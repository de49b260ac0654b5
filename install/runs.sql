-- The extension script, put together by the Makefile from the parts in
-- install/.  This is the first: runs and what they return.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION spinbench" to load this file. \quit

-- What every workload returns.  NULL is what cannot be known here.
CREATE TYPE spinbench_result AS (
    lock pg_catalog.text,
    queue pg_catalog.text,
    workers pg_catalog.int4,
    message_bytes pg_catalog.int8,
    messages pg_catalog.int8,
    elapsed_ms pg_catalog.float8,
    messages_per_second pg_catalog.float8,
    ns_per_message pg_catalog.float8,
    acquisitions pg_catalog.int8,
    contended pg_catalog.int8,
    spins pg_catalog.int8,
    sleeps pg_catalog.int8,
    slept_ms pg_catalog.float8,
    handoffs pg_catalog.int8,
    queue_acquisitions pg_catalog.int8,
    queue_contended pg_catalog.int8,
    latch_sets pg_catalog.int8,
    wakeups pg_catalog.int8,
    cpu_ms pg_catalog.float8,
    voluntary_switches pg_catalog.int8,
    involuntary_switches pg_catalog.int8,
    stolen_ms pg_catalog.float8,
    other_cpu_ms pg_catalog.float8,
    doubts pg_catalog.text
);

CREATE FUNCTION spinbench_pipelined(
    queue_size pg_catalog.int8,
    message pg_catalog.text,
    repeat_count pg_catalog.int8 DEFAULT NULL,
    num_workers pg_catalog.int4 DEFAULT 1,
    verify pg_catalog.bool DEFAULT true,
    duration_ms pg_catalog.int4 DEFAULT NULL)
RETURNS spinbench_result
AS 'MODULE_PATHNAME', 'spinbench_pipelined'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION spinbench_roundtrip(
    queue_size pg_catalog.int8,
    message pg_catalog.text,
    repeat_count pg_catalog.int8 DEFAULT NULL,
    num_workers pg_catalog.int4 DEFAULT 1,
    verify pg_catalog.bool DEFAULT true,
    duration_ms pg_catalog.int4 DEFAULT NULL)
RETURNS spinbench_result
AS 'MODULE_PATHNAME', 'spinbench_roundtrip'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION spinbench_gather(
    queue_size pg_catalog.int8,
    message pg_catalog.text,
    repeat_count pg_catalog.int8 DEFAULT NULL,
    num_workers pg_catalog.int4 DEFAULT 1,
    verify pg_catalog.bool DEFAULT true,
    duration_ms pg_catalog.int4 DEFAULT NULL)
RETURNS spinbench_result
AS 'MODULE_PATHNAME', 'spinbench_gather'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

-- Does the queue of spinbench.queue keep its promises?
CREATE FUNCTION spinbench_check_queue(
    queue_size pg_catalog.int8,
    messages pg_catalog.int8,
    scenario pg_catalog.text DEFAULT '')
RETURNS pg_catalog.int8
AS 'MODULE_PATHNAME', 'spinbench_check_queue'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

-- The participants of the last run of this session.
CREATE FUNCTION spinbench_workers(
    OUT participant pg_catalog.int4,
    OUT pid pg_catalog.int4,
    OUT cpu pg_catalog.int4,
    OUT acquisitions pg_catalog.int8,
    OUT contended pg_catalog.int8,
    OUT spins pg_catalog.int8,
    OUT sleeps pg_catalog.int8,
    OUT slept_ms pg_catalog.float8,
    OUT handoffs pg_catalog.int8,
    OUT spin_limit pg_catalog.int4,
    OUT cpu_ms pg_catalog.float8,
    OUT voluntary_switches pg_catalog.int8,
    OUT involuntary_switches pg_catalog.int8)
RETURNS SETOF pg_catalog.record
AS 'MODULE_PATHNAME', 'spinbench_workers'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

-- What exists.
CREATE FUNCTION spinbench_locks(
    OUT lock pg_catalog.text,
    OUT architecture pg_catalog.text,
    OUT description pg_catalog.text,
    OUT instructions pg_catalog.text,
    OUT runnable pg_catalog.bool,
    OUT reason pg_catalog.text,
    OUT origin pg_catalog.text)
RETURNS SETOF pg_catalog.record
AS 'MODULE_PATHNAME', 'spinbench_locks'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

CREATE FUNCTION spinbench_queues(
    OUT queue pg_catalog.text,
    OUT description pg_catalog.text,
    OUT origin pg_catalog.text)
RETURNS SETOF pg_catalog.record
AS 'MODULE_PATHNAME', 'spinbench_queues'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

-- What starts workers and burns CPU is for those who are allowed to.
REVOKE ALL ON FUNCTION spinbench_pipelined(pg_catalog.int8, pg_catalog.text,
    pg_catalog.int8, pg_catalog.int4, pg_catalog.bool, pg_catalog.int4) FROM PUBLIC;
REVOKE ALL ON FUNCTION spinbench_roundtrip(pg_catalog.int8, pg_catalog.text,
    pg_catalog.int8, pg_catalog.int4, pg_catalog.bool, pg_catalog.int4) FROM PUBLIC;
REVOKE ALL ON FUNCTION spinbench_gather(pg_catalog.int8, pg_catalog.text,
    pg_catalog.int8, pg_catalog.int4, pg_catalog.bool, pg_catalog.int4) FROM PUBLIC;
REVOKE ALL ON FUNCTION spinbench_check_queue(pg_catalog.int8, pg_catalog.int8,
    pg_catalog.text) FROM PUBLIC;
