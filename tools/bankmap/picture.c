// SPDX-License-Identifier: GPL-2.0-only
#include "picture.h"

#define BARS	32
#define WIDTH	50	/* of a bar of text */

/**
 * struct view - what of a histogram is shown
 * @first: first latency
 * @step: latencies in a bar
 * @most: the longest bar
 */
struct view {
	unsigned int first;
	unsigned int step;
	unsigned int most;
};

static unsigned int bar(const struct histogram *histogram,
			const struct view *view, unsigned int i)
{
	unsigned int latency = view->first + i * view->step, sum = 0, j;

	for (j = 0; j < view->step && latency + j < HISTOGRAM; j++)
		sum += histogram->count[latency + j];
	return sum;
}

/* All but the thousandth at each end. */
static void find_view(const struct histogram *histogram, struct view *view)
{
	unsigned int low = 0, high = HISTOGRAM - 1, sum = 0, i;

	for (; low < high && sum + histogram->count[low] <=
	     histogram->total / 1000; low++)
		sum += histogram->count[low];
	for (sum = 0; high > low && sum + histogram->count[high] <=
	     histogram->total / 1000; high--)
		sum += histogram->count[high];
	view->first = low;
	view->step = (high - low) / BARS + 1;
	view->most = 1;
	for (i = 0; i < BARS; i++)
		if (bar(histogram, view, i) > view->most)
			view->most = bar(histogram, view, i);
}

static int is_threshold(const struct histogram *histogram,
			const struct view *view, unsigned int i)
{
	unsigned int latency = view->first + i * view->step;

	return histogram->threshold >= latency &&
	       histogram->threshold < latency + view->step;
}

/* Of a pair that is there, something is seen. */
static unsigned int length(unsigned int count, unsigned int most,
			   unsigned int size)
{
	return (count * size + most - 1) / most;
}

void picture_text(FILE *to, const struct histogram *histogram)
{
	struct view view;
	unsigned int i, j, count;

	find_view(histogram, &view);
	fprintf(to, "# latency  pairs\n");
	for (i = 0; i < BARS; i++) {
		count = bar(histogram, &view, i);
		fprintf(to, "# %7u %6u ", view.first + i * view.step, count);
		for (j = length(count, view.most, WIDTH); j; j--)
			fputc('*', to);
		fprintf(to, "%s\n", is_threshold(histogram, &view, i) ?
			" <- conflicts from here" : "");
	}
}

void picture_svg(FILE *to, const struct histogram *histogram)
{
	struct view view;
	unsigned int i, height;

	find_view(histogram, &view);
	fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 300\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"680\" height=\"300\" fill=\"white\"/>\n"
		"<text x=\"340\" y=\"20\" text-anchor=\"middle\">Access times of random pairs of addresses</text>\n");
	for (i = 0; i < BARS; i++) {
		height = length(bar(histogram, &view, i), view.most, 220);
		fprintf(to, "<rect x=\"%u\" y=\"%u\" width=\"18\" height=\"%u\" fill=\"%s\"/>\n",
			20 + i * 20, 260 - height, height,
			histogram->threshold && view.first + i * view.step >=
			histogram->threshold ? "#c0392b" : "#2c7fb8");
		if (i % 4 == 0)
			fprintf(to, "<text x=\"%u\" y=\"275\">%u</text>\n",
				20 + i * 20, view.first + i * view.step);
	}
	fprintf(to, "<text x=\"340\" y=\"294\" text-anchor=\"middle\">latency, cycles%s</text>\n</svg>\n",
		histogram->threshold ? "; red: row conflicts" : "");
}
