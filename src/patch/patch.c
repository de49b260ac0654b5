/*-------------------------------------------------------------------------
 *
 * patch.c
 *	  Whether the server's own slow path of spinlocks is replaced, and when.
 *
 * In the postmaster, before anything is forked: so all processes of a server
 * have the same code, and nothing else runs while it changes.  A server that
 * cannot be patched starts all the same, as it is, with a warning that says
 * why, unless the setting demands otherwise.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/patch.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "port/atomics.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "patch/known.h"
#include "patch/patch.h"

int			spb_patch_server = SPB_PATCH_OFF;
bool		spb_server_is_patched = false;

static SpbPatchProblem why_not = {""};

static bool
patch(SpbPatchProblem *problem)
{
	int		   *spins_per_delay;

	if (!spb_can_redirect(spb_slow_path_functions, spb_num_slow_path_functions, problem))
		return false;
	spins_per_delay = spb_find_spins_per_delay();
	if (spins_per_delay == NULL)
		return spb_refuse_patch(problem,
								"The server's variable \"spins_per_delay\" was not found.");
	if (!spb_server_waits_as_known(spins_per_delay, problem))
		return false;

	spb_slow_path_init(spins_per_delay);
	return spb_redirect(spb_slow_path_functions, spb_num_slow_path_functions, problem);
}

/*
 * Called in the postmaster, with the settings in force.
 */
void
spb_patch_init(void)
{
	if (spb_patch_server == SPB_PATCH_OFF)
		return;
	if (!patch(&why_not))
	{
		ereport(spb_patch_server == SPB_PATCH_REQUIRE ? FATAL : WARNING,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("could not replace the slow path of the server's spinlocks"),
				 errdetail_internal("%s", why_not.detail),
				 spb_patch_server == SPB_PATCH_REQUIRE ?
				 errhint("Set \"spinbench.patch_server\" to \"off\" to start the server as it is.") :
				 errhint("The server runs as it is; \"spinbench.server_lock\" has no effect.")));
		return;
	}

	spb_server_is_patched = true;
	spb_counters_init();
	ereport(LOG,
			(errmsg("the slow path of the server's spinlocks has been replaced"),
			 errhint("\"spinbench.server_lock\" says by what.")));
}

PG_FUNCTION_INFO_V1(spinbench_server_patch);

/*
 * spinbench_server_patch() returns setof record
 *
 * What of the server can be replaced:
 *
 *	function	its name
 *	replaced
 *	entry		the first bytes of its code, as they are now
 *	reason		why it is not replaced
 */
Datum
spinbench_server_patch(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const char *reason = why_not.detail;

	if (reason[0] == '\0')
		reason = "\"spinbench.patch_server\" is off, or \"shared_preload_libraries\" does not have spinbench.";

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < spb_num_slow_path_functions; i++)
	{
		bytea	   *entry = palloc(VARHDRSZ + SPB_ENTRY_BYTES);
		Datum		values[4];
		bool		nulls[4] = {0};

		SET_VARSIZE(entry, VARHDRSZ + SPB_ENTRY_BYTES);
		memcpy(VARDATA(entry), spb_slow_path_functions[i].from, SPB_ENTRY_BYTES);
		values[0] = CStringGetTextDatum(spb_slow_path_functions[i].name);
		values[1] = BoolGetDatum(spb_server_is_patched);
		values[2] = PointerGetDatum(entry);
		values[3] = CStringGetTextDatum(reason);
		nulls[3] = spb_server_is_patched;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
