-- A sweep in words: where it was made, and how to repeat it.

-- Break a text at blanks into lines of at most so many characters; what is
-- longer than a line and has no blank is broken anywhere.
CREATE FUNCTION spb_wrap(content text, width int4)
RETURNS SETOF text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
DECLARE
    line text := '';
    word text;
BEGIN
    FOREACH word IN ARRAY string_to_array(content, ' ') LOOP
        IF line <> '' AND length(line) + 1 + length(word) > width THEN
            RETURN NEXT line;
            line := '';
        END IF;
        WHILE length(word) > width LOOP
            RETURN NEXT left(word, width);
            word := substr(word, width + 1);
        END LOOP;
        line := line || CASE WHEN line <> '' THEN ' ' ELSE '' END || word;
    END LOOP;
    IF line <> '' THEN
        RETURN NEXT line;
    END IF;
END
$$;

-- A heading and what there is to say about it, in lines of at most 100
-- characters; none if there is nothing.
CREATE FUNCTION spb_item(heading text, content text)
RETURNS SETOF text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT rpad(CASE WHEN number = 1 THEN heading ELSE '' END, 11) || line
      FROM spb_wrap(content, 89) WITH ORDINALITY w(line, number)
$$;

-- So many of something, or null.
CREATE FUNCTION spb_plural(number int8, singular text)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT number || ' ' || singular || CASE WHEN number <> 1 THEN 's' ELSE '' END
$$;

CREATE FUNCTION spb_kilobytes(kilobytes int8)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT CASE WHEN kilobytes >= 1024 AND kilobytes % 1024 = 0
                THEN kilobytes / 1024 || ' MB' ELSE kilobytes || ' kB'
           END
$$;

-- The flags that may change the code: neither warnings nor debugging nor paths.
CREATE FUNCTION spb_flags(flags text)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT string_agg(flag, ' ' ORDER BY number)
      FROM regexp_split_to_table(flags, '\s+') WITH ORDINALITY f(flag, number)
     WHERE flag ~ '^-' AND flag !~ '^-(W|g|I|D|f[a-z]*-prefix-map=)'
$$;

-- In which words the samples of a workload are spoken of: first those of this
-- module's own workloads, then those of live.sql.
--
-- heading, unit    of its figures
-- per              what is counted as a message
-- counted          what is counted as a worker
CREATE FUNCTION spb_words(
    workload text,
    OUT heading text,
    OUT unit text,
    OUT per text,
    OUT counted text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT w.heading, w.unit, w.per, w.counted
      FROM (VALUES (NULL, 'Nanoseconds per message', 'ns per message', 'message', 'worker'),
                   ('pgbench', 'Transactions per second', 'tps', 'transaction', 'client'),
                   ('query', 'Milliseconds per query', 'ms per query', 'query', 'worker'))
           w(workload, heading, unit, per, counted)
     WHERE w.workload = spb_words.workload OR w.workload IS NULL
     ORDER BY w.workload NULLS LAST LIMIT 1
$$;

-- A time per message as a figure in the unit of spb_words(), with its interval
-- if there is one.
CREATE FUNCTION spb_figure(
    workload text,
    ns float8,
    low_ns float8 DEFAULT NULL,
    high_ns float8 DEFAULT NULL)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT spb_digits(f.figures[1], 4)
           || coalesce(' [' || spb_digits(least(f.figures[2], f.figures[3]), 4) || ', '
                       || spb_digits(greatest(f.figures[2], f.figures[3]), 4) || ']', '')
      FROM (SELECT array_agg(CASE workload WHEN 'pgbench' THEN 1e9 / nullif(t.ns, 0)
                                           WHEN 'query' THEN t.ns / 1e6
                                           ELSE t.ns END ORDER BY t.n)
              FROM unnest(ARRAY[ns, low_ns, high_ns]) WITH ORDINALITY t(ns, n)) f(figures)
$$;

-- What spinbench_environment() returned, in words: lines of at most 100
-- characters.  What is not known is left out.
CREATE FUNCTION spb_describe(environment jsonb)
RETURNS SETOF text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT spb_item('Machine', concat_ws(', ',
        m ->> 'model',
        m ->> 'product',
        spb_plural((m ->> 'sockets')::int8, 'socket'),
        spb_plural((m ->> 'cores')::int8, 'core'),
        spb_plural((m ->> 'threads')::int8, 'CPU'),
        CASE WHEN m ->> 'usable_cpus' <> m ->> 'threads' THEN (m ->> 'usable_cpus') || ' of them usable' END,
        spb_plural((m ->> 'numa_nodes')::int8, 'NUMA node'),
        (SELECT string_agg('L' || (c ->> 'level')
                    || CASE c ->> 'type' WHEN 'Data' THEN 'd' WHEN 'Instruction' THEN 'i' ELSE '' END
                    || ' ' || spb_kilobytes((c ->> 'kilobytes')::int8)
                    || coalesce(' for ' || spb_plural(nullif((c ->> 'shared_by')::int8, 1), 'CPU'), ''),
                    ', ' ORDER BY number)
           FROM jsonb_array_elements(m -> 'caches') WITH ORDINALITY a(c, number)),
        'virtual: ' || (m ->> 'hypervisor'),
        'governor ' || (m ->> 'governor'),
        'mitigations: ' || (m ->> 'mitigations')))
      FROM (SELECT environment -> 'machine') e(m)
    UNION ALL
    SELECT spb_item('System', concat_ws(', ',
        s ->> 'kernel',
        s ->> 'kernel_build',
        'pages of ' || spb_kilobytes((s ->> 'page_size')::int8 / 1024),
        'transparent huge pages: ' || (s ->> 'transparent_huge_pages'),
        'load before it began: ' || (s ->> 'load')))
      FROM (SELECT environment -> 'system') e(s)
    UNION ALL
    SELECT spb_item('Server', concat_ws(', ',
        s ->> 'version',
        spb_flags(s ->> 'cflags'),
        'huge_pages ' || coalesce(s ->> 'huge_pages_status', s ->> 'huge_pages'),
        'max_worker_processes ' || (s ->> 'max_worker_processes'),
        'its spinlocks'' slow path replaced by ' || (s ->> 'lock'),
        'its message queue replaced by ' || (s ->> 'queue')))
      FROM (SELECT environment -> 'server') e(s)
    UNION ALL
    SELECT spb_item('Module', concat_ws(', ',
        'spinbench ' || (m ->> 'version'),
        m ->> 'compiler',
        spb_flags(m ->> 'cflags'),
        CASE WHEN strpos(environment #>> '{server,version}', m ->> 'server_headers') = 0
            THEN 'built for ' || (m ->> 'server_headers')
        END))
      FROM (SELECT environment -> 'module') e(m)
    UNION ALL
    SELECT spb_item('Costs', concat_ws(', ',
        (SELECT string_agg(d.key || ' ' || coalesce(spb_digits((d.value ->> 'median')::float8, 3) || ' ns', 'not here'),
                           ', ' ORDER BY d.key COLLATE "C")
           FROM jsonb_each(c -> 'delay_ns') d),
        (c #>> '{acquire_and_release_ns,lock}') || ' acquired and released, uncontended: '
            || spb_digits((c #>> '{acquire_and_release_ns,median}')::float8, 3) || ' ns'))
      FROM (SELECT environment -> 'costs') e(c)
$$;

-- An argument of a procedure, as SQL, without a blank at which it may not be
-- broken: there is chr(1) instead.
CREATE FUNCTION spb_argument(name text, value jsonb)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT name || translate(' => ', ' ', chr(1)) || CASE
        WHEN jsonb_typeof(value) = 'array' THEN
            (SELECT '''{' || string_agg(e, ', ' ORDER BY n) || '}'''
               FROM jsonb_array_elements_text(value) WITH ORDINALITY a(e, n))
        WHEN jsonb_typeof(value) <> 'string' THEN value::text
        WHEN length(plain) > 40 AND plain = repeat(left(plain, 1), length(plain)) THEN
            format('repeat(%L,%s)', left(plain, 1), length(plain))
        WHEN length(plain) > 80 OR plain ~ '[[:cntrl:]]' THEN
            format('NULL /* %s bytes, md5 %s */', octet_length(plain), md5(plain))
        ELSE translate(quote_literal(plain), ' ', chr(1))
        END
      FROM (SELECT value #>> '{}') v(plain)
$$;

-- Whether a sweep with these arguments is one of live.sql.
CREATE FUNCTION spb_is_live(arguments jsonb)
RETURNS bool
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT arguments ->> 'workload' IN ('pgbench', 'query')
$$;

-- The servers of such a sweep, and the command that repeats it.
CREATE FUNCTION spb_repeat_live(this spinbench_sweeps)
RETURNS SETOF text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
    SELECT spb_item('Servers', 'thrown away since, with '
                    || string_agg(s.key || ' = ' || s.value, ', ' ORDER BY s.key COLLATE "C"))
      FROM jsonb_each_text(this.settings) s
    UNION ALL
    SELECT spb_item('Command', 'contrib_spinbench/bench '
                    || string_agg(format('--%s=%s', o.option, o.value), ' ' ORDER BY o.n, o.part))
      FROM (-- a list of labels in several parts, which lines can hold
            SELECT l.n, (e.n - 1) / 4 AS part, l.name AS option, string_agg(e.label, ',' ORDER BY e.n) AS value
              FROM (VALUES (2, 'locks'), (3, 'queues')) l(n, name),
                   jsonb_array_elements_text(this.arguments -> l.name) WITH ORDINALITY e(label, n)
             GROUP BY l.n, part, option
            UNION ALL
            SELECT 4, 0, 'workers', (SELECT string_agg(w, ',') FROM jsonb_array_elements_text(this.arguments -> 'workers') w)
            UNION ALL
            SELECT 8, 0, 'cpus', this.settings ->> 'spinbench.cpus' WHERE this.settings ? 'spinbench.cpus'
            UNION ALL
            SELECT 9, n, 'set', CASE WHEN s ~ '^[A-Za-z0-9_./,=:@+-]*$' THEN s ELSE quote_literal(s) END
              FROM jsonb_array_elements_text(this.arguments -> 'set') WITH ORDINALITY a(s, n)
            UNION ALL
            SELECT a.n, 0, a.option,
                   CASE a.name WHEN 'narrower_than' THEN trim_scale(100 * v::numeric)::text ELSE replace(v, ' ', '') END
              FROM (VALUES (1, 'workload', 'workload'), (5, 'rounds', 'rounds'), (6, 'duration_ms', 'duration-ms'),
                           (7, 'narrower_than', 'precision'), (8, 'time_limit', 'time-limit'), (10, 'scale', 'scale'))
                   a(n, name, option),
                   LATERAL (SELECT this.arguments ->> a.name) v(v)
             WHERE v IS NOT NULL) o(n, part, option, value)
$$;

-- What repeats a sweep, statements or a command, in lines of at most 100
-- characters.
CREATE FUNCTION spb_repeat(this spinbench_sweeps)
RETURNS SETOF text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, @extschema@, pg_temp
AS $$
BEGIN
    IF spb_is_live(this.arguments) THEN
        RETURN QUERY SELECT * FROM spb_repeat_live(this);
        RETURN;
    END IF;
    RETURN QUERY
    WITH arguments AS (
        SELECT n, name, spb_argument(name, this.arguments -> name) AS argument
          FROM unnest(ARRAY['locks', 'workers', 'queues', 'workload', 'rounds', 'duration_ms',
                            'repeat_count', 'queue_size', 'message', 'verify',
                            'narrower_than', 'time_limit']) WITH ORDINALITY a(name, n)
        UNION ALL
        SELECT 100 + n, name, spb_argument(name, to_jsonb((this.settings ->> ('spinbench.' || name))::int4))
          FROM unnest(ARRAY['acquisitions', 'critical_section_lines']) WITH ORDINALITY a(name, n)
        UNION ALL
        SELECT 200, 'cpus', spb_argument('cpus', to_jsonb(nullif(this.settings ->> 'spinbench.cpus', '')))
    )
    SELECT format('SET %s = %L;', s.key, s.value)
      FROM jsonb_each_text(this.settings) s
     WHERE s.key NOT IN (SELECT 'spinbench.' || name FROM arguments)
       AND s.key ~ '^spinbench\.[a-z_]+$'
    UNION ALL
    SELECT CASE WHEN number > 1 THEN '    ' ELSE '' END || translate(line, chr(1), ' ')
      FROM spb_wrap('CALL spinbench_sweep('
                    || (SELECT string_agg(argument, ', ' ORDER BY n) FROM arguments) || ');',
                    96) WITH ORDINALITY w(line, number);
END
$$;
