/*-------------------------------------------------------------------------
 *
 * sanitize_first.c
 *	  Starts AddressSanitizer before any library does something.
 *
 * To be preloaded with the runtime, which begins its work at the first
 * malloc().  In a server that is linked to gnutls or libgcrypt, by way of
 * OpenLDAP, that one is made by bindtextdomain() in the constructor of
 * libgpg-error, with the lock of glibc's translations held; the runtime then
 * asks for the text of an error, which upsets that lock, and the server's own
 * bindtextdomain() waits for it without end.  This library is linked with
 * -z initfirst: its constructor is called before all others.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  contrib_spinbench/sanitize_first.c
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

/* Not for the compiler to optimize away. */
void	   *volatile spb_first_block;

static void
__attribute__((constructor))
begin(void)
{
	spb_first_block = malloc(1);
	free(spb_first_block);
}
