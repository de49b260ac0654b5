-- Statistics, against figures worked out by hand and published tables.

-- Exact intervals for the median at 95 %; the ranks and coverages are those of
-- any table of the sign test.
SELECT n, lower, upper, round(100 * coverage::numeric, 1) AS percent
  FROM unnest(ARRAY[1, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 25, 30, 50, 100]) n,
       spinbench_median_ranks(n);
-- n = 6: 1 - 2/64; n = 9: 1 - 2 (1 + 9)/512; n = 10: 1 - 2 (1 + 10)/1024
SELECT n, coverage FROM (VALUES (6), (9), (10)) v(n), spinbench_median_ranks(n);
-- other confidences
SELECT c, lower, upper, round(100 * coverage::numeric, 1) AS percent
  FROM unnest(ARRAY[0.5, 0.9, 0.99]) c, spinbench_median_ranks(20, c);
-- it is the largest rank that has enough, for every n
SELECT n FROM generate_series(6, 300) n, spinbench_median_ranks(n) r
 WHERE NOT (coverage >= 0.95 AND lower + upper = n + 1 AND lower <= n / 2)
    OR coverage - 2 * (SELECT exp(sum(ln((n - i + 1)::float8 / i)) - n * ln(2::float8))
                         FROM generate_series(1, lower) i) >= 0.95;
-- where 2 ^ -n is no number any more: close to the normal approximation
SELECT lower, upper, round(100 * coverage::numeric, 1) AS percent FROM spinbench_median_ranks(10000);
SELECT spinbench_median_ranks(0);
\set VERBOSITY terse
SELECT spinbench_median_ranks(10, 1);
SELECT spinbench_median_ranks(10, 0);
SELECT spinbench_median_ranks(10, 'NaN');

\set VERBOSITY default
SELECT * FROM spinbench_median('{}');
SELECT * FROM spinbench_median(NULL);
SELECT * FROM spinbench_median('{7}');
SELECT * FROM spinbench_median('{4,NULL,1,3,2}');
SELECT * FROM spinbench_median('{60,10,50,20,40,30}');
SELECT * FROM spinbench_median('{9,1,8,2,7,3,6,4,5}');

-- doubts
SELECT spb_doubts('{}'), spb_doubts('{NULL,NULL}');
SELECT spb_doubts('{short run,NULL,short run}');
SELECT spb_doubts(ARRAY['contention not reached (0.52 % of acquisitions)',
    'short run; contention not reached (0.10 % of acquisitions)',
    'preempted 33 times per second and participant',
    'contention not reached (0.10 % of acquisitions)']);

-- numbers
SELECT spb_digits(x, 3) FROM unnest(ARRAY[0, 0.0012345, 0.999, 1, 9.996, 12.345, 99.96, 523.14, 12345, -2.5, 'NaN', NULL]::float8[]) x;
SELECT spb_duration(s) FROM unnest(ARRAY[-1, 0, 0.2, 59.1, 61, 3599, 3600, 100000]) s;

--
-- A sweep worked out by hand.  Times of the baseline A, of A again, of B, which
-- takes twice as long, of C, which takes 80 % but for one round and at 4 workers
-- fails in half of the rounds, and of D, which takes 98 %.
--
ALTER TABLE spinbench_sweeps ALTER sweep RESTART WITH 1;
INSERT INTO spinbench_sweeps (note, arguments, settings, environment)
VALUES ('by hand', '{"locks": ["A", "A", "B", "C", "D"], "queues": ["q"], "workers": [2, 4], "workload": "pipelined"}', '{}', '{}')
RETURNING sweep \gset
INSERT INTO spinbench_samples (sweep, round, position, lock_entry, queue_entry, measured_at,
        workload, lock, queue, workers, messages, elapsed_ms, ns_per_message, acquisitions,
        contended, sleeps, handoffs, latch_sets, cpu_ms, doubts, error, sqlstate)
SELECT :sweep, r, row_number() OVER (PARTITION BY r), l, 1, '2026-01-01', 'pipelined',
       (ARRAY['A', 'A', 'B', 'C', 'D'])[l], 'q', w,
       CASE WHEN NOT failed THEN 1000 END, CASE WHEN NOT failed THEN ns / 1000 END,
       CASE WHEN NOT failed THEN ns END, CASE WHEN NOT failed THEN 2000 END,
       CASE WHEN NOT failed THEN 100 * l END, CASE WHEN NOT failed THEN 2 END,
       CASE WHEN NOT failed THEN 500 END, CASE WHEN NOT failed THEN 250 END, CASE WHEN NOT failed THEN 0.01 END,
       CASE WHEN NOT failed AND l = 3 AND r <= 2 THEN 'stolen ' || r || ' %' END,
       CASE WHEN failed THEN 'no' END, CASE WHEN failed THEN '53000' END
  FROM generate_series(1, 8) r, unnest(ARRAY[2, 4]) w, generate_series(1, 5) l,
       -- the machine gets slower and slower: each round by 10 %
       LATERAL (SELECT 100 * 1.1 ^ r * (ARRAY[1, 1 + 0.01 * (r - 4.5), 2, CASE WHEN r = 3 THEN 1.25 ELSE 0.8 END, 0.98])[l],
                       l = 4 AND w = 4 AND r % 2 = 0) AS f(ns, failed);

SELECT workers, lock_entry, lock, n, failed, round(median_ns::numeric, 3) AS median,
       round(low_ns::numeric, 3) AS low, round(high_ns::numeric, 3) AS high, coverage
  FROM spinbench_summary WHERE sweep = :sweep ORDER BY workers, lock_entry;
-- the first: A 100 x 1.1 ^ 4.5 or so, (146.41 + 161.051) / 2; ranks 1 and 8
SELECT lock_entry, round(mean_ns::numeric, 3) AS mean, round(best_ns::numeric, 3) AS best,
       round(worst_ns::numeric, 3) AS worst, round(messages_per_second::numeric) AS rate,
       contended_percent, handoff_percent, round(sleeps_per_second::numeric) AS sleeps,
       latch_sets, wakeups, cpu_ns, doubts
  FROM spinbench_summary WHERE sweep = :sweep AND workers = 4 ORDER BY lock_entry;

\x
SELECT workers, lock_entry, lock, baseline_label, n, round(speedup::numeric, 6) AS speedup,
       round(low::numeric, 6) AS low, round(high::numeric, 6) AS high, coverage, differs,
       round(noise_floor::numeric, 6) AS noise_floor, verdict, doubts
  FROM spinbench_compare(:sweep);
\x
-- of the first rounds only
SELECT workers, lock, n, round(low::numeric, 6) AS low, round(high::numeric, 6) AS high
  FROM spinbench_compare(:sweep, rounds => 6) WHERE lock_entry = 2;
-- against another one: every ratio is divided by the same
SELECT workers, lock_entry, lock, n, round(speedup::numeric, 6) AS speedup, verdict, noise_floor
  FROM spinbench_compare(:sweep, 'B');
SELECT doubts FROM spinbench_compare(:sweep, 'C') WHERE workers = 4 AND lock = 'D';
\set VERBOSITY terse
SELECT spinbench_compare(:sweep, 'E');
SELECT spinbench_compare(:sweep, across => 'workers');
SELECT spinbench_compare(NULL);
SELECT spinbench_compare(-1);
-- all intervals that exist are narrower than 9 %, but C at 4 workers has none
SELECT spb_is_precise(:sweep, 1, 8);
DELETE FROM spinbench_samples WHERE sweep = :sweep AND lock = 'C';
SELECT spb_is_precise(:sweep, 0.08, 8), spb_is_precise(:sweep, 0.06, 8), spb_is_precise(:sweep, 0.08, 5);

-- queues are compared in the same way, within the same lock
UPDATE spinbench_sweeps
   SET arguments = '{"locks": ["L"], "queues": ["A", "A", "B"], "workers": [2, 4]}'
 WHERE sweep = :sweep;
UPDATE spinbench_samples SET queue_entry = lock_entry, queue = lock, lock_entry = 1, lock = 'L'
 WHERE sweep = :sweep;
SELECT queue_entry, queue, workers, lock_entry, lock, baseline_label, n,
       round(speedup::numeric, 6) AS speedup, verdict, round(noise_floor::numeric, 6) AS noise_floor
  FROM spinbench_compare(:sweep);
SELECT count(*) FROM spinbench_compare(:sweep, across => 'lock');

DELETE FROM spinbench_sweeps WHERE sweep = :sweep;
SELECT count(*) FROM spinbench_samples;
