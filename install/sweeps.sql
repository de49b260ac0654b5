-- Sweeps: where and how they were made, and their samples.

-- Where a result comes from; see src/environment.c for what is in it.
CREATE FUNCTION spinbench_environment()
RETURNS pg_catalog.jsonb
AS 'MODULE_PATHNAME', 'spinbench_environment'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;

REVOKE ALL ON FUNCTION spinbench_environment() FROM PUBLIC;
