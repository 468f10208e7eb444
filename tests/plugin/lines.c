// SPDX-License-Identifier: GPL-2.0-only
/*
 * lines: a plugin of QEMU that counts, between two marks (../guest/lib/mark.h), what the code of kernel modules writes, by
 * cache line and CPU. For two CPUs, in a machine that runs one at a time.
 *
 * Arguments: out=FILE, to which it writes "LINE PC COUNT0 COUNT1" for each line of 64 bytes (its virtual address) and each
 * instruction that wrote to it, in hexadecimal and decimal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../scripts/vmlib/cells/qemu-plugin.h"
#include "../guest/lib/mark.h"

#define PAGE		4096
#define LINE_BITS	6
#define BUCKET_BITS	18
#define MODULES		0xffffffffc0000000ULL	/* where the kernel loads them, with or without KASLR */

struct count {
	struct count *next;
	uint64_t line;
	uint64_t pc;
	uint64_t writes[2];
};

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

static struct count *buckets[1 << BUCKET_BITS];
static const char *out;
static bool counting;

static struct count *count_of(uint64_t line, uint64_t pc)
{
	struct count **bucket = &buckets[((line * 31 + pc) * 0x9e3779b97f4a7c15ULL) >> (64 - BUCKET_BITS)], *count;

	for (count = *bucket; count; count = count->next)
		if (count->line == line && count->pc == pc)
			return count;
	count = calloc(1, sizeof(*count));
	if (!count)
		abort();
	*count = (struct count) { .next = *bucket, .line = line, .pc = pc };
	*bucket = count;
	return count;
}

static void accessed(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *pc)
{
	if (counting && qemu_plugin_mem_is_store(info))
		count_of(vaddr >> LINE_BITS, (uintptr_t)pc)->writes[cpu & 1]++;
}

static void write_counts(void)
{
	FILE *file = fopen(out, "w");

	if (!file)
		return;
	for (size_t i = 0; i < 1 << BUCKET_BITS; i++)
		for (const struct count *count = buckets[i]; count; count = count->next)
			fprintf(file, "%" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", count->line, count->pc,
				count->writes[0], count->writes[1]);
	fclose(file);
}

static void marked(unsigned int cpu, void *mark)
{
	(void)cpu;
	if ((uintptr_t)mark == MARK_STOP)
		write_counts();
	counting = (uintptr_t)mark == MARK_START;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t vaddr = qemu_plugin_tb_vaddr(tb);

	(void)id;
	if (vaddr - MARK_PAGE < PAGE)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, marked, QEMU_PLUGIN_CB_NO_REGS,
						     (void *)(uintptr_t)(vaddr - MARK_PAGE));
	for (size_t i = 0; vaddr >= MODULES && i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W,
						 (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
	}
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
