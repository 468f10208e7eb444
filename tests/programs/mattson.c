// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exact miss ratio curve of a trace (Mattson and others 1970), as tests/guest/bench/replay.c
 * replays it, over and over:
 *
 *   mattson [--brute] TRACE [FROM UNTIL]...
 *
 * For each window of accesses, from FROM to before UNTIL, it prints a line of JSON: the misses of
 * LRU memories of 1 to 100 % of the footprint over the accesses of that window. What was accessed
 * before the window is in memory already. Without a window it is the second pass over the trace.
 * Distances are counted in a Fenwick tree; --brute counts them one by one.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEVER UINT64_MAX

static struct run { uint32_t page, count; } *runs;
static uint64_t n_runs, n_accesses, pages, footprint, capacity, top;
static uint64_t *last, *owner, *hits;
static uint32_t *tree;
static int brute;

static void read_trace(const char *name)
{
	FILE *in = fopen(name, "r");
	uint64_t room = 0;
	char line[128];

	if (!in)
		err(1, "%s", name);
	while (fgets(line, sizeof(line), in)) {
		char *end;

		if (*line == '#')
			continue;
		if (n_runs == room) {
			room = room ? 2 * room : 1 << 16;
			runs = realloc(runs, room * sizeof(*runs));
			if (!runs)
				err(1, NULL);
		}
		runs[n_runs].page = strtoul(line, &end, 10);
		runs[n_runs].count = *end == '*' ? strtoul(end + 1, NULL, 10) : 1;
		n_accesses += runs[n_runs].count;
		if (runs[n_runs].page >= pages)
			pages = runs[n_runs].page + 1;
		n_runs++;
	}
	fclose(in);
	if (!n_runs)
		errx(1, "%s: empty", name);
}

static void add(uint64_t at, uint32_t what)
{
	for (at++; at <= capacity; at += at & -at)
		tree[at] += what;
}

static uint64_t below(uint64_t at)
{
	uint64_t sum = 0;

	for (; at; at -= at & -at)
		sum += tree[at];
	return sum;
}

static uint64_t counted(uint64_t from, uint64_t until)
{
	uint64_t sum = 0;

	for (; from < until; from++)
		sum += owner[from] != NEVER;
	return sum;
}

/* Close the gaps that pages left behind when they were accessed again. */
static void compact(void)
{
	uint64_t i, n = 0;

	for (i = 0; i < top; i++)
		if (owner[i] != NEVER) {
			owner[n] = owner[i];
			last[owner[n]] = n;
			n++;
		}
	memset(tree, 0, (capacity + 1) * sizeof(*tree));
	top = n;
	for (i = 0; i < n; i++)
		add(i, 1);
}

/* Return: how many other pages were accessed since this one was; NEVER if it was not. */
static uint64_t access_page(uint64_t page)
{
	uint64_t was = last[page], distance = NEVER;

	if (was != NEVER) {
		distance = brute ? counted(was + 1, top) : below(top) - below(was + 1);
		owner[was] = NEVER;
		add(was, -1);
	}
	if (top == capacity)
		compact();
	owner[top] = page;
	last[page] = top;
	add(top++, 1);
	return distance;
}

static void start(void)
{
	uint64_t i;

	top = 0;
	memset(tree, 0, (capacity + 1) * sizeof(*tree));
	for (i = 0; i < pages; i++)
		last[i] = NEVER;
}

static void curve(uint64_t from, uint64_t until)
{
	uint64_t at = (from > n_accesses ? from - n_accesses : 0) / n_accesses * n_accesses, i, k;
	uint64_t accesses = 0, misses, size = 0;

	start();
	memset(hits, 0, (pages + 1) * sizeof(*hits));
	while (at < until)
		for (i = 0; i < n_runs && at < until; i++) {
			uint64_t distance = access_page(runs[i].page);

			if (at >= from) {
				accesses += runs[i].count;
				/* With a memory of so many pages more than that it is a hit. */
				if (distance != NEVER)
					hits[distance]++;
				hits[0] += runs[i].count - 1;
			}
			at += runs[i].count;
		}
	misses = accesses;
	printf("{\"from\": %llu, \"until\": %llu, \"accesses\": %llu, \"footprint\": %llu, \"misses\": [",
	       (unsigned long long)from, (unsigned long long)until, (unsigned long long)accesses,
	       (unsigned long long)footprint);
	for (k = 1; k <= 100; k++) {
		uint64_t want = (footprint * k + 99) / 100;

		while (size < want)
			misses -= hits[size++];
		printf("%s%llu", k > 1 ? ", " : "", (unsigned long long)misses);
	}
	printf("]}\n");
}

int main(int argc, char **argv)
{
	uint64_t i;
	int k = 1;

	if (argc > k && !strcmp(argv[k], "--brute")) {
		brute = 1;
		k++;
	}
	if (argc <= k || (argc - k) % 2 != 1)
		errx(2, "usage: mattson [--brute] TRACE [FROM UNTIL]...");
	read_trace(argv[k++]);
	capacity = 4 * pages + 1024;
	last = malloc(pages * sizeof(*last));
	hits = malloc((pages + 1) * sizeof(*hits));
	owner = malloc(capacity * sizeof(*owner));
	tree = malloc((capacity + 1) * sizeof(*tree));
	if (!last || !hits || !owner || !tree)
		err(1, NULL);
	memset(last, 0, pages * sizeof(*last));
	for (i = 0; i < n_runs; i++)
		if (!last[runs[i].page]++)
			footprint++;
	if (k == argc)
		curve(n_accesses, 2 * n_accesses);
	for (; k < argc; k += 2)
		curve(strtoull(argv[k], NULL, 10), strtoull(argv[k + 1], NULL, 10));
	return 0;
}
