-- Sweeps from one machine to another, and to other programs.

-- All samples with what is to be known about their sweeps, one row each; that
-- stands in the first row of a sweep only.  In psql:
--     \copy (SELECT * FROM spinbench_csv WHERE sweep = 3) TO 'sweep.csv' (FORMAT csv, HEADER)
CREATE VIEW spinbench_csv AS
SELECT s.*, w.id,
       CASE WHEN first THEN w.started END AS started,
       CASE WHEN first THEN w.ended END AS ended,
       CASE WHEN first THEN w.outcome END AS outcome,
       CASE WHEN first THEN w.note END AS note,
       CASE WHEN first THEN w.arguments END AS arguments,
       CASE WHEN first THEN w.settings END AS settings,
       CASE WHEN first THEN w.environment END AS environment
  FROM spinbench_sweeps w
  JOIN spinbench_samples s USING (sweep),
       LATERAL (SELECT NOT EXISTS (SELECT FROM spinbench_samples f
                                    WHERE f.sweep = s.sweep
                                      AND (f.round, f.position) < (s.round, s.position))) f(first)
 ORDER BY s.sweep, s.round, s.position;

GRANT SELECT ON spinbench_csv TO pg_monitor;

-- The other way round: rows of spinbench_csv that are inserted here become
-- sweeps, each with a new number.  In psql:
--     \copy spinbench_import FROM 'sweep.csv' (FORMAT csv, HEADER match)
-- The same sample can be imported again, so a sweep that had more rounds in the
-- meantime can, too.
CREATE VIEW spinbench_import AS SELECT * FROM spinbench_csv;

CREATE FUNCTION spb_import()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    here int8;
    sample spinbench_samples;
BEGIN
    IF NEW.id IS NULL THEN
        RAISE EXCEPTION 'id must not be null'
            USING ERRCODE = 'null_value_not_allowed',
                  HINT = 'It tells the sweeps of all machines apart.';
    END IF;
    SELECT s.sweep INTO here FROM spinbench_sweeps s WHERE s.id = NEW.id;
    IF NOT FOUND THEN
        IF NEW.environment IS NULL THEN
            RAISE EXCEPTION 'sweep % has no environment', NEW.id
                USING ERRCODE = 'null_value_not_allowed',
                      HINT = 'It is in the row that was the first one when the sweep was exported.';
        END IF;
        INSERT INTO spinbench_sweeps AS s
            (id, started, ended, outcome, note, arguments, settings, environment)
        VALUES (NEW.id, NEW.started, NEW.ended, NEW.outcome, NEW.note, NEW.arguments,
                NEW.settings, NEW.environment)
        RETURNING s.sweep INTO here;
        RAISE NOTICE 'sweep % is sweep % here', NEW.sweep, here;
    ELSIF NEW.environment IS NOT NULL THEN
        UPDATE spinbench_sweeps s
           SET (ended, outcome, arguments) = (NEW.ended, NEW.outcome, NEW.arguments)
         WHERE s.sweep = here AND (s.ended IS NULL OR NEW.ended > s.ended);
    END IF;

    sample := jsonb_populate_record(NULL::spinbench_samples,
                                    to_jsonb(NEW) || jsonb_build_object('sweep', here));
    INSERT INTO spinbench_samples SELECT sample.* ON CONFLICT DO NOTHING;
    IF NOT FOUND AND NOT EXISTS (SELECT FROM spinbench_samples s
                                  WHERE s IS NOT DISTINCT FROM sample) THEN
        RAISE EXCEPTION 'sweep % has another sample at position % of round %',
                here, NEW.position, NEW.round
            USING ERRCODE = 'unique_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER spinbench_import
INSTEAD OF INSERT ON spinbench_import
FOR EACH ROW EXECUTE FUNCTION spb_import();

-- A sweep in the text format of Go's benchmarks, which benchstat and others
-- read: lines "key: value" about all that follows, then a line for each sample
--     BenchmarkName-CPUS  messages  value unit  value unit ...
-- See https://go.dev/design/14313-benchmark-format.  The parts of a name are
-- key=value between slashes; in a label, which has slashes, there are colons
-- instead.  Samples that failed are left out.
CREATE FUNCTION spinbench_gobench(sweep int8)
RETURNS SETOF text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    this spinbench_sweeps := spb_sweep(sweep);
    machine jsonb := this.environment -> 'machine';
BEGIN
    RETURN QUERY
    SELECT format('%s: %s', c.key, regexp_replace(c.value, '\s+', ' ', 'g'))
      FROM (VALUES
            ('goos', lower(split_part(this.environment #>> '{system,kernel}', ' ', 1))),
            ('goarch', CASE machine ->> 'architecture'
                       WHEN 'x86-64' THEN 'amd64' WHEN 'i386' THEN '386' WHEN 'aarch64' THEN 'arm64'
                       ELSE machine ->> 'architecture' END),
            ('pkg', 'spinbench'),
            ('cpu', machine ->> 'model'),
            ('product', machine ->> 'product'),
            ('kernel', this.environment #>> '{system,kernel}'),
            ('server', this.environment #>> '{server,version}'),
            ('started', to_char(this.started AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
            ('sweep', this.id::text),
            ('note', this.note)) c(key, value)
     WHERE c.value <> '';

    RETURN QUERY
    SELECT format('Benchmark%s/lock=%s/queue=%s/workers=%s-%s', initcap(s.workload),
                  translate(l.name, '/ ', ':'), translate(q.name, '/ ', ':'), s.workers,
                  coalesce(machine ->> 'usable_cpus', '1'))
           || E'\t' || s.messages || E'\t' ||
           concat_ws(E'\t',
               s.ns_per_message || ' ns/op',
               s.contended::float8 / s.messages || ' contended/op',
               s.handoffs::float8 / s.messages || ' handoffs/op',
               s.sleeps::float8 / s.messages || ' sleeps/op',
               s.latch_sets::float8 / s.messages || ' latch-sets/op',
               s.wakeups::float8 / s.messages || ' wakeups/op',
               s.cpu_ms * 1e6 / s.messages || ' cpu-ns/op')
      FROM spinbench_samples s
      JOIN spb_names(this, 'lock') l ON l.arm = s.lock_entry
      JOIN spb_names(this, 'queue') q ON q.arm = s.queue_entry
     WHERE s.sweep = this.sweep AND s.messages > 0
     ORDER BY s.round, s.position;
END
$$;
