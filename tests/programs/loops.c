// SPDX-License-Identifier: GPL-2.0-only
/*
 * Own programs of the kinds that the papers' suites have and Debian has not. Each keeps its data where its model does.
 *
 * loops patricia N          looks up addresses in a trie of nodes of their own, on the heap
 * loops dijkstra N          shortest paths in a graph of 100 nodes, in global arrays
 * loops stream MIB ROUNDS   STREAM's four kernels over three arrays, of MIB together
 * loops chase MIB STEPS     swaps elements of a large array at random, as simulated annealing does
 * loops walk MIB ROUNDS     reads an array, a word of each line of 64 bytes, from its beginning to its end
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 88172645463325252ull;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

struct node {
	struct node *child[2];
	uint64_t found;
};

static int patricia(unsigned long n)
{
	struct node *root = calloc(1, sizeof(*root));

	while (n--) {
		/* Few enough to be found again. */
		uint32_t address = any() % 8192 * 2654435761u;
		struct node *at = root;

		for (int bit = 31; bit >= 12; bit--) {
			struct node **next = &at->child[address >> bit & 1];

			if (!*next)
				*next = calloc(1, sizeof(**next));
			at = *next;
		}
		at->found++;
	}
	return !root->child[0];
}

#define NODES 100

static int adjacent[NODES][NODES];
static struct { int distance, before; } reached[NODES];
static struct { int node, distance, before; } queue[1 << 20];
static int head, tail;

static void enqueue(int node, int distance, int before)
{
	queue[tail].node = node;
	queue[tail].distance = distance;
	queue[tail].before = before;
	tail = (tail + 1) % (1 << 20);
}

static int shortest(int from, int to)
{
	for (int i = 0; i < NODES; i++)
		reached[i].distance = reached[i].before = 9999;
	reached[from].distance = 0;
	enqueue(from, 0, 9999);
	while (head != tail) {
		int at = queue[head].node, distance = reached[at].distance;

		head = (head + 1) % (1 << 20);
		for (int i = 0; i < NODES; i++)
			if (reached[i].distance > distance + adjacent[at][i]) {
				reached[i].distance = distance + adjacent[at][i];
				reached[i].before = at;
				enqueue(i, reached[i].distance, at);
			}
	}
	return reached[to].distance;
}

static int dijkstra(unsigned long n)
{
	int sum = 0;

	for (int i = 0; i < NODES; i++)
		for (int j = 0; j < NODES; j++)
			adjacent[i][j] = 1 + any() % 99;
	for (unsigned long i = 0; i < n; i++)
		sum += shortest(i % NODES, (i + NODES / 2) % NODES);
	return !sum;
}

static int stream(size_t bytes, unsigned long rounds)
{
	size_t n = bytes / 3 / sizeof(double);
	double *a = malloc(n * sizeof(*a)), *b = malloc(n * sizeof(*b)), *c = malloc(n * sizeof(*c));

	for (size_t i = 0; i < n; i++) {
		a[i] = 1;
		b[i] = 2;
		c[i] = 0;
	}
	while (rounds--) {
		for (size_t i = 0; i < n; i++)
			((volatile double *)c)[i] = a[i];
		for (size_t i = 0; i < n; i++)
			b[i] = 3 * c[i];
		for (size_t i = 0; i < n; i++)
			((volatile double *)c)[i] = a[i] + b[i];
		for (size_t i = 0; i < n; i++)
			a[i] = b[i] + 3 * c[i];
	}
	return a[n / 2] == 0;
}

static int chase(size_t bytes, unsigned long steps)
{
	size_t n = bytes / sizeof(uint64_t);
	uint64_t *at = malloc(n * sizeof(*at)), sum = 0;

	for (size_t i = 0; i < n; i++)
		at[i] = i;
	while (steps--) {
		size_t i = any() % n, j = any() % n;
		uint64_t other = at[i];

		at[i] = at[j];
		at[j] = other;
		sum += other;
	}
	return !sum;
}

static int walk(size_t bytes, unsigned long rounds)
{
	size_t n = bytes / sizeof(uint64_t);
	uint64_t *at = malloc(n * sizeof(*at)), sum = 0;

	for (size_t i = 0; i < n; i++)
		at[i] = i;
	while (rounds--)
		for (size_t i = 0; i < n; i += 8)
			sum += ((volatile uint64_t *)at)[i];
	return !sum;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	unsigned long m = argc > 3 ? strtoul(argv[3], NULL, 0) : 0;

	if (argc == 3 && !strcmp(argv[1], "patricia"))
		return patricia(n);
	if (argc == 3 && !strcmp(argv[1], "dijkstra"))
		return dijkstra(n);
	if (argc == 4 && !strcmp(argv[1], "stream"))
		return stream(n << 20, m);
	if (argc == 4 && !strcmp(argv[1], "chase"))
		return chase(n << 20, m);
	if (argc == 4 && !strcmp(argv[1], "walk"))
		return walk(n << 20, m);
	fprintf(stderr, "usage: loops patricia N | dijkstra N | stream MIB ROUNDS | chase MIB STEPS | walk MIB ROUNDS\n");
	return 2;
}
