/*-------------------------------------------------------------------------
 *
 * redirect.h
 *	  Sending the callers of a server's function to one of ours.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/redirect.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef SPB_REDIRECT_H
#define SPB_REDIRECT_H

/* Enough to see what the entry of a function is like. */
#define SPB_ENTRY_BYTES 24

typedef struct SpbRedirect
{
	const char *name;			/* of the function, as its symbol */
	void	   *from;
	void	   *to;
} SpbRedirect;

/* Why something was not done, as sentences for errdetail. */
typedef struct SpbPatchProblem
{
	char		detail[256];
} SpbPatchProblem;

extern bool spb_refuse_patch(SpbPatchProblem *problem, const char *format,...)
			pg_attribute_printf(2, 3);

extern bool spb_can_redirect(const SpbRedirect *functions, int n,
							 SpbPatchProblem *problem);
extern bool spb_redirect(const SpbRedirect *functions, int n,
						 SpbPatchProblem *problem);

/*
 * The writable memory of the server's executable: calls "visit" for each part
 * of it, until it returns false.
 */
typedef bool (*SpbVisitMemory) (char *from, char *to, void *arg);

extern void spb_visit_server_data(SpbVisitMemory visit, void *arg);

/*
 * The functions that the server's executable exports: calls "visit" for the
 * name of each, until it returns false.  Returns false if there are none to be
 * seen.
 */
typedef bool (*SpbVisitFunction) (const char *name, void *arg);

extern bool spb_visit_server_functions(SpbVisitFunction visit, void *arg);

#endif							/* SPB_REDIRECT_H */
