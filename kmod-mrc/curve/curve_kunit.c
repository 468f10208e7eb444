// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the curve and of the sample, against closed forms. */

#include <kunit/test.h>
#include <linux/module.h>

#include "curve/curve.c"
#include "curve/reuse.c"
#include "curve/sample.c"

/* Too large for a kernel stack, and tests run one at a time. */
static struct mrc_wsf wsf;
static struct mrc_reuse reuse;
static struct mrc_curve curve;
static bool doubt;
static u64 sum[MRC_SIZES];
static unsigned int sums;

/* A sampled page: how long before a moment it was touched, and how long after. */
struct span {
	u64 age;
	u64 next;
};

#define SPANS	8192
static struct span spans[SPANS];
static unsigned int n_spans;

/* When the sample is looked at, before the moment and after it alike. */
static u64 looks[MRC_SAMPLE_POINTS];
static unsigned int n_looks;

static u64 fixed(u64 pages)
{
	return pages << MRC_FRAC;
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

/* The time that passes, with a mean of tau, in all but i + 1/2 of n cases. */
static u64 quantile(u64 i, u64 n, u64 tau)
{
	u64 low = 0, high = 16 * tau;

	while (low < high) {
		u64 mid = (low + high) / 2;

		if (exp_minus(mid, tau) > ((2 * i + 1) << 31) / n)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void span(u64 age, u64 next)
{
	if (n_spans < SPANS)
		spans[n_spans++] = (struct span){ age, next };
}

static void start(struct kunit *test)
{
	mrc_curve_init();
	mrc_curve_reset(&curve);
	memset(sum, 0, sizeof(sum));
	sums = 0;
	n_spans = 0;
	for (n_looks = 0; n_looks < 52; n_looks++)
		looks[n_looks] = mrc_time(n_looks);
}

static unsigned int look_of(u64 us)
{
	return not_above(looks, n_looks, us);
}

/* In the middle of the interval in which looks find it. */
static u64 middle(u64 us)
{
	unsigned int i = look_of(us);

	return i < n_looks ? ((i ? looks[i - 1] : 0) + looks[i]) / 2 : us;
}

static unsigned int age_of(u64 us)
{
	return us < looks[n_looks - 1] ? look_of(us) :
					 n_looks + mrc_reuse_idle(us);
}

static unsigned int first_of(u64 us)
{
	return us < looks[n_looks - 1] ? look_of(us) : MRC_SAMPLE_POINTS;
}

/* What a ladder would make of the spans, if they stand for so many pages. */
static void finish(u64 pages)
{
	u64 weight = fixed(pages) / max(n_spans, 1U);
	unsigned int i, k;

	mrc_reuse_begin(&reuse, looks[n_looks - 1]);
	for (i = 0; i < n_spans; i++)
		mrc_reuse_count(&reuse, age_of(spans[i].age),
				first_of(spans[i].next), weight);
	mrc_reuse_sum(&reuse);
	for (i = 0; i < n_spans; i++)
		if (first_of(spans[i].next) < MRC_SAMPLE_POINTS)
			mrc_reuse_touch(&reuse, age_of(spans[i].age),
					first_of(spans[i].next),
					middle(spans[i].age) +
					middle(spans[i].next), weight);
	mrc_reuse_finish(&reuse);
	doubt = mrc_curve_begin(&curve, reuse.rate, reuse.floor);
	mrc_curve_add(curve.rate, reuse.rate, curve.ladders);
	for (k = 0; k < MRC_SUBS; k++)
		mrc_curve_add(curve.sub[k], reuse.rate, curve.ladders);
	for (i = 0; i < MRC_SIZES; i++)
		sum[i] += reuse.rate[i];
	sums++;
	curve.ladders++;
	n_spans = 0;
}

/* All ladders alike, and not the last ones most. */
static void average(void)
{
	unsigned int i;

	for (i = 0; i < MRC_SIZES; i++)
		curve.rate[i] = div64_u64(sum[i], sums);
}

/* The rate with so many pages, or the next size of the grid. */
static u64 rate_at(u64 pages)
{
	return curve.rate[mrc_sizes_below(fixed(pages))];
}

/* Looked at once, at the start of the grid; the rest of it follows. */
static void begin(void)
{
	static const u64 first = MRC_TIME_FIRST;

	mrc_wsf_begin(&wsf, &first, 1, U64_MAX);
}

/* A loop that takes us, seen at a moment; by samples of it. */
static void add_loop(u64 samples, u64 us)
{
	u64 i;

	for (i = 0; i < samples; i++)
		span((2 * i + 1) * us / (2 * samples),
		     us - (2 * i + 1) * us / (2 * samples));
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
	KUNIT_EXPECT_EQ(test, mrc_time(0), (u64)MRC_TIME_FIRST);
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
		KUNIT_EXPECT_LE(test, 128 * (mrc_size(i) - mrc_size(i - 1)),
				max_t(u64, 128, mrc_size(i)));
		KUNIT_EXPECT_EQ(test, mrc_sizes_below(fixed(mrc_size(i))), i);
		KUNIT_EXPECT_EQ(test, mrc_sizes_below(fixed(mrc_size(i)) + 1), i + 1);
	}
	/* A machine of 256 GiB fits. */
	KUNIT_EXPECT_GT(test, mrc_size(MRC_SIZES - 1), 64ULL << 20);
}

/* Touches are spread over their interval, and add up to their weight. */
static void touches_add_up(struct kunit *test)
{
	unsigned int i;

	start(test);
	begin();
	mrc_wsf_touch(&wsf, 0, MRC_TIME_FIRST / 2, fixed(3));
	mrc_wsf_touch(&wsf, 10000, 30000, fixed(100));
	mrc_wsf_touch(&wsf, mrc_time(40), mrc_time(40) + 1, 77777);
	mrc_wsf_touch(&wsf, mrc_time(MRC_TIMES - 1), U64_MAX, fixed(5));
	mrc_wsf_finish(&wsf);
	KUNIT_EXPECT_EQ(test, wsf.pages[0], fixed(3));
	KUNIT_EXPECT_EQ(test, mrc_wsf_at(&wsf, MRC_TIME_FIRST / 2), fixed(3) / 2);
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
	static const u64 pages[] = { 257, 2000, 10000, 30000, 5000000 };
	static const u64 period[] = { 10000, 21000, 50000, 71234, 1999000 };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(pages); i++)
		for (k = 0; k < ARRAY_SIZE(period); k++) {
			start(test);
			add_loop(min(pages[i], 4000ULL), period[k]);
			finish(pages[i]);
			expect_falling(test);
			KUNIT_EXPECT_LE(test, error_permille(cliff() + 1, pages[i],
							     pages[i]), 20ULL);
			KUNIT_EXPECT_LE(test,
					error_permille(curve.rate[0],
						       pages[i] * 1000000000 /
						       period[k], curve.rate[0]),
					10ULL);
			KUNIT_EXPECT_EQ(test, rate_at(pages[i] + 1), 0ULL);
		}
}

/* A loop that is over before the first look: the floor is its cliff. */
static void loop_below_the_floor_has_it(struct kunit *test)
{
	unsigned int i;

	start(test);
	add_loop(2000, 600);
	/* The program's other pages: some lately, some never. */
	for (i = 0; i < 5; i++)
		span(40000 * i, 30000 * i);
	for (i = 0; i < 20; i++)
		span(1ULL << 40, 1ULL << 40);
	finish(2025);
	expect_falling(test);
	KUNIT_EXPECT_LE(test, error_permille(cliff() + 1, 2000, 2000), 20ULL);
}

/* A hot loop and a cold one, at once: two cliffs, and the rate between them. */
static void two_loops_have_two(struct kunit *test)
{
	start(test);
	add_loop(200, 15000);
	add_loop(4000, 700000);
	finish(21000);
	expect_falling(test);
	/* 1000 / 15 ms + 20000 / 0.7 s; and the hot one's are 1000 + 429 apart. */
	KUNIT_EXPECT_LE(test, error_permille(rate_at(1200), 95238095, 95238095),
			10ULL);
	KUNIT_EXPECT_LE(test, error_permille(rate_at(1700), 28571428, 28571428),
			20ULL);
	KUNIT_EXPECT_LE(test, error_permille(rate_at(20500), 28571428, 28571428),
			20ULL);
	KUNIT_EXPECT_EQ(test, rate_at(21001), 0ULL);
}

/*
 * Nine times over the first tenth of the pages, and then over all. Reuses of one
 * length are of both distances here, which a working set function cannot tell.
 */
static void loops_in_loop_have_two(struct kunit *test)
{
	const u64 pass = 10000, all = 100000, period = 9 * pass + all;
	u64 now, i, since, next;

	start(test);
	/* Moments all over the period; each weighs as much as the others. */
	for (now = 950; now < period; now += 1900) {
		for (i = 0; i < 2000; i++) {
			u64 at = (2 * i + 1) * all / 4000, k;

			/* The pass over all begins at 9 * pass. */
			since = (now + period - 9 * pass - at) % period;
			next = period - since;
			for (k = 0; i < 200 && k < 9; k++) {
				since = min(since, (now + period - k * pass - at) %
						   period);
				next = min(next, (k * pass + at + period - now) %
						 period ?: period);
			}
			span(since, next);
		}
		finish(20000);
		expect_falling(test);
	}
	average();
	/* Of 38000 accesses in 190 ms, 18000 are at 2000. */
	KUNIT_EXPECT_LE(test, error_permille(rate_at(1800), 200000000, 200000000),
			20ULL);
	KUNIT_EXPECT_LE(test, error_permille(rate_at(2300), 105263158, 200000000),
			20ULL);
	KUNIT_EXPECT_LE(test, error_permille(rate_at(19000), 105263158, 200000000),
			20ULL);
}

/* A loop that runs back and forth: reuses are as long as they are near. */
static void to_and_fro_falls_straight(struct kunit *test)
{
	const u64 n = 20000, way = 100000, rate = n * 1000000000 / way;
	u64 now, i, m, sum = 0;

	start(test);
	for (now = 500; now < 2 * way; now += 2000) {
		for (i = 0; i < 2000; i++) {
			u64 there = (2 * i + 1) * way / 4000, back = 2 * way - there;

			if (now < there)
				span(now + there, there - now);
			else if (now < back)
				span(now - there, back - now);
			else
				span(now - back, 2 * way - now + there);
		}
		finish(n);
		expect_falling(test);
	}
	average();
	for (m = n / 100; m < n; m += n / 100)
		sum += error_permille(rate_at(m), rate - rate / n * m, rate);
	KUNIT_EXPECT_LE(test, sum, 99 * 20ULL);
}

/*
 * Wherever a reuse ends between one ladder's look and the next one's: what it is
 * counted for, in the gap and in the window after it, comes to once.
 */
static void reuses_count_once(struct kunit *test)
{
	static const u64 lengths[] = { 10, 100, 299, 1200, 1500, 2000, 2300, 5000, 100000 };
	const u64 gap = 1000, window = 100, both = gap + window, one = 1 << 30;
	unsigned int i;
	u64 end;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		u64 us = lengths[i], sum = 0;

		for (end = 0; end < both; end++) {
			if (us >= end + both)
				sum += one / both;
			else if (end >= gap && us > end - gap)
				sum += mrc_reuse_remainder(us, one, gap, window) /
				       min(us, window);
		}
		KUNIT_EXPECT_LE(test, error_permille(sum, one, one), 1ULL);
	}
	KUNIT_EXPECT_EQ(test, mrc_reuse_remainder(U64_MAX, one, 0, 0), one);
}

/* A burst of pages that were idle for long, in the gap before the moment. */
static void gaps_add_to_windows(struct kunit *test)
{
	const u64 idle = 20000000, gap = 900000, window = 100000;

	start(test);
	mrc_reuse_begin(&reuse, U64_MAX);
	mrc_reuse_count(&reuse, mrc_reuse_idle(idle), 0, fixed(5000));
	mrc_reuse_sum(&reuse);
	mrc_reuse_touch(&reuse, mrc_reuse_idle(idle), 0, gap + window, fixed(5000));
	mrc_reuse_next(&reuse, window);
	mrc_reuse_count(&reuse, 1, 1, fixed(1000));
	mrc_reuse_sum(&reuse);
	mrc_reuse_touch(&reuse, 1, 1, 50000, fixed(1000));
	mrc_reuse_finish(&reuse);
	KUNIT_EXPECT_EQ(test, reuse.total, fixed(1000));
	KUNIT_EXPECT_LE(test, error_permille(reuse.rate[0] / MRC_RATE, 25000, 25000),
			1ULL);
	KUNIT_EXPECT_LE(test, error_permille(reuse.rate[mrc_sizes_below(fixed(3000))] / MRC_RATE,
					     5000, 5000), 1ULL);
}

/*
 * Looks that come when they can, and far apart: as long as the program was
 * seen at work once before its loop ends, the cliff is where it is.
 */
static void late_rungs_keep_the_cliff(struct kunit *test)
{
	static const u64 late[] = { 8091, 17425, 22227, 26322, 31229 };
	u64 period;

	for (period = 18500; period < 26000; period += 500) {
		start(test);
		for (n_looks = 0; n_looks < ARRAY_SIZE(late); n_looks++)
			looks[n_looks] = late[n_looks];
		add_loop(4000, period);
		finish(30000);
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
		add_loop(4000, 40000 + 3000 * (i % 7));
		finish(10000);
	}
	KUNIT_EXPECT_LE(test, error_permille(cliff(), 10000, 10000), 20ULL);
}

/* Each touch hits one of n pages at random: both times are exponential. */
static void uniform_falls_straight(struct kunit *test)
{
	const u64 n = 20000, tau = 100000, rate = n * 1000000000 / tau;
	u64 m, sum = 0, i;

	start(test);
	for (i = 0; i < 80 * 80; i++)
		span(quantile(i % 80, 80, tau), quantile(i / 80, 80, tau));
	finish(n);
	expect_falling(test);
	for (m = n / 100; m < n; m += n / 100)
		sum += error_permille(rate_at(m), rate - rate / n * m, rate);
	KUNIT_EXPECT_LE(test, sum, 99 * 12ULL);
}

/*
 * Pages that are touched at random, but not alike: how often is exponential, so
 * that s = n t / (t + tau), and the rate is (n - s)^2 / (n tau): a long tail.
 */
static void tail_is_followed(struct kunit *test)
{
	const u64 n = 50000, tau = 60000, rate = n * 1000000000 / tau;
	u64 m, sum = 0, i;

	start(test);
	for (i = 0; i < 20 * 20 * 20; i++) {
		/* In one of twenty cases it is touched so seldom. */
		u64 mean = tau * 1000 / quantile(i % 20, 20, 1000);

		span(quantile(i / 20 % 20, 20, mean), quantile(i / 400, 20, mean));
	}
	finish(n);
	expect_falling(test);
	for (m = n / 100; m < n; m += n / 100)
		sum += error_permille(rate_at(m),
				      mul_u64_u64_div_u64(rate, (n - m) * (n - m),
							  n * n), rate);
	KUNIT_EXPECT_LE(test, sum, 99 * 15ULL);
}

/* What is touched less often than is watched counts as often as it is seen. */
static void seldom_counts_as_seen(struct kunit *test)
{
	u64 i, period = 10000000;

	start(test);
	for (i = 0; i < 4000; i++)
		span((2 * i + 1) * period / 8000, period - (2 * i + 1) * period / 8000);
	finish(20000);
	expect_falling(test);
	KUNIT_EXPECT_LE(test, error_permille(curve.rate[0], 2000000, 2000000), 20ULL);
	KUNIT_EXPECT_LE(test, error_permille(cliff(), 20000, 20000), 20ULL);
}

static void band_holds_the_ratio(struct kunit *test)
{
	struct mrc_line line;
	unsigned int i, k, n = 0;
	u64 last = 0;

	start(test);
	for (i = 0; i < 60 * 60; i++)
		span(quantile(i % 60, 60, 30000), quantile(i / 60, 60, 30000));
	finish(5000);
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
	KUNIT_EXPECT_TRUE(test, mrc_curve_line(&curve, 300, 5000, &line));
	KUNIT_EXPECT_LT(test, line.low, line.ratio);
}

/* Ladders that see other things make a wider band than those that agree. */
static void ladders_widen_the_band(struct kunit *test)
{
	struct mrc_line line;
	u32 width[2], round;
	unsigned int i;

	for (round = 0; round < 2; round++) {
		start(test);
		for (i = 0; i < 16; i++) {
			add_loop(4000, 100000 + round * 10000 * (i % 3));
			finish(10000);
		}
		curve.accesses = curve.rate[0];
		KUNIT_ASSERT_TRUE(test, mrc_curve_line(&curve, 500, 10000, &line));
		KUNIT_EXPECT_LE(test, line.low, line.ratio);
		width[round] = line.high - line.low;
	}
	/* A tenth of the rate, over the root of 16. */
	KUNIT_EXPECT_GT(test, width[1], width[0] + MRC_RATIO / 100);
	KUNIT_EXPECT_LE(test, width[0], MRC_RATIO / 20U);
}

/* The band holds the place of a cliff, which is known to a step of time. */
static void band_holds_the_cliff(struct kunit *test)
{
	struct mrc_line line;
	unsigned int i;

	start(test);
	add_loop(4000, 100000);
	finish(10000);
	for (i = 1; mrc_curve_line(&curve, i, 20000, &line); i++) {
		if (line.pages < 9990)
			KUNIT_EXPECT_GT(test, line.high, MRC_RATIO * 98U / 100);
		if (line.pages > 10010)
			KUNIT_EXPECT_EQ(test, line.low, 0U);
		if (line.pages > 9900 && line.pages < 10010)
			KUNIT_EXPECT_GT(test, line.high - line.low,
					MRC_RATIO * 9U / 10);
	}
}

/* Between what was seen, and a power of the size from all accesses to it. */
static void floor_is_bridged(struct kunit *test)
{
	u32 last = MRC_RATIO, seen = 0;
	struct mrc_line line;
	unsigned int i;

	start(test);
	add_loop(4000, 100000);
	finish(10000);
	/* A hundredth of the accesses are of the loop. */
	curve.accesses = 100 * curve.rate[0];
	curve.floor = 256;
	for (i = 0; mrc_curve_line(&curve, i, 10000, &line); i++) {
		KUNIT_EXPECT_LE(test, line.ratio, last);
		KUNIT_EXPECT_LE(test, line.low, line.ratio);
		KUNIT_EXPECT_LE(test, line.ratio, line.high);
		last = line.ratio;
		if (line.pages == 1)
			KUNIT_EXPECT_EQ(test, line.high, (u32)MRC_RATIO);
		/* Half of the way in the logarithm of the size: a tenth at most. */
		if (line.pages == 16) {
			KUNIT_EXPECT_LE(test, line.low, MRC_RATIO / 100U);
			KUNIT_EXPECT_GE(test, line.high, MRC_RATIO * 9U / 100);
			seen = line.ratio;
		}
		if (line.pages == 300)
			KUNIT_EXPECT_EQ(test, line.ratio, MRC_RATIO / 100U);
	}
	/* A thousandth of the logarithms' mean is 1/32. */
	KUNIT_EXPECT_GT(test, seen, MRC_RATIO * 29U / 1000);
	KUNIT_EXPECT_LE(test, seen, MRC_RATIO * 33U / 1000);
}

/* Of what every look finds touched, no memory has more hits than pages. */
static void looks_bound_what_is_below_them(struct kunit *test)
{
	struct mrc_line line;
	unsigned int i;

	start(test);
	add_loop(100, 1000);
	finish(100);
	curve.accesses = 50 * curve.rate[0];
	curve.floor = 100;
	for (i = 0; mrc_curve_line(&curve, i, 10000, &line); i++) {
		u32 least = MRC_RATIO / 50 * (100 - min(line.pages, 100ULL)) / 100;

		/* As often in two looks, which are what the floor is of. */
		KUNIT_EXPECT_LE(test, line.low, least / 2 + 1);
		KUNIT_EXPECT_GE(test, line.ratio + MRC_RATIO / 1000, least);
		if (line.pages > 120)
			KUNIT_EXPECT_EQ(test, line.ratio, 0U);
	}
}

/* All moments have one floor: as many pages, touched once each between the finest looks. */
static void add_floor(u64 pages, u64 fast)
{
	struct mrc_blind blind = {};
	unsigned int k;

	for (k = 0; k < MRC_MOMENTS; k++)
		mrc_blind_add(&blind, fixed(pages), fast, 2 * MRC_TIME_FIRST);
	curve.ladders = 0;
	mrc_curve_add_blind(&curve, &blind);
	curve.ladders = 1;
}

/*
 * A program that touches the square root of as many pages as it has accesses misses once
 * in twice the size. Looks tell that of sizes from the floor on; below, they see each page
 * once between two of them.
 */
static void fast_reuses_are_bridged(struct kunit *test)
{
	const u64 floor = 32, accesses = floor * floor * 1000000 / (2 * MRC_TIME_FIRST);
	const u64 fast = floor * MRC_RATE * 1000000 / (2 * MRC_TIME_FIRST);
	struct mrc_line line;
	unsigned int i;

	start(test);
	for (i = 0; i < MRC_SIZES; i++)
		curve.rate[i] = accesses * MRC_RATE / (2 * max(mrc_size(i), floor)) +
				(mrc_size(i) < floor ? fast : 0);
	curve.accesses = accesses * MRC_RATE;
	add_floor(floor, fast);
	curve.floor = floor;
	for (i = 1; mrc_curve_line(&curve, i, 1000, &line); i++) {
		u32 want = MRC_RATIO / (2 * line.pages);

		KUNIT_EXPECT_LE(test, line.ratio, want * 3 / 2);
		KUNIT_EXPECT_GE(test, line.ratio, want * 9 / 10);
		KUNIT_EXPECT_LE(test, line.low, line.ratio);
		KUNIT_EXPECT_LE(test, line.ratio, line.high);
	}
}

/* Where all that is accessed was seen to miss, there is nothing to bridge. */
static void slow_reuses_are_not_bridged(struct kunit *test)
{
	struct mrc_line line;
	unsigned int i;

	start(test);
	add_loop(4000, 100000);
	finish(4000);
	curve.accesses = curve.rate[0];
	add_floor(20, 0);
	curve.floor = 20;
	for (i = 0; mrc_curve_line(&curve, i, 4000, &line) && line.pages < 3900; i++)
		KUNIT_EXPECT_GE(test, line.ratio, MRC_RATIO * 98U / 100);
	/* Nor is what misses beyond the floor counted twice. */
	curve.accesses = 2 * curve.rate[0];
	for (i = 9; mrc_curve_line(&curve, i, 4000, &line) && line.pages < 3900; i++) {
		KUNIT_EXPECT_GE(test, line.ratio, MRC_RATIO * 49U / 100);
		KUNIT_EXPECT_LE(test, line.ratio, MRC_RATIO * 60U / 100);
	}
}

/* Ladders that found the program asleep do not make the others see more. */
static void floor_is_the_largest_of_late(struct kunit *test)
{
	unsigned int i;

	start(test);
	mrc_curve_begin(&curve, curve.rate, 256 << MRC_FRAC);
	curve.ladders = 1;
	mrc_curve_begin(&curve, curve.rate, 0);
	KUNIT_EXPECT_EQ(test, curve.floor, 224ULL);
	mrc_curve_begin(&curve, curve.rate, 300 << MRC_FRAC);
	KUNIT_EXPECT_EQ(test, curve.floor, 300ULL);
	for (i = 0; i < 100; i++)
		mrc_curve_begin(&curve, curve.rate, 0);
	KUNIT_EXPECT_LT(test, curve.floor, 8ULL);
}

/* A working set that is exchanged once, in all the time that was watched. */
static void band_allows_for_a_change(struct kunit *test)
{
	struct mrc_line line;
	u32 before, after;
	unsigned int i;

	start(test);
	add_loop(4000, 100000);
	finish(10000);
	/* Beyond all that it has. */
	for (i = 0; mrc_size(i) < 15000; i++)
		;
	KUNIT_ASSERT_TRUE(test, mrc_curve_line(&curve, i, 20000, &line));
	before = line.high - line.ratio;
	curve.ladders = 0;
	mrc_curve_watched(&curve, 10000000, 4000);
	curve.ladders = 1;
	mrc_curve_watched(&curve, 10000000, 4000);
	KUNIT_EXPECT_EQ(test, curve.us, 20000000ULL);
	/* 200 misses a second of the accesses that are told. */
	curve.accesses = 20000 * MRC_RATE;
	KUNIT_ASSERT_TRUE(test, mrc_curve_line(&curve, i, 20000, &line));
	after = line.high - line.ratio;
	KUNIT_EXPECT_GE(test, after, MRC_RATIO / 100U);
	KUNIT_EXPECT_LE(test, after, before + MRC_RATIO / 100U);
}

/* A program that does something else is told anew, once two ladders agree. */
static void change_is_noticed(struct kunit *test)
{
	unsigned int i;

	start(test);
	for (i = 0; i < 20; i++) {
		add_loop(4000, 100000);
		finish(10000);
		KUNIT_EXPECT_FALSE(test, doubt);
	}
	add_loop(1000, 100000);
	finish(2500);
	KUNIT_EXPECT_TRUE(test, doubt);
	KUNIT_EXPECT_EQ(test, curve.ladders, 21ULL);
	KUNIT_EXPECT_GT(test, rate_at(9000), 0ULL);
	add_loop(1000, 100000);
	finish(2500);
	KUNIT_EXPECT_FALSE(test, doubt);
	KUNIT_EXPECT_EQ(test, curve.ladders, 1ULL);
	KUNIT_EXPECT_EQ(test, rate_at(9000), 0ULL);
	KUNIT_EXPECT_LE(test, error_permille(cliff() + 1, 2500, 2500), 20ULL);
}

static void nothing_is_survived(struct kunit *test)
{
	struct mrc_line line;
	unsigned int i;
	u64 all;

	start(test);
	/* No ladder yet: no line. */
	KUNIT_EXPECT_FALSE(test, mrc_curve_line(&curve, 0, 100, &line));
	/* No touch: no miss, and nothing known of the ratio. */
	finish(0);
	KUNIT_EXPECT_TRUE(test, mrc_curve_line(&curve, 0, 100, &line));
	KUNIT_EXPECT_EQ(test, line.rate, 0ULL);
	KUNIT_EXPECT_EQ(test, line.low, 0U);
	KUNIT_EXPECT_EQ(test, line.high, (u32)MRC_RATIO);
	/* No pages: one line. */
	KUNIT_EXPECT_TRUE(test, mrc_curve_line(&curve, 0, 0, &line));
	KUNIT_EXPECT_FALSE(test, mrc_curve_line(&curve, 1, 0, &line));
	KUNIT_EXPECT_FALSE(test, mrc_curve_line(&curve, MRC_SIZES, U64_MAX,
						&line));
	/* One page; none that is ever touched; all at once; 4 TiB at once. */
	start(test);
	span(100, 100);
	finish(1);
	KUNIT_EXPECT_EQ(test, curve.rate[0], MRC_RATE * 1000000ULL / MRC_TIME_FIRST);
	KUNIT_EXPECT_EQ(test, rate_at(2), 0ULL);
	start(test);
	span(U64_MAX / 4, U64_MAX / 4);
	finish(10000);
	KUNIT_EXPECT_EQ(test, curve.rate[0], 0ULL);
	start(test);
	for (i = 0; i < 1000; i++)
		span(MRC_TIME_FIRST / 2, MRC_TIME_FIRST / 2);
	finish(1ULL << 30);
	expect_falling(test);
	all = (1ULL << 30) * (MRC_RATE * 1000000ULL / MRC_TIME_FIRST);
	KUNIT_EXPECT_LE(test, error_permille(curve.rate[0], all, all), 1ULL);
}

/* Whatever is seen, the curve falls, and no distance is beyond all pages. */
static void noise_is_survived(struct kunit *test)
{
	u64 x = 88172645463325252ULL;
	unsigned int i, round;

	for (round = 0; round < 50; round++) {
		start(test);
		for (i = 0; i < 1 + 20 * round; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			span(x % 16384 << x % 21, (x >> 32) % 16384 << (x >> 50) % 21);
		}
		finish(12345);
		expect_falling(test);
		KUNIT_EXPECT_EQ(test, rate_at(12345), 0ULL);
	}
}

static void picks_are_nested_and_one_each(struct kunit *test)
{
	unsigned int level;
	u64 b, half = 0;

	for (level = 1; level < 12; level++)
		for (b = 1000; b < 1200; b++) {
			u64 n = mrc_sample_pick(99, level, b);

			KUNIT_EXPECT_EQ(test, n >> level, b);
			KUNIT_EXPECT_TRUE(test,
					  n == mrc_sample_pick(99, level - 1, 2 * b) ||
					  n == mrc_sample_pick(99, level - 1, 2 * b + 1));
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
	struct mrc_sample old = { .capacity = 700, .salt = 7, .entry = entries[0] };
	struct mrc_sample new = { .capacity = 700, .salt = 7, .entry = entries[1] };
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
		old.entry[i].flags |= MRC_ENTRY_WATCHED;
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

/* One that has nothing of the mean counts for a 32nd of it, among however many. */
static void many_ladders_are_survived(struct kunit *test)
{
	unsigned int i;

	mrc_curve_reset(&curve);
	curve.ladders = 1ULL << 40;
	for (i = 0; i < MRC_SIZES; i++) {
		curve.rate[i] = 1ULL << 32;
		curve.last[i] = 1ULL << 32;
		sum[i] = 0;
	}
	mrc_curve_begin(&curve, sum, 0);
	KUNIT_EXPECT_LE(test, curve.deviation[0], (1ULL << 32) / 32);
	KUNIT_EXPECT_GT(test, curve.deviation[0], (1ULL << 32) / 33);
}

static struct kunit_case mrc_cases[] = {
	KUNIT_CASE(grids_grow),
	KUNIT_CASE(touches_add_up),
	KUNIT_CASE(loop_has_its_cliff),
	KUNIT_CASE(loop_below_the_floor_has_it),
	KUNIT_CASE(two_loops_have_two),
	KUNIT_CASE(loops_in_loop_have_two),
	KUNIT_CASE(to_and_fro_falls_straight),
	KUNIT_CASE(reuses_count_once),
	KUNIT_CASE(gaps_add_to_windows),
	KUNIT_CASE(late_rungs_keep_the_cliff),
	KUNIT_CASE(speed_does_not_blur),
	KUNIT_CASE(uniform_falls_straight),
	KUNIT_CASE(tail_is_followed),
	KUNIT_CASE(seldom_counts_as_seen),
	KUNIT_CASE(band_holds_the_ratio),
	KUNIT_CASE(band_holds_the_cliff),
	KUNIT_CASE(ladders_widen_the_band),
	KUNIT_CASE(change_is_noticed),
	KUNIT_CASE(floor_is_bridged),
	KUNIT_CASE(looks_bound_what_is_below_them),
	KUNIT_CASE(fast_reuses_are_bridged),
	KUNIT_CASE(slow_reuses_are_not_bridged),
	KUNIT_CASE(floor_is_the_largest_of_late),
	KUNIT_CASE(band_allows_for_a_change),
	KUNIT_CASE(nothing_is_survived),
	KUNIT_CASE(noise_is_survived),
	KUNIT_CASE(many_ladders_are_survived),
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
