/*-------------------------------------------------------------------------
 *
 * model.h
 *	  The name of the processor, and of what runs it in a virtual machine.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/model.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_MODEL_H
#define SPB_MODEL_H

#include <stddef.h>

extern void spb_cpu_model(const char *cpuinfo, char *model, size_t size);
extern void spb_cpu_hypervisor(char *hypervisor, size_t size);

#endif							/* SPB_MODEL_H */
