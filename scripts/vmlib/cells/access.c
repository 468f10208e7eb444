// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU TCG plugin: cells that change at an access of the guest.
 *
 * Arguments: on=FILE                                    its first byte is 1 while the faults are on
 *            cell=KIND/AGGRESSOR/OFFSET/BIT/PATH  ...
 * KIND: store  an access that stores to AGGRESSOR flips the bit of the file
 *       load   one that loads from it does
 *       sa0, sa1  one that stores to it leaves the bit at 0, at 1 (AGGRESSOR is then the cell's own address)
 *
 * AGGRESSOR is an address as QEMU's plugins see it, which for memory is not the guest's physical address but the
 * place in the list of QEMU's memory blocks; faults.py translates.
 *
 * The plugin interface comes in no package; these are the functions of its documentation that are used here.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
typedef struct qemu_info qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *address);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *address);

#define EXPORT __attribute__((visibility("default")))
#ifndef PLUGIN_VERSION
#define PLUGIN_VERSION 1
#endif
EXPORT int qemu_plugin_version = PLUGIN_VERSION;

#define MAX_CELLS 64
#define PAGE 4096u

static struct cell {
	enum { STORE, LOAD, SA0, SA1 } kind;
	uint64_t aggressor;
	uint8_t *byte;
	uint8_t mask;
} cells[MAX_CELLS];
static unsigned int count;
static volatile uint8_t *on;

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
	case SA0:
		__atomic_and_fetch(cell->byte, (uint8_t)~cell->mask, __ATOMIC_RELAXED);
		break;
	case SA1:
		__atomic_or_fetch(cell->byte, cell->mask, __ATOMIC_RELAXED);
		break;
	}
}

/* Called after each access of the guest's memory. */
static void accessed(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	uint64_t size = 1ull << qemu_plugin_mem_size_shift(info);

	(void)cpu;
	(void)data;
	if (!*on)
		return;
	for (struct cell *cell = cells; cell < cells + count; cell++) {
		/* The place in the page is the same in both kinds of address: nearly all accesses end here. */
		uint64_t ahead = (cell->aggressor - vaddr) % PAGE;
		struct qemu_plugin_hwaddr *address;

		if (ahead >= size || qemu_plugin_mem_is_store(info) != (cell->kind != LOAD))
			continue;
		address = qemu_plugin_get_hwaddr(info, vaddr + ahead);
		if (address && !qemu_plugin_hwaddr_is_io(address) &&
		    qemu_plugin_hwaddr_phys_addr(address) == cell->aggressor)
			change(cell);
	}
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), accessed, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
}

static bool add(const char *spec)
{
	static const char *const kinds[] = { "store", "load", "sa0", "sa1" };
	struct cell *cell = &cells[count++];
	uint64_t offset;
	unsigned int bit;
	char kind[8];
	int path;

	if (count > MAX_CELLS || sscanf(spec, "%7[^/]/%" SCNu64 "/%" SCNu64 "/%u%n", kind, &cell->aggressor, &offset, &bit,
					&path) != 4)
		return false;
	for (cell->kind = STORE; cell->kind <= SA1; cell->kind++)
		if (!strcmp(kinds[cell->kind], kind))
			break;
	cell->mask = 1u << bit;
	cell->byte = map(spec + path, offset);
	return cell->kind <= SA1 && cell->byte;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "on=", 3))
			on = map(argv[i] + 3, 0);
		else if (strncmp(argv[i], "cell=", 5) || !add(argv[i] + 5))
			return -1;
	}
	if (!on)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
