// SPDX-License-Identifier: GPL-2.0-only
/* What the plugin and replay.c model, on patterns whose outcome is known. Prints KTAP. */
#include <stdio.h>

#include "cache.h"
#include "chips.h"
#include "dram.h"
#include "stack.h"
#include "trace.h"

static unsigned int nr, failed;

static void check(bool good, const char *what)
{
	failed += !good;
	printf("%sok %u %s\n", good ? "" : "not ", ++nr, what);
}

/* Reads or writes the lines 0 to @n - 1; returns how many were missed, and adds up what was written back. */
static unsigned int sweep(struct cache *cache, unsigned int n, bool write, unsigned int *back)
{
	unsigned int missed = 0;
	struct owned_line gone;

	for (unsigned int i = 0; i < n; i++) {
		missed += !cache_access(cache, i, 0, write, &gone);
		*back += gone.number != NO_LINE;
	}
	return missed;
}

static void test_cache(void)
{
	unsigned int back = 0;
	struct owned_line gone;
	struct cache cache;

	check(!cache_init(&cache, 1000, 4, 64) && !cache_init(&cache, 4096, 0, 64), "no such cache");
	check(cache_init(&cache, 4096, 4, 64), "64 lines in sets of 4");
	check(sweep(&cache, 64, false, &back) == 64 && sweep(&cache, 64, true, &back) == 0 && !back,
	      "what fits is missed once");
	check(sweep(&cache, 128, false, &back) == 64 && back == 64, "what is dirty is written back, once");
	check(sweep(&cache, 128, false, &back) == 128 && back == 64, "what does not fit is missed each time");
	cache_clear(&cache);
	/* Lines of one set: the first is used again, so that the second goes for the fifth. */
	for (unsigned int i = 0; i < 4; i++)
		cache_access(&cache, i * 16, i, true, &gone);
	check(cache_access(&cache, 0, 5, false, &gone) && !cache_access(&cache, 64, 5, false, &gone) &&
	      gone.number == 16 && gone.owner == 1,
	      "the least recently used goes first");
	check(cache_access(&cache, 0, 5, false, &gone), "and the one used last stays");
	free(cache.lines);
}

static void test_dram(void)
{
	/* Paper 004's machine: 3 channels by the line, 8 banks of 12 KiB, 4 ranks of 3 MiB. */
	struct dram dram = {
		.digits = { { 64, 3, 0 }, { 12 << 10, 8, 0 }, { 3 << 20, 4, 0 } }, .ndigits = 3, .row_size = 96 << 10,
	};
	struct dram hashed = { .digits = { { .mask = 0x6000 } }, .ndigits = 1, .row_size = 16 << 10 };
	struct dram_counts one = { 0 }, other = { 0 };

	check(dram_init(&dram) && dram.banks == 96, "96 banks");
	check(dram_bank(&dram, 0) == dram_bank(&dram, 192) && dram_bank(&dram, 0) != dram_bank(&dram, 64) &&
	      dram_bank(&dram, 0) != dram_bank(&dram, 12 << 10) && dram_bank(&dram, 0) != dram_bank(&dram, 3 << 20) &&
	      dram_bank(&dram, 0) == dram_bank(&dram, 96 << 10) && dram_bank(&dram, 0) == dram_bank(&dram, 12 << 20),
	      "they take turns");
	for (uint64_t at = 0; at < 96 << 10; at += 64)
		dram_access(&dram, at, 0, &one);
	check(one.opened == 24 && one.hits == 1536 - 24 && !one.own && !one.others, "a row is opened once");
	check(dram_access(&dram, 96 << 10, 0, &one) == NO_ROW && one.own == 1, "a conflict with its own row");
	dram_access(&dram, (96 << 10) + 192, 0, &one);
	check(dram_access(&dram, 0, 1, &other) == (96 << 10) + 192 && other.others == 1 && !other.own,
	      "a conflict with another's, which is told");
	check(dram_access(&dram, 3 << 20, 1, &other) == NO_ROW && other.opened == 1 && other.others == 1,
	      "none in another rank");
	check(dram_init(&hashed) && hashed.banks == 2 && dram_bank(&hashed, 0x2000) && dram_bank(&hashed, 0x4000) &&
	      !dram_bank(&hashed, 0x6000), "a bank by parity");
	free(dram.open);
	free(hashed.open);
}

#define PAGES 300u
#define CHIP 16u

/* The stack as a plain list. */
static uint32_t list[PAGES], listed;

static uint32_t list_access(uint32_t page)
{
	uint32_t at = 0;

	while (at < listed && list[at] != page)
		at++;
	listed += at == listed;
	memmove(list + 1, list, at * sizeof(*list));
	list[0] = page;
	return at;
}

static bool same_chips(const struct stack *stack)
{
	uint32_t top = stack->top * stack->group_size, expected[PAGES / CHIP + 1] = { 0 };

	for (uint32_t i = 0; i < listed && i < top; i++)
		expected[list[i] / CHIP]++;
	return !memcmp(expected, stack->chip_pages, sizeof(expected));
}

/* Pages at random, the low ones more often, against the list; N_mrc changes now and then. */
static bool stack_is_right(uint32_t group_size)
{
	uint64_t hits[PAGES + 1] = { 0 }, misses = 0, seed = 1;
	struct stack stack;
	bool good = stack_init(&stack, PAGES, group_size, CHIP);

	listed = 0;
	for (int i = 0; good && i < 5000; i++) {
		uint32_t before = listed, at, page;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		page = (seed >> 33) % PAGES * (seed >> 50 & 255) / 255;
		at = list_access(page);
		if (listed > before)
			misses++;
		else
			hits[at / group_size + 1]++;
		stack_access(&stack, page);
		if (i % 100 == 99)
			stack_set_top(&stack, 1 + (seed >> 20) % stack.ngroups);
		good = same_chips(&stack);
	}
	good = good && !memcmp(hits, stack.hits, (stack.ngroups + 1) * sizeof(*hits)) && misses == stack.misses;
	stack_free(&stack);
	return good;
}

static void test_stack(void)
{
	static const uint32_t paper[] = { 1, 3, 1, 1 };
	struct stack stack;

	check(stack_init(&stack, 4, 1, 1), "a stack of 4 pages");
	for (int i = 0; i < 4; i++)
		stack_access(&stack, paper[i]);
	check(stack.hits[1] == 1 && stack.hits[2] == 1 && !stack.hits[3] && stack.misses == 2, "figure 2's 1311");
	check(stack_needed(&stack, 0) == 2 && stack_needed(&stack, 0.25) == 1, "N_mrc");
	/* A new page, into an empty stack and one of a page; from the second place; and from the first. */
	check(stack.array_accesses == 9 + 11 + 11 + 9 && stack.header_accesses == 2 + 4 + 4 + 2, "table 1");
	stack_free(&stack);
	check(stack_is_right(1) && stack_is_right(7) && stack_is_right(64) && stack_is_right(512),
	      "groups, and what chips hold, as in a list");
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static void test_chips(void)
{
	struct chips nap = { .policy.after_ns = { 0, 0, 0, INFINITY } };
	struct chips dynamic = { .policy.after_ns = { 0, 10, 50, 1000 } };
	struct chips foreseen = { .policy.after_ns = { 0, 0, 0, INFINITY }, .oracle_ns = 3000 };
	struct chip a = { .down_at = INFINITY }, b = a, c = a;

	check(near(chip_access(&nap, &a, 1000), 1120) && near(nap.pj, 30000 + 9600 + 18000), "nap between accesses");
	check(near(chip_access(&nap, &a, 1100), 1240) && near(nap.pj, 2 * 27600 + 30000),
	      "an access waits for the one before, and wakes again");
	chip_power_down(&nap, &a, 2240);
	check(near(chip_access(&nap, &a, 5240), 5900) && near(nap.pj, 2 * 27600 + 30000 + 30000 + 9000 + 90000 + 18000),
	      "powered down");
	chip_count(&dynamic, &b, 2000);
	check(near(dynamic.pj, 10 * 300 + 40 * 180 + 950 * 30 + 1000 * 3), "thresholds");
	check(near(chip_access(&dynamic, &b, 2005), 2665) && near(chip_access(&dynamic, &b, 2670), 2730) &&
	      near(chip_access(&dynamic, &b, 2750), 2816), "active, standby and power-down are left in their time");
	chip_access(&foreseen, &c, 2000);
	chip_access(&foreseen, &c, 12120);
	check(near(foreseen.pj, 2000 * 30 + 27600 + 10000 * 3 + 90000 + 18000), "what is known beforehand");
}

static void test_trace(void)
{
	uint64_t record = trace_record(1ull << 37, TRACE_WRITE, 0xabcdef);

	check(trace_time(record) == 1ull << 37 && trace_kind(record) == TRACE_WRITE && trace_frame(record) == 0xabcdef,
	      "a record of a trace");
}

int main(void)
{
	test_cache();
	test_dram();
	test_stack();
	test_chips();
	test_trace();
	printf("1..%u\n", nr);
	return failed > 0;
}
