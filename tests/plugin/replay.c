// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replays what the plugin traced against chips of memory that save power: MRC-directed memory energy management, section
 * 5 of "Dynamic Tracking of Page Miss Ratio Curve for Memory Management" (ASPLOS 2004), and what it is compared with.
 *
 * replay TRACE [NAME=VALUE]...
 *	standby=NS nap=NS powerdown=NS	a chip that is idle so long goes to that mode; inf: never. 0 0 inf is static nap
 *	oracle=NS		it is known when an idle chip is accessed next: if not so soon, it is powered down at once
 *	mrc=none|hardware|os	who tells which chips work; the others are powered down
 *	epoch=CYCLES chip=PAGES	and the groups of the stack are as large as chips
 *	loss=RATIO		N_mrc is the smallest memory that misses no more than so many of the accesses beyond what all
 *				memory does
 *	resume=on		chips that come to work without being accessed go to what they do after an access; else
 *				they stay as they are until then
 *	filter=PAGES queue=N	the monitor's recent pages, and the accesses that may wait for it; 0: none, and as many as
 *				there are
 *	cpi=CYCLES		what an instruction takes, but for accesses to memory
 *	compare=on		the monitor's curves with exact ones
 *
 * Pages are numbered as they come to be used, which is sequential allocation; memory is as large as all of them. The CPU
 * waits for what it reads, and not for what is written back. Prints a line of JSON.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "chips.h"
#include "stack.h"
#include "trace.h"

#define CYCLE_NS	(1 / 0.6)	/* 600 MHz */
#define FILTER_MAX	64
#define QUEUE_MAX	4096

enum monitor { NONE, HARDWARE, OS };

static struct {
	enum monitor mrc;
	double epoch, loss, cpi;
	uint32_t chip, filter, queue;
	bool resume, compare;
} options = { .epoch = 10000, .loss = 0.05, .cpi = 1, .chip = 64 };

static struct chips chips = { .policy.after_ns = { 0, 0, 0, INFINITY } };
static struct chip *all_chips;
static uint32_t nchips, npages;
static struct stack stack, exact;
static bool *touched;			/* by page, in this epoch: what accessed bits tell */
static uint32_t recent[FILTER_MAX];
static double waiting[QUEUE_MAX];	/* when each that waits for the monitor is done; a ring */
static uint64_t queued;
static double monitor_free_at;

static struct {
	uint64_t epochs, busy_epochs, accesses, filtered, dropped;
	double top_pages, working_chips;	/* summed up by epochs */
	double difference, difference_pages;	/* of curves from exact ones, summed up by epochs with accesses */
} told;

static void die(const char *what)
{
	fprintf(stderr, "replay: %s\n", what);
	exit(1);
}

/* Whether the monitor may leave an access out of its stack: its page is near the top for sure. */
static bool is_recent(uint32_t page)
{
	uint32_t i = 0;

	while (i < options.filter && recent[i] != page)
		i++;
	if (i == options.filter) {
		if (i)
			memmove(recent + 1, recent, (i - 1) * sizeof(*recent));
		recent[0] = page;
		return false;
	}
	return true;
}

static bool queue_is_full(double now)
{
	return options.queue && queued >= options.queue && waiting[queued % options.queue] > now;
}

/* The monitor is busy for a cycle for each access to its array. */
static void enqueue(double now, uint64_t array_accesses)
{
	monitor_free_at = fmax(now, monitor_free_at) + array_accesses * CYCLE_NS;
	if (options.queue)
		waiting[queued++ % options.queue] = monitor_free_at;
}

static void record(uint32_t page, double now)
{
	uint32_t chip = stack_access(&stack, page);

	if (chip != NO_PAGE)
		chip_power_down(&chips, &all_chips[chip], now);
}

/* The hardware monitor sees an access. */
static void snoop(uint32_t page, double now)
{
	uint64_t before = stack.array_accesses;

	if (is_recent(page)) {
		told.filtered++;
		stack.accesses++;
		stack.hits[1]++;
		stack.counts += 2;
	} else if (queue_is_full(now)) {
		told.dropped++;
	} else {
		record(page, now);
		enqueue(now, stack.array_accesses - before);
	}
	if (options.compare)
		stack_access(&exact, page);
}

/* The operating system sees page faults when they happen, and of other accesses the accessed bits at an epoch's end. */
static void touch(uint32_t page, double now)
{
	touched[page] = true;
	if (!stack.pages[page].group)
		record(page, now);
}

/* From the top on: what is moved there leaves the distances of those behind it as they are. */
static void scan(double now)
{
	uint32_t next;

	for (uint32_t page = stack.first; page != NO_PAGE; page = next) {
		next = stack.pages[page].next;
		if (touched[page]) {
			touched[page] = false;
			record(page, now);
		}
	}
}

static void compare(uint32_t needed)
{
	uint64_t ours = 0, truth = 0;
	uint32_t page = 1;
	double sum = 0;

	for (uint32_t group = 1; group <= stack.ngroups; group++) {
		ours += stack.hits[group];
		for (; page <= exact.ngroups && page <= group * stack.group_size; page++)
			truth += exact.hits[page];
		sum += fabs((double)ours / (stack.accesses ? stack.accesses : 1) - (double)truth / exact.accesses);
	}
	told.difference += sum / stack.ngroups;
	told.difference_pages += fabs((double)needed * stack.group_size - stack_needed(&exact, options.loss));
}

static void end_epoch(double now)
{
	uint32_t needed;

	if (options.mrc == OS)
		scan(now);
	needed = stack_needed(&stack, options.loss);
	if (options.compare && exact.accesses) {
		compare(needed);
		stack_clear(&exact);
	}
	told.epochs++;
	told.busy_epochs += stack.accesses > 0;
	told.top_pages += (double)needed * stack.group_size;
	stack_set_top(&stack, needed);
	stack_clear(&stack);
	for (uint32_t i = 0; i < nchips; i++) {
		told.working_chips += stack.chip_pages[i] > 0;
		if (!stack.chip_pages[i])
			chip_power_down(&chips, &all_chips[i], now);
		else if (options.resume && all_chips[i].down_at <= now)
			chip_wake(&chips, &all_chips[i], now);
	}
}

/* Returns how long all took. */
static double replay(const uint64_t *trace, const uint32_t *number)
{
	double stalled = 0, epoch_end = options.epoch * CYCLE_NS;

	for (;; trace++) {
		double now = trace_time(*trace) * options.cpi * CYCLE_NS + stalled;
		uint32_t page = number[trace_frame(*trace)];
		double done;

		for (; options.mrc != NONE && now >= epoch_end; epoch_end += options.epoch * CYCLE_NS)
			end_epoch(epoch_end);
		if (trace_kind(*trace) == TRACE_END)
			return now;
		told.accesses++;
		done = chip_access(&chips, &all_chips[page / options.chip], now);
		if (trace_kind(*trace) == TRACE_READ) {
			stalled += done - now;
			now = done;
		}
		if (options.mrc == HARDWARE)
			snoop(page, now);
		else if (options.mrc == OS)
			touch(page, now);
	}
}

static const uint64_t *map_trace(const char *path)
{
	int file = open(path, O_RDONLY);
	struct stat about;
	const uint64_t *trace;
	size_t n;

	if (file < 0 || fstat(file, &about))
		die(path);
	n = about.st_size / sizeof(*trace);
	trace = mmap(NULL, about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (!n || trace == MAP_FAILED || trace_kind(trace[n - 1]) != TRACE_END)
		die("not a whole trace");
	return trace;
}

/* Pages by frame, in the order of their first access. */
static uint32_t *number_pages(const uint64_t *trace)
{
	uint32_t *number = malloc(sizeof(*number) << TRACE_FRAME_BITS);

	if (!number)
		die("no memory");
	memset(number, 0xff, sizeof(*number) << TRACE_FRAME_BITS);
	for (; trace_kind(*trace) != TRACE_END; trace++)
		if (number[trace_frame(*trace)] == NO_PAGE)
			number[trace_frame(*trace)] = npages++;
	return number;
}

static void set_up(void)
{
	nchips = (npages + options.chip - 1) / options.chip;
	all_chips = calloc(nchips, sizeof(*all_chips));
	touched = calloc(npages, sizeof(*touched));
	if (!all_chips || !touched || !stack_init(&stack, npages, options.chip, options.chip) ||
	    (options.compare && !stack_init(&exact, npages, 1, options.chip)))
		die("no memory");
	for (uint32_t i = 0; i < nchips; i++)
		all_chips[i] = (struct chip){ .free_at = -1e18, .down_at = INFINITY };
	memset(recent, 0xff, sizeof(recent));
}

static bool option(const char *text)
{
	const char *value = strchr(text, '=');
	static const char *const modes[] = { "active=", "standby=", "nap=", "powerdown=" };
	static const char *const monitors[] = { "none", "hardware", "os" };

	if (!value++)
		return false;
	for (enum mode mode = STANDBY; mode < MODES; mode++)
		if (!strncmp(text, modes[mode], value - text)) {
			chips.policy.after_ns[mode] = strtod(value, NULL);
			return true;
		}
	if (!strncmp(text, "mrc=", 4)) {
		for (options.mrc = NONE; options.mrc <= OS; options.mrc++)
			if (!strcmp(value, monitors[options.mrc]))
				return true;
		return false;
	}
	if (!strncmp(text, "epoch=", 6))
		return (options.epoch = strtod(value, NULL)) > 0;
	if (!strncmp(text, "loss=", 5))
		return (options.loss = strtod(value, NULL)) >= 0;
	if (!strncmp(text, "cpi=", 4))
		return (options.cpi = strtod(value, NULL)) > 0;
	if (!strncmp(text, "chip=", 5))
		return (options.chip = strtoul(value, NULL, 0)) > 0;
	if (!strncmp(text, "filter=", 7))
		return (options.filter = strtoul(value, NULL, 0)) <= FILTER_MAX;
	if (!strncmp(text, "queue=", 6))
		return (options.queue = strtoul(value, NULL, 0)) <= QUEUE_MAX;
	if (!strcmp(text, "resume=on"))
		return (options.resume = true);
	if (!strncmp(text, "oracle=", 7))
		return (chips.oracle_ns = strtod(value, NULL)) > 0;
	if (!strcmp(text, "compare=on"))
		return (options.compare = true);
	return false;
}

static void tell(double ns, uint64_t instructions)
{
	double busy = told.busy_epochs ? told.busy_epochs : 1, epochs = told.epochs ? told.epochs : 1;

	printf("{\"ns\": %.0f, \"pj\": %.0f, \"instructions\": %" PRIu64 ", \"accesses\": %" PRIu64 ", \"pages\": %u, "
	       "\"chips\": %u, ", ns, chips.pj, instructions, told.accesses, npages, nchips);
	printf("\"array_accesses\": %" PRIu64 ", \"header_accesses\": %" PRIu64 ", \"counts\": %" PRIu64 ", ",
	       stack.array_accesses, stack.header_accesses, stack.counts);
	printf("\"epochs\": %" PRIu64 ", \"busy_epochs\": %" PRIu64 ", \"top_pages\": %.1f, \"working_chips\": %.2f, "
	       "\"wakes\": %" PRIu64 ", ", told.epochs, told.busy_epochs, told.top_pages / epochs,
	       told.working_chips / epochs, chips.wakes[POWERDOWN]);
	printf("\"filtered\": %" PRIu64 ", \"dropped\": %" PRIu64 ", \"difference\": %.6f, \"difference_pages\": %.2f}\n",
	       told.filtered, told.dropped, told.difference / busy, told.difference_pages / busy);
}

int main(int argc, char **argv)
{
	const uint64_t *trace, *last;
	uint32_t *number;
	double ns;

	for (int i = 2; i < argc; i++)
		if (!option(argv[i])) {
			fprintf(stderr, "replay: cannot take %s\n", argv[i]);
			return 2;
		}
	if (argc < 2)
		die("which trace?");
	trace = map_trace(argv[1]);
	number = number_pages(trace);
	set_up();
	ns = replay(trace, number);
	free(number);
	for (uint32_t i = 0; i < nchips; i++) {
		if (chips.oracle_ns)
			chip_power_down(&chips, &all_chips[i], all_chips[i].free_at);
		chip_count(&chips, &all_chips[i], ns);
	}
	for (last = trace; trace_kind(*last) != TRACE_END; last++)
		;
	tell(ns, trace_time(*last));
	return 0;
}
