// SPDX-License-Identifier: GPL-2.0-only
/*
 * memsuite-bankmap: finds which physical address bits select the bank and the
 * row of this machine's DRAM, and prints them as a line that
 * /sys/kernel/memsuite/bank_maps/add takes; or how long memory takes to access.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "latency.h"
#include "native.h"
#include "picture.h"
#include "solver.h"

enum { CANNOT_TELL = 1, USAGE };

static const char help[] =
	"usage: memsuite-bankmap [OPTION]...\n"
	"       memsuite-bankmap latency [--from ADDRESS] [--to ADDRESS] [--mib N]\n"
	"\n"
	"Finds which bits of physical addresses select the bank and the row of the DRAM,\n"
	"by the time that row conflicts take; prints a histogram of these times and, at\n"
	"last, a line for /sys/kernel/memsuite/bank_maps/add. Run it as root on a machine\n"
	"with nothing else to do; it takes some seconds.\n"
	"\n"
	"  --name NAME    name of the map (dram)\n"
	"  --mib N        memory to measure, 16 to 65536 (512; of latency, 64); high bits need\n"
	"                 much of it\n"
	"  --svg FILE     the histogram as SVG, too\n"
	"  --anyway       measure in a virtual machine, too: its addresses may be no DRAM's\n"
	"  --import FILE  measure nothing: make the line from what drama or DRAMDig printed\n"
	"\n"
	"With latency, prints how long that takes to read which is in no cache, and how much\n"
	"longer lines are flushed that are written to memory than those that are not. Of the\n"
	"memory that it takes, what lies in the range counts:\n"
	"\n"
	"  --from ADDRESS first physical address, in bytes, 0x...\n"
	"  --to ADDRESS   the one behind the last\n"
	"\n"
	"Exit status: 0; 1: it cannot tell, and says why; 2: usage.\n";

/**
 * struct options - what to do
 * @name: of the map
 * @mib: of memory to measure
 * @svg: file for a picture, or NULL
 * @from: output of another tool to import, or NULL
 * @anyway: also in a virtual machine
 * @latency: find how long accesses take, not banks
 * @start: of the range whose accesses count
 * @end: behind it
 */
struct options {
	const char *name;
	size_t mib;
	const char *svg;
	const char *from;
	bool anyway;
	bool latency;
	uint64_t start;
	uint64_t end;
};

static int fail(const char *why)
{
	fprintf(stderr, "memsuite-bankmap: %s\n", why);
	return CANNOT_TELL;
}

static bool parse_size(const char *text, size_t *mib)
{
	char *end;

	*mib = strtoul(text, &end, 10);
	return !*end && *mib >= 16 && *mib <= 65536;
}

static bool parse_address(const char *text, uint64_t *address)
{
	char *end;

	errno = 0;
	*address = strtoull(text, &end, 0);
	return *text != '-' && end != text && !*end && !errno;
}

static bool parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "name", required_argument, NULL, 'n' },
		{ "mib", required_argument, NULL, 'm' },
		{ "svg", required_argument, NULL, 's' },
		{ "import", required_argument, NULL, 'i' },
		{ "anyway", no_argument, NULL, 'a' },
		{ "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	bool for_banks = false, for_latency = false;
	int option;

	*options = (struct options){ .name = "dram", .end = UINT64_MAX };
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 'n':
			options->name = optarg;
			break;
		case 'm':
			if (!parse_size(optarg, &options->mib))
				return false;
			break;
		case 's':
			options->svg = optarg;
			break;
		case 'i':
			options->from = optarg;
			break;
		case 'a':
			options->anyway = true;
			break;
		case 'f':
			if (!parse_address(optarg, &options->start))
				return false;
			break;
		case 't':
			if (!parse_address(optarg, &options->end))
				return false;
			break;
		case 'h':
			fputs(help, stdout);
			exit(0);
		default:
			return false;
		}
		for_banks |= !!strchr("nsia", option);
		for_latency |= !!strchr("ft", option);
	}
	options->latency = optind < argc && !strcmp(argv[optind], "latency");
	if (!options->mib)
		options->mib = options->latency ? 64 : 512;
	return optind + options->latency == argc &&
	       !(options->latency ? for_banks : for_latency);
}

static int import_file(const struct options *options)
{
	FILE *from = strcmp(options->from, "-") ? fopen(options->from, "r") :
		     stdin;

	if (!from)
		return fail(strerror(errno));
	if (!import(from, stdout, options->name))
		return fail("there is no function of address bits in that");
	return 0;
}

static int draw(const char *path, const struct histogram *histogram)
{
	FILE *to = fopen(path, "w");

	if (!to)
		return fail(strerror(errno));
	picture_svg(to, histogram);
	return fclose(to) ? fail(strerror(errno)) : 0;
}

static void print_map(const char *name, const struct mapping *mapping)
{
	unsigned int i;

	printf("# %u sets of addresses conflict; %u functions tell them apart\n",
	       mapping->nr_sets, mapping->nr);
	printf("%s xor=", name);
	for (i = 0; i < mapping->nr; i++)
		printf("%s0x%llx", i ? "," : "",
		       (unsigned long long)mapping->functions[i]);
	if (mapping->rows)
		printf(" row=0x%llx", (unsigned long long)mapping->rows);
	putchar('\n');
}

static int cannot_tell(const char *why)
{
	fprintf(stderr, "memsuite-bankmap: cannot tell: %s\n", why);
	return CANNOT_TELL;
}

static int measure(const struct options *options)
{
	struct mapping mapping;
	struct memory memory;
	enum verdict verdict;
	const char *why;

	if (native_is_virtual() && !options->anyway)
		return fail("cannot tell: this is a virtual machine, whose physical addresses are not those of the DRAM (--anyway measures all the same)");
	why = native_open(&memory, options->mib, 0, UINT64_MAX);
	if (why)
		return fail(why);
	verdict = solve(&memory, &mapping);
	picture_text(stdout, &mapping.histogram);
	if (options->svg && draw(options->svg, &mapping.histogram))
		return CANNOT_TELL;
	if (verdict != FOUND)
		return cannot_tell(verdict_text[verdict]);
	print_map(options->name, &mapping);
	return 0;
}

static void print_duration(const char *access, const struct duration *duration,
			   double cycles_per_ns)
{
	if (duration->doubt)
		printf("# cannot tell %s_latency_ns: %s\n", access,
		       doubt_text[duration->doubt]);
	else
		printf("%s_latency_ns=%.0f %s_spread_pct=%u\n", access,
		       duration->cycles / cycles_per_ns, access,
		       duration->spread_pct);
}

static int tell_latency(const struct options *options)
{
	struct duration read, write;
	struct memory memory;
	double cycles_per_ns;
	const char *why;

	why = native_open(&memory, options->mib, options->start, options->end);
	if (why)
		return fail(why);
	cycles_per_ns = native_cycles_per_ns();
	measure_latency(&memory, &read, &write);
	if (read.doubt)
		return cannot_tell(doubt_text[read.doubt]);
	printf("# of %zu pages of the range\n", memory.nr);
	print_duration("read", &read, cycles_per_ns);
	print_duration("write", &write, cycles_per_ns);
	return 0;
}

int main(int argc, char **argv)
{
	struct options options;

	if (!parse(argc, argv, &options)) {
		fputs(help, stderr);
		return USAGE;
	}
	if (options.latency)
		return tell_latency(&options);
	return options.from ? import_file(&options) : measure(&options);
}
