-- Begin a sweep of live servers.  Empty is what the command line does not say.

SELECT spb_live_begin(
	locks => string_to_array(:'locks', ','),
	queues => string_to_array(:'queues', ','),
	workers => string_to_array(:'workers', ',')::int[],
	others => jsonb_build_object(
		'workload', :'workload',
		'rounds', nullif(:'rounds', '')::int,
		'duration_ms', :'duration_ms'::int,
		'narrower_than', nullif(:'precision', '')::float8 / 100,
		'time_limit', nullif(:'time_limit', '')::interval,
		'scale', nullif(:'scale', '')::int,
		'set', (SELECT jsonb_agg(s) FROM regexp_split_to_table(nullif(:'asked', ''), E'\n') s)),
	settings => (SELECT jsonb_object_agg(split_part(s, '=', 1), substr(s, strpos(s, '=') + 1))
				   FROM regexp_split_to_table(:'settings', E'\n') s),
	environment => :'environment',
	note => nullif(:'note', ''),
	dry_run => :'dry_run');
