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

#include "access/xact.h"
#include "fmgr.h"
#include "utils/builtins.h"

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
