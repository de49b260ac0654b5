/*-------------------------------------------------------------------------
 *
 * memory.c
 *	  Shared memory that all processes find by its name.
 *
 * Made when the first process asks for it, for as long as the server runs.
 * Newer releases have a registry for such things; in others, the memory must
 * be reserved when the server starts.
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

#ifdef SPB_HAS_REGISTRY

/*
 * Called in the postmaster, when the module is preloaded: there will be up to
 * n calls of spb_named_memory() with different names and this size.
 */
void
spb_reserve_named_memory(int n, Size size)
{
}

/*
 * "init" is called for memory that is new, while all others wait for it.
 */
void *
spb_named_memory(const char *name, Size size, SpbInitMemory init)
{
	return spb_registry_memory(name, size, init);
}

#else

static Size reserved = 0;
static shmem_request_hook_type next_request_hook = NULL;

static void
request_reserved(void)
{
	if (next_request_hook)
		next_request_hook();
	RequestAddinShmemSpace(reserved);
}

void
spb_reserve_named_memory(int n, Size size)
{
	reserved = mul_size(n, size);
	next_request_hook = shmem_request_hook;
	shmem_request_hook = request_reserved;
}

void *
spb_named_memory(const char *name, Size size, SpbInitMemory init)
{
	void	   *memory;
	bool		found;

	if (reserved == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this needs shared memory, which PostgreSQL %s has for preloaded modules only",
						PG_MAJORVERSION),
				 errhint("Add \"spinbench\" to \"shared_preload_libraries\" and restart the server.")));
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	memory = ShmemInitStruct(name, size, &found);
	if (!found)
		init(memory);
	LWLockRelease(AddinShmemInitLock);
	return memory;
}

#endif
