-- What only grows in a live server: CPU times; if its spinlocks wait in our code,
-- waits under this lock; if its queue is ours, queues of this kind that were made.
-- And a process that does not outlive a crash.

SELECT to_jsonb(l)
       || (SELECT jsonb_build_object('checkpointer', min(pid)) FROM pg_stat_activity WHERE backend_type = 'checkpointer')
       || CASE WHEN :'kind' = 'off' THEN '{}'
               ELSE (SELECT to_jsonb(w) - ARRAY['lock', 'in_force'] FROM spinbench_server_locks() w WHERE w.lock = :'lock')
          END
       || CASE WHEN :'kind' = 'queue'
               THEN (SELECT jsonb_build_object('queues', q.created) FROM spinbench_server_queues() q WHERE q.queue = :'queue')
               ELSE '{}'
          END
  FROM spb_load() l;
