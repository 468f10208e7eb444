// SPDX-License-Identifier: GPL-2.0-only
/* The heaps of libvip, in user space under ASan; prints KTAP. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/libvip/runs.c"
#include "../../lib/libvip/spans.c"
#include "../../lib/libvip/heap.c"

static int nr, failed;

static void check(const char *name, bool good)
{
	failed += !good;
	printf("%sok %d %s\n", good ? "" : "not ", ++nr, name);
}

static bool classes_fit(void)
{
	for (size_t bytes = 0; bytes <= CACHED; bytes++) {
		unsigned int class = class_of(bytes);

		if (class >= CLASSES || class_bytes(class) < bytes || class_bytes(class) % 16 ||
		    (class && class_bytes(class - 1) >= bytes) ||
		    (bytes > 128 && class_bytes(class) > bytes * (bytes > SMALL ? 5 : 4.5) / 4 + 1))
			return false;
	}
	return class_of(CACHED) == CLASSES - 1 && class_of(SMALL) == SMALL_CLASSES - 1;
}

/* Every offset of a span is told to be an object's, or not. */
static bool spans_fit(void)
{
	for (unsigned int i = 0; i < SMALL_CLASSES; i++) {
		const struct class *class = &heap_classes[i];

		if (!class->objects || class->objects * class->bytes > class->pages * PAGE)
			return false;
		for (size_t at = 0; at < class->pages * PAGE; at++) {
			struct page page = { .class = i, .offset = at / PAGE };
			unsigned int object;

			if (span_is_object(&page, (void *)(at % PAGE), &object) !=
			    (at % class->bytes == 0 && at / class->bytes < class->objects))
				return false;
		}
	}
	return true;
}

struct piece {
	unsigned char *memory;
	size_t bytes;
	unsigned char mark;
};

static bool is_marked(const struct piece *piece)
{
	for (size_t i = 0; i < piece->bytes; i++)
		if (piece->memory[i] != piece->mark)
			return false;
	return true;
}

static unsigned char *piece_alloc(unsigned int kind, size_t bytes, unsigned int how, bool *good)
{
	unsigned char *memory;

	if (how % 4 == 0) {
		memory = heap_calloc(kind, bytes);
		for (size_t at = 0; memory && at < bytes; at++)
			*good &= !memory[at];
	} else if (how % 4 == 1) {
		memory = heap_aligned_alloc(kind, bytes, 1UL << how / 4 % 16);
		*good &= !((uintptr_t)memory % (1UL << how / 4 % 16));
	} else {
		memory = heap_alloc(kind, bytes);
	}
	*good &= memory && heap_of(memory) == kind;
	return memory;
}

/* In place, or where it has room. */
static bool piece_resize(struct piece *piece, size_t bytes)
{
	size_t kept = piece->bytes < bytes ? piece->bytes : bytes;

	if (!heap_resize(piece->memory, bytes)) {
		if (heap_usable(piece->memory) <= SMALL || bytes <= heap_usable(piece->memory))
			return true;
		piece->memory = heap_move(piece->memory, bytes);
	}
	if (!piece->memory || heap_usable(piece->memory) < bytes)
		return false;
	piece->bytes = kept;
	if (!is_marked(piece))
		return false;
	piece->bytes = bytes;
	memset(piece->memory, piece->mark, bytes);
	return true;
}

/* Each piece is filled with its mark: none may lie upon another. */
static void *churn(void *seed_of)
{
	unsigned int seed = *(unsigned int *)seed_of, marks = 0;
	struct piece pieces[200] = {};
	bool good = true;

	for (int i = 0; i < 20000 && good; i++) {
		struct piece *piece = &pieces[rand_r(&seed) % 200];

		if (piece->memory) {
			good = is_marked(piece) && heap_usable(piece->memory) >= piece->bytes;
			if (rand_r(&seed) % 2 && (good &= piece_resize(piece, rand_r(&seed) % 400000)))
				continue;
			heap_free(piece->memory);
		}
		piece->bytes = rand_r(&seed) % (rand_r(&seed) % 50 ? 3000 : 300000);
		piece->mark = ++marks;
		piece->memory = piece_alloc(rand_r(&seed) % HEAP_KINDS, piece->bytes, rand_r(&seed), &good);
		if (!piece->memory)
			return NULL;
		memset(piece->memory, piece->mark, piece->bytes);
	}
	for (int i = 0; i < 200; i++)
		if (pieces[i].memory) {
			good &= is_marked(&pieces[i]);
			heap_free(pieces[i].memory);
		}
	return good ? seed_of : NULL;
}

static bool threads_churn(void)
{
	unsigned int seeds[4] = { 1, 2, 3, 4 };
	pthread_t threads[4];
	bool good = true;
	void *result;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, churn, &seeds[i]))
			return false;
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		good &= !!result;
	}
	return good;
}

static uint32_t pages_in_use(unsigned int kind)
{
	return heaps[kind].in_use;
}

/* Pages of a heap are all in runs: those that are free are beside no other free ones, and in a bin. */
static bool runs_are_whole(void)
{
	for (int kind = 0; kind < HEAP_KINDS; kind++) {
		struct heap *heap = &heaps[kind];
		uint32_t in_use = 0, touched = 0, page, length, binned = 0, runs = 0;
		bool before = false;

		for (page = 1; page < heap->top; page += length) {
			length = heap->runs[page].length;
			if (heap->pages[page].state == OBJECTS)
				length = heap_classes[heap->pages[page].class].pages;
			if (!length || page + length > heap->top)
				return false;
			if (heap->pages[page].state != FREE) {
				before = false;
				in_use += length;
				continue;
			}
			if (before || heap->runs[page + length - 1].length != length)
				return false;
			before = true;
			runs++;
			touched += heap->runs[page].touched;
		}
		for (int bin = 0; bin < BINS; bin++)
			for (page = heap->bins[bin]; page; page = heap->runs[page].next)
				binned += bin_of(heap->runs[page].length) == bin;
		if (in_use != heap->in_use || touched != heap->touched || binned != runs)
			return false;
	}
	return true;
}

/* At most a span for each class stays in use once threads are gone. */
static bool all_came_back(void)
{
	for (int kind = 0; kind < HEAP_KINDS; kind++) {
		uint32_t most = 0;

		for (int i = 0; i < SMALL_CLASSES; i++)
			most += heap_classes[i].pages;
		if (pages_in_use(kind) > most)
			return false;
	}
	return true;
}

static bool is_aligned(void)
{
	for (size_t alignment = 1; alignment <= 1 << 24; alignment *= 2)
		for (size_t bytes = 1; bytes < 3000000; bytes = bytes * 3 + 1) {
			char *memory = heap_aligned_alloc(2, bytes, alignment);

			if (!memory || (uintptr_t)memory % alignment || heap_usable(memory) < bytes ||
			    heap_of(memory) != 2)
				return false;
			heap_free(memory);
		}
	return !heap_aligned_alloc(2, 1, heap_bytes) && !heap_aligned_alloc(2, 1, 1UL << 63);
}

static size_t resident_pages(char *memory, size_t bytes)
{
	unsigned char in[bytes / PAGE];
	size_t nr = 0;

	if (mincore(memory, bytes, in))
		return bytes;
	for (size_t i = 0; i < sizeof(in); i++)
		nr += in[i] & 1;
	return nr;
}

/* Some may stay, and its addresses are used again. */
static bool gives_back(void)
{
	enum { BYTES = 64 << 20 };
	char *memory = heap_alloc(1, BYTES);
	uint32_t top = heaps[1].top;

	memset(memory, 1, BYTES);
	heap_free(memory);
	if (resident_pages(memory, BYTES) > KEPT_PAGES)
		return false;
	heap_free(heap_alloc(1, BYTES));
	return heaps[1].top == top;
}

/* What is small as well, however it is freed. */
static bool gives_small_back(void)
{
	enum { NR = 100000, BYTES = 600 };
	static char *pieces[NR];

	for (int i = 0; i < NR; i++)
		memset(pieces[i] = heap_alloc(3, BYTES), 1, BYTES);
	for (int i = 0; i < NR; i += 2)
		heap_free(pieces[i]);
	for (int i = 1; i < NR; i += 2)
		heap_free(pieces[i]);
	return resident_pages(heaps[3].base, heaps[3].top * PAGE) < 2 * KEPT_PAGES;
}

/* One in eight stays, at random places, and nothing of another size gets in between. */
static bool gives_pages_back(void)
{
	enum { NR = 40000, BYTES = 2000 };
	static char *pieces[NR];
	unsigned int seed = 1, kept = 0;

	for (int i = 0; i < NR; i++)
		memset(pieces[i] = heap_alloc(3, BYTES), i, BYTES);
	for (int i = 0; i < NR; i++)
		if (rand_r(&seed) % 8) {
			heap_free(pieces[i]);
			pieces[i] = NULL;
		} else {
			kept++;
		}
	if (resident_pages(heaps[3].base, heaps[3].top * PAGE) * PAGE > NR * BYTES / 2)
		return false;
	/* Of what is there nothing was lost, and the rest can be used again. */
	for (int i = 0; i < NR; i++) {
		for (int at = 0; pieces[i] && at < BYTES; at++)
			if (pieces[i][at] != (char)i)
				return false;
		if (!pieces[i])
			memset(pieces[i] = heap_alloc(3, BYTES), i, BYTES);
	}
	for (int i = 0; i < NR; i++) {
		for (int at = 0; at < BYTES; at++)
			if (pieces[i][at] != (char)i)
				return false;
		heap_free(pieces[i]);
	}
	return true;
}

/* What the heap believes of free objects is so. */
static bool loose_is_counted(void)
{
	for (int kind = 0; kind < HEAP_KINDS; kind++) {
		struct heap *heap = &heaps[kind];
		long loose = 0;

		for (int i = 0; i < SMALL_CLASSES; i++)
			for (uint32_t first = heap->partial[i]; first; first = heap->runs[first].next)
				loose += heap->runs[first].free * (long)heap_classes[i].bytes -
					 __builtin_popcount(heap->runs[first].returned) * (long)PAGE;
		if (loose != heap->loose)
			return false;
	}
	return true;
}

/* Growth step by step moves pages seldom, and shrinking gives back. */
static bool grows(void)
{
	size_t bytes = 20000, most = 200 << 20, moves = 0;
	char *memory = heap_alloc(0, bytes), *blocker = NULL;

	for (; bytes < most; bytes += 20000) {
		if (!heap_resize(memory, bytes)) {
			memory = heap_move(memory, bytes);
			moves++;
			heap_free(blocker ?: heap_alloc(0, 1));
			blocker = heap_alloc(0, 300000);	/* may lie behind it */
		}
		if (!memory || (bytes > 40000 && memory[bytes - 40001] != (char)((bytes - 20000) >> 12)))
			return false;
		memory[bytes - 20001] = bytes >> 12;
	}
	if (moves > 16 || !heap_resize(memory, 1 << 20) || heap_usable(memory) != 1 << 20)
		return false;
	heap_free(memory);
	heap_free(blocker);
	return true;
}

/* A thread that has gone keeps nothing, nor does it where others free what it took. */
static void *take_many(void *pieces_of)
{
	void **pieces = pieces_of;

	for (int i = 0; i < 1000; i++)
		pieces[i] = heap_alloc(1, i * 50);
	return NULL;
}

static bool threads_pass_on(void)
{
	uint32_t before = pages_in_use(1);
	void *pieces[1000];
	pthread_t thread;

	for (int round = 0; round < 50; round++) {
		if (pthread_create(&thread, NULL, take_many, pieces))
			return false;
		pthread_join(thread, NULL);
		for (int i = 0; i < 1000; i++)
			heap_free(pieces[i]);
	}
	return pages_in_use(1) < before + 4096;
}

/* Ends a child by SIGABRT. */
static bool dies(void (*mistake)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		close(2);
		mistake();
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void free_twice(void)
{
	void *memory = heap_alloc(0, 40);

	heap_free(memory);
	heap_free(memory);
}

/* Not one after the other, and with others in between. */
static void free_twice_later(void)
{
	void *memory = heap_alloc(0, 40), *others[10];

	for (int i = 0; i < 10; i++)
		others[i] = heap_alloc(0, 40);
	heap_free(memory);
	for (int i = 0; i < 10; i++)
		heap_free(others[i]);
	heap_free(memory);
}

static void *thread_free(void *memory)
{
	heap_free(memory);
	return NULL;
}

/* By two threads that end. */
static void free_twice_elsewhere(void)
{
	void *memory = heap_alloc(0, 40);
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, thread_free, memory);
		pthread_join(thread, NULL);
	}
}

static void free_huge_twice(void)
{
	void *memory = heap_alloc(0, 4000000);

	heap_free(memory);
	heap_free(memory);
}

static void free_base(void)
{
	heap_free(heaps[0].base);
}

static void free_large_twice(void)
{
	void *memory = heap_alloc(0, 400000);

	heap_free(memory);
	heap_free(memory);
}

static void free_inside(void)
{
	heap_free((char *)heap_alloc(0, 40) + 8);
}

static void free_inside_large(void)
{
	heap_free((char *)heap_alloc(0, 400000) + PAGE);
}

int main(void)
{
	char *mine = malloc(10);

	printf("KTAP version 1\n");
	check("size classes", classes_fit());
	check("nothing is owned at first", !heap_owns(mine) && !heap_owns(NULL) && !heap_owns(&nr));
	check("reserves its addresses", heap_init());
	check("spans", spans_fit());
	check("owns no other memory", !heap_owns(mine) && !heap_owns(NULL) && !heap_owns(&nr));
	free(mine);
	check("threads churn", threads_churn());
	check("runs are whole", runs_are_whole());
	check("all came back", all_came_back());
	check("alignment", is_aligned());
	check("large memory is given back", gives_back());
	check("small memory is given back", gives_small_back());
	check("pages between objects are given back", gives_pages_back());
	check("free objects are counted", loose_is_counted());
	check("grows in place", grows());
	check("threads pass on memory", threads_pass_on());
	check("runs are whole yet", runs_are_whole());
	check("free objects are counted yet", loose_is_counted());
	check("too much", !heap_alloc(0, heap_bytes) && !heap_alloc(0, ~0UL) && !heap_calloc(0, ~0UL) &&
	      !heap_aligned_alloc(0, ~0UL, 64) && !heap_aligned_alloc(0, ~0UL - 4000, 8192));
	check("freed twice", dies(free_twice));
	check("freed twice, later", dies(free_twice_later));
	check("freed twice, by threads", dies(free_twice_elsewhere));
	check("large freed twice", dies(free_large_twice));
	check("very large freed twice", dies(free_huge_twice));
	check("freed inside", dies(free_inside));
	check("freed inside of large", dies(free_inside_large));
	check("freed where nothing is", dies(free_base));
	printf("1..%d\n", nr);
	return failed > 0;
}
