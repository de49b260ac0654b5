/*-------------------------------------------------------------------------
 *
 * settings.h
 *	  The values of the settings, as the session has them.
 *
 * Bound to their names in guc.c.  Only the leader reads them, when it freezes
 * a run's specification: a background worker does not see what the session
 * has set.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/run/settings.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_SETTINGS_H
#define SPB_SETTINGS_H

#include "cpu/pin.h"
#include "lock/lock.h"
#include "queue/queue.h"

typedef struct SpbSettings
{
	const SpbLockChoice *lock;
	const SpbQueueOps *queue;
	const SpbCpuList *cpus;		/* NULL: do not pin */
	int			acquisitions;	/* per message and worker */
	int			critical_section_lines;
	int			stuck_timeout_ms;
	int			entries;		/* of touch.c, that sessions spread over */
	bool		track_planning; /* touch one at each planning */
} SpbSettings;

extern SpbSettings spb_settings;

#endif							/* SPB_SETTINGS_H */
