-- Begin a sweep.  Empty is what the command line does not say.

CALL spinbench_sweep(
	locks => string_to_array(:'locks', ','),
	workers => string_to_array(:'workers', ',')::int[],
	queues => string_to_array(:'queues', ','),
	workload => :'workload',
	rounds => nullif(:'rounds', '')::int,
	duration_ms => nullif(:'duration_ms', '')::int,
	repeat_count => nullif(:'repeat_count', '')::int8,
	queue_size => :'queue_size'::int8,
	message => :'message',
	verify => :'verify'::bool,
	narrower_than => nullif(:'precision', '')::float8 / 100,
	time_limit => nullif(:'time_limit', '')::interval,
	note => nullif(:'note', ''),
	dry_run => :'dry_run'::bool);
