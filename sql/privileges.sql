-- What starts workers is for those who are allowed to.
CREATE ROLE regress_spinbench_user;
SET ROLE regress_spinbench_user;
SELECT messages FROM spinbench_pipelined(16384, 'xyzzy');
SELECT messages FROM spinbench_roundtrip(16384, 'xyzzy');
SET spinbench.lock = 'tas';
SELECT count(*) FROM spinbench_workers();
RESET ROLE;
GRANT EXECUTE ON FUNCTION spinbench_pipelined TO regress_spinbench_user;
SET ROLE regress_spinbench_user;
SELECT lock, messages FROM spinbench_pipelined(16384, 'xyzzy');
SELECT count(*) FROM spinbench_workers();
RESET ROLE;
DROP OWNED BY regress_spinbench_user;
DROP ROLE regress_spinbench_user;

-- nothing here may run in a parallel worker but listings
SELECT proname, proparallel FROM pg_proc
 WHERE proname LIKE 'spinbench\_%' ORDER BY 1;

-- it can live in any schema, and goes without leaving anything
CREATE SCHEMA regress_spinbench;
ALTER EXTENSION spinbench SET SCHEMA regress_spinbench;
SELECT messages FROM regress_spinbench.spinbench_pipelined(16384, 'xyzzy');
DROP EXTENSION spinbench;
DROP SCHEMA regress_spinbench;

-- back for the tests that follow
CREATE EXTENSION spinbench;
