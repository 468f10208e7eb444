// SPDX-License-Identifier: GPL-2.0-only
/* The heaps of libvip, in user space under ASan; prints KTAP. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/libvip/heap.c"

static int nr, failed;

static void check(const char *name, bool good)
{
	failed += !good;
	printf("%sok %d %s\n", good ? "" : "not ", ++nr, name);
}

static bool classes_fit(void)
{
	for (size_t bytes = 0; bytes <= SMALL; bytes++) {
		unsigned int class = class_of(bytes);

		if (class >= CLASSES || class_bytes(class) < bytes || class_bytes(class) % 16 ||
		    (class && class_bytes(class - 1) >= bytes) ||
		    (bytes > 128 && class_bytes(class) > bytes * 5 / 4 + 1))
			return false;
	}
	return class_of(SMALL) == CLASSES - 1;
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
			heap_free(piece->memory);
		}
		piece->bytes = rand_r(&seed) % (rand_r(&seed) % 50 ? 3000 : 300000);
		piece->mark = ++marks;
		piece->memory = heap_alloc(rand_r(&seed) % HEAP_KINDS, piece->bytes, 1);
		if (!piece->memory)
			return NULL;
		if (heap_clears(piece->bytes))
			for (size_t at = 0; at < piece->bytes; at += 977)
				good &= !piece->memory[at];
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

/* At most a block for each class stays in use; the rest is one run again. */
static bool all_came_back(void)
{
	for (int kind = 0; kind < HEAP_KINDS; kind++) {
		struct heap *heap = &heaps[kind];
		unsigned int used = 0;

		for (uint32_t i = 1; i < heap->top; i++)
			used += heap->blocks[i].state == OBJECTS || heap->blocks[i].state == LARGE;
		if (used > CLASSES)
			return false;
	}
	return true;
}

static bool is_aligned(void)
{
	for (size_t alignment = 1; alignment <= BLOCK; alignment *= 2)
		for (size_t bytes = 1; bytes < 100000; bytes = bytes * 3 + 1) {
			char *memory = heap_alloc(2, bytes, alignment);

			if (!memory || (uintptr_t)memory % alignment || heap_usable(memory) < bytes ||
			    heap_of(memory) != 2)
				return false;
			heap_free(memory);
		}
	return !heap_alloc(2, 1, 2 * BLOCK);
}

static bool gives_back(void)
{
	enum { BYTES = 8 << 20 };
	char *memory = heap_alloc(1, BYTES, 1);
	uint32_t top = heaps[1].top;
	unsigned char in[BYTES / 4096];

	memset(memory, 1, BYTES);
	heap_free(memory);
	if (mincore(memory, BYTES, in))
		return false;
	for (size_t i = 0; i < sizeof(in); i++)
		if (in[i] & 1)
			return false;
	/* And its addresses are used again. */
	heap_free(heap_alloc(1, BYTES, 1));
	return heaps[1].top == top;
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
	void *memory = heap_alloc(0, 40, 1);

	heap_free(memory);
	heap_free(memory);
}

static void free_large_twice(void)
{
	void *memory = heap_alloc(0, 400000, 1);

	heap_free(memory);
	heap_free(memory);
}

static void free_inside(void)
{
	heap_free((char *)heap_alloc(0, 40, 1) + 8);
}

static void free_inside_large(void)
{
	heap_free((char *)heap_alloc(0, 400000, 1) + BLOCK);
}

int main(void)
{
	char *mine = malloc(10);

	printf("KTAP version 1\n");
	check("size classes", classes_fit());
	check("nothing is owned at first", !heap_owns(mine) && !heap_owns(NULL) && !heap_owns(&nr));
	check("reserves its addresses", heaps_init());
	check("owns no other memory", !heap_owns(mine) && !heap_owns(NULL) && !heap_owns(&nr));
	free(mine);
	check("threads churn", threads_churn());
	check("all came back", all_came_back());
	check("alignment", is_aligned());
	check("large memory is given back", gives_back());
	check("too much", !heap_alloc(0, heap_bytes, 1) && !heap_alloc(0, ~0UL, 1) && !heap_alloc(0, ~0UL, 64));
	check("freed twice", dies(free_twice));
	check("large freed twice", dies(free_large_twice));
	check("freed inside", dies(free_inside));
	check("freed inside of large", dies(free_inside_large));
	printf("1..%d\n", nr);
	return failed > 0;
}
