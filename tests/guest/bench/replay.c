// SPDX-License-Identifier: GPL-2.0-only
/*
 * Touches pages as a trace says, at a given rate:
 *
 *   replay [--rate ACCESSES_PER_S] [--seconds S] [--write] TRACE
 *
 * Lines of the trace are PAGE[*COUNT] [TIME_US], ascending in time. COUNT
 * accesses in a row are of that page. Where the first line has a time, times
 * are kept to, and --rate is not needed; without either it goes as fast as it
 * can. At the end it begins again, until the time is over.
 *
 * Prints "ready PAGES" once all pages are there, then "at NOW ACCESSES" four
 * times a second: what was done by then, on the monotonic clock in us. That is
 * its true rate.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#endif

#define PAGE 4096
#define TELL_US 250000
/* It wakes so often; what is due by then is done in a burst. */
#define TICK_US 50

struct run {
	uint32_t page;
	uint32_t count;
	uint64_t us;
};

/*
 * The trace is read through one page: in the memory of this program, it would
 * be a loop of its own.
 */
static struct run window[PAGE / sizeof(struct run)] __attribute__((aligned(PAGE)));
static volatile unsigned char *area;
static uint64_t runs, pages, last_us, started, told, accesses;
static double rate;
static int store, timed, write_to;

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ULL + ts.tv_nsec / 1000;
}

static void read_trace(const char *name)
{
	FILE *in = fopen(name, "r");
	struct run run;
	char line[128];
	FILE *out;

	store = memfd_create("trace", 0);
	out = store < 0 ? NULL : fdopen(dup(store), "w");
	if (!in || !out)
		err(1, "%s", name);
	while (fgets(line, sizeof(line), in)) {
		char *end;

		if (*line == '#')
			continue;
		run.page = strtoul(line, &end, 10);
		if (end == line)
			errx(1, "%s: not a page: %s", name, line);
		run.count = *end == '*' ? strtoul(end + 1, &end, 10) : 1;
		if (!runs)
			timed = *end == ' ';
		run.us = timed ? strtoull(end, NULL, 10) : 0;
		if (run.us < last_us || !run.count)
			errx(1, "%s: time goes back, or no access: %s", name, line);
		last_us = run.us;
		if (run.page >= pages)
			pages = run.page + 1;
		fwrite(&run, sizeof(run), 1, out);
		runs++;
	}
	fclose(in);
	if (fclose(out) || !runs)
		errx(1, "%s: nothing to replay", name);
}

static void tell(uint64_t now)
{
	printf("at %llu %llu\n", (unsigned long long)now, (unsigned long long)accesses);
	fflush(stdout);
	told = now;
}

/* When access @n, or what the trace has at @us, is due; and now, if it is late. */
static uint64_t wait_for(uint64_t n, uint64_t us)
{
	uint64_t due = started, now = now_us();

	if (timed)
		due += us;
	else if (rate)
		due += n / rate * 1e6;
	while (now < due) {
		struct timespec ts;
		uint64_t wait = due - now < TICK_US ? TICK_US : due - now;

		if (wait > TELL_US)
			wait = TELL_US;
		ts.tv_sec = 0;
		ts.tv_nsec = wait * 1000;
		nanosleep(&ts, NULL);
		now = now_us();
		if (now - told >= TELL_US)
			tell(now);
	}
	if (now - told >= TELL_US)
		tell(now);
	return now;
}

/* How many accesses of the run can be done before the clock is looked at again. */
static uint32_t burst(uint64_t now)
{
	if (timed)
		return UINT32_MAX;
	if (!rate)
		return 256;
	return (now - started) * rate / 1e6 - accesses + 1;
}

static void replay(uint64_t end)
{
	uint64_t pass = 0, now = now_us(), i;
	uint32_t left = 0;

	for (;; pass++) {
		for (i = 0; i < runs; i++) {
			uint32_t at = i % (PAGE / sizeof(struct run)), k, n;
			volatile unsigned char *p;

			if (!at && pread(store, window, PAGE, i * sizeof(struct run)) <= 0)
				err(1, "pread");
			p = area + (uint64_t)window[at].page * PAGE;
			for (k = window[at].count; k; k -= n) {
				if (!left || (timed && started + window[at].us + pass * last_us > now)) {
					now = wait_for(accesses, window[at].us + pass * last_us);
					if (now >= end)
						return;
					left = burst(now);
				}
				n = k < left ? k : left;
				for (uint32_t j = 0; j < n; j++) {
					if (write_to)
						*p = j;
					else
						(void)*p;
				}
				accesses += n;
				left -= n;
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rate", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ "write", no_argument, NULL, 'w' },
		{}
	};
	double seconds = 1e9;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'r')
			rate = strtod(optarg, NULL);
		else if (c == 's')
			seconds = strtod(optarg, NULL);
		else if (c == 'w')
			write_to = 1;
		else
			return 2;
	}
	if (argc - optind != 1 || rate < 0 || seconds <= 0)
		errx(2, "usage: replay [--rate N] [--seconds S] [--write] TRACE");
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	read_trace(argv[optind]);
	area = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		err(1, "mmap");
	/* A read would map the zero page; and there are no others than the trace's. */
	for (uint64_t i = 0; i < runs; i++) {
		if (!(i % (PAGE / sizeof(struct run))) && pread(store, window, PAGE, i * sizeof(struct run)) <= 0)
			err(1, "pread");
		area[(uint64_t)window[i % (PAGE / sizeof(struct run))].page * PAGE] = 1;
	}
	printf("ready %llu\n", (unsigned long long)pages);
	started = now_us();
	tell(started);
	replay(started + seconds * 1e6);
	tell(now_us());
	return 0;
}
