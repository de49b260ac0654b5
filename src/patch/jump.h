/*-------------------------------------------------------------------------
 *
 * jump.h
 *	  The instructions that send a function's callers to another function.
 *
 * Each architecture that has them defines
 *
 *	SPB_JUMP_SIZE
 *		of the jump in bytes; undefined where there is none
 *
 *	size_t spb_landing_pad(const unsigned char *code)
 *		Size of the instruction at a function's entry that indirect branches
 *		must arrive at, where the processor enforces that: it stays.  0 if
 *		there is none.
 *
 *	bool spb_leads_away(const unsigned char *code)
 *		Is the instruction there a jump or a breakpoint?  No compiler begins a
 *		function like that, but whoever else redirects one does.
 *
 *	void spb_make_jump(unsigned char *code, const void *to)
 *		Writes SPB_JUMP_SIZE bytes.  The jump reaches every address, since a
 *		shared library is far away from the executable, and changes no
 *		register that a caller could know about.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/jump.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_JUMP_H
#define SPB_JUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

/* jmp *0(%rip), and the address right behind it */
#define SPB_JUMP_SIZE 14

static inline size_t
spb_landing_pad(const unsigned char *code)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	return memcmp(code, endbr64, sizeof(endbr64)) == 0 ? sizeof(endbr64) : 0;
}

static inline bool
spb_leads_away(const unsigned char *code)
{
	switch (code[0])
	{
		case 0xe9:				/* jmp rel32 */
		case 0xeb:				/* jmp rel8 */
		case 0xcc:				/* int3 */
		case 0x68:				/* push imm32, of push and ret */
			return true;
		case 0xff:				/* jmp *m64 */
			return (code[1] & 0x38) == 0x20;
		case 0x48:				/* mov imm64, of mov and jmp */
		case 0x49:
			return (code[1] & 0xf8) == 0xb8;
	}
	return false;
}

static inline void
spb_make_jump(unsigned char *code, const void *to)
{
	static const unsigned char jmp[] = {0xff, 0x25, 0, 0, 0, 0};

	memcpy(code, jmp, sizeof(jmp));
	memcpy(code + sizeof(jmp), &to, sizeof(to));
}

#elif defined(__aarch64__) && defined(__AARCH64EL__)

/*
 * ldr x16, .+8; br x16, and the address.  Linkers use x16 in the same way
 * between a caller and a function, so it holds nothing at the entry; and a
 * branch by it may arrive at a landing pad for calls.
 */
#define SPB_JUMP_SIZE 16

static inline uint32_t
spb_instruction(const unsigned char *code)
{
	uint32_t	instruction;

	memcpy(&instruction, code, sizeof(instruction));
	return instruction;
}

/*
 * bti c, bti jc.  paciasp is one, too, but signs the return address, which
 * then has to be authenticated: it must go.
 */
static inline size_t
spb_landing_pad(const unsigned char *code)
{
	uint32_t	instruction = spb_instruction(code);

	return instruction == 0xd503245f || instruction == 0xd50324df ? 4 : 0;
}

static inline bool
spb_leads_away(const unsigned char *code)
{
	uint32_t	instruction = spb_instruction(code);

	return (instruction & 0xfc000000) == 0x14000000 ||	/* b */
		(instruction & 0xfffffc1f) == 0xd61f0000 || /* br */
		(instruction & 0xffe0001f) == 0xd4200000 || /* brk */
		(instruction & 0xff00001e) == 0x58000010;	/* ldr x16 or x17, literal */
}

static inline void
spb_make_jump(unsigned char *code, const void *to)
{
	static const uint32_t jump[] = {0x58000050, 0xd61f0200};

	memcpy(code, jump, sizeof(jump));
	memcpy(code + sizeof(jump), &to, sizeof(to));
}

#endif

#endif							/* SPB_JUMP_H */
