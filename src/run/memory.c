/*-------------------------------------------------------------------------
 *
 * memory.c
 *	  Shared memory that all processes find by its name.
 *
 * It is made when the server starts, if the module is preloaded; else, in
 * releases that have a registry for such things, when the first process asks
 * for it.  It is there for as long as the server runs.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/run/memory.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "run/memory.h"

static SpbMemory *reserved = NULL;
static shmem_request_hook_type next_request_hook = NULL;
static shmem_startup_hook_type next_startup_hook = NULL;

static void
request_reserved(void)
{
	if (next_request_hook)
		next_request_hook();
	RequestAddinShmemSpace(reserved->size());
}

static void
start_reserved(void)
{
	bool		found;

	if (next_startup_hook)
		next_startup_hook();

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	reserved->address = ShmemInitStruct(reserved->name, reserved->size(), &found);
	if (!found)
		reserved->init(reserved->address);
	LWLockRelease(AddinShmemInitLock);
}

/*
 * Called in the postmaster, when the module is preloaded, for one memory only.
 */
void
spb_reserve_memory(SpbMemory *memory)
{
	reserved = memory;
	next_request_hook = shmem_request_hook;
	shmem_request_hook = request_reserved;
	next_startup_hook = shmem_startup_hook;
	shmem_startup_hook = start_reserved;
}

void *
spb_find_memory(SpbMemory *memory)
{
	if (memory->address == NULL)
	{
#ifdef SPB_HAS_REGISTRY
		char		name[64];

		/* a build with more locks needs other memory, even before a restart */
		snprintf(name, sizeof(name), "%s %zu", memory->name, memory->size());
		memory->address = spb_registry_memory(name, memory->size(), memory->init);
#else
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this needs shared memory, which PostgreSQL %s has for preloaded modules only",
						PG_MAJORVERSION),
				 errhint("Add \"spinbench\" to \"shared_preload_libraries\" and restart the server.")));
#endif
	}
	return memory->address;
}
