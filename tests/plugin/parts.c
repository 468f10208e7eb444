// SPDX-License-Identifier: GPL-2.0-only
/* What the plugin models, on patterns whose outcome is known. Prints KTAP. */
#include <stdio.h>

#include "cache.h"
#include "dram.h"
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
	dram_access(&dram, 96 << 10, 0, &one);
	check(one.own == 1, "a conflict with its own row");
	dram_access(&dram, 0, 1, &other);
	check(other.others == 1 && !other.own, "a conflict with another's");
	dram_access(&dram, 3 << 20, 1, &other);
	check(other.opened == 1 && other.others == 1, "none in another rank");
	check(dram_init(&hashed) && hashed.banks == 2 && dram_bank(&hashed, 0x2000) && dram_bank(&hashed, 0x4000) &&
	      !dram_bank(&hashed, 0x6000), "a bank by parity");
	free(dram.open);
	free(hashed.open);
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
	test_trace();
	printf("1..%u\n", nr);
	return failed > 0;
}
