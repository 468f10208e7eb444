// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the text form of a steering request. */

#include <kunit/test.h>
#include <linux/module.h>

#include "parse/command.c"
#include "parse/low_power.c"
#include "parse/bank.c"
#include "parse/order.c"

#define THIRTY_TWO	"1+2+3+4+5+6+7+8+9+10+11+12+13+14+15+16+17+18+19+20+" \
			"21+22+23+24+25+26+27+28+29+30+31+32"

/* vipzone_command_parse() cuts its line up. */
static int parse_text(const char *text, struct vipzone_command *command)
{
	char line[384];

	strscpy(line, text, sizeof(line));
	return vipzone_command_parse(line, command);
}

static void parses_one_region(struct kunit *test)
{
	static struct vipzone_command command;
	int i;

	memset(&command, 0xff, sizeof(command));
	KUNIT_EXPECT_EQ(test, parse_text("4194304 region:node0", &command), 0);
	KUNIT_EXPECT_EQ(test, (int)command.scope, (int)VIPZONE_SCOPE_PROCESS);
	KUNIT_EXPECT_EQ(test, command.pid, 4194304);
	KUNIT_EXPECT_EQ(test, command.nr_regions, 1U);
	KUNIT_EXPECT_STREQ(test, command.regions[0], "node0");
	KUNIT_EXPECT_STREQ(test, command.policy, "region:node0");
	KUNIT_EXPECT_FALSE(test, command.children);
	for (i = 0; i < VIPZONE_NR_SEGMENTS; i++) {
		KUNIT_EXPECT_EQ(test, command.orders[i].nr, 1);
		KUNIT_EXPECT_EQ(test, command.orders[i].region[0], 0);
	}
}

static void keeps_the_order_of_regions(struct kunit *test)
{
	static struct vipzone_command command;

	KUNIT_EXPECT_EQ(test, parse_text("1 region:b+a+c", &command), 0);
	KUNIT_EXPECT_EQ(test, command.nr_regions, 3U);
	KUNIT_EXPECT_STREQ(test, command.regions[0], "b");
	KUNIT_EXPECT_STREQ(test, command.regions[1], "a");
	KUNIT_EXPECT_STREQ(test, command.regions[2], "c");
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_BRK].nr, 3);
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_BRK].region[2], 2);
}

static void tells_segments_apart(struct kunit *test)
{
	static struct vipzone_command command;

	KUNIT_EXPECT_EQ(test, parse_text("1 segment:heap=a,*=b+a,stack=c",
					 &command), 0);
	KUNIT_EXPECT_EQ(test, command.nr_regions, 3U);
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_BRK].nr, 1);
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_BRK].region[0], 0);
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_STACK].region[0], 2);
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_TEXT].nr, 2);
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_CACHE].region[0], 1);
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_CACHE].region[1], 0);
}

static void takes_the_narrowest_name(struct kunit *test)
{
	static struct vipzone_command command;

	KUNIT_EXPECT_EQ(test, parse_text("1 segment:*=a,heap=b,brk=c", &command), 0);
	KUNIT_EXPECT_STREQ(test, command.regions[command.orders[VIPZONE_SEGMENT_BRK].region[0]],
			   "c");
	KUNIT_EXPECT_STREQ(test, command.regions[command.orders[VIPZONE_SEGMENT_MMAP].region[0]],
			   "b");
	KUNIT_EXPECT_STREQ(test, command.regions[command.orders[VIPZONE_SEGMENT_SHARED].region[0]],
			   "a");
	KUNIT_EXPECT_EQ(test, parse_text("1 segment:mmap=a,heap=b", &command), 0);
	KUNIT_EXPECT_STREQ(test, command.regions[command.orders[VIPZONE_SEGMENT_BRK].region[0]],
			   "b");
	KUNIT_EXPECT_STREQ(test, command.regions[command.orders[VIPZONE_SEGMENT_MMAP].region[0]],
			   "a");
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_SHARED].nr, 0);
}

static void takes_weights(struct kunit *test)
{
	static struct vipzone_command command;
	const struct vipzone_order *order = &command.orders[VIPZONE_SEGMENT_BRK];

	KUNIT_EXPECT_EQ(test, parse_text("1 segment:heap=a=3+b=255,stack=b,*=b=1+c=2", &command),
			0);
	KUNIT_EXPECT_STREQ(test, command.policy, "segment:heap=a=3+b=255,stack=b,*=b=1+c=2");
	KUNIT_EXPECT_EQ(test, command.nr_regions, 3U);
	KUNIT_EXPECT_TRUE(test, vipzone_order_is_weighted(order));
	KUNIT_EXPECT_EQ(test, order->nr, 2);
	KUNIT_EXPECT_EQ(test, order->region[1], 1);
	KUNIT_EXPECT_EQ(test, order->weight[0], 3);
	KUNIT_EXPECT_EQ(test, order->weight[1], 255);
	order = &command.orders[VIPZONE_SEGMENT_STACK];
	KUNIT_EXPECT_FALSE(test, vipzone_order_is_weighted(order));
	order = &command.orders[VIPZONE_SEGMENT_SHARED];
	KUNIT_EXPECT_EQ(test, order->region[0], 1);
	KUNIT_EXPECT_EQ(test, order->weight[0], 1);
	KUNIT_EXPECT_EQ(test, order->weight[1], 2);
	/* Without weights, none is left of a policy before. */
	KUNIT_EXPECT_EQ(test, parse_text("1 region:a+b", &command), 0);
	KUNIT_EXPECT_FALSE(test, vipzone_order_is_weighted(order));
}

static void leaves_out_what_is_not_named(struct kunit *test)
{
	static struct vipzone_command command;

	KUNIT_EXPECT_EQ(test, parse_text("1 segment:bss=a", &command), 0);
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_BSS].nr, 1);
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_DATA].nr, 0);
	KUNIT_EXPECT_EQ(test, command.orders[VIPZONE_SEGMENT_CACHE].nr, 0);
}

static void fills_in_by_technology(struct kunit *test)
{
	static struct vipzone_command command;
	char name[4];
	int i;

	KUNIT_EXPECT_EQ(test, parse_text("1 segment heat", &command), 0);
	KUNIT_EXPECT_TRUE(test, command.by_technology);
	KUNIT_EXPECT_STREQ(test, command.policy, "segment");
	KUNIT_EXPECT_EQ(test, command.nr_regions, 0U);
	KUNIT_EXPECT_EQ(test, vipzone_command_fill("n", MEMSUITE_TECHNOLOGY_UNKNOWN,
						   &command), 0);
	KUNIT_EXPECT_EQ(test, vipzone_command_fill("p", MEMSUITE_TECHNOLOGY_PRAM, &command), 0);
	KUNIT_EXPECT_EQ(test, vipzone_command_fill("d", MEMSUITE_TECHNOLOGY_DRAM, &command), 0);
	KUNIT_EXPECT_EQ(test, vipzone_command_fill("q", MEMSUITE_TECHNOLOGY_PRAM, &command), 0);
	KUNIT_EXPECT_EQ(test, command.nr_regions, 3U);
	for (i = 0; i < VIPZONE_NR_SEGMENTS; i++) {
		bool dram = VIPZONE_HEAP_SEGMENTS & 1U << i || i == VIPZONE_SEGMENT_STACK;

		KUNIT_EXPECT_EQ(test, command.orders[i].nr, dram ? 1 : 2);
		KUNIT_EXPECT_STREQ(test, command.regions[command.orders[i].region[0]],
				   dram ? "d" : "p");
	}
	KUNIT_EXPECT_STREQ(test, command.regions[command.orders[VIPZONE_SEGMENT_SHARED].region[1]],
			   "q");
	for (i = 3; i < VIPZONE_MAX_REGIONS; i++) {
		snprintf(name, sizeof(name), "%d", i);
		KUNIT_EXPECT_EQ(test, vipzone_command_fill(name, MEMSUITE_TECHNOLOGY_DRAM,
							   &command), 0);
	}
	KUNIT_EXPECT_EQ(test, vipzone_command_fill("x", MEMSUITE_TECHNOLOGY_DRAM, &command),
			-E2BIG);
	KUNIT_EXPECT_EQ(test, parse_text("1 segment:heap=a", &command), 0);
	KUNIT_EXPECT_FALSE(test, command.by_technology);
	KUNIT_EXPECT_EQ(test, parse_text("1 segments", &command), -EINVAL);
}

static void spreads_over_banks(struct kunit *test)
{
	static struct vipzone_command command;
	int i;

	KUNIT_EXPECT_EQ(test, parse_text("machine bank:percpu=a+b|c|d", &command),
			0);
	KUNIT_EXPECT_EQ(test, (int)command.banks.assign, (int)VIPZONE_BANK_PERCPU);
	KUNIT_EXPECT_EQ(test, command.banks.nr, 3);
	KUNIT_EXPECT_EQ(test, command.banks.orders[0].nr, 2);
	KUNIT_EXPECT_EQ(test, command.banks.orders[1].nr, 1);
	KUNIT_EXPECT_EQ(test, command.banks.orders[2].region[0], 3);
	KUNIT_EXPECT_EQ(test, command.nr_regions, 4U);
	for (i = 0; i < VIPZONE_NR_SEGMENTS; i++)
		KUNIT_EXPECT_EQ(test, command.orders[i].nr, 4);
	KUNIT_EXPECT_EQ(test, parse_text("1 bank:random=a|b", &command), 0);
	KUNIT_EXPECT_EQ(test, (int)command.banks.assign, (int)VIPZONE_BANK_RANDOM);
	KUNIT_EXPECT_EQ(test, parse_text("1 region:a", &command), 0);
	KUNIT_EXPECT_EQ(test, command.banks.nr, 0);
}

static void knows_who(struct kunit *test)
{
	static struct vipzone_command command;

	KUNIT_EXPECT_EQ(test, parse_text("machine region:a", &command), 0);
	KUNIT_EXPECT_EQ(test, (int)command.scope, (int)VIPZONE_SCOPE_MACHINE);
	KUNIT_EXPECT_EQ(test, parse_text("cgroup:/a/b region:a", &command), 0);
	KUNIT_EXPECT_EQ(test, (int)command.scope, (int)VIPZONE_SCOPE_CGROUP);
	KUNIT_EXPECT_STREQ(test, command.path, "/a/b");
	KUNIT_EXPECT_EQ(test, parse_text("file:/dev/shm/a region:a=2+b=1", &command), 0);
	KUNIT_EXPECT_EQ(test, (int)command.scope, (int)VIPZONE_SCOPE_FILE);
	KUNIT_EXPECT_STREQ(test, command.path, "/dev/shm/a");
	KUNIT_EXPECT_EQ(test, parse_text("file:a region:a", &command), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_text("file: region:a", &command), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_text("file:/a region:a heat", &command), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_text("file:/a bank:percpu=a|b", &command), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_text("file:/a low-power-first:a,kernel=1", &command), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_text("1 \t region:a  children ", &command), 0);
	KUNIT_EXPECT_TRUE(test, command.children);
}

static void takes_options_in_any_order(struct kunit *test)
{
	static struct vipzone_command command;

	KUNIT_EXPECT_EQ(test, parse_text("1 region:a", &command), 0);
	KUNIT_EXPECT_FALSE(test, command.heat || command.wear);
	KUNIT_EXPECT_EQ(test, parse_text("1 region:a+b wear children heat",
					 &command), 0);
	KUNIT_EXPECT_TRUE(test, command.children && command.heat &&
			  command.wear);
	KUNIT_EXPECT_EQ(test, parse_text("machine region:a+b heat", &command), 0);
	KUNIT_EXPECT_TRUE(test, command.heat);
	KUNIT_EXPECT_EQ(test, parse_text("1 region:a heat heat", &command), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_text("1 region:a wear hot", &command), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_text("machine region:a wear children", &command),
			-EINVAL);
}

static void lets_programs_choose(struct kunit *test)
{
	static struct vipzone_command base, chosen;
	char list[64];

	KUNIT_ASSERT_EQ(test, parse_text("1 segment:heap=a,mmap=b+c", &base), 0);
	strscpy(list, "heap=b", sizeof(list));
	KUNIT_EXPECT_EQ(test, vipzone_command_choose(&base, list, &chosen), -EPERM);
	KUNIT_ASSERT_EQ(test, parse_text("machine segment:heap=a,mmap=b+c programs",
					 &base), 0);
	KUNIT_EXPECT_TRUE(test, base.programs);
	strscpy(list, "heap=c+a,bss=b", sizeof(list));
	KUNIT_ASSERT_EQ(test, vipzone_command_choose(&base, list, &chosen), 0);
	KUNIT_EXPECT_STREQ(test, chosen.policy, "segment:heap=c+a,bss=b");
	KUNIT_EXPECT_EQ(test, (int)chosen.scope, (int)VIPZONE_SCOPE_PROCESS);
	KUNIT_EXPECT_TRUE(test, chosen.children);
	KUNIT_EXPECT_FALSE(test, chosen.programs);
	KUNIT_EXPECT_EQ(test, chosen.orders[VIPZONE_SEGMENT_BRK].nr, 2);
	KUNIT_EXPECT_EQ(test, chosen.orders[VIPZONE_SEGMENT_BRK].region[0], 2);
	KUNIT_EXPECT_EQ(test, chosen.orders[VIPZONE_SEGMENT_BSS].region[0], 1);
	KUNIT_EXPECT_EQ(test, chosen.orders[VIPZONE_SEGMENT_MMAP].nr, 2);
	KUNIT_EXPECT_EQ(test, chosen.orders[VIPZONE_SEGMENT_TEXT].nr, 0);
	strscpy(list, "heap=c=2+a=1", sizeof(list));
	KUNIT_ASSERT_EQ(test, vipzone_command_choose(&base, list, &chosen), 0);
	KUNIT_EXPECT_EQ(test, chosen.orders[VIPZONE_SEGMENT_BRK].weight[0], 2);
	base.heat = true;
	strscpy(list, "heap=c=2+a=1", sizeof(list));
	KUNIT_EXPECT_EQ(test, vipzone_command_choose(&base, list, &chosen), -EINVAL);
	strscpy(list, "heap=d", sizeof(list));
	KUNIT_EXPECT_EQ(test, vipzone_command_choose(&base, list, &chosen), -EPERM);
	strscpy(list, "heap", sizeof(list));
	KUNIT_EXPECT_EQ(test, vipzone_command_choose(&base, list, &chosen), -EINVAL);
}

static void refuses_mistakes(struct kunit *test)
{
	static const struct {
		const char *text;
		int err;
	} cases[] = {
		{ "", -EINVAL },
		{ "1", -EINVAL },			/* no policy */
		{ "1 children", -EINVAL },
		{ "region:a", -EINVAL },
		{ "0 region:a", -EINVAL },
		{ "-1 region:a", -EINVAL },
		{ "x region:a", -EINVAL },
		{ "0x10 region:a", -EINVAL },
		{ "1x region:a", -EINVAL },
		{ " 1 region:a", -EINVAL },
		{ "2147483648 region:a", -EINVAL },
		{ "99999999999999999999 region:a", -EINVAL },
		{ "machines region:a", -EINVAL },
		{ "cgroup: region:a", -EINVAL },
		{ "cgroup:a region:a", -EINVAL },
		{ "cgroup:/a region:a children", -EINVAL },
		{ "cgroup:/a region:a later", 0 },
		{ "cgroup:/a region:a later later", -EINVAL },
		{ "machine region:a later", -EINVAL },
		{ "1 region:a later", -EINVAL },
		{ "cgroup:/a region:a move later", 0 },
		{ "cgroup:/a region:a move move", -EINVAL },
		{ "machine region:a move", -EINVAL },
		{ "1 region:a move", -EINVAL },
		{ "machine region:a children", -EINVAL },
		{ "1 region:", -EINVAL },
		{ "1 region:+", -EINVAL },
		{ "1 region:a+", -EINVAL },
		{ "1 region:+a", -EINVAL },
		{ "1 region:a++b", -EINVAL },
		{ "1 region:a+b+a", -EINVAL },
		{ "1 region", -EINVAL },
		{ "1 region=a", -EINVAL },
		{ "1 regions:a", -EINVAL },
		{ "1 Region:a", -EINVAL },
		{ "1 region:a region:b", -EINVAL },
		{ "1 region:a children children", -EINVAL },
		{ "1 region:a programs programs", -EINVAL },
		{ "1 region:a programs children", 0 },
		{ "cgroup:/a region:a children programs", -EINVAL },
		{ "1 low-power-first:a programs", -EINVAL },
		{ "1 region:a kids", -EINVAL },
		{ "1 region:a 2", -EINVAL },
		{ "1 segment:", -EINVAL },
		{ "1 segment:heap", -EINVAL },
		{ "1 segment:heap=", -EINVAL },
		{ "1 segment:=a", -EINVAL },
		{ "1 segment:heap=a,", -EINVAL },
		{ "1 segment:pile=a", -EINVAL },
		{ "1 segment:heap=a,heap=b", -EINVAL },
		{ "1 segment:brk=a,heap=b,brk=c", -EINVAL },
		{ "1 segment:brk=a,mmap=b,heap=c,heap=d", -EINVAL },
		{ "1 segment:*=a,*=b", -EINVAL },
		{ "1 segment:heap=a=b", -EINVAL },
		{ "1 segment:heap=a=1", -EINVAL },
		{ "1 region:a=3+b=1", 0 },
		{ "1 region:a=255+b=1", 0 },
		{ "1 region:a=256+b=1", -ERANGE },
		{ "1 region:a=0+b=1", -ERANGE },
		{ "1 region:a=3+b=0", -ERANGE },
		{ "1 region:a=99999999999+b=1", -ERANGE },
		{ "1 region:a=-1+b=1", -EINVAL },
		{ "1 region:a=3.5+b=1", -EINVAL },
		{ "1 region:a=3", -EINVAL },
		{ "1 region:a=3+b", -EINVAL },
		{ "1 region:a+b=3", -EINVAL },
		{ "1 region:a=3+b=", -EINVAL },
		{ "1 region:a=+b=1", -EINVAL },
		{ "1 region:=3+b=1", -EINVAL },
		{ "1 region:a=3+a=1", -EINVAL },
		{ "1 region:a=3=1+b=1", -EINVAL },
		{ "1 region:a=3+b=1+", -EINVAL },
		{ "1 region:a=3+b=1 children programs", 0 },
		{ "1 region:a=3+b=1 heat", -EINVAL },
		{ "1 region:a=3+b=1 wear", -EINVAL },
		{ "1 segment:heap=a=3+b=1,*=a wear", -EINVAL },
		{ "1 low-power-first:a=3+b=1", -EINVAL },
		{ "1 low-power-first:a+b,write=b=1+a=3", -EINVAL },
		{ "1 bank:percpu=a=1+b=3|c", -EINVAL },
		{ "1 region:1+2+3+4+5+6+7+8", 0 },
		{ "1 region:" THIRTY_TWO, 0 },
		{ "1 region:" THIRTY_TWO "+33", -E2BIG },
		{ "1 segment:heap=1+2+3+4,*=5+6+7+8", 0 },
		{ "1 segment:heap=33,*=" THIRTY_TWO, -E2BIG },
		{ "1 bank:", -EINVAL },
		{ "1 bank:percpu", -EINVAL },
		{ "1 bank:percpu=", -EINVAL },
		{ "1 bank:percpu=a|", -EINVAL },
		{ "1 bank:percpu=|a", -EINVAL },
		{ "1 bank:percpu=a|b|a", -EINVAL },
		{ "1 bank:percpu=a+b|b", -EINVAL },
		{ "1 bank:perthread=a", -EINVAL },
		{ "1 bank:=a", -EINVAL },
		{ "1 bank:a|b", -EINVAL },
		{ "1 bank:random=" THIRTY_TWO "|33", -E2BIG },
		{ "1 bank:percgroup=" THIRTY_TWO, 0 },
		{ "1 region:abcdefghijklmnopqrstuvwxyz01234", 0 },
		{ "1 region:abcdefghijklmnopqrstuvwxyz012345", -ENAMETOOLONG },
	};
	static struct vipzone_command command;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, parse_text(cases[i].text, &command),
				    cases[i].err, "%s", cases[i].text);
}

static struct kunit_case command_cases[] = {
	KUNIT_CASE(parses_one_region),
	KUNIT_CASE(keeps_the_order_of_regions),
	KUNIT_CASE(tells_segments_apart),
	KUNIT_CASE(takes_the_narrowest_name),
	KUNIT_CASE(takes_weights),
	KUNIT_CASE(leaves_out_what_is_not_named),
	KUNIT_CASE(fills_in_by_technology),
	KUNIT_CASE(spreads_over_banks),
	KUNIT_CASE(knows_who),
	KUNIT_CASE(takes_options_in_any_order),
	KUNIT_CASE(lets_programs_choose),
	KUNIT_CASE(refuses_mistakes),
	{}
};

static struct kunit_suite command_suite = {
	.name = "vipzone_command",
	.test_cases = command_cases,
};

kunit_test_suite(command_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of vipzone");
