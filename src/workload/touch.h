/*-------------------------------------------------------------------------
 *
 * touch.h
 *	  A lock that ordinary sessions contend for: spinbench_touch().
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/workload/touch.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_TOUCH_H
#define SPB_TOUCH_H

/* More would hardly be contended for any more. */
#define SPB_MAX_ENTRIES 64

extern void spb_touch_init(void);

#endif							/* SPB_TOUCH_H */
