/*-------------------------------------------------------------------------
 *
 * redirect.c
 *	  Sending the callers of a server's function to one of ours.
 *
 * The entry of the function is overwritten with a jump, in this process and
 * so in all that it forks from then on; the executable file stays as it is.
 * Nothing of the function is ever run again, so nothing of it has to be
 * understood, but everything that can be checked before is: it must be the
 * function of that name in the server's executable, have room for the jump,
 * and be, byte by byte, what that file says.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/patch/redirect.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__linux__) && defined(__GLIBC__)
#include <dlfcn.h>
#include <link.h>
#endif

#include "common/config_info.h"
#include "miscadmin.h"

#include "cpu/cpu.h"
#include "patch/jump.h"
#include "patch/redirect.h"

/* Always returns false. */
bool
spb_refuse_patch(SpbPatchProblem *problem, const char *format,...)
{
	va_list		args;

	va_start(args, format);
	vsnprintf(problem->detail, sizeof(problem->detail), format, args);
	va_end(args);
	return false;
}

#if defined(SPB_JUMP_SIZE) && defined(__linux__) && defined(__GLIBC__)

/* Where code of the executable is in its file. */
typedef struct FilePlace
{
	uintptr_t	address;
	Size		size;
	off_t		offset;			/* -1: nowhere */
} FilePlace;

/*
 * The executable is the first object that dl_iterate_phdr() visits; what a
 * callback returns other than 0 ends it.
 */
static int
find_in_executable(struct dl_phdr_info *info, size_t size, void *arg)
{
	FilePlace  *place = arg;

	for (int i = 0; i < info->dlpi_phnum; i++)
	{
		const		ElfW(Phdr) * segment = &info->dlpi_phdr[i];
		uintptr_t	begin = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) &&
			place->address >= begin &&
			place->address - begin + place->size <= segment->p_filesz)
			place->offset = segment->p_offset + (place->address - begin);
	}
	return 1;
}

typedef struct DataVisit
{
	SpbVisitMemory visit;
	void	   *arg;
} DataVisit;

static int
visit_data(struct dl_phdr_info *info, size_t size, void *arg)
{
	DataVisit  *visit = arg;

	for (int i = 0; i < info->dlpi_phnum; i++)
	{
		const		ElfW(Phdr) * segment = &info->dlpi_phdr[i];
		char	   *begin = (char *) info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_W) &&
			!visit->visit(begin, begin + segment->p_memsz, visit->arg))
			break;
	}
	return 1;
}

void
spb_visit_server_data(SpbVisitMemory visit, void *arg)
{
	DataVisit	data = {visit, arg};

	dl_iterate_phdr(visit_data, &data);
}

typedef struct FunctionsVisit
{
	SpbVisitFunction visit;
	void	   *arg;
	bool		seen;
} FunctionsVisit;

static int
visit_functions(struct dl_phdr_info *info, size_t size, void *arg)
{
	FunctionsVisit *visit = arg;
	const		ElfW(Dyn) * dynamic = NULL;
	const		ElfW(Sym) * symbols = NULL;
	const char *names = NULL;
	const uint32 *table = NULL;
	const uint32 *buckets;
	const uint32 *chain;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		switch (dynamic->d_tag)
		{
			case DT_SYMTAB:
				symbols = (const void *) dynamic->d_un.d_ptr;
				break;
			case DT_STRTAB:
				names = (const void *) dynamic->d_un.d_ptr;
				break;
			case DT_GNU_HASH:
				table = (const void *) dynamic->d_un.d_ptr;
				break;
		}
	if (symbols == NULL || names == NULL || table == NULL)
		return 1;

	/*
	 * What is exported is in the hash table, whose header says how many
	 * buckets there are, which symbol is the first, and how large a filter
	 * comes before the buckets.  The last of a bucket has an odd hash.
	 */
	buckets = (const uint32 *) ((const ElfW(Addr) *) (table + 4) + table[2]);
	chain = buckets + table[0];
	for (uint32 i = 0; i < table[0]; i++)
		for (uint32 at = buckets[i]; at >= table[1]; at++)
		{
			if (ELF64_ST_TYPE(symbols[at].st_info) == STT_FUNC)
			{
				visit->seen = true;
				if (!visit->visit(names + symbols[at].st_name, visit->arg))
					return 1;
			}
			if (chain[at - table[1]] & 1)
				break;
		}
	return 1;
}

bool
spb_visit_server_functions(SpbVisitFunction visit, void *arg)
{
	FunctionsVisit functions = {visit, arg, false};

	dl_iterate_phdr(visit_functions, &functions);
	return functions.seen;
}

/*
 * With link-time optimization a caller may have a copy of the function
 * inlined, or rely on registers that it happens to leave alone.
 */
static bool
built_with_lto(void)
{
	size_t		n;
	ConfigData *config = get_configdata(my_exec_path, &n);
	bool		found = false;

	for (size_t i = 0; i < n; i++)
		if (strcmp(config[i].name, "CFLAGS") == 0 ||
			strcmp(config[i].name, "LDFLAGS") == 0)
			found |= strstr(config[i].setting, "-flto") != NULL;
	return found;
}

/* Is the function in memory what it is in the server's executable file? */
static bool
same_as_in_file(const SpbRedirect *function, Size size, SpbPatchProblem *problem)
{
	FilePlace	place = {(uintptr_t) function->from, size, -1};
	unsigned char *code;
	ssize_t		got = -1;
	int			file;
	bool		same;

	dl_iterate_phdr(find_in_executable, &place);
	if (place.offset < 0)
		return spb_refuse_patch(problem, "%s() is not in the server's executable.",
								function->name);

	code = palloc(size);
	file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (file >= 0)
	{
		got = pread(file, code, size, place.offset);
		close(file);
	}
	same = memcmp(code, function->from, Max(got, 0)) == 0;
	pfree(code);
	if (got != (ssize_t) size)
		return spb_refuse_patch(problem, "%s() cannot be compared with the server's executable file.",
								function->name);
	if (!same)
		return spb_refuse_patch(problem, "%s() has been changed already.",
								function->name);
	return true;
}

static bool
can_redirect_one(const SpbRedirect *function, SpbPatchProblem *problem)
{
	const unsigned char *code = function->from;
	struct link_map *object;

	ElfW(Sym) * symbol = NULL;
	Dl_info		info;
	Size		size;
	Size		pad = spb_landing_pad(code);

	if (dladdr1(code, &info, (void **) &object, RTLD_DL_LINKMAP) == 0 ||
		dladdr1(code, &info, (void **) &symbol, RTLD_DL_SYMENT) == 0 ||
		symbol == NULL || info.dli_saddr != code)
		return spb_refuse_patch(problem, "The server has no symbol for %s().",
								function->name);
	if (object->l_name[0] != '\0')
		return spb_refuse_patch(problem, "%s() is not the server's own, but in \"%s\".",
								function->name, object->l_name);
	size = symbol->st_size;
	if (size < pad + SPB_JUMP_SIZE)
		return spb_refuse_patch(problem,
								"%s() is %zu bytes long, and the jump needs %zu.",
								function->name, size, pad + SPB_JUMP_SIZE);
	if (!same_as_in_file(function, size, problem))
		return false;
	if (spb_leads_away(code + pad))
		return spb_refuse_patch(problem, "%s() begins with a jump.", function->name);
	return true;
}

/*
 * Check whether these functions can be redirected, changing nothing.  Returns
 * false, with the reason in *problem, if not.
 */
bool
spb_can_redirect(const SpbRedirect *functions, int n, SpbPatchProblem *problem)
{
	if (built_with_lto())
		return spb_refuse_patch(problem,
								"The server was built with link-time optimization, so calls may pass by its functions.");
	for (int i = 0; i < n; i++)
		if (!can_redirect_one(&functions[i], problem))
			return false;
	return true;
}

/*
 * Make the pages of a function writable, or take that back.  Both at once,
 * writable and executable: what protects memory against such changes refuses
 * that before anything has changed, whereas it would let us take the right to
 * execute away and then not give it back.
 */
static int
protect(const SpbRedirect *function, bool writable)
{
	uintptr_t	page = (uintptr_t) sysconf(_SC_PAGESIZE);
	uintptr_t	from = (uintptr_t) function->from & ~(page - 1);
	uintptr_t	to = (uintptr_t) function->from + SPB_ENTRY_BYTES;

	return mprotect((void *) from, to - from,
					PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0));
}

/*
 * Redirect functions that spb_can_redirect() has found fit: all, or, if
 * memory protection forbids it, none.
 */
bool
spb_redirect(const SpbRedirect *functions, int n, SpbPatchProblem *problem)
{
	sigset_t	all;
	sigset_t	before;
	int			writable;
	int			error = 0;

	/* a handler must not run what is half written */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);

	for (writable = 0; writable < n; writable++)
		if (protect(&functions[writable], true) != 0)
		{
			error = errno;
			break;
		}
	for (int i = 0; i < n && error == 0; i++)
	{
		unsigned char *code = functions[i].from;

		code += spb_landing_pad(code);
		spb_make_jump(code, functions[i].to);
		__builtin___clear_cache((char *) code, (char *) code + SPB_JUMP_SIZE);
	}
	for (int i = 0; i < writable; i++)
		if (protect(&functions[i], false) != 0)
			ereport(LOG,
					(errmsg("could not protect the server's code again: %m")));

	sigprocmask(SIG_SETMASK, &before, NULL);
	if (error != 0)
		return spb_refuse_patch(problem, "Memory protection forbids to change the server's code: %s.",
								strerror(error));
	return true;
}

#else

void
spb_visit_server_data(SpbVisitMemory visit, void *arg)
{
}

bool
spb_visit_server_functions(SpbVisitFunction visit, void *arg)
{
	return false;
}

bool
spb_can_redirect(const SpbRedirect *functions, int n, SpbPatchProblem *problem)
{
	return spb_refuse_patch(problem,
							"This can be done on x86-64 and little-endian AArch64 under Linux with the GNU C library only; this is %s.",
							SPB_ARCH_NAME);
}

bool
spb_redirect(const SpbRedirect *functions, int n, SpbPatchProblem *problem)
{
	return false;
}

#endif
