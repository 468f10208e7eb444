// SPDX-License-Identifier: GPL-2.0-only
/*
 * The heaps of libvip: heap.h.
 *
 * A heap is made of blocks of 64 KiB. Small objects of one size share a block,
 * large ones have some in a row. What is known about a block lies apart from
 * it, so that the memory that programs have asked for is theirs alone, and is
 * not written by an allocator. Blocks that are free are given back to the
 * system, and hold zeros.
 */
#include "heap.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCK		65536UL
#define SMALL		16384UL		/* the largest that share a block */
#define CLASSES		36
#define BINS		32
#define LARGEST		(64UL << 30)	/* addresses of a heap */
#define SMALLEST	(256UL << 20)
#define STEP		64		/* blocks made writable at a time */
#define TRIES		32		/* free runs that are looked at */
#define NONE		0		/* block 0 is never used */

enum state { INSIDE, FREE, OBJECTS, LARGE };

/**
 * struct block - what is known about a block
 * @next: of a list of those alike: free runs, or blocks with free objects
 * @previous: in that list
 * @length: of a run, in its first block; of a free one, in its last too
 * @free: objects that are free
 * @class: of its objects
 * @state: of the first of a run
 */
struct block {
	uint32_t next;
	uint32_t previous;
	uint32_t length;
	uint16_t free;
	uint8_t class;
	uint8_t state;
};

typedef uint64_t object_map[BLOCK / 16 / 64];	/* a bit for a free object */

static struct heap {
	pthread_mutex_t lock;
	char *base;
	struct block *blocks;
	object_map *maps;
	uint32_t top;			/* blocks that were ever used */
	uint32_t writable;
	uint32_t runs[BINS];		/* free ones, by the length's logarithm */
	uint32_t partial[CLASSES];	/* blocks with free objects */
} heaps[HEAP_KINDS];

/* Until there are heaps, where no memory of a program can be. */
char *heaps_base = (char *)(1UL << 63);
size_t heap_bytes;

static void __attribute__((noreturn)) die(const char *why)
{
	ssize_t unused = write(STDERR_FILENO, why, strlen(why));

	(void)unused;
	abort();
}

/* Eight classes up to 128 bytes, and four for each doubling from there on. */
static unsigned int class_of(size_t bytes)
{
	unsigned int log;

	if (bytes <= 128)
		return bytes ? (bytes - 1) / 16 : 0;
	log = 63 - __builtin_clzl(bytes - 1);
	return 8 + (log - 7) * 4 + (((bytes - 1) >> (log - 2)) & 3);
}

static size_t class_bytes(unsigned int class)
{
	size_t base;

	if (class < 8)
		return (class + 1) * 16;
	base = 128UL << (class - 8) / 4;
	return base + ((class - 8) % 4 + 1) * (base / 4);
}

static unsigned int bin_of(uint32_t length)
{
	return 31 - __builtin_clz(length);
}

static char *address_of(const struct heap *heap, uint32_t index)
{
	return heap->base + index * BLOCK;
}

static void list_add(struct heap *heap, uint32_t *list, uint32_t index)
{
	struct block *block = &heap->blocks[index];

	block->previous = NONE;
	block->next = *list;
	if (*list)
		heap->blocks[*list].previous = index;
	*list = index;
}

static void list_del(struct heap *heap, uint32_t *list, uint32_t index)
{
	struct block *block = &heap->blocks[index];

	if (block->previous)
		heap->blocks[block->previous].next = block->next;
	else
		*list = block->next;
	if (block->next)
		heap->blocks[block->next].previous = block->previous;
}

static void run_add(struct heap *heap, uint32_t first, uint32_t length)
{
	struct block *last = &heap->blocks[first + length - 1];

	heap->blocks[first].length = length;
	heap->blocks[first].state = FREE;
	last->length = length;
	last->state = FREE;
	list_add(heap, &heap->runs[bin_of(length)], first);
}

static void run_del(struct heap *heap, uint32_t first)
{
	uint32_t length = heap->blocks[first].length;

	list_del(heap, &heap->runs[bin_of(length)], first);
	heap->blocks[first].state = INSIDE;
	heap->blocks[first + length - 1].state = INSIDE;
}

static uint32_t run_find(struct heap *heap, uint32_t length)
{
	unsigned int bin, tries = 0;
	uint32_t first;

	for (bin = bin_of(length); bin < BINS; bin++)
		for (first = heap->runs[bin]; first && tries < TRIES;
		     first = heap->blocks[first].next, tries++)
			if (heap->blocks[first].length >= length)
				return first;
	return NONE;
}

/* With all pages that some of it lies in. */
static bool open_up(void *memory, size_t bytes)
{
	uintptr_t page = sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)memory & -page;
	uintptr_t end = ((uintptr_t)memory + bytes + page - 1) & -page;

	return !mprotect((void *)start, end - start, PROT_READ | PROT_WRITE);
}

/*
 * What is known about blocks, and they themselves, as far as they are in use:
 * mlockall() brings in, and keeps, all that can be accessed.
 */
static bool open_blocks(struct heap *heap, uint32_t first, uint32_t nr)
{
	return open_up(&heap->blocks[first], nr * sizeof(*heap->blocks)) &&
	       open_up(&heap->maps[first], nr * sizeof(*heap->maps)) &&
	       open_up(address_of(heap, first), nr * BLOCK);
}

static uint32_t run_extend(struct heap *heap, uint32_t length)
{
	size_t end = heap->top + (size_t)length, limit = heap_bytes / BLOCK;
	uint32_t first = heap->top, step;

	if (end > limit)
		return NONE;
	if (end > heap->writable) {
		step = end - heap->writable + STEP;
		if (heap->writable + (size_t)step > limit)
			step = limit - heap->writable;
		if (!open_blocks(heap, heap->writable, step))
			return NONE;
		heap->writable += step;
	}
	heap->top = end;
	return first;
}

static uint32_t run_alloc(struct heap *heap, uint32_t length, enum state state)
{
	uint32_t first = run_find(heap, length), rest;

	if (first) {
		rest = heap->blocks[first].length - length;
		run_del(heap, first);
		if (rest)
			run_add(heap, first + length, rest);
	} else {
		first = run_extend(heap, length);
		if (!first)
			return NONE;
	}
	heap->blocks[first].length = length;
	heap->blocks[first].state = state;
	return first;
}

/* Free memory holds zeros, wherever it cannot be given back as well. */
static void give_back(char *memory, size_t bytes)
{
	int saved = errno;

	if (madvise(memory, bytes, MADV_DONTNEED))
		memset(memory, 0, bytes);
	errno = saved;
}

static void run_free(struct heap *heap, uint32_t first)
{
	struct block *blocks = heap->blocks;
	uint32_t length = blocks[first].length;

	give_back(address_of(heap, first), length * BLOCK);
	blocks[first].state = INSIDE;
	if (first + length < heap->top && blocks[first + length].state == FREE) {
		length += blocks[first + length].length;
		run_del(heap, first + blocks[first].length);
	}
	if (blocks[first - 1].state == FREE) {
		first -= blocks[first - 1].length;
		length += blocks[first].length;
		run_del(heap, first);
	}
	run_add(heap, first, length);
}

static uint32_t objects_new(struct heap *heap, unsigned int class)
{
	unsigned int nr = BLOCK / class_bytes(class), i;
	uint32_t index = run_alloc(heap, 1, OBJECTS);
	struct block *block = &heap->blocks[index];

	if (!index)
		return NONE;
	block->class = class;
	block->free = nr;
	for (i = 0; i < nr / 64; i++)
		heap->maps[index][i] = ~0UL;
	if (nr % 64)
		heap->maps[index][i] = (1UL << nr % 64) - 1;
	list_add(heap, &heap->partial[class], index);
	return index;
}

static void *small_alloc(struct heap *heap, unsigned int class)
{
	uint32_t index = heap->partial[class] ?: objects_new(heap, class);
	unsigned int word = 0, bit;
	uint64_t *map;

	if (!index)
		return NULL;
	map = heap->maps[index];
	while (!map[word])
		word++;
	bit = __builtin_ctzl(map[word]);
	map[word] &= ~(1UL << bit);
	if (!--heap->blocks[index].free)
		list_del(heap, &heap->partial[class], index);
	return address_of(heap, index) + (word * 64 + bit) * class_bytes(class);
}

static void small_free(struct heap *heap, uint32_t index, const char *memory)
{
	struct block *block = &heap->blocks[index];
	size_t offset = memory - address_of(heap, index);
	size_t bytes = class_bytes(block->class), object = offset / bytes;
	uint64_t *word = &heap->maps[index][object / 64];
	uint32_t *list = &heap->partial[block->class];

	if (offset % bytes || object >= BLOCK / bytes ||
	    (*word & 1UL << object % 64))
		die("libvip: this is not allocated, or is freed twice\n");
	*word |= 1UL << object % 64;
	if (!block->free++)
		list_add(heap, list, index);
	/* One is kept, lest it come and go. */
	if (block->free < BLOCK / bytes ||
	    (*list == index && !block->next))
		return;
	list_del(heap, list, index);
	run_free(heap, index);
}

static void *large_alloc(struct heap *heap, size_t bytes)
{
	uint32_t first;

	if (bytes > heap_bytes)
		return NULL;
	first = run_alloc(heap, (bytes + BLOCK - 1) / BLOCK, LARGE);
	return first ? address_of(heap, first) : NULL;
}

void *heap_alloc(unsigned int kind, size_t bytes, size_t alignment)
{
	struct heap *heap = &heaps[kind];
	void *memory;

	if (alignment > BLOCK)
		return NULL;
	/* Objects of a power of two are aligned to it. */
	if (alignment > 16) {
		if (bytes < alignment)
			bytes = alignment;
		if (bytes <= SMALL)
			bytes = 1UL << (64 - __builtin_clzl(bytes - 1));
	}
	pthread_mutex_lock(&heap->lock);
	memory = bytes <= SMALL ? small_alloc(heap, class_of(bytes)) :
				  large_alloc(heap, bytes);
	pthread_mutex_unlock(&heap->lock);
	return memory;
}

static uint32_t index_of(const struct heap *heap, const void *memory)
{
	return ((const char *)memory - heap->base) / BLOCK;
}

void heap_free(void *memory)
{
	struct heap *heap = &heaps[heap_of(memory)];
	uint32_t index = index_of(heap, memory);
	enum state state;

	pthread_mutex_lock(&heap->lock);
	state = index < heap->top ? heap->blocks[index].state : INSIDE;
	if (state == OBJECTS)
		small_free(heap, index, memory);
	else if (state == LARGE && memory == address_of(heap, index))
		run_free(heap, index);
	else
		die("libvip: this is not allocated, or is freed twice\n");
	pthread_mutex_unlock(&heap->lock);
}

size_t heap_usable(const void *memory)
{
	const struct heap *heap = &heaps[heap_of(memory)];
	const struct block *block = &heap->blocks[index_of(heap, memory)];

	/* It is the caller's, and does not change. */
	return block->state == OBJECTS ? class_bytes(block->class) :
					 block->length * BLOCK;
}

bool heap_clears(size_t bytes)
{
	return bytes > SMALL;
}

static void *reserve(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* So many addresses for each, and what has to be known about them. */
static bool reserve_all(size_t bytes)
{
	size_t nr = HEAP_KINDS * bytes / BLOCK;
	size_t blocks_bytes = nr * sizeof(struct block);
	struct block *blocks = reserve(blocks_bytes);
	object_map *maps = blocks ? reserve(nr * sizeof(*maps)) : NULL;
	char *base = maps ? reserve(HEAP_KINDS * bytes + BLOCK) : NULL;
	int i;

	if (!base) {
		if (maps)
			munmap(maps, nr * sizeof(*maps));
		if (blocks)
			munmap(blocks, blocks_bytes);
		return false;
	}
	base += -(uintptr_t)base % BLOCK;
	for (i = 0; i < HEAP_KINDS; i++) {
		heaps[i].base = base + i * bytes;
		heaps[i].blocks = blocks + i * bytes / BLOCK;
		heaps[i].maps = maps + i * bytes / BLOCK;
		heaps[i].top = 1;
		pthread_mutex_init(&heaps[i].lock, NULL);
	}
	heap_bytes = bytes;
	__atomic_store_n(&heaps_base, base, __ATOMIC_RELEASE);
	return true;
}

/* Less where addresses are limited, or memory is not overcommitted. */
bool heaps_init(void)
{
	size_t bytes;

	for (bytes = LARGEST; bytes >= SMALLEST; bytes /= 4)
		if (reserve_all(bytes))
			return true;
	return false;
}

void heaps_lock(void)
{
	int i;

	for (i = 0; heap_bytes && i < HEAP_KINDS; i++)
		pthread_mutex_lock(&heaps[i].lock);
}

void heaps_unlock(void)
{
	int i;

	for (i = HEAP_KINDS - 1; heap_bytes && i >= 0; i--)
		pthread_mutex_unlock(&heaps[i].lock);
}
