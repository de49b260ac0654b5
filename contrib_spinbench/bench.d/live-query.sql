select aid, count(*) from pgbench_accounts group by 1 having count(*) > 1;
