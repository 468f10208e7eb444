// SPDX-License-Identifier: GPL-2.0-only
/* Which latencies are row conflicts. */
#include <string.h>

#include "solver.h"

#define RANDOM_PAIRS	20000

/* Conflicts are at most half of the pairs, and at least one of 3000. */
#define MOST(n)		((n) * 6 / 10)
#define LEAST(n)	((n) / 3000 + 1)

/* How many times more there is at the top of a hill than in the valley. */
#define CLEAR		6

static void measure(struct memory *memory, struct histogram *histogram)
{
	unsigned int i, latency;

	for (i = 0; i < RANDOM_PAIRS; i++) {
		latency = latency_of(memory, memory_any(memory),
				     memory_any(memory));
		if (latency >= HISTOGRAM)
			latency = HISTOGRAM - 1;
		histogram->count[latency]++;
		histogram->total++;
	}
}

/* The latency that so many of the pairs do not exceed. */
static unsigned int quantile(const struct histogram *histogram,
			     unsigned int pairs)
{
	unsigned int latency = 0, sum = histogram->count[0];

	while (sum < pairs && latency < HISTOGRAM - 1)
		sum += histogram->count[++latency];
	return latency;
}

static unsigned int count_between(const struct histogram *histogram,
				  unsigned int first, unsigned int last)
{
	unsigned int sum = 0;

	for (; first <= last && first < HISTOGRAM; first++)
		sum += histogram->count[first];
	return sum;
}

/* The most pairs in any window of so many latencies. */
static unsigned int highest_window(const struct histogram *histogram,
			    unsigned int first, unsigned int last,
			    unsigned int width, unsigned int *where)
{
	unsigned int most = 0, latency, sum;

	for (latency = first; latency + width <= last; latency++) {
		sum = count_between(histogram, latency, latency + width - 1);
		if (sum > most) {
			most = sum;
			*where = latency;
		}
	}
	return most;
}

/* Most of what lies behind @latency forms one hill, around @top. */
static bool is_hill(const struct histogram *histogram, unsigned int latency,
		    unsigned int top)
{
	unsigned int right = count_between(histogram, latency, HISTOGRAM - 2);

	return right >= LEAST(histogram->total) &&
	       right <= MOST(histogram->total) &&
	       2 * count_between(histogram, top - top / 12, top + top / 12) >=
	       right;
}

/*
 * Conflicts are a hill of their own, to the right of all others: a valley lies
 * before it, where there is a small part of what there is at its top. Returns
 * the middle of the best one, or 0.
 */
static unsigned int valley(const struct histogram *histogram)
{
	unsigned int end = quantile(histogram, histogram->total -
				    histogram->total / 2000);
	unsigned int low = 0, top = 0, width, latency, score, best = 0;
	unsigned int best_score = CLEAR, length = 0;

	highest_window(histogram, 0, HISTOGRAM - 1, 3, &low);
	width = low / 32 + 2;
	for (latency = low + width; latency + width <= end; latency++) {
		score = highest_window(histogram, latency, end + width, width, &top) /
			(count_between(histogram, latency,
				       latency + width - 1) + 1);
		if (score < best_score || !is_hill(histogram, latency, top))
			continue;
		if (score > best_score || !best) {
			best_score = score;
			best = latency;
			length = 0;
		} else if (latency == best + length + 1) {
			length++;
		}
	}
	return best ? best + (length + width) / 2 : 0;
}

enum verdict find_threshold(struct memory *memory, struct mapping *mapping)
{
	struct histogram *histogram = &mapping->histogram;

	memset(mapping, 0, sizeof(*mapping));
	measure(memory, histogram);
	histogram->threshold = valley(histogram);
	return histogram->threshold ? FOUND : NO_CONFLICTS;
}
