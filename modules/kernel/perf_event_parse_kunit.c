// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of how performance events are written. */

#include <kunit/test.h>
#include <linux/module.h>

#include "kernel/perf_event_parse.c"

static void events_are_read(struct kunit *test)
{
	struct memsuite_perf_event event = {};

	KUNIT_EXPECT_EQ(test, memsuite_perf_event_parse("4:0x81d0", &event), 0);
	KUNIT_EXPECT_EQ(test, event.type, 4U);
	KUNIT_EXPECT_EQ(test, event.config, 0x81d0ULL);
	KUNIT_EXPECT_EQ(test, event.config1, 0ULL);
	KUNIT_EXPECT_EQ(test, memsuite_perf_event_parse("0x4:461:3", &event), 0);
	KUNIT_EXPECT_EQ(test, event.config, 0x1cdULL);
	KUNIT_EXPECT_EQ(test, event.config1, 3ULL);
}

static void other_texts_are_refused(struct kunit *test)
{
	static const char * const texts[] = {
		"", "4", "4:", ":1", "4:x", "4:1:", "4:1:2:3", "-4:1", "4 1",
		"4:0x81d0 ",
		"0000000000000000000000000000000000000000000000000000000000000004:1",
	};
	struct memsuite_perf_event event = { .type = 7 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		KUNIT_EXPECT_EQ_MSG(test, memsuite_perf_event_parse(texts[i], &event),
				    -EINVAL, "%s", texts[i]);
	KUNIT_EXPECT_EQ(test, memsuite_perf_event_parse("4294967296:1", &event), -ERANGE);
	KUNIT_EXPECT_EQ(test, event.type, 7U);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE(events_are_read),
	KUNIT_CASE(other_texts_are_refused),
	{}
};

static struct kunit_suite event_suite = {
	.name = "memsuite_event",
	.test_cases = event_cases,
};

kunit_test_suite(event_suite);
