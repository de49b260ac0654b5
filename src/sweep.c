/*-------------------------------------------------------------------------
 *
 * sweep.c
 *	  What a sweep needs that SQL cannot tell.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/sweep.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "cpu/load.h"

PG_FUNCTION_INFO_V1(spb_require_no_transaction);

/*
 * spb_require_no_transaction(procedure text) returns void
 *
 * Raise an error if a procedure that commits has been called where it may not.
 * The server would say so too, but only at the first COMMIT, without a hint,
 * and after the first sample has been lost.
 */
Datum
spb_require_no_transaction(PG_FUNCTION_ARGS)
{
	if (IsTransactionBlock())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("%s() cannot run inside a transaction block",
						text_to_cstring(PG_GETARG_TEXT_PP(0))),
				 errhint("It commits each sample as it is measured.  "
						 "Call it by itself: after COMMIT, with psql's AUTOCOMMIT on, "
						 "and with a psql -c of its own.")));
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(spb_load);

/*
 * spb_load(OUT busy_ms int8, OUT stolen_ms int8, OUT server_ms int8)
 *
 * CPU time so far: of the whole machine, stolen from it, and of this server's
 * processes that have ended, and its postmaster's own.  Null where that cannot
 * be known.
 */
Datum
spb_load(PG_FUNCTION_ARGS)
{
	SpbMachineLoad machine;
	uint64		server_ms = 0;
	TupleDesc	tupdesc;
	Datum		values[3];
	bool		nulls[3];

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	spb_machine_load(&machine);
	nulls[0] = nulls[1] = !machine.known;
	values[0] = Int64GetDatum((int64) machine.busy_ms);
	values[1] = Int64GetDatum((int64) machine.stolen_ms);
	nulls[2] = !spb_family_load(PostmasterPid, &server_ms);
	values[2] = Int64GetDatum((int64) server_ms);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}
