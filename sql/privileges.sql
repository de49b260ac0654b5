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

-- what may run in a parallel worker: listings, and what only reads and counts
SELECT proname, proparallel FROM pg_proc
 WHERE proname LIKE 'spinbench\_%' AND prokind = 'f' ORDER BY 1;

-- what is stored is not for everyone either
SET ROLE regress_spinbench_user;
SELECT count(*) FROM spinbench_summary;
SELECT count(*) FROM spinbench_samples;
CALL spinbench_sweep('{server}', '{0}', rounds => 1, repeat_count => 1);
CALL spinbench_resume(1);
RESET ROLE;
GRANT pg_monitor TO regress_spinbench_user;
SET ROLE regress_spinbench_user;
SELECT count(*) FROM spinbench_summary;
DELETE FROM spinbench_samples;
RESET ROLE;
-- a sweep runs with the rights of who calls it
GRANT EXECUTE ON ALL ROUTINES IN SCHEMA public TO regress_spinbench_user;
GRANT SELECT, INSERT, UPDATE ON spinbench_sweeps, spinbench_samples TO regress_spinbench_user;
SET ROLE regress_spinbench_user;
SET client_min_messages = warning;
CALL spinbench_sweep('{server}', '{0,1}', rounds => 1, repeat_count => 1) \gset
SELECT count(*) FROM spinbench_samples WHERE error IS NULL;
RESET client_min_messages;
RESET ROLE;
DROP OWNED BY regress_spinbench_user;
DROP ROLE regress_spinbench_user;

-- it can live in any schema, is not deceived by a search_path, and goes without
-- leaving anything
DROP EXTENSION spinbench;
CREATE SCHEMA "regress Spinbench";
CREATE EXTENSION spinbench SCHEMA "regress Spinbench";
CREATE SCHEMA regress_deceiver;
CREATE FUNCTION regress_deceiver.deceive() RETURNS text LANGUAGE plpgsql
AS $$ BEGIN RAISE EXCEPTION 'deceived'; END $$;
CREATE FUNCTION regress_deceiver.set_config(text, text, bool) RETURNS text
LANGUAGE sql AS 'SELECT regress_deceiver.deceive()';
CREATE FUNCTION regress_deceiver.jsonb_extract_path_text(jsonb, text) RETURNS text
LANGUAGE sql AS 'SELECT regress_deceiver.deceive()';
CREATE FUNCTION regress_deceiver.array_agg(text) RETURNS text
LANGUAGE sql AS 'SELECT regress_deceiver.deceive()';
CREATE FUNCTION regress_deceiver.less(int4, int4) RETURNS bool
LANGUAGE sql AS 'SELECT regress_deceiver.deceive() IS NULL';
CREATE OPERATOR regress_deceiver.< (FUNCTION = regress_deceiver.less, LEFTARG = int4, RIGHTARG = int4);
CREATE OPERATOR regress_deceiver.= (FUNCTION = regress_deceiver.less, LEFTARG = int4, RIGHTARG = int4);
SET search_path = regress_deceiver, pg_catalog;
SET client_min_messages = warning;
CALL "regress Spinbench".spinbench_sweep('{server,server}', '{0}', rounds => 1, repeat_count => 1) \gset
CALL "regress Spinbench".spinbench_resume(:sweep, 1);
SELECT count(*) FROM "regress Spinbench".spinbench_compare(:sweep);
RESET search_path;
RESET client_min_messages;
SELECT messages FROM "regress Spinbench".spinbench_pipelined(16384, 'xyzzy');
DROP EXTENSION spinbench;
DROP SCHEMA "regress Spinbench";
DROP FUNCTION regress_deceiver.less CASCADE;
DROP SCHEMA regress_deceiver CASCADE;

-- back for the tests that follow
CREATE EXTENSION spinbench;
