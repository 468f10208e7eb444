// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of low power first: its text form, and the order of regions. */

#include <kunit/test.h>
#include <linux/module.h>

#include "parse/command.c"
#include "parse/low_power.c"
#include "parse/bank.c"
#include "parse/order.c"

#define THIRTY_TWO	"1+2+3+4+5+6+7+8+9+10+11+12+13+14+15+16+17+18+19+20+" \
			"21+22+23+24+25+26+27+28+29+30+31+32"

static int parse_text(const char *policy, struct vipzone_command *command)
{
	char line[384];

	snprintf(line, sizeof(line), "machine low-power-first:%s", policy);
	return vipzone_command_parse(line, command);
}

/* The names, a letter each, of the regions that are tried, in their order. */
static const char *order_names(const char *policy, unsigned int hint,
			       unsigned int spare, unsigned int most_free)
{
	static char names[8];
	static struct vipzone_command command;
	struct vipzone_order order;
	unsigned int i;

	if (parse_text(policy, &command))
		return "";
	vipzone_low_power_order(&command, hint, spare, most_free, &order);
	for (i = 0; i < order.nr; i++)
		names[i] = command.regions[order.region[i]][0];
	names[i] = '\0';
	return names;
}

static void has_defaults(struct kunit *test)
{
	static struct vipzone_command command;
	int i;

	KUNIT_EXPECT_EQ(test, parse_text("a+b", &command), 0);
	KUNIT_EXPECT_TRUE(test, command.low_power.set);
	KUNIT_EXPECT_EQ(test, command.low_power.threshold_pct, 20);
	KUNIT_EXPECT_EQ(test, (int)command.low_power.low_util,
			(int)VIPZONE_LOW_UTIL_THRESHOLD);
	KUNIT_EXPECT_EQ(test, command.low_power.hint, 0);
	KUNIT_EXPECT_FALSE(test, command.low_power.kernel);
	KUNIT_EXPECT_EQ(test, command.low_power.write.nr, 2);
	for (i = 0; i < VIPZONE_NR_SEGMENTS; i++)
		KUNIT_EXPECT_EQ(test, command.orders[i].nr, 2);
}

static void takes_options(struct kunit *test)
{
	static struct vipzone_command command;

	KUNIT_EXPECT_EQ(test, parse_text("a+b,write=c+a,threshold_pct=0,low_util=most-free,kernel",
					 &command), 0);
	KUNIT_EXPECT_EQ(test, command.nr_regions, 3U);
	KUNIT_EXPECT_EQ(test, command.low_power.write.region[0], 2);
	KUNIT_EXPECT_EQ(test, command.low_power.threshold_pct, 0);
	KUNIT_EXPECT_EQ(test, (int)command.low_power.low_util,
			(int)VIPZONE_LOW_UTIL_MOST_FREE);
	KUNIT_EXPECT_TRUE(test, command.low_power.kernel);
	KUNIT_EXPECT_EQ(test, parse_text("a,hint=write+high", &command), 0);
	KUNIT_EXPECT_EQ(test, command.low_power.hint, VIPZONE_HINT_WRITE | VIPZONE_HINT_HIGH);
}

/* Of regions a, b and c, the numbers are 0, 1 and 2. */
static void orders_regions(struct kunit *test)
{
	static const struct {
		const char *policy;
		unsigned int hint, spare, most_free;
		const char *order;
	} cases[] = {
		{ "a+b+c", VIPZONE_HINT_HIGH, 0, 0, "abc" },
		{ "a+b+c,write=c+b+a", VIPZONE_HINT_HIGH | VIPZONE_HINT_WRITE, 0, 0, "cba" },
		/* What is reserved is used last, the dearest first. */
		{ "a+b+c", 0, 7, 0, "abc" },
		{ "a+b+c", 0, 6, 0, "bca" },
		{ "a+b+c", 0, 4, 0, "cba" },
		{ "a+b+c", 0, 0, 0, "cba" },
		{ "a+b+c,write=c+b+a", VIPZONE_HINT_WRITE, 1, 0, "abc" },
		{ "a+b+c,low_util=high-power", 0, 7, 0, "cba" },
		{ "a+b+c,low_util=low-power", 0, 0, 2, "abc" },
		{ "a+b+c,low_util=most-free", 0, 0, 1, "bca" },
		{ "a+b+c,low_util=most-free", VIPZONE_HINT_HIGH, 0, 1, "abc" },
		/* Not all regions need to be for writes. */
		{ "a+b,write=c", VIPZONE_HINT_WRITE, 7, 0, "c" },
		{ "a", 0, 0, 0, "a" },
	};
	const char *names;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		names = order_names(cases[i].policy, cases[i].hint, cases[i].spare,
				    cases[i].most_free);
		KUNIT_EXPECT_STREQ_MSG(test, names, cases[i].order,
				       "%s: %s", cases[i].policy, names);
	}
}

static void refuses_mistakes(struct kunit *test)
{
	static const struct {
		const char *policy;
		int err;
	} cases[] = {
		{ "", -EINVAL },
		{ ",kernel", -EINVAL },
		{ "a+a", -EINVAL },
		{ "a,", -EINVAL },
		{ "a,write", -EINVAL },
		{ "a,write=", -EINVAL },
		{ "a,write=b+b", -EINVAL },
		{ "a,threshold_pct=", -EINVAL },
		{ "a,threshold_pct=x", -EINVAL },
		{ "a,threshold_pct=-1", -EINVAL },
		{ "a,threshold_pct=100", 0 },
		{ "a,threshold_pct=101", -ERANGE },
		{ "a,low_util=", -EINVAL },
		{ "a,low_util=free", -EINVAL },
		{ "a,hint=", -EINVAL },
		{ "a,hint=read", -EINVAL },
		{ "a,hint=write+", -EINVAL },
		{ "a,kernel=1", -EINVAL },
		{ "a,colour=red", -EINVAL },
		{ "1+2+3+4,write=5+6+7+8", 0 },
		{ "33,write=" THIRTY_TWO, -E2BIG },
	};
	static struct vipzone_command command;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, parse_text(cases[i].policy, &command),
				    cases[i].err, "%s", cases[i].policy);
}

static struct kunit_case low_power_cases[] = {
	KUNIT_CASE(has_defaults),
	KUNIT_CASE(takes_options),
	KUNIT_CASE(orders_regions),
	KUNIT_CASE(refuses_mistakes),
	{}
};

static struct kunit_suite low_power_suite = {
	.name = "vipzone_low_power",
	.test_cases = low_power_cases,
};

kunit_test_suite(low_power_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of low power first");
