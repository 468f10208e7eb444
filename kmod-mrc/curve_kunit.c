// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the curve and of the sample, against closed forms. */

#include <kunit/test.h>
#include <linux/module.h>

#include "curve.c"
#include "sample.c"

/* Too large for a kernel stack, and tests run one at a time. */
static struct mrc_wsf wsf;
static struct mrc_steps steps;
static struct mrc_curve curve;

static u64 fixed(u64 pages)
{
	return pages << MRC_FRAC;
}

/* A loop over n pages that takes us: each is touched once in that time. */
static void add_loop(u64 n, u64 us)
{
	unsigned int i;

	for (i = 0; i < wsf.n; i++)
		wsf.pages[i] += wsf.us[i] >= us ? fixed(n) :
				fixed(n) * wsf.us[i] / us;
}

/* e^-x of x = num/den, in 1/2^32. */
static u64 exp_minus(u64 num, u64 den)
{
	u64 step = mul_u64_u64_div_u64(num, 1ULL << 20, den), e;
	int i;

	if (step >= 1ULL << 26)
		return 0;
	/* (1 - x / 4096) ^ 4096 */
	e = (1ULL << 32) - step;
	for (i = 0; i < 12; i++)
		e = mul_u64_u64_shr(e, e, 32);
	return e;
}

/* Looked at once, at the start of the grid; the rest of it follows. */
static void begin(void)
{
	static const u64 first = MRC_TIME_FIRST;

	mrc_wsf_begin(&wsf, &first, 1, U64_MAX);
}

static void start(struct kunit *test)
{
	mrc_curve_init();
	begin();
	mrc_curve_reset(&curve);
}

static void finish(void)
{
	unsigned int k;

	mrc_steps_from_wsf(&steps, &wsf);
	mrc_curve_add(curve.rate, &steps, curve.ladders);
	for (k = 0; k < MRC_SUBS; k++)
		mrc_curve_add(curve.sub[k], &steps, curve.ladders);
	curve.ladders++;
}

/* The largest size that still misses at half the rate of the smallest. */
static u64 cliff(void)
{
	u64 at = 0;
	unsigned int i;

	for (i = 0; i < MRC_SIZES; i++)
		if (curve.rate[i] && curve.rate[i] >= curve.rate[0] / 2)
			at = mrc_size(i);
	return at;
}

static void expect_falling(struct kunit *test)
{
	unsigned int i;

	for (i = 1; i < steps.n; i++) {
		KUNIT_EXPECT_GT(test, steps.step[i].pages,
				steps.step[i - 1].pages);
		KUNIT_EXPECT_LE(test, steps.step[i].rate,
				steps.step[i - 1].rate);
	}
	for (i = 1; i < MRC_SIZES; i++)
		KUNIT_EXPECT_LE(test, curve.rate[i], curve.rate[i - 1]);
}

/* |got - want| in thousandths of whole. */
static u64 error_permille(u64 got, u64 want, u64 whole)
{
	return 1000 * (got > want ? got - want : want - got) / whole;
}

static void grids_grow(struct kunit *test)
{
	unsigned int i;

	start(test);
	KUNIT_EXPECT_EQ(test, mrc_time(0), 1000ULL);
	KUNIT_EXPECT_EQ(test, mrc_size(0), 1ULL);
	for (i = 1; i < MRC_TIMES; i++) {
		KUNIT_EXPECT_LE(test, mrc_time(i) * 16, mrc_time(i - 1) * 19);
		KUNIT_EXPECT_GT(test, mrc_time(i) * 100, mrc_time(i - 1) * 118);
		KUNIT_EXPECT_EQ(test, mrc_times_within(mrc_time(i)), i + 1);
		KUNIT_EXPECT_EQ(test, mrc_times_within(mrc_time(i) - 1), i);
	}
	KUNIT_EXPECT_EQ(test, mrc_times_within(0), 0U);
	KUNIT_EXPECT_EQ(test, mrc_times_within(U64_MAX), (u32)MRC_TIMES);
	for (i = 1; i < MRC_SIZES; i++) {
		KUNIT_EXPECT_GT(test, mrc_size(i), mrc_size(i - 1));
		KUNIT_EXPECT_LE(test, 64 * (mrc_size(i) - mrc_size(i - 1)),
				max_t(u64, 64, mrc_size(i)));
	}
	/* A machine of 256 GiB fits. */
	KUNIT_EXPECT_GT(test, mrc_size(MRC_SIZES - 1), 64ULL << 20);
}

/* Touches are spread over their interval, and add up to their weight. */
static void touches_add_up(struct kunit *test)
{
	unsigned int i;

	start(test);
	mrc_wsf_touch(&wsf, 0, 500, fixed(3));
	mrc_wsf_touch(&wsf, 10000, 30000, fixed(100));
	mrc_wsf_touch(&wsf, mrc_time(40), mrc_time(40) + 1, 77777);
	mrc_wsf_touch(&wsf, mrc_time(MRC_TIMES - 1), U64_MAX, fixed(5));
	mrc_wsf_finish(&wsf);
	KUNIT_EXPECT_EQ(test, wsf.pages[0], fixed(3));
	KUNIT_EXPECT_EQ(test, mrc_wsf_at(&wsf, 500), fixed(3) / 2);
	KUNIT_EXPECT_EQ(test, wsf.pages[MRC_TIMES - 1], fixed(103) + 77777);
	for (i = 0; i < MRC_TIMES; i++) {
		u64 t = mrc_time(i), want = fixed(3);

		if (t > 10000)
			want += fixed(100) * (min(t, 30000ULL) - 10000) / 20000;
		if (t > mrc_time(40))
			want += 77777;
		KUNIT_EXPECT_LE(test, error_permille(wsf.pages[i], want,
						     fixed(100)), 1ULL);
	}
}

static void loop_has_its_cliff(struct kunit *test)
{
	static const u64 pages[] = { 17, 2000, 10000, 30000, 5000000 };
	static const u64 period[] = { 1500, 2100, 50000, 71234, 1999000 };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(pages); i++)
		for (k = 0; k < ARRAY_SIZE(period); k++) {
			start(test);
			add_loop(pages[i], period[k]);
			finish();
			expect_falling(test);
			/* The size grid alone is 1.6% apart. */
			KUNIT_EXPECT_LE(test, error_permille(cliff() + 1, pages[i],
							     pages[i]), 20ULL);
			KUNIT_EXPECT_LE(test,
					error_permille(curve.rate[0],
						       pages[i] * 1000000000 /
						       period[k], curve.rate[0]),
					3ULL);
			KUNIT_EXPECT_EQ(test, mrc_steps_rate(&steps, pages[i] + 1),
					0ULL);
		}
}

/* A hot loop and a cold one: two cliffs, and the rate between them. */
static void two_loops_have_two(struct kunit *test)
{
	start(test);
	add_loop(1000, 5000);
	add_loop(20000, 700000);
	finish();
	expect_falling(test);
	/* 1000 / 5 ms + 20000 / 0.7 s, and 20000 / 0.7 s */
	KUNIT_EXPECT_LE(test, error_permille(mrc_steps_rate(&steps, 900),
					     228571428, 228571428), 10ULL);
	KUNIT_EXPECT_LE(test, error_permille(mrc_steps_rate(&steps, 1200),
					     28571428, 28571428), 20ULL);
	KUNIT_EXPECT_LE(test, error_permille(mrc_steps_rate(&steps, 20000),
					     28571428, 28571428), 50ULL);
	KUNIT_EXPECT_LE(test, mrc_steps_rate(&steps, 21100), 100ULL);
}

/*
 * Rungs that come when they can, and far apart: as long as the program was
 * seen at work once before its loop ends, the cliff is where it is.
 */
static void late_rungs_keep_the_cliff(struct kunit *test)
{
	static const u64 rung[] = { 8091, 17425, 22227, 26322, 31229 };
	u64 period;

	for (period = 8500; period < 26000; period += 500) {
		start(test);
		mrc_wsf_begin(&wsf, rung, ARRAY_SIZE(rung), 31229);
		KUNIT_EXPECT_EQ(test, wsf.n, (u32)ARRAY_SIZE(rung));
		add_loop(30000, period);
		finish();
		expect_falling(test);
		KUNIT_EXPECT_LE(test, error_permille(cliff() + 1, 30000, 30000),
				20ULL);
	}
}

/* A loop whose speed changes from ladder to ladder keeps its cliff. */
static void speed_does_not_blur(struct kunit *test)
{
	unsigned int i;

	start(test);
	for (i = 0; i < 20; i++) {
		begin();
		add_loop(10000, 40000 + 3000 * (i % 7));
		finish();
	}
	KUNIT_EXPECT_LE(test, error_permille(cliff(), 10000, 10000), 20ULL);
}

/* Each touch hits one of n pages at random: s = n (1 - e^-t/tau). */
static void uniform_falls_straight(struct kunit *test)
{
	const u64 n = 20000, tau = 100000;
	u64 m, rate0 = n * 1000000000 / tau, sum = 0;
	unsigned int i;

	start(test);
	for (i = 0; i < MRC_TIMES; i++)
		wsf.pages[i] = fixed(n) - (fixed(n) *
					   (exp_minus(mrc_time(i), tau) >> 8) >> 24);
	finish();
	expect_falling(test);
	for (m = n / 100; m < n; m += n / 100)
		sum += error_permille(mrc_steps_rate(&steps, m),
				      rate0 - rate0 / n * m, rate0);
	/* Mean error of 1.2%: what steps of 19/16 can do. */
	KUNIT_EXPECT_LE(test, sum, 99 * 12ULL);
}

/* s = n t / (t + tau), so that the rate is (n - s)^2 / (n tau): a long tail. */
static void tail_is_followed(struct kunit *test)
{
	const u64 n = 50000, tau = 60000;
	u64 m, rate0 = n * 1000000000 / tau, sum = 0;
	unsigned int i;

	start(test);
	for (i = 0; i < MRC_TIMES; i++)
		wsf.pages[i] = mul_u64_u64_div_u64(fixed(n), mrc_time(i),
						   mrc_time(i) + tau);
	finish();
	expect_falling(test);
	for (m = n / 100; m < n; m += n / 100)
		sum += error_permille(mrc_steps_rate(&steps, m),
				      mul_u64_u64_div_u64(rate0, (n - m) * (n - m),
							  n * n), rate0);
	KUNIT_EXPECT_LE(test, sum, 99 * 10ULL);
}

static void band_holds_the_ratio(struct kunit *test)
{
	struct mrc_line line;
	unsigned int i, k, n = 0;
	u64 last = 0;

	start(test);
	for (i = 0; i < MRC_TIMES; i++)
		wsf.pages[i] = mul_u64_u64_div_u64(fixed(5000), mrc_time(i),
						   mrc_time(i) + 30000);
	finish();
	for (k = 0; k < MRC_SUBS; k++)
		for (i = 1; i < MRC_SIZES; i++)
			curve.sub[k][i] = curve.sub[k][i] * (96 + k) / 100;
	while (mrc_curve_line(&curve, n, 5000, &line)) {
		KUNIT_EXPECT_LE(test, line.low, line.ratio);
		KUNIT_EXPECT_LE(test, line.ratio, line.high);
		KUNIT_EXPECT_LE(test, line.high, (u32)MRC_RATIO);
		KUNIT_EXPECT_GT(test, line.pages, last);
		last = line.pages;
		n++;
	}
	KUNIT_EXPECT_EQ(test, last, 5000ULL);
	KUNIT_EXPECT_TRUE(test, mrc_curve_line(&curve, 0, 5000, &line));
	KUNIT_EXPECT_EQ(test, line.ratio, (u32)MRC_RATIO);
	KUNIT_EXPECT_EQ(test, line.low, (u32)MRC_RATIO);
	KUNIT_EXPECT_TRUE(test, mrc_curve_line(&curve, 200, 5000, &line));
	KUNIT_EXPECT_LT(test, line.low, line.ratio);
}

static void nothing_is_survived(struct kunit *test)
{
	struct mrc_line line;
	unsigned int i;

	start(test);
	/* No ladder yet: no line. */
	KUNIT_EXPECT_FALSE(test, mrc_curve_line(&curve, 0, 100, &line));
	/* No touch: no miss, and nothing known of the ratio. */
	finish();
	KUNIT_EXPECT_TRUE(test, mrc_curve_line(&curve, 0, 100, &line));
	KUNIT_EXPECT_EQ(test, line.rate, 0ULL);
	KUNIT_EXPECT_EQ(test, line.low, 0U);
	KUNIT_EXPECT_EQ(test, line.high, (u32)MRC_RATIO);
	/* No pages: one line. */
	KUNIT_EXPECT_TRUE(test, mrc_curve_line(&curve, 0, 0, &line));
	KUNIT_EXPECT_FALSE(test, mrc_curve_line(&curve, 1, 0, &line));
	KUNIT_EXPECT_FALSE(test, mrc_curve_line(&curve, MRC_SIZES, U64_MAX,
						&line));
	/* No time, one time, all touched at once, 4 TiB at once. */
	wsf.n = 0;
	mrc_steps_from_wsf(&steps, &wsf);
	KUNIT_EXPECT_EQ(test, mrc_steps_rate(&steps, 1), 0ULL);
	wsf.n = 1;
	add_loop(1, 1);
	mrc_steps_from_wsf(&steps, &wsf);
	KUNIT_EXPECT_EQ(test, mrc_steps_rate(&steps, 0), 1000000ULL);
	KUNIT_EXPECT_EQ(test, mrc_steps_rate(&steps, 1), 0ULL);
	begin();
	for (i = 0; i < MRC_TIMES; i++)
		wsf.pages[i] = fixed(1ULL << 30);
	finish();
	expect_falling(test);
	KUNIT_EXPECT_EQ(test, mrc_steps_rate(&steps, (1ULL << 30) - 1),
			(1ULL << 30) * 1000000);
	KUNIT_EXPECT_EQ(test, mrc_steps_rate(&steps, 1ULL << 30), 0ULL);
}

/* Noise that makes s(t) convex in places must not make the curve rise. */
static void noise_is_flattened(struct kunit *test)
{
	u64 x = 88172645463325252ULL, s = 0;
	unsigned int i, round;

	for (round = 0; round < 50; round++) {
		start(test);
		s = 0;
		for (i = 0; i < MRC_TIMES; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			s += x % fixed(3000);
			wsf.pages[i] = s;
		}
		finish();
		expect_falling(test);
		KUNIT_EXPECT_LE(test, steps.n, (u32)MRC_STEPS);
	}
}

static void picks_are_nested_and_one_each(struct kunit *test)
{
	unsigned int level;
	u64 b, half = 0;

	for (level = 1; level < 12; level++)
		for (b = 1000; b < 1200; b++) {
			u64 n = mrc_pick(99, level, b);

			KUNIT_EXPECT_EQ(test, n >> level, b);
			KUNIT_EXPECT_TRUE(test,
					  n == mrc_pick(99, level - 1, 2 * b) ||
					  n == mrc_pick(99, level - 1, 2 * b + 1));
			half += (n >> (level - 1)) & 1;
		}
	/* 2200 fair coins: 5 standard deviations are 117. */
	KUNIT_EXPECT_LT(test, half, 1100ULL + 117);
	KUNIT_EXPECT_GT(test, half, 1100ULL - 117);
}

static bool keep_all(void *arg, const struct mrc_entry *old)
{
	return true;
}

static struct mrc_entry entries[2][700];

static void sample_stays_within_limits(struct kunit *test)
{
	struct mrc_sample old = { .room = 700, .salt = 7, .entry = entries[0] };
	struct mrc_sample new = { .room = 700, .salt = 7, .entry = entries[1] };
	static const u64 none[MRC_KINDS];
	u32 i, sub[MRC_SUBS] = {}, kept = 0;

	mrc_sample_start(&old, 400, none);
	for (i = 0; i < 100000; i++)
		mrc_sample_add(&old, MRC_BASE, (0x5000ULL + i) << BASE_SHIFT, 0);
	for (i = 0; i < 3; i++)
		mrc_sample_add(&old, MRC_HUGE, (0x5000ULL + i) << HUGE_SHIFT, 0);
	KUNIT_EXPECT_EQ(test, old.mapped[MRC_BASE], 100000ULL);
	KUNIT_EXPECT_EQ(test, old.level[MRC_BASE], 8U);
	/* One page of each stratum of 256. */
	KUNIT_EXPECT_LE(test, old.count[MRC_BASE], 392U);
	KUNIT_EXPECT_GE(test, old.count[MRC_BASE], 390U);
	KUNIT_EXPECT_EQ(test, old.count[MRC_HUGE], 3U);
	KUNIT_EXPECT_LE(test, error_permille(mrc_sample_weight(&old, MRC_BASE,
							       old.count[MRC_BASE]) *
					     old.count[MRC_BASE], fixed(100000),
					     fixed(100000)), 1ULL);
	KUNIT_EXPECT_EQ(test, mrc_sample_weight(&old, MRC_HUGE, 3), fixed(512));
	KUNIT_EXPECT_EQ(test, mrc_sample_weight(&old, MRC_BASE, 0), 0ULL);
	for (i = 0; i < old.n; i++) {
		old.entry[i].seen_by = 5;
		old.entry[i].flags |= MRC_F_WATCHED;
	}
	/* Half of it has been unmapped, and is kept as ghosts. */
	mrc_sample_start(&new, 400, old.mapped);
	for (i = 50000; i < 100000; i++)
		mrc_sample_add(&new, MRC_BASE, (0x5000ULL + i) << BASE_SHIFT, 0);
	mrc_sample_inherit(&new, &old, keep_all, NULL);
	KUNIT_EXPECT_EQ(test, new.level[MRC_BASE], 8U);
	KUNIT_EXPECT_EQ(test, new.n, old.n);
	for (i = 0; i < new.n; i++) {
		kept += new.entry[i].seen_by == 5;
		if (i)
			KUNIT_EXPECT_GT(test, new.entry[i].addr,
					new.entry[i - 1].addr);
		KUNIT_ASSERT_LT(test, (u32)new.entry[i].sub, (u32)MRC_SUBS);
		sub[new.entry[i].sub]++;
	}
	KUNIT_EXPECT_EQ(test, kept, new.n);
	for (i = 0; i < MRC_SUBS; i++) {
		KUNIT_EXPECT_GE(test, sub[i], new.n / MRC_SUBS - 3);
		KUNIT_EXPECT_LE(test, sub[i], new.n / MRC_SUBS + 3);
	}
}

static struct kunit_case mrc_cases[] = {
	KUNIT_CASE(grids_grow),
	KUNIT_CASE(touches_add_up),
	KUNIT_CASE(loop_has_its_cliff),
	KUNIT_CASE(two_loops_have_two),
	KUNIT_CASE(late_rungs_keep_the_cliff),
	KUNIT_CASE(speed_does_not_blur),
	KUNIT_CASE(uniform_falls_straight),
	KUNIT_CASE(tail_is_followed),
	KUNIT_CASE(band_holds_the_ratio),
	KUNIT_CASE(nothing_is_survived),
	KUNIT_CASE(noise_is_flattened),
	KUNIT_CASE(picks_are_nested_and_one_each),
	KUNIT_CASE(sample_stays_within_limits),
	{}
};

static struct kunit_suite mrc_suite = {
	.name = "mrc",
	.test_cases = mrc_cases,
};

kunit_test_suite(mrc_suite);

MODULE_DESCRIPTION("KUnit tests of mrc");
MODULE_LICENSE("GPL");
