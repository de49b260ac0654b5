-- All queues behave alike.
SELECT queue FROM spinbench_queues();
SELECT count(*) AS incomplete FROM spinbench_queues()
 WHERE description IS NULL OR origin IS NULL;

-- options in any order, one canonical label
SET spinbench.queue = 'atomic/lazywrite/lazyread';
SHOW spinbench.queue;
\set VERBOSITY terse
SET spinbench.queue = 'atomic/lazyread/lazylatch';
SET spinbench.queue = 'server/lazyread';
SET spinbench.queue = 'atomic/atomic';
\set VERBOSITY default

-- A wake-up that gets lost would be waited for without end.
SET statement_timeout = '120s';

CREATE FUNCTION over_all_queues(call text) RETURNS TABLE (queues bigint, result text)
LANGUAGE plpgsql AS $$
DECLARE
    q record;
    r text;
BEGIN
    CREATE TEMP TABLE results (queue text, result text) ON COMMIT DROP;
    FOR q IN SELECT queue FROM spinbench_queues() LOOP
        PERFORM set_config('spinbench.queue', q.queue, true);
        BEGIN
            EXECUTE call INTO r;
        EXCEPTION WHEN OTHERS THEN
            r := q.queue || ': ' || SQLERRM;
        END;
        INSERT INTO results VALUES (q.queue, r);
    END LOOP;
    RETURN QUERY SELECT count(*), results.result FROM results GROUP BY 2 ORDER BY 2;
    DROP TABLE results;
END $$;

-- messages of 0 and 1 bytes, of odd lengths, of exactly the ring and of many
-- times the ring, wrapping at every place of it, in the smallest queue, in a
-- small one and in one of the usual size
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 5000)$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 5000, 'downward')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 5000, 'nowait')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 5000, 'nowait/downward')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 5000, 'chunks')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 5000, 'chunks/nowait')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(16384, 5000)$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(648, 200)$$);
CREATE FUNCTION check_smallest() RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    RETURN spinbench_check_queue(1, 0);
EXCEPTION WHEN invalid_parameter_value THEN
    RETURN spinbench_check_queue(substring(SQLERRM FROM 'at least (\d+)')::bigint, 200);
END $$;
SELECT * FROM over_all_queues($$SELECT check_smallest()$$);

-- latch wake-ups, each side slower in turn
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 1000, 'slowsender')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 1000, 'slowreceiver')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 1000, 'slowsender/nowait')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 1000, 'slowreceiver/nowait')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 1000, 'slowsender/slowreceiver')$$);

-- the peer detaches: before, in the middle of, or after all that there was
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 0)$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 1000, 'senderleaves')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 1000, 'senderleaves/downward/nowait')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 1000, 'receiverleaves')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 1000, 'receiverleaves/downward/nowait')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 1, 'senderleaves')$$);
SELECT * FROM over_all_queues($$SELECT spinbench_check_queue(1024, 1, 'receiverleaves')$$);

-- the workloads, with every message compared
SELECT * FROM over_all_queues($$SELECT messages FROM spinbench_pipelined(16384, 'xyzzy', 2000, 3)$$);
SELECT * FROM over_all_queues($$SELECT messages FROM spinbench_pipelined(16384, 'xyzzy', 2000, 0)$$);
SELECT * FROM over_all_queues($$SELECT messages FROM spinbench_pipelined(1024, repeat('0123456789', 1000), 50, 2)$$);
SELECT * FROM over_all_queues($$SELECT messages FROM spinbench_roundtrip(16384, 'xyzzy', 200, 2)$$);
SELECT * FROM over_all_queues($$SELECT messages FROM spinbench_roundtrip(1024, repeat('0123456789', 1000), 20, 0)$$);
SELECT * FROM over_all_queues($$SELECT messages FROM spinbench_gather(16384, 'xyzzy', 2000, 3)$$);
SELECT * FROM over_all_queues($$SELECT messages FROM spinbench_gather(1024, repeat('0123456789', 1000), 50, 2)$$);
SELECT * FROM over_all_queues($$SELECT messages FROM spinbench_gather(16384, 'xyzzy', 100, 0)$$);
SELECT * FROM over_all_queues($$SELECT messages >= 2 FROM spinbench_gather(16384, 'xyzzy', num_workers => 2, duration_ms => 20)$$);

-- what the queues count: each kind what it is known for
SET spinbench.acquisitions = 0;
CREATE FUNCTION count_queue(label text) RETURNS spinbench_result
LANGUAGE plpgsql AS $$
DECLARE
    r spinbench_result;
BEGIN
    PERFORM set_config('spinbench.queue', label, true);
    SELECT * INTO r FROM spinbench_gather(16384, 'xyzzy', 10000, 1);
    RETURN r;
END $$;
SELECT queue, queue_acquisitions, latch_sets, wakeups FROM count_queue('server');
SELECT queue, acquisitions, queue_acquisitions >= 70000 AS locks,
       latch_sets >= 20000 AS latches FROM count_queue('spinlock');
SELECT queue, queue_acquisitions, latch_sets >= 20000 AS latches FROM count_queue('atomic');
SELECT queue, queue_acquisitions, latch_sets >= 10000 AS latches,
       latch_sets < 20000 AS fewer FROM count_queue('atomic/lazyread');
SELECT queue, queue_acquisitions, latch_sets < 10000 AS few FROM count_queue('atomic/lazyread/lazywrite');
SELECT queue, queue_acquisitions, latch_sets < 10000 AS few FROM count_queue('spsc');
SET spinbench.lock = 'tas/nop';
SELECT queue, lock, queue_acquisitions > 100000 AS locks,
       queue_contended <= queue_acquisitions AS in_range FROM count_queue('emulated');
RESET spinbench.lock;
RESET spinbench.acquisitions;
RESET spinbench.queue;
DROP FUNCTION over_all_queues, count_queue, check_smallest;

-- bad arguments
SET spinbench.queue = 'spsc';
SELECT spinbench_check_queue(1, 1);
RESET spinbench.queue;
SELECT spinbench_check_queue(1024, -1);
SELECT spinbench_check_queue(1024, 1, 'upward');
