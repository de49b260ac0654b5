/*-------------------------------------------------------------------------
 *
 * machine.c
 *	  What machine this is, as far as the system tells.
 *
 * Reads Linux's /proc and /sys.  Each file may be missing (other systems,
 * containers, old kernels); then what it would have told is not known.
 *
 * Copyright (c) 2026, spinbench contributors
 *
 * IDENTIFICATION
 *	  src/cpu/machine.c
 *
 *-------------------------------------------------------------------------
 */
#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cpu/machine.h"
#include "cpu/model.h"
#include "cpu/pin.h"

#define PATH_SIZE 512

static void path_of(char *path, const char *root, const char *format,...)
			__attribute__((format(printf, 3, 4)));

static void
path_of(char *path, const char *root, const char *format,...)
{
	va_list		args;
	int			used = snprintf(path, PATH_SIZE, "%s", root);

	va_start(args, format);
	if (used < PATH_SIZE)
		vsnprintf(path + used, (size_t) (PATH_SIZE - used), format, args);
	va_end(args);
}

/*
 * Only printable ASCII, no blanks around, none doubled: what firmware says
 * about itself may be anything.
 */
static void
tidy(char *text)
{
	char	   *to = text;

	for (const char *from = text; *from; from++)
	{
		unsigned char c = (unsigned char) *from;

		if (isspace(c))
			c = ' ';
		else if (c < 0x20 || c > 0x7e)
			c = '?';
		if (c != ' ' || (to > text &&to[-1] != ' '))
			*to++ = (char) c;
	}
	while (to > text &&to[-1] == ' ')
		to--;
	*to = '\0';
}

/* The first line of a file; "" if it cannot be read. */
static bool
read_line(const char *path, char *text, size_t size)
{
	FILE	   *file = fopen(path, "r");

	text[		0] = '\0';

	if (file == NULL)
		return false;
	if (fgets(text, (int) size, file) == NULL)
		text[		0] = '\0';

	fclose(file);
	tidy(text);
	return text[0] != '\0';
}

/*
 * Numbers n for which the directory has an entry <prefix>n, in increasing
 * order.  Returns how many, at most max.
 */
static int
compare_ints(const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
}

static int
numbered_entries(const char *path, const char *prefix, int *numbers, int max)
{
	DIR		   *dir = opendir(path);
	struct dirent *entry;
	int			n = 0;

	if (dir == NULL)
		return 0;
	while (n < max && (entry = readdir(dir)) != NULL)
	{
		const char *digits = entry->d_name + strlen(prefix);

		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
			isdigit((unsigned char) *digits) &&
			strspn(digits, "0123456789") == strlen(digits))
			numbers[n++] = atoi(digits);
	}
	closedir(dir);
	qsort(numbers, (size_t) n, sizeof(int), compare_ints);
	return n;
}

static int
compare_longs(const void *a, const void *b)
{
	long		x = *(const long *) a;
	long		y = *(const long *) b;

	return (x > y) - (x < y);
}

static int
distinct(long *values, int n)
{
	int			count = 0;

	qsort(values, (size_t) n, sizeof(long), compare_longs);
	for (int i = 0; i < n; i++)
		if (i == 0 || values[i] != values[i - 1])
			count++;
	return count;
}

/*
 * Sockets, cores and CPUs online.  A CPU that is offline has no topology.
 */
static void
read_topology(SpbMachine *machine, const char *root)
{
	static int	cpus[SPB_MAX_CPUS];
	static long packages[SPB_MAX_CPUS];
	static long cores[SPB_MAX_CPUS];
	char		path[PATH_SIZE];
	char text[	64];
	int			n;
	int			known = 0;

	path_of(path, root, "/sys/devices/system/cpu");
	n = numbered_entries(path, "cpu", cpus, SPB_MAX_CPUS);
	for (int i = 0; i < n; i++)
	{
		long		package;

		path_of(path, root, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpus[i]);
		if (!read_line(path, text, sizeof(text)))
			continue;
		package = atol(text);
		path_of(path, root, "/sys/devices/system/cpu/cpu%d/topology/core_id", cpus[i]);
		if (!read_line(path, text, sizeof(text)))
			continue;
		packages[known] = package;
		/* a core's number need only be unique in its socket */
		cores[known] = package * 1000003L + atol(text);
		known++;
	}
	machine->sockets = distinct(packages, known);
	machine->cores = distinct(cores, known);
	machine->threads = known;
	if (known == 0 && root[0] == '\0')
		machine->threads = (int) sysconf(_SC_NPROCESSORS_ONLN);
}

/*
 * The number of CPUs in a list such as "0-3,8"; 0 if it is none.  Not
 * spb_cpu_list_parse(), to which a CPU that this machine does not have is an
 * error.
 */
static int
count_cpus(const char *list)
{
	int			count = 0;

	for (;;)
	{
		char	   *end;
		long		first = strtol(list, &end, 10);
		long		last = first;

		if (end == list)
			return 0;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		count += (int) (last - first) + 1;
		if (*end != ',')
			return count;
		list = end + 1;
	}
}

static void
read_caches(SpbMachine *machine, const char *root)
{
	for (int i = 0; i < SPB_MAX_CACHES; i++)
	{
		SpbCache   *cache = &machine->caches[machine->ncaches];
		char		path[PATH_SIZE];
		char text[	SPB_MACHINE_TEXT];

#define CACHE_FILE(name) \
		(path_of(path, root, "/sys/devices/system/cpu/cpu0/cache/index%d/" name, i), \
		 read_line(path, text, sizeof(text)))

		if (!CACHE_FILE("level"))
			break;
		cache->level = atoi(text);
		if (!CACHE_FILE("size"))
			continue;
		cache->kilobytes = atoi(text);
		if (strchr(text, 'M'))
			cache->kilobytes *= 1024;
		cache->type[0] = '\0';
		if (CACHE_FILE("type"))
			snprintf(cache->type, sizeof(cache->type), "%.15s", text);
		cache->shared_by = CACHE_FILE("shared_cpu_list") ? count_cpus(text) : 0;
		machine->ncaches++;
#undef CACHE_FILE
	}
}

/*
 * What the firmware calls the computer, e.g. "Amazon EC2 c8g.24xlarge" or,
 * from a device tree, "Raspberry Pi 5 Model B Rev 1.0".
 */
static void
read_product(SpbMachine *machine, const char *root)
{
	char		path[PATH_SIZE];
	char		vendor[100];
	char		product[100];

	path_of(path, root, "/sys/class/dmi/id/sys_vendor");
	read_line(path, vendor, sizeof(vendor));
	path_of(path, root, "/sys/class/dmi/id/product_name");
	read_line(path, product, sizeof(product));
	if (vendor[0] || product[0])
		snprintf(machine->product, sizeof(machine->product), "%s%s%s",
				 vendor, vendor[0] && product[0] ? " " : "", product);
	else
	{
		path_of(path, root, "/proc/device-tree/model");
		read_line(path, machine->product, sizeof(machine->product));
	}
}

static void
read_hypervisor(SpbMachine *machine, const char *root)
{
	char		path[PATH_SIZE];

	if (root[0] == '\0')
		spb_cpu_hypervisor(machine->hypervisor, sizeof(machine->hypervisor));
	if (machine->hypervisor[0] == '\0')
	{
		path_of(path, root, "/sys/hypervisor/type");
		read_line(path, machine->hypervisor, sizeof(machine->hypervisor));
	}
	if (machine->hypervisor[0] == '\0')
	{
		path_of(path, root, "/proc/device-tree/hypervisor/compatible");
		read_line(path, machine->hypervisor, sizeof(machine->hypervisor));
	}
}

/*
 * The names of the vulnerabilities that the kernel works around: each makes
 * system calls dearer, and with them latches.
 */
static void
read_mitigations(SpbMachine *machine, const char *root)
{
	char		path[PATH_SIZE];
	struct dirent **entries;
	int			n;

	path_of(path, root, "/sys/devices/system/cpu/vulnerabilities");
	n = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++)
	{
		char text[	SPB_MACHINE_TEXT];
		size_t		used = strlen(machine->mitigations);

		path_of(path, root, "/sys/devices/system/cpu/vulnerabilities/%s",
				entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' &&
			read_line(path, text, sizeof(text)) &&
			strncmp(text, "Mitigation", strlen("Mitigation")) == 0)
			snprintf(machine->mitigations + used,
					 sizeof(machine->mitigations) - used, "%s%s",
					 used ? ", " : "", entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* The word in brackets of a line such as "always [madvise] never". */
static void
read_choice(const char *path, char *choice, size_t size)
{
	char text[	SPB_MACHINE_TEXT];
	char	   *begin;

	choice[0] = '\0';
	if (read_line(path, text, sizeof(text)) && (begin = strchr(text, '[')) != NULL)
	{
		begin[strcspn(begin, "]")] = '\0';
		snprintf(choice, size, "%s", begin + 1);
	}
}

/*
 * Read everything.  root is "" but for tests, which keep the files of another
 * machine below it; then what can only be known of this machine is left out.
 */
void
spb_machine_read(SpbMachine *machine, const char *root)
{
	static int	nodes[1024];
	char		path[PATH_SIZE];
	struct utsname name;

	memset(machine, 0, sizeof(*machine));
	path_of(path, root, "/proc/cpuinfo");
	spb_cpu_model(path, machine->model, sizeof(machine->model));
	tidy(machine->model);
	read_product(machine, root);
	read_topology(machine, root);
	path_of(path, root, "/sys/devices/system/node");
	machine->numa_nodes = numbered_entries(path, "node", nodes, 1024);
	read_caches(machine, root);
	read_hypervisor(machine, root);
	path_of(path, root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	read_line(path, machine->governor, sizeof(machine->governor));
	read_mitigations(machine, root);
	path_of(path, root, "/sys/kernel/mm/transparent_hugepage/enabled");
	read_choice(path, machine->transparent_huge_pages,
				sizeof(machine->transparent_huge_pages));
	path_of(path, root, "/proc/loadavg");
	if (read_line(path, machine->load, sizeof(machine->load)))
	{
		/* the averages only, not the numbers of processes */
		char	   *slash = strchr(machine->load, '/');

		if (slash)
		{
			*slash = '\0';
			*strrchr(machine->load, ' ') = '\0';
		}
	}
	if (root[0] == '\0')
	{
		if (uname(&name) == 0)
		{
			snprintf(machine->kernel, sizeof(machine->kernel), "%s %s",
					 name.sysname, name.release);
			snprintf(machine->kernel_build, sizeof(machine->kernel_build), "%s",
					 name.version);
		}
		machine->page_size = (int) sysconf(_SC_PAGESIZE);
	}
}
