-- One run of a cell of a sweep, for :duration_ms, to be watched.

SET spinbench.lock = :'lock';
SET spinbench.queue = :'queue';
SELECT format('SELECT FROM %I(queue_size => %s, message => %L, num_workers => %s, verify => %L, duration_ms => %s)',
              'spinbench_' || (arguments ->> 'workload'), arguments ->> 'queue_size',
              arguments ->> 'message', :workers, arguments ->> 'verify', :duration_ms)
  FROM spinbench_sweeps WHERE sweep = :sweep \gexec
