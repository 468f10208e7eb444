// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the grouped stack, against a list of pages that is shifted. */

#include <asm/tsc.h>
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "curve/lru_stack.c"

#define PAGES	300

/* The stack as it is defined: latest touch first. */
static unsigned long model[PAGES];
static unsigned int model_n;
static u32 seed;

static u32 random_below(u32 n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static unsigned long address(u32 page)
{
	return (unsigned long)(page + 1) << 12;
}

static unsigned int model_find(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < model_n && model[i] != addr; i++)
		;
	return i;
}

static void model_remove(unsigned int at)
{
	model_n--;
	memmove(&model[at], &model[at + 1], (model_n - at) * sizeof(*model));
}

static void model_touch(unsigned long addr)
{
	unsigned int at = model_find(addr);

	if (at < model_n)
		model_remove(at);
	memmove(&model[1], &model[0], model_n * sizeof(*model));
	model[0] = addr;
	model_n++;
}

static void expect_same(struct kunit *test, const struct mrc_lru_stack *s)
{
	u32 i = mrc_lru_stack_at(s, 0), above = NIL;
	unsigned int at;

	KUNIT_ASSERT_EQ(test, s->n, model_n);
	for (at = 0; at < model_n; at++) {
		KUNIT_ASSERT_NE(test, i, NIL);
		KUNIT_ASSERT_EQ(test, s->node[i].addr, model[at]);
		KUNIT_ASSERT_EQ(test, mrc_lru_stack_above(s, i), above);
		KUNIT_ASSERT_EQ(test, mrc_lru_stack_place(s, i), at);
		KUNIT_ASSERT_EQ(test, mrc_lru_stack_at(s, at), i);
		KUNIT_ASSERT_EQ(test, mrc_lru_stack_find(s, model[at]), i);
		above = i;
		i = mrc_lru_stack_below(s, i);
	}
	KUNIT_ASSERT_EQ(test, i, NIL);
	KUNIT_ASSERT_EQ(test, mrc_lru_stack_bottom(s), above);
}

static void new_stack(struct kunit *test, struct mrc_lru_stack *s, u32 capacity,
		      u32 group_pages)
{
	void *memory = kunit_kzalloc(test, mrc_lru_stack_size(capacity, group_pages),
				     GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, !!memory);
	mrc_lru_stack_init(s, memory, capacity, group_pages);
	model_n = 0;
}

/* Touch a page as the tracker does; returns its distance, 0 for none. */
static u32 touch(struct mrc_lru_stack *s, unsigned long addr)
{
	u32 i = mrc_lru_stack_find(s, addr), group;

	if (i == NIL) {
		mrc_lru_stack_touch(s, addr);
		s->cold++;
		return 0;
	}
	group = mrc_lru_stack_raise(s, i);
	s->hits[group]++;
	return (group + 1) * s->group_pages;
}

static void churn(struct kunit *test, u32 capacity, u32 group_pages)
{
	struct mrc_lru_stack s, copy;
	unsigned int round, at;
	unsigned long addr;

	new_stack(test, &copy, capacity + 7, group_pages + 1);
	new_stack(test, &s, capacity, group_pages);
	for (round = 0; round < 3000; round++) {
		addr = address(random_below(PAGES));
		at = model_find(addr);
		switch (random_below(8)) {
		case 0:
			if (at == model_n)
				break;
			mrc_lru_stack_remove(&s, mrc_lru_stack_find(&s, addr));
			model_remove(at);
			break;
		case 1:
			if (at < model_n)
				break;
			if (model_n == capacity) {
				KUNIT_ASSERT_EQ(test, mrc_lru_stack_append(&s, addr), NIL);
				break;
			}
			mrc_lru_stack_append(&s, addr);
			model[model_n++] = addr;
			break;
		default:
			KUNIT_ASSERT_EQ(test, touch(&s, addr), at == model_n ? 0 :
					(at / group_pages + 1) * group_pages);
			if (at == model_n && model_n == capacity)
				model_n--;
			model_touch(addr);
		}
		if (round % 16 == 0)
			expect_same(test, &s);
	}
	expect_same(test, &s);
	mrc_lru_stack_copy(&copy, &s);
	expect_same(test, &copy);
}

static void stack_is_the_list(struct kunit *test)
{
	seed = 1;
	churn(test, PAGES, 64);
	churn(test, PAGES, 7);
	churn(test, PAGES, 1);
	churn(test, PAGES, 1000);
}

static void full_stack_drops_the_oldest(struct kunit *test)
{
	seed = 2;
	churn(test, 128, 64);
	churn(test, 100, 7);
	churn(test, 33, 1);
	churn(test, 1, 1);
}

/* A loop over n pages hits with n of them, to a group, and not with less. */
static void loop_has_its_cliff(struct kunit *test)
{
	static const u64 sizes[] = { 1, 64, 191, 192, 255, 256, 300 };
	u64 misses[ARRAY_SIZE(sizes)];
	struct mrc_lru_stack s;
	unsigned int i;

	new_stack(test, &s, PAGES, 64);
	for (i = 0; i < 10 * 200; i++)
		touch(&s, address(i % 200));
	KUNIT_EXPECT_EQ(test, s.cold, 200ULL);
	KUNIT_EXPECT_EQ(test, mrc_lru_stack_touches(&s), 2000ULL);
	mrc_lru_stack_misses(&s, sizes, misses, ARRAY_SIZE(sizes));
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		KUNIT_EXPECT_EQ(test, misses[i], sizes[i] < 256 ? 2000ULL : 200ULL);
	mrc_lru_stack_forget_hits(&s);
	mrc_lru_stack_misses(&s, sizes, misses, ARRAY_SIZE(sizes));
	KUNIT_EXPECT_EQ(test, misses[0], 0ULL);
}

/* The curve of random touches is that of a plain stack, group by group. */
static void misses_are_counted(struct kunit *test)
{
	static u64 sizes[PAGES + 1], misses[PAGES + 1], want[PAGES + 1];
	struct mrc_lru_stack s;
	unsigned int i, k, at;

	new_stack(test, &s, PAGES, 16);
	memset(want, 0, sizeof(want));
	seed = 3;
	for (i = 0; i < 5000; i++) {
		/* Some pages are touched much more than others. */
		unsigned long addr = address(random_below(1 + random_below(PAGES)));

		at = model_find(addr);
		for (k = 0; k <= PAGES; k++)
			want[k] += at == model_n || k / 16 <= at / 16;
		touch(&s, addr);
		model_touch(addr);
	}
	for (k = 0; k <= PAGES; k++)
		sizes[k] = k;
	mrc_lru_stack_misses(&s, sizes, misses, PAGES + 1);
	for (k = 0; k < 288; k++)
		KUNIT_EXPECT_EQ(test, misses[k], want[k]);
}

/* Figure 2 of the paper: 1311 misses 0.75, 0.5 and 0.5 of its references. */
static void paper_example(struct kunit *test)
{
	static const u64 sizes[] = { 1, 2, 3 };
	static const u32 pages[] = { 1, 3, 1, 1 };
	u64 misses[3];
	struct mrc_lru_stack s;
	unsigned int i;

	new_stack(test, &s, 8, 1);
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		touch(&s, address(pages[i]));
	mrc_lru_stack_misses(&s, sizes, misses, 3);
	KUNIT_EXPECT_EQ(test, misses[0], 3ULL);
	KUNIT_EXPECT_EQ(test, misses[1], 2ULL);
	KUNIT_EXPECT_EQ(test, misses[2], 2ULL);
}

#define BATCH	256

/*
 * Cycles that a page takes where all are raised, over and over: an epoch of mode paper
 * in which a loop goes round. The least of all batches, as others may have run in between.
 */
static u64 cycles_of_raise(struct kunit *test, u32 pages, u32 epochs)
{
	void *memory = kvcalloc(1, mrc_lru_stack_size(pages, 64), GFP_KERNEL);
	u64 least = U64_MAX;
	struct mrc_lru_stack s;
	u32 i, n;

	KUNIT_ASSERT_TRUE(test, !!memory);
	mrc_lru_stack_init(&s, memory, pages, 64);
	for (i = 0; i < pages; i++)
		mrc_lru_stack_touch(&s, address(i));
	for (n = 0; n < epochs * pages; n += BATCH) {
		u64 began = rdtsc_ordered();

		for (i = 0; i < BATCH; i++)
			touch(&s, address((n + i) % pages));
		least = min_t(u64, least, rdtsc_ordered() - began);
	}
	KUNIT_EXPECT_EQ(test, s.hits[(pages - 1) / 64], mrc_lru_stack_touches(&s));
	kvfree(memory);
	return least / BATCH;
}

/* Of 64 times the pages, one takes some times as long, which caches do, and not 64 times. */
static void epoch_is_linear(struct kunit *test)
{
	u64 small = cycles_of_raise(test, 16 << 8, 8), large = cycles_of_raise(test, 1024 << 8, 4);

	kunit_info(test, "a page takes %llu cycles of 16 MiB, %llu of 1 GiB\n", small, large);
	KUNIT_EXPECT_LT(test, large, 16 * small);
}

static struct kunit_case stack_cases[] = {
	KUNIT_CASE(stack_is_the_list),
	KUNIT_CASE(full_stack_drops_the_oldest),
	KUNIT_CASE(loop_has_its_cliff),
	KUNIT_CASE(misses_are_counted),
	KUNIT_CASE(paper_example),
	KUNIT_CASE_SLOW(epoch_is_linear),
	{}
};

static struct kunit_suite stack_suite = {
	.name = "mrc_stack",
	.test_cases = stack_cases,
};

kunit_test_suite(stack_suite);

MODULE_DESCRIPTION("KUnit tests of mrc's grouped stack");
MODULE_LICENSE("GPL");
