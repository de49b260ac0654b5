/*-------------------------------------------------------------------------
 *
 * patch.c
 *	  Whether the server's own code is replaced, and when.
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
#include "patch/server_queue.h"

int			spb_patch_server = SPB_PATCH_OFF;
bool		spb_server_is_patched = false;
bool		spb_queue_is_replaced = false;

/* What can be replaced, each by itself. */
typedef struct Part
{
	const char *what;
	const SpbRedirect *functions;
	const int  *nfunctions;
	bool		(*prepare) (SpbPatchProblem *problem);
	void		(*begin) (void);	/* called when it is replaced */
	bool		replaced;
	SpbPatchProblem why_not;
} Part;

static bool
prepare_slow_path(SpbPatchProblem *problem)
{
	int		   *spins_per_delay = spb_find_spins_per_delay();

	if (spins_per_delay == NULL)
		return spb_refuse_patch(problem,
								"The server's variable \"spins_per_delay\" was not found.");
	if (!spb_server_waits_as_known(spins_per_delay, problem))
		return false;
	spb_slow_path_init(spins_per_delay);
	return true;
}

#define NOT_PATCHED \
	"\"spinbench.patch_server\" is off, or \"shared_preload_libraries\" does not have spinbench."

static Part slow_path = {
	.what = "slow path of spinlocks",
	.functions = spb_slow_path_functions,
	.nfunctions = &spb_num_slow_path_functions,
	.prepare = prepare_slow_path,
	.begin = spb_counters_init,
	.why_not = {NOT_PATCHED}
};

static Part message_queue = {
	.what = "message queue",
	.functions = spb_message_queue_functions,
	.nfunctions = &spb_num_message_queue_functions,
	.prepare = spb_message_queue_is_known,
	.begin = spb_server_queue_init,
	.why_not = {NOT_PATCHED}
};

static void
replace(Part *part)
{
	int			level = spb_patch_server == SPB_PATCH_REQUIRE ? FATAL : WARNING;

	part->replaced = spb_can_redirect(part->functions, *part->nfunctions, &part->why_not) &&
		part->prepare(&part->why_not) &&
		spb_redirect(part->functions, *part->nfunctions, &part->why_not);
	if (!part->replaced)
	{
		ereport(level,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("could not replace the server's %s", part->what),
				 errdetail_internal("%s", part->why_not.detail),
				 level == FATAL ?
				 errhint("Set \"spinbench.patch_server\" to \"off\" to start the server as it is.") :
				 errhint("The server goes on with its own.")));
		return;
	}
	part->begin();
	ereport(LOG,
			(errmsg("the server's %s has been replaced", part->what)));
}

static void
tell_without_effect(const char *setting)
{
	ereport(WARNING,
			(errmsg("\"%s\" has no effect", setting),
			 errdetail("\"spinbench.patch_server\" is off.")));
}

/*
 * Called in the postmaster, with the settings in force.
 */
void
spb_patch_init(void)
{
	if (spb_patch_server == SPB_PATCH_OFF)
	{
		if (spb_server_lock_in_force() != 0)
			tell_without_effect("spinbench.server_lock");
		if (spb_server_queue_in_force() != SPB_SERVER_QUEUE_OFF)
			tell_without_effect("spinbench.server_queue");
		return;
	}
	replace(&slow_path);
	spb_server_is_patched = slow_path.replaced;
	if (spb_server_queue_in_force() != SPB_SERVER_QUEUE_OFF)
		replace(&message_queue);
	else
		(void) spb_refuse_patch(&message_queue.why_not,
								"\"spinbench.server_queue\" was \"server\" when the server started.");
	spb_queue_is_replaced = message_queue.replaced;
}

/*
 * A reload asks for the message queue to be replaced, or for it not to be, and
 * it is the other way round.
 */
void
spb_tell_queue_has_to_wait(void)
{
	if (message_queue.replaced)
		ereport(LOG,
				(errmsg("the server's message queue stays replaced until the server is started again"),
				 errdetail("Meanwhile \"stock\" is in force, which does what the server's own does.")));
	else
		ereport(LOG,
				(errmsg("the server's message queue is not replaced by a reload"),
				 errdetail_internal("%s", message_queue.why_not.detail)));
}

/*
 * Labels of what is in force in place of the server's own spinlocks and message
 * queue; NULL where nothing is.
 */
const char *
spb_lock_in_place(void)
{
	static SpbServerLock lock;

	return spb_server_is_patched &&
		spb_server_lock_numbered(spb_server_lock_in_force(), &lock) ? lock.label : NULL;
}

const char *
spb_queue_in_place(void)
{
	return spb_queue_is_replaced ?
		spb_server_queue_label(spb_server_queue_in_force()) : NULL;
}

static void
put_functions(ReturnSetInfo *rsinfo, const Part *part)
{
	for (int i = 0; i < *part->nfunctions; i++)
	{
		bytea	   *entry = palloc(VARHDRSZ + SPB_ENTRY_BYTES);
		Datum		values[4];
		bool		nulls[4] = {0};

		SET_VARSIZE(entry, VARHDRSZ + SPB_ENTRY_BYTES);
		memcpy(VARDATA(entry), part->functions[i].from, SPB_ENTRY_BYTES);
		values[0] = CStringGetTextDatum(part->functions[i].name);
		values[1] = BoolGetDatum(part->replaced);
		values[2] = PointerGetDatum(entry);
		values[3] = CStringGetTextDatum(part->why_not.detail);
		nulls[3] = part->replaced;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
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

	InitMaterializedSRF(fcinfo, 0);
	put_functions(rsinfo, &slow_path);
	put_functions(rsinfo, &message_queue);
	return (Datum) 0;
}
