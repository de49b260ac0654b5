/*-------------------------------------------------------------------------
 *
 * model.c
 *	  The name of the processor, and of what runs it in a virtual machine.
 *
 * Linux's /proc/cpuinfo is written by each architecture as it likes.  Most
 * have a line with a name; Arm gives two numbers of the register MIDR_EL1
 * instead, the implementer and the part, which are named here.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/model.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "cpu/model.h"

/* From the technical reference manuals of the cores, and Linux's cputype.h. */
static const struct
{
	unsigned	implementer;
	unsigned	part;
	const char *name;
}			arm_parts[] = {
	{0x41, 0xd03, "Arm Cortex-A53"},
	{0x41, 0xd05, "Arm Cortex-A55"},
	{0x41, 0xd07, "Arm Cortex-A57"},
	{0x41, 0xd08, "Arm Cortex-A72"},
	{0x41, 0xd09, "Arm Cortex-A73"},
	{0x41, 0xd0a, "Arm Cortex-A75"},
	{0x41, 0xd0b, "Arm Cortex-A76"},
	{0x41, 0xd0c, "Arm Neoverse-N1"},
	{0x41, 0xd40, "Arm Neoverse-V1"},
	{0x41, 0xd41, "Arm Cortex-A78"},
	{0x41, 0xd49, "Arm Neoverse-N2"},
	{0x41, 0xd4a, "Arm Neoverse-E1"},
	{0x41, 0xd4f, "Arm Neoverse-V2"},
	{0x41, 0xd83, "Arm Neoverse-V3AE"},
	{0x41, 0xd84, "Arm Neoverse-V3"},
	{0x41, 0xd8e, "Arm Neoverse-N3"},
	{0x42, 0x516, "Broadcom Vulcan (ThunderX2)"},
	{0x43, 0x0a1, "Cavium ThunderX"},
	{0x43, 0x0af, "Cavium ThunderX2"},
	{0x46, 0x001, "Fujitsu A64FX"},
	{0x48, 0xd01, "HiSilicon TaiShan v110 (Kunpeng 920)"},
	{0x48, 0xd02, "HiSilicon TaiShan v120"},
	{0x4e, 0x004, "NVIDIA Carmel"},
	{0x51, 0x001, "Qualcomm Oryon"},
	{0x51, 0xc00, "Qualcomm Falkor"},
	{0x61, 0x022, "Apple Icestorm (M1)"},
	{0x61, 0x023, "Apple Firestorm (M1)"},
	{0x61, 0x024, "Apple Icestorm (M1 Pro)"},
	{0x61, 0x025, "Apple Firestorm (M1 Pro)"},
	{0x61, 0x028, "Apple Icestorm (M1 Max)"},
	{0x61, 0x029, "Apple Firestorm (M1 Max)"},
	{0x61, 0x032, "Apple Blizzard (M2)"},
	{0x61, 0x033, "Apple Avalanche (M2)"},
	{0x6d, 0xd49, "Microsoft Azure Cobalt 100 (Neoverse-N2)"},
	{0xc0, 0xac3, "AmpereOne"},
	{0xc0, 0xac4, "AmpereOne A"},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Lines that have a name, the best first. */
static const char *const name_keys[] = {
	"model name",				/* x86, and whoever is asked for it */
	"Model Name",				/* LoongArch */
	"cpu model",				/* MIPS */
	"cpu",						/* POWER, SPARC */
	"uarch",					/* RISC-V */
	"machine",					/* s390x: in "processor 0: ..., machine =
								 * 2964" */
	"isa",						/* RISC-V that does not know its uarch */
};

/* Add a name to a list, unless it is there already. */
static void
add_name(char *names, size_t size, const char *name)
{
	size_t		used = strlen(names);

	if (strstr(names, name) == NULL)
		snprintf(names + used, size - used, "%s%s", used ? " + " : "", name);
}

static void
add_arm_part(char *names, size_t size, unsigned implementer, unsigned part)
{
	char		unknown[64];

	for (size_t i = 0; i < COUNT_OF(arm_parts); i++)
		if (arm_parts[i].implementer == implementer && arm_parts[i].part == part)
		{
			add_name(names, size, arm_parts[i].name);
			return;
		}
	snprintf(unknown, sizeof(unknown), "implementer 0x%02x part 0x%03x",
			 implementer, part);
	add_name(names, size, unknown);
}

/*
 * If the line has the key, followed by a colon or an equals sign, return what
 * follows, else NULL.
 */
static const char *
value_of(const char *line, const char *key)
{
	const char *found = strstr(line, key);

	/* s390x has its key in the middle of a line, after a blank */
	if (found == NULL || (found != line && found[-1] != ' '))
		return NULL;
	found += strlen(key);
	found += strspn(found, " \t");
	if (*found != ':' && *found != '=')
		return NULL;
	found++;
	return found + strspn(found, " \t");
}

/*
 * Take the model from a file in the form of /proc/cpuinfo; "" if it has none.
 * Different kinds of cores are all named.
 */
void
spb_cpu_model(const char *cpuinfo, char *model, size_t size)
{
	FILE	   *file = fopen(cpuinfo, "r");
	char		line[8192];		/* the flags of x86 are a long line */
	unsigned	implementer = 0;
	size_t		best = COUNT_OF(name_keys);

	model[0] = '\0';
	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file))
	{
		const char *value;

		line[strcspn(line, "\n")] = '\0';
		if ((value = value_of(line, "CPU implementer")) != NULL)
			implementer = (unsigned) strtoul(value, NULL, 0);
		else if ((value = value_of(line, "CPU part")) != NULL && best > 0)
			add_arm_part(model, size, implementer,
						 (unsigned) strtoul(value, NULL, 0));
		for (size_t i = 0; i < best; i++)
			if ((value = value_of(line, name_keys[i])) != NULL && *value)
			{
				snprintf(model, size, "%s%s",
						 strcmp(name_keys[i], "machine") == 0 ? "machine " : "",
						 value);
				best = i;
				break;
			}
	}
	fclose(file);
}

/*
 * Ask the processor itself for the hypervisor; "" if there is none, or none
 * that it tells.  Leaf 0x40000000 of CPUID has its signature wherever bit 31
 * of ECX of leaf 1 is set, which no real processor sets.
 */
void
spb_cpu_hypervisor(char *hypervisor, size_t size)
{
#if defined(__x86_64__) || defined(__i386__)
	static const struct
	{
		const char *signature;
		const char *name;
	}			known[] = {
		{"KVMKVMKVM", "KVM"},
		{"Microsoft Hv", "Hyper-V"},
		{"VMwareVMware", "VMware"},
		{"XenVMMXenVMM", "Xen"},
		{"TCGTCGTCGTCG", "QEMU without acceleration"},
		{"bhyve bhyve ", "bhyve"},
		{" lrpepyh  vr", "Parallels"},
		{"VBoxVBoxVBox", "VirtualBox"},
	};
	unsigned	eax,
				ebx,
				ecx,
				edx;
	char		signature[13];

	hypervisor[0] = '\0';
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & (1u << 31)))
		return;
	__cpuid(0x40000000, eax, ebx, ecx, edx);
	memcpy(signature, &ebx, 4);
	memcpy(signature + 4, &ecx, 4);
	memcpy(signature + 8, &edx, 4);
	signature[12] = '\0';
	snprintf(hypervisor, size, "%s", signature);
	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (strcmp(signature, known[i].signature) == 0)
			snprintf(hypervisor, size, "%s", known[i].name);
#else
	(void) size;
	hypervisor[0] = '\0';
#endif
}
