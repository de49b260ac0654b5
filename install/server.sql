-- A server whose own code is replaced.

CREATE FUNCTION spinbench_server_locks(
    OUT lock pg_catalog.text,
    OUT in_force pg_catalog.bool,
    OUT contended pg_catalog.int8,
    OUT spins pg_catalog.int8,
    OUT sleeps pg_catalog.int8,
    OUT slept_ms pg_catalog.float8)
RETURNS SETOF pg_catalog.record
AS 'MODULE_PATHNAME', 'spinbench_server_locks'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

CREATE FUNCTION spinbench_reset_server_locks()
RETURNS pg_catalog.void
AS 'MODULE_PATHNAME', 'spinbench_reset_server_locks'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

CREATE FUNCTION spinbench_server_queues(
    OUT queue pg_catalog.text,
    OUT in_force pg_catalog.bool,
    OUT created pg_catalog.int8)
RETURNS SETOF pg_catalog.record
AS 'MODULE_PATHNAME', 'spinbench_server_queues'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

CREATE FUNCTION spinbench_server_patch(
    OUT function pg_catalog.text,
    OUT replaced pg_catalog.bool,
    OUT entry pg_catalog.bytea,
    OUT reason pg_catalog.text)
RETURNS SETOF pg_catalog.record
AS 'MODULE_PATHNAME', 'spinbench_server_patch'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

REVOKE ALL ON FUNCTION spinbench_reset_server_locks() FROM PUBLIC;
-- Addresses are nobody's business.
REVOKE ALL ON FUNCTION spinbench_server_patch() FROM PUBLIC;

-- A lock that all sessions share: SELECT spinbench_touch(100) in a pgbench script.
CREATE FUNCTION spinbench_touch(times pg_catalog.int8 DEFAULT 1)
RETURNS pg_catalog.int8
AS 'MODULE_PATHNAME', 'spinbench_touch'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

CREATE FUNCTION spinbench_entries(
    OUT entry pg_catalog.int4,
    OUT acquisitions pg_catalog.int8)
RETURNS SETOF pg_catalog.record
AS 'MODULE_PATHNAME', 'spinbench_entries'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

-- without the module being preloaded, these make the memory of the entries
REVOKE ALL ON FUNCTION spinbench_touch(pg_catalog.int8) FROM PUBLIC;
REVOKE ALL ON FUNCTION spinbench_entries() FROM PUBLIC;
