/*-------------------------------------------------------------------------
 *
 * guc.h
 *	  Every setting.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/guc.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_GUC_H
#define SPB_GUC_H

extern void spb_define_settings(void);

#endif							/* SPB_GUC_H */
