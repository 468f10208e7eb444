// SPDX-License-Identifier: GPL-2.0-only
/*
 * memsuite-bankmap: finds which physical address bits select the bank and the
 * row of this machine's DRAM, and prints them as a line that
 * /sys/kernel/memsuite/bank_maps/add takes.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "native.h"
#include "picture.h"
#include "solver.h"

enum { CANNOT_TELL = 1, USAGE };

static const char help[] =
	"usage: memsuite-bankmap [OPTION]...\n"
	"\n"
	"Finds which bits of physical addresses select the bank and the row of the DRAM,\n"
	"by the time that row conflicts take; prints a histogram of these times and, at\n"
	"last, a line for /sys/kernel/memsuite/bank_maps/add. Run it as root on a machine\n"
	"with nothing else to do; it takes some seconds.\n"
	"\n"
	"  --name NAME    name of the map (dram)\n"
	"  --mib N        memory to measure, 16 to 65536 (512); high bits need much of it\n"
	"  --svg FILE     the histogram as SVG, too\n"
	"  --anyway       measure in a virtual machine, too: its addresses may be no DRAM's\n"
	"  --import FILE  measure nothing: make the line from what drama or DRAMDig printed\n"
	"\n"
	"Exit status: 0; 1: it cannot tell, and says why; 2: usage.\n";

/**
 * struct options - what to do
 * @name: of the map
 * @mib: of memory to measure
 * @svg: file for a picture, or NULL
 * @from: output of another tool to import, or NULL
 * @anyway: also in a virtual machine
 */
struct options {
	const char *name;
	size_t mib;
	const char *svg;
	const char *from;
	bool anyway;
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

static bool parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "name", required_argument, NULL, 'n' },
		{ "mib", required_argument, NULL, 'm' },
		{ "svg", required_argument, NULL, 's' },
		{ "import", required_argument, NULL, 'i' },
		{ "anyway", no_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	int option;

	*options = (struct options){ .name = "dram", .mib = 512 };
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
		case 'h':
			fputs(help, stdout);
			exit(0);
		default:
			return false;
		}
	}
	return optind == argc;
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

static int measure(const struct options *options)
{
	struct mapping mapping;
	struct memory memory;
	enum verdict verdict;
	const char *why;

	if (native_is_virtual() && !options->anyway)
		return fail("cannot tell: this is a virtual machine, whose physical addresses are not those of the DRAM (--anyway measures all the same)");
	why = native_open(&memory, options->mib);
	if (why)
		return fail(why);
	verdict = solve(&memory, &mapping);
	picture_text(stdout, &mapping.histogram);
	if (options->svg && draw(options->svg, &mapping.histogram))
		return CANNOT_TELL;
	if (verdict != FOUND) {
		fprintf(stderr, "memsuite-bankmap: cannot tell: %s\n",
			verdict_text[verdict]);
		return CANNOT_TELL;
	}
	print_map(options->name, &mapping);
	return 0;
}

int main(int argc, char **argv)
{
	struct options options;

	if (!parse(argc, argv, &options)) {
		fputs(help, stderr);
		return USAGE;
	}
	return options.from ? import_file(&options) : measure(&options);
}
