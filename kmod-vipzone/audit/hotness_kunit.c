// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of how pages are used. */

#include <kunit/test.h>
#include <linux/module.h>

#include "audit/hotness.c"

static struct vipzone_hotness hotness_after(struct vipzone_hotness hotness, unsigned int nr,
					    bool accessed, bool written)
{
	while (nr--)
		vipzone_hotness_look(&hotness, accessed, written);
	return hotness;
}

static const struct vipzone_hotness unknown;

static void first_look_says_nothing(struct kunit *test)
{
	struct vipzone_hotness hotness = unknown;

	KUNIT_EXPECT_EQ(test, sizeof(hotness), sizeof(u32));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_look(&hotness, true, true));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_used(hotness, 1));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_idle(hotness_after(unknown, 1, false, false),
							 1));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_idle(unknown, 1));
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_look(&hotness, true, true));
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_used(hotness, 1));
}

static void hot_takes_a_row_of_uses(struct kunit *test)
{
	struct vipzone_hotness written = hotness_after(unknown, 3, true, true);
	struct vipzone_hotness read = hotness_after(unknown, 3, true, false);

	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_used(read, 2));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_used(read, 3));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_written(read, 1));
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_written(written, 2));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_written(written, 3));
	/* One look without forgets a quarter, and not all. */
	written = hotness_after(hotness_after(unknown, 20, true, true), 1, false, false);
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_written(written, 3));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_written(written, 6));
}

static void reads_and_writes_add_up(struct kunit *test)
{
	struct vipzone_hotness hotness = hotness_after(unknown, 1, true, true);
	unsigned int i;

	for (i = 0; i < 40; i++)
		vipzone_hotness_look(&hotness, true, i & 1);
	KUNIT_EXPECT_GE(test, 0U + hotness.reads, 48U);
	KUNIT_EXPECT_GE(test, 0U + hotness.writes, 48U);
	KUNIT_EXPECT_LE(test, hotness.reads + hotness.writes, (unsigned int)VIPZONE_HOTNESS_MOST);
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_used(hotness, 4));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_written(hotness, 4));
}

static void idle_takes_a_row_of_nothing(struct kunit *test)
{
	struct vipzone_hotness hotness = hotness_after(unknown, 5, false, false);

	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_idle(hotness, 4));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_idle(hotness, 5));
	KUNIT_EXPECT_FALSE(test,
			   vipzone_hotness_is_idle(hotness_after(hotness, 1, true, false), 1));
	KUNIT_EXPECT_FALSE(test,
			   vipzone_hotness_is_idle(hotness_after(hotness, 1, false, true), 1));
}

static void nothing_overflows(struct kunit *test)
{
	struct vipzone_hotness hot = hotness_after(unknown, 70000, true, true);
	struct vipzone_hotness idle = hotness_after(hot, 16, false, false);

	KUNIT_EXPECT_EQ(test, 0U + hot.writes, (unsigned int)VIPZONE_HOTNESS_MOST);
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_written(hot, VIPZONE_HOTNESS_MAX_LOOKS));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_idle(hot, 1));
	KUNIT_EXPECT_EQ(test, 0U + idle.writes, 0U);
	idle = hotness_after(idle, 70000, false, false);
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_is_idle(idle, VIPZONE_HOTNESS_MAX_LOOKS));
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_is_used(idle, 1));
}

/* Tries in so many looks at a page that stays where it is, or swings back at once. */
static unsigned int tries_in(unsigned int looks)
{
	struct vipzone_hotness hotness = unknown;
	unsigned int tries = 0;

	while (looks--) {
		vipzone_hotness_rest(&hotness);
		if (!vipzone_hotness_may_move(hotness))
			continue;
		vipzone_hotness_try(&hotness);
		tries++;
	}
	return tries;
}

static void what_stays_is_seldom_tried(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, tries_in(1), 1U);
	KUNIT_EXPECT_EQ(test, tries_in(2), 2U);
	KUNIT_EXPECT_EQ(test, tries_in(3), 2U);
	KUNIT_EXPECT_EQ(test, tries_in(5), 3U);
	KUNIT_EXPECT_LE(test, tries_in(120), 8U);
	KUNIT_EXPECT_LE(test, tries_in(12000), 200U);
	KUNIT_EXPECT_GE(test, tries_in(12000), 90U);	/* but not never */
}

static void what_was_moved_once_is_tried_as_before(struct kunit *test)
{
	struct vipzone_hotness hotness = unknown;
	unsigned int i;

	vipzone_hotness_try(&hotness);
	KUNIT_EXPECT_FALSE(test, vipzone_hotness_may_move(hotness));
	for (i = 0; i < 16; i++)
		vipzone_hotness_rest(&hotness);
	KUNIT_EXPECT_EQ(test, 0U + hotness.tries, 0U);
	KUNIT_EXPECT_TRUE(test, vipzone_hotness_may_move(hotness));
	/* Once in sixteen looks, for ever. */
	vipzone_hotness_try(&hotness);
	KUNIT_EXPECT_EQ(test, 0U + hotness.tries, 1U);
}

static void what_waits_is_tried_soon(struct kunit *test)
{
	struct vipzone_hotness hotness = unknown;
	unsigned int waits, looks;

	for (waits = 0; waits < 20; waits++) {
		vipzone_hotness_wait(&hotness);
		for (looks = 0; !vipzone_hotness_may_move(hotness); looks++)
			vipzone_hotness_rest(&hotness);
		KUNIT_EXPECT_LE(test, looks, 7U);
		KUNIT_EXPECT_GE(test, looks, waits < 2 ? 1U : 7U);
	}
	/* What was tried in vain as well does not get off lighter. */
	for (waits = 0; waits < 20; waits++)
		vipzone_hotness_try(&hotness);
	vipzone_hotness_wait(&hotness);
	KUNIT_EXPECT_EQ(test, 0U + hotness.tries, 7U);
}

static struct kunit_case hotness_cases[] = {
	KUNIT_CASE(first_look_says_nothing),
	KUNIT_CASE(hot_takes_a_row_of_uses),
	KUNIT_CASE(reads_and_writes_add_up),
	KUNIT_CASE(idle_takes_a_row_of_nothing),
	KUNIT_CASE(nothing_overflows),
	KUNIT_CASE(what_stays_is_seldom_tried),
	KUNIT_CASE(what_was_moved_once_is_tried_as_before),
	KUNIT_CASE(what_waits_is_tried_soon),
	{}
};

static struct kunit_suite hotness_suite = {
	.name = "vipzone_hotness",
	.test_cases = hotness_cases,
};

kunit_test_suite(hotness_suite);
