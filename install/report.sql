-- A sweep as a text that can be pasted into a mail.

-- A label in lines of at most so many characters, broken at slashes: all parts
-- of a label are shorter than 12.
CREATE FUNCTION spb_label_lines(label text, width int4)
RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT CASE WHEN length(label) <= width THEN ARRAY[label]
                ELSE (SELECT array_agg(replace(line, '/ ', '/'))
                        FROM spb_wrap(replace(label, '/', '/ '), greatest(width, 12)) line)
           END
$$;

-- The arms of a group, as spb_arms() has them, each with a name of its own:
-- the second one with the same label is "label #2".
CREATE FUNCTION spb_names(
    this spinbench_sweeps,
    dimension text,
    OUT arm int4,
    OUT name text)
RETURNS SETOF record
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT l.entry::int4,
           l.label || CASE WHEN row_number() OVER again > 1
                           THEN ' #' || row_number() OVER again ELSE '' END
      FROM jsonb_array_elements_text(this.arguments -> (dimension || 's'))
           WITH ORDINALITY l(label, entry)
    WINDOW again AS (PARTITION BY l.label ORDER BY l.entry)
     ORDER BY l.entry
$$;

-- A table: one row per number of workers, one column per arm, in blocks of as
-- many columns as 100 characters hold.  rows are the numbers of workers, or
-- what counted says, names are those of the columns, and cells[r][c] their
-- contents.
CREATE FUNCTION spb_table("rows" text[], names text[], cells text[], counted text DEFAULT 'worker')
RETURNS SETOF text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    first int4 := 1;
    last int4;
    widths int4[];
    headings text[];
    height int4;
    total int4;
    line text;
    lines text[];
BEGIN
    WHILE first <= cardinality(names) LOOP
        IF first > 1 THEN
            RETURN NEXT '';
        END IF;

        -- as many columns as fit
        widths := '{}';
        height := 1;
        total := 7;
        last := first - 1;
        WHILE last < cardinality(names) LOOP
            widths[last + 1] := greatest(
                (SELECT max(length(cells[r][last + 1])) FROM generate_subscripts("rows", 1) r),
                (SELECT max(length(l)) FROM unnest(spb_label_lines(names[last + 1], 20)) l));
            EXIT WHEN last >= first AND total + 2 + widths[last + 1] > 100;
            total := total + 2 + widths[last + 1];
            last := last + 1;
            height := greatest(height, cardinality(spb_label_lines(names[last], 20)));
        END LOOP;

        FOR h IN 1 .. height LOOP
            line := lpad(CASE WHEN h = height THEN counted || 's' ELSE '' END, 7);
            FOR c IN first .. last LOOP
                lines := spb_label_lines(names[c], 20);
                -- the last line of a heading stands above the column
                line := line || '  ' || lpad(coalesce(lines[h - height + cardinality(lines)], ''), widths[c]);
            END LOOP;
            RETURN NEXT rtrim(line);
        END LOOP;
        FOR r IN 1 .. cardinality("rows") LOOP
            line := lpad("rows"[r], 7);
            FOR c IN first .. last LOOP
                line := line || '  ' || lpad(coalesce(cells[r][c], '-'), widths[c]);
            END LOOP;
            RETURN NEXT line;
        END LOOP;
        first := last + 1;
    END LOOP;
END
$$;

-- The times of all cells of a group.
CREATE FUNCTION spb_report_times(this spinbench_sweeps, dimension text, group_entry int4)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    WITH contents AS (
        SELECT s.workers,
               CASE dimension WHEN 'lock' THEN s.lock_entry ELSE s.queue_entry END AS arm,
               CASE WHEN s.n = 0 THEN 'failed'
                    ELSE spb_figure(s.workload, s.median_ns, s.low_ns, s.high_ns)
               END AS cell
          FROM spinbench_summary s
         WHERE s.sweep = this.sweep
           AND CASE dimension WHEN 'lock' THEN s.queue_entry ELSE s.lock_entry END = group_entry
    ), "rows" AS (
        SELECT w.workers, array_agg(c.cell ORDER BY a.arm) AS cells
          FROM (SELECT DISTINCT workers FROM contents) w
         CROSS JOIN spb_names(this, dimension) a
          LEFT JOIN contents c ON (c.workers, c.arm) = (w.workers, a.arm)
         GROUP BY w.workers
    )
    SELECT spb_table((SELECT array_agg(r.workers::text ORDER BY r.workers) FROM "rows" r),
                     (SELECT array_agg(a.name ORDER BY a.arm) FROM spb_names(this, dimension) a),
                     (SELECT array_agg(r.cells ORDER BY r.workers) FROM "rows" r),
                     (spb_words(this.arguments ->> 'workload')).counted)
$$;

-- The comparisons of a group.
CREATE FUNCTION spb_report_comparison(
    this spinbench_sweeps,
    baseline text,
    dimension text,
    group_entry int4)
RETURNS SETOF text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    names text[] := (SELECT array_agg(n.name ORDER BY n.arm) FROM spb_names(this, dimension) n);
    label_width int4 := least((SELECT max(length(n)) FROM unnest(names) n), 37);
    c record;
    lines text[];
    previous int4;
BEGIN
    RETURN NEXT format('%ss  %s  %7s  %-16s  %4s  %s',
                       (spb_words(this.arguments ->> 'workload')).counted, rpad(dimension, label_width), 'speedup', '95 % interval', 'n', 'verdict');
    FOR c IN
        SELECT k.*, CASE dimension WHEN 'lock' THEN k.lock_entry ELSE k.queue_entry END AS arm
          FROM spinbench_compare(this.sweep, baseline, dimension) k
         WHERE CASE dimension WHEN 'lock' THEN k.queue_entry ELSE k.lock_entry END = group_entry
    LOOP
        lines := spb_label_lines(names[c.arm], label_width);
        RETURN NEXT format('%7s  %s  %7s  %-16s  %4s  %s',
            CASE WHEN c.workers IS DISTINCT FROM previous THEN c.workers END,
            rpad(lines[1], label_width),
            to_char(c.speedup, 'FM9999990.000'),
            coalesce(to_char(c.low, 'FM9999990.000') || ' to ' || to_char(c.high, 'FM9999990.000'), '-'),
            c.n, c.verdict);
        FOR i IN 2 .. cardinality(lines) LOOP
            RETURN NEXT '         ' || lines[i];
        END LOOP;
        previous := c.workers;
    END LOOP;
END
$$;

-- What is to be known about the comparisons of a sweep, and what makes its
-- samples doubtful.
CREATE FUNCTION spb_report_doubts(this spinbench_sweeps, baseline text, dimension text)
RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    WITH comparison AS MATERIALIZED (
        SELECT c.* FROM spinbench_compare(this.sweep, baseline, dimension) c
    ), words AS (
        SELECT w.* FROM spb_words(this.arguments ->> 'workload') w
    )
    SELECT spb_item('Noise', coalesce(
        (SELECT 'intervals of equal cells (A/A) reach '
                || string_agg(spb_digits(100 * f.noise_floor, 2) || ' % from 1 at '
                              || spb_plural(f.workers, w.counted), ', ' ORDER BY f.workers)
           FROM (SELECT k.workers, max(k.noise_floor) AS noise_floor
                   FROM comparison k WHERE k.noise_floor IS NOT NULL GROUP BY k.workers) f),
        CASE WHEN (SELECT count(*) FROM jsonb_array_elements_text(this.arguments -> (dimension || 's')) l
                    WHERE l = (SELECT min(k.baseline_label) FROM comparison k)) > 1
            THEN 'not known: an interval needs at least 6 rounds' END,
        format('not known: enter "%s" twice', (SELECT min(k.baseline_label) FROM comparison k))))
      FROM words w
     WHERE EXISTS (SELECT FROM comparison)
    UNION ALL
    SELECT spb_item('Chance', format(
        'of %s comparisons at 95 %%, %s would differ by chance if all cells were equal',
        count(*), spb_digits(count(*) * 0.05, 2)))
      FROM comparison WHERE coverage IS NOT NULL HAVING count(*) > 1
    UNION ALL
    SELECT spb_item('Contended', string_agg(
        format('%s %% at %s',
               CASE WHEN high <> low THEN low || ' to ' || high ELSE low END,
               spb_plural(workers, 'worker')),
        ', ' ORDER BY workers) || ', of all acquisitions of a cell')
      FROM (SELECT s.workers, spb_digits(min(s.contended_percent), 2) AS low,
                   spb_digits(max(s.contended_percent), 2) AS high
              FROM spinbench_summary s
             WHERE s.sweep = this.sweep AND s.contended_percent IS NOT NULL
             GROUP BY s.workers) c
    UNION ALL
    -- where the acquisitions that need not wait are not counted
    SELECT spb_item('Waits', 'for spinlocks, per ' || min(w.per) || ': '
        || string_agg(format('%s at %s',
               CASE WHEN high <> low THEN low || ' to ' || high ELSE low END,
               spb_plural(workers, w.counted)),
           ', ' ORDER BY workers))
      FROM words w,
           (SELECT c.workers, spb_digits(min(c.waits), 2) AS low, spb_digits(max(c.waits), 2) AS high
              FROM (SELECT s.workers, (sum(s.contended) / sum(s.messages))::float8 AS waits
                      FROM spinbench_samples s
                     WHERE s.sweep = this.sweep AND s.acquisitions IS NULL AND s.contended IS NOT NULL
                     GROUP BY s.workers, s.lock_entry, s.queue_entry
                    HAVING sum(s.messages) > 0) c
             GROUP BY c.workers) c
    UNION ALL
    SELECT spb_item(CASE WHEN row_number() OVER (ORDER BY workers) = 1 THEN 'Doubts' ELSE '' END,
                    spb_plural(workers, w.counted) || ': ' || doubts)
      FROM words w,
           (SELECT s.workers,
                   concat_ws('; ',
                       spb_doubts(array_agg(s.doubts) FILTER (WHERE s.sqlstate IS NULL)),
                       CASE WHEN count(DISTINCT s.round) < 6
                           THEN 'too few rounds for an interval' END) AS doubts
              FROM spinbench_samples s WHERE s.sweep = this.sweep GROUP BY s.workers) d
     WHERE doubts <> ''
    UNION ALL
    SELECT spb_item(CASE WHEN row_number() OVER (ORDER BY count(*) DESC, error) = 1 THEN 'Failed' ELSE '' END,
                    format('%s of lock %s, queue %s, %s: %s', spb_plural(count(*), 'sample'),
                           lock, queue, spb_plural(workers, w.counted), error))
      FROM words w, spinbench_samples s
     WHERE s.sweep = this.sweep AND s.sqlstate IS NOT NULL
     GROUP BY lock, queue, workers, error, w.counted
$$;

-- A sweep as a text that can be pasted into a mail: lines of at most 100
-- characters.  baseline and across are those of spinbench_compare().
CREATE FUNCTION spinbench_report(
    sweep int8,
    baseline text DEFAULT NULL,
    across text DEFAULT NULL)
RETURNS SETOF text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    this spinbench_sweeps := spb_sweep(sweep);
    dimension text := spb_across(this, across);
    group_dimension text := CASE dimension WHEN 'lock' THEN 'queue' ELSE 'lock' END;
    base text := this.arguments -> (dimension || 's')
        ->> spb_baseline(this, baseline, dimension) - 1;
    words record;
    rounds int4;
    last_sample timestamptz;
    g record;
BEGIN
    words := spb_words(this.arguments ->> 'workload');
    SELECT max(s.round), max(s.measured_at) INTO rounds, last_sample
      FROM spinbench_samples s WHERE s.sweep = this.sweep;
    RETURN NEXT format('spinbench: %s, %s, %s to %s UTC, %s', this.arguments ->> 'workload',
        spb_plural(coalesce(rounds, 0), 'round'),
        to_char(this.started AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
        coalesce(to_char(coalesce(this.ended, last_sample) AT TIME ZONE 'UTC', 'HH24:MI:SS'), '?'),
        coalesce(this.outcome, 'not at its end'));
    RETURN NEXT '';
    RETURN QUERY SELECT spb_item('Note', this.note);
    RETURN QUERY SELECT spb_describe(this.environment);
    RETURN NEXT '';
    RETURN QUERY SELECT spb_repeat(this);

    FOR g IN SELECT n.arm, n.name FROM spb_names(this, group_dimension) n LOOP
        RETURN NEXT '';
        RETURN QUERY SELECT spb_wrap(
            format('%s: median [95 %% interval], %s %s', words.heading, group_dimension, g.name), 100);
        RETURN QUERY SELECT spb_report_times(this, dimension, g.arm);
        IF jsonb_array_length(this.arguments -> (dimension || 's')) > 1 THEN
            RETURN NEXT '';
            RETURN QUERY SELECT spb_wrap(
                format('Speedup over %s (its time per %s / this %s''s, within rounds), %s %s',
                       base, words.per, dimension, group_dimension, g.name), 100);
            RETURN QUERY SELECT spb_report_comparison(this, baseline, dimension, g.arm);
        END IF;
    END LOOP;
    RETURN NEXT '';
    RETURN QUERY SELECT spb_report_doubts(this, baseline, dimension);
END
$$;
