/*-------------------------------------------------------------------------
 *
 * version.h
 *	  The version of this module.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/version.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_VERSION_H
#define SPB_VERSION_H

#define SPB_VERSION "1.0.0"

#endif							/* SPB_VERSION_H */
