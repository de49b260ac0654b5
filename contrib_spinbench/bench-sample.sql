-- One sample of bench, as one line.

SET spinbench.lock = :'lock';
SELECT *
  FROM spinbench_pipelined(:queue_size, :'message', num_workers => :workers,
                           duration_ms => :duration_ms);
