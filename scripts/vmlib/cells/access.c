// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU TCG plugin: cells that change at an access of the guest.
 *
 * Arguments: on=FILE     its first byte is 0 while the faults are off; any other change means that there are new ones
 *            cells=FILE  one a line: KIND AGGRESSOR OFFSET BIT PATH
 * KIND: store  an access that stores to AGGRESSOR flips the bit of the file
 *       load   one that loads from it does
 *       flip   the fourth one that stores to it flips the bit, and no other one does: the kernel may clear a page first
 *       sa0, sa1  one that stores to it leaves the bit at 0, at 1 (AGGRESSOR is then the cell's own address)
 *
 * AGGRESSOR is an address as QEMU's plugins see it, which for memory is not the guest's physical address but the
 * place in the list of QEMU's memory blocks; faults.py translates.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qemu-plugin.h"

#define PAGE 4096u
#define WORD 8u
#define FLIP_AT 4

struct cell {
	struct cell *next;
	enum { STORE, LOAD, FLIP, SA0, SA1 } kind;
	uint64_t aggressor;
	uint8_t *byte;
	uint8_t mask;
	unsigned int stores;	/* of a flip */
};

/*
 * The cells by where in its page the aggressor lies, which is the same in both kinds of address: nearly all accesses
 * end there.
 */
struct cells {
	struct cell *at[PAGE / WORD];
};

static struct cells none;
static struct cells *cells = &none;
static const char *list;
static volatile uint8_t *on;
static uint8_t known;		/* what *on was when the list was read */

static void *map(const char *path, uint64_t offset)
{
	int fd = open(path, O_RDWR);
	uint8_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset & ~(uint64_t)(PAGE - 1));

	if (fd < 0 || page == MAP_FAILED)
		return NULL;
	close(fd);
	return page + offset % PAGE;
}

static void change(struct cell *cell)
{
	switch (cell->kind) {
	case STORE:
	case LOAD:
		__atomic_xor_fetch(cell->byte, cell->mask, __ATOMIC_RELAXED);
		break;
	case FLIP:
		if (__atomic_add_fetch(&cell->stores, 1, __ATOMIC_RELAXED) == FLIP_AT)
			__atomic_xor_fetch(cell->byte, cell->mask, __ATOMIC_RELAXED);
		break;
	case SA0:
		__atomic_and_fetch(cell->byte, (uint8_t)~cell->mask, __ATOMIC_RELAXED);
		break;
	case SA1:
		__atomic_or_fetch(cell->byte, cell->mask, __ATOMIC_RELAXED);
		break;
	}
}

static struct cell *parse(const char *line)
{
	static const char *const kinds[] = { "store", "load", "flip", "sa0", "sa1" };
	struct cell *cell = calloc(1, sizeof(*cell));
	char kind[8], path[4096];
	unsigned int bit;
	uint64_t offset;

	if (!cell || sscanf(line, "%7s %" SCNu64 " %" SCNu64 " %u %4095[^\n]", kind, &cell->aggressor, &offset, &bit,
			    path) != 5)
		return NULL;
	while (cell->kind <= SA1 && strcmp(kinds[cell->kind], kind))
		cell->kind++;
	cell->mask = 1u << bit;
	cell->byte = map(path, offset);
	return cell->kind <= SA1 && cell->byte ? cell : NULL;
}

static struct cells *read_list(void)
{
	struct cells *fresh = calloc(1, sizeof(*fresh));
	FILE *file = fopen(list, "r");
	struct cell *cell, **at;
	char line[8192];

	if (!file || !fresh) {
		perror(list);
		abort();
	}
	while (fgets(line, sizeof(line), file)) {
		cell = parse(line);
		if (!cell) {
			fprintf(stderr, "access: cannot make a cell of %s", line);
			abort();
		}
		at = &fresh->at[cell->aggressor % PAGE / WORD];
		cell->next = *at;
		*at = cell;
	}
	fclose(file);
	return fresh;
}

/* What there was is never freed: another processor may be looking at it. */
static void learn(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint8_t now;

	pthread_mutex_lock(&lock);
	now = *on;
	if (now && now != known) {
		__atomic_store_n(&cells, read_list(), __ATOMIC_RELEASE);
		__atomic_store_n(&known, now, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
}

static bool hits(const struct cell *cell, qemu_plugin_meminfo_t info, uint64_t vaddr, uint64_t size)
{
	uint64_t ahead = (cell->aggressor - vaddr) % PAGE;
	struct qemu_plugin_hwaddr *address;

	if (ahead >= size || qemu_plugin_mem_is_store(info) != (cell->kind != LOAD))
		return false;
	address = qemu_plugin_get_hwaddr(info, vaddr + ahead);
	return address && !qemu_plugin_hwaddr_is_io(address) &&
	       qemu_plugin_hwaddr_phys_addr(address) == cell->aggressor;
}

/* Called after each access of the guest's memory. */
static void accessed(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	uint64_t size = 1ull << qemu_plugin_mem_size_shift(info);
	uint8_t now = *on;

	(void)cpu;
	(void)data;
	if (!now)
		return;
	if (now != __atomic_load_n(&known, __ATOMIC_ACQUIRE))
		learn();
	for (uint64_t word = vaddr / WORD; word <= (vaddr + size - 1) / WORD; word++)
		for (struct cell *cell = cells->at[word % (PAGE / WORD)]; cell; cell = cell->next)
			if (hits(cell, info, vaddr, size))
				change(cell);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), accessed, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "on=", 3))
			on = map(argv[i] + 3, 0);
		else if (!strncmp(argv[i], "cells=", 6))
			list = strdup(argv[i] + 6);
		else
			return -1;
	}
	if (!on || !list)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
