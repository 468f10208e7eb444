// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU TCG plugin: counts what reaches each page frame of the guest, before and behind modelled caches, and what a
 * modelled DRAM makes of it.
 *
 * Arguments: out=DIR             where the counts go
 *            ram=TEXT            part of the path of the file that holds the guest's memory, which is one node's
 *            user=on             only what programs do, not the kernel
 *            cache=SIZE:WAYS:LINE[:shared]   a level of caches, the first nearest to the CPU; repeat for more. The
 *                                first level is two caches of that size, one for instructions. Each CPU has its own
 *                                unless it is shared.
 *            fetched=SIZE:WAYS:LINE          the first level's for instructions, if it is another one; after it
 *            trace=on            also write what reaches memory, each access, to DIR/NUMBER.trace, see trace.h
 *            bank=SIZE:COUNT     DRAM: COUNT banks (or channels, ranks) take turns every SIZE bytes; repeat for more
 *            bank=^MASK          the parity of these address bits selects one of two
 *            row=SIZE            how much lies between one row of a bank and its next one
 *
 * The guest begins and ends a count by running code at an address that means it, see mark.h; a count that begins
 * before the last one has ended takes its place. Each count becomes a file DIR/NUMBER, from 0 on; lines of it:
 *     instructions CPU N LAP      LAP of them until the guest said so, or 0
 *     dram CPU HITS OPENED OWN OTHERS
 *     met FRAME OTHER        of the first 1000 of all OTHERS: the frame, and that of the other CPU's last access
 *     frame BOUNDARY NUMBER FETCHES FETCHED READS READ WRITES WRITTEN
 * Boundary 0 is between CPU and the first cache; BOUNDARY n is behind level n. FETCHED, READ and WRITTEN are bytes.
 *
 * All is counted, the kernel's accesses too, as M5's memory does in hybrid PRAM, section 5.1; or with "user" only
 * what user mode does, as if the kernel used no memory and no cache. Two copies of the plugin can do both at once:
 * QEMU loads a file only once. Instructions are fetched
 * one by one, by their size, and the instruction that faults counts with all that follow it in its block. Not seen are
 * page table walks and what devices do. What is dirty in a cache at the end is not written. Caches know nothing of each
 * other. Needs thread=single: nothing is locked.
 *
 * One thread runs the CPUs, each for a while. The DRAM takes the accesses in the order of the instructions that each
 * CPU has run since the start, as if all ran at once, each at the same speed. Lines that are written back are of the
 * CPU that wrote them, whoever's miss it was that drove them out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../scripts/vmlib/cells/qemu-plugin.h"
#include "cache.h"
#include "dram.h"
#include "trace.h"
#include "../guest/lib/mark.h"

#define PAGE 4096u
#define CPUS OWNERS
#define LEVELS 4u
/* Accesses that wait for the DRAM, of all CPUs: 512 MiB. */
#define WAITING_MAX (32u << 20)
#define MET_MAX 1000u

enum kind { FETCH, READ, WRITE, KINDS };

struct traffic {
	uint64_t accesses[KINDS];
	uint64_t bytes[KINDS];
};

/* A run of instructions of a translated block that lie in one frame. */
struct run {
	uint64_t host;		/* address of the first in QEMU */
	uint32_t instructions;
	uint32_t bytes;
};

struct block {
	uint32_t instructions;
	struct run runs[2];
};

struct level {
	struct cache caches[CPUS];
	struct cache fetched[CPUS];	/* of the first level: for instructions */
	bool shared;
};

struct access {
	uint64_t time;
	uint64_t address : 56, owner : 8;
};

struct queue {
	struct access *at;
	size_t size, used, done;
};

static const char *out, *ram;
static uint64_t ram_host, nframes;
static struct level levels[LEVELS];
static unsigned int nlevels;
static struct traffic *boundaries[LEVELS + 1];	/* by frame */
static struct dram dram;
static struct dram_counts dram_counts[CPUS];
static struct {
	uint64_t frame, other;
} met[MET_MAX];
static unsigned int nmet;
static struct queue queues[CPUS];
static size_t waiting;
static uint64_t executed[CPUS], lap[CPUS];
static bool counting, user_only, tracing;
static FILE *trace;
static unsigned int counts;

static void die(const char *what)
{
	fprintf(stderr, "traffic: %s\n", what);
	exit(1);
}

static void clear_queues(void)
{
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		queues[cpu].used = queues[cpu].done = 0;
	waiting = 0;
}

static void access_dram(const struct access *access)
{
	uint64_t other = dram_access(&dram, access->address, access->owner, &dram_counts[access->owner]);

	if (other == NO_ROW || nmet == MET_MAX)
		return;
	met[nmet].frame = access->address / PAGE;
	met[nmet++].other = other / PAGE;
}

/* The oldest access that waits goes first, whoever's it is. */
static void drain_queues(void)
{
	struct queue *next;

	do {
		next = NULL;
		for (unsigned int i = 0; i < CPUS; i++) {
			struct queue *queue = &queues[i];

			if (queue->done < queue->used &&
			    (!next || queue->at[queue->done].time < next->at[next->done].time))
				next = queue;
		}
		if (next)
			access_dram(&next->at[next->done++]);
	} while (next);
	clear_queues();
}

static void queue_access(unsigned int cpu, unsigned int owner, uint64_t address)
{
	struct queue *queue = &queues[cpu];

	if (waiting == WAITING_MAX)
		drain_queues();
	if (queue->used == queue->size) {
		queue->size = queue->size ? 2 * queue->size : 4096;
		queue->at = realloc(queue->at, queue->size * sizeof(*queue->at));
		if (!queue->at)
			die("no memory");
	}
	queue->at[queue->used++] = (struct access){ executed[cpu], address, owner };
	waiting++;
}

static void path_of_count(char *path, size_t size, const char *suffix)
{
	snprintf(path, size, "%s/%u%s", out, counts, suffix);
}

static void start_trace(void)
{
	char path[4096];

	path_of_count(path, sizeof(path), ".trace");
	/* Of a count that another one takes the place of. */
	if (trace)
		fclose(trace);
	trace = fopen(path, "w");
	if (!trace)
		die(path);
}

static void write_trace(uint64_t record)
{
	if (fwrite(&record, sizeof(record), 1, trace) != 1)
		die("the trace cannot be written");
}

static void stop_trace(void)
{
	uint64_t last = 0;

	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		last = executed[cpu] > last ? executed[cpu] : last;
	write_trace(trace_record(last, TRACE_END, 0));
	if (fclose(trace))
		die("the trace cannot be written");
	trace = NULL;
}

/* What arrives at a level: the instructions of @cpu cause it, @owner's data are concerned. */
struct request {
	unsigned int cpu, owner;
	enum kind kind;
};

static void pass(unsigned int level, struct request request, uint64_t address, uint64_t bytes);

static void pass_line(unsigned int level, struct request request, uint64_t number)
{
	struct level *l = &levels[level];
	unsigned int whose = l->shared ? 0 : request.cpu;
	bool fetch = request.kind == FETCH;
	struct cache *cache = level == 0 && fetch ? &l->fetched[whose] : &l->caches[whose];
	struct owned_line gone;

	if (cache_access(cache, number, request.owner, request.kind == WRITE, &gone))
		return;
	if (gone.number != NO_LINE)
		pass(level + 1, (struct request){ request.cpu, gone.owner, WRITE }, gone.number * cache->line,
		     cache->line);
	/* Also what is to be written is read first. */
	request.kind = fetch ? FETCH : READ;
	pass(level + 1, request, number * cache->line, cache->line);
}

/* Traffic arrives at a level of caches, or behind the last one at memory. */
static void pass(unsigned int level, struct request request, uint64_t address, uint64_t bytes)
{
	struct traffic *t = &boundaries[level][address / PAGE];
	uint64_t line = level < nlevels ? levels[level].caches[0].line : 0;

	t->accesses[request.kind]++;
	t->bytes[request.kind] += bytes;
	if (level < nlevels)
		for (uint64_t number = address / line; number <= (address + bytes - 1) / line; number++)
			pass_line(level, request, number);
	if (level < nlevels)
		return;
	if (dram.ndigits)
		queue_access(request.cpu, request.owner, address);
	if (tracing)
		write_trace(trace_record(executed[request.cpu], request.kind == WRITE ? TRACE_WRITE : TRACE_READ,
					 address / PAGE));
}

static bool is_kernels(uint64_t vaddr)
{
	/* The upper half is. */
	return vaddr >> 63;
}

/* What reaches beyond its frame counts as if it ended there. */
static uint64_t within_page(uint64_t address, uint64_t bytes)
{
	uint64_t left = PAGE - address % PAGE;

	return bytes < left ? bytes : left;
}

static void accessed(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	struct qemu_plugin_hwaddr *where;
	uint64_t address;

	(void)data;
	/* An interrupt's frame on the kernel's stack comes as an access of the program that is interrupted. */
	if (!counting || (user_only && is_kernels(vaddr)))
		return;
	where = qemu_plugin_get_hwaddr(info, vaddr);
	if (!where || qemu_plugin_hwaddr_is_io(where))
		return;
	address = qemu_plugin_hwaddr_phys_addr(where);
	/* Beyond: memory of devices. */
	if (address / PAGE < nframes)
		pass(0, (struct request){ cpu, cpu, qemu_plugin_mem_is_store(info) ? WRITE : READ }, address,
		     within_page(address, 1ull << qemu_plugin_mem_size_shift(info)));
}

static void fetch_run(unsigned int cpu, const struct run *run)
{
	uint64_t address = run->host - ram_host, end = address + run->bytes;
	struct traffic *t = &boundaries[0][address / PAGE];

	if (!run->instructions || address / PAGE >= nframes)
		return;
	t->accesses[FETCH] += run->instructions;
	t->bytes[FETCH] += run->bytes;
	if (nlevels)
		for (uint64_t line = levels[0].caches[0].line, number = address / line; number * line < end; number++)
			pass_line(0, (struct request){ cpu, cpu, FETCH }, number);
}

static void executes(unsigned int cpu, void *data)
{
	const struct block *block = data;

	if (!counting)
		return;
	executed[cpu] += block->instructions;
	for (int i = 0; i < 2; i++)
		fetch_run(cpu, &block->runs[i]);
}

/* Where QEMU has the guest's memory, which nobody tells a plugin. */
static void find_ram(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], access[5];
	uint64_t first, end, length = 0;

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, ram) && sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &first, &end, access) == 3 &&
		    !strcmp(access, "rw-s")) {
			if (length && first != ram_host + length)
				die("the guest's memory is in several places");
			ram_host = length ? ram_host : first;
			length += end - first;
		}
	if (!length)
		die("the guest's memory is not found");
	fclose(maps);
	nframes = length / PAGE;
	for (unsigned int i = 0; i <= nlevels; i++) {
		boundaries[i] = calloc(nframes, sizeof(struct traffic));
		if (!boundaries[i])
			die("no memory");
	}
}

static void start(void)
{
	if (!nframes)
		find_ram();
	for (unsigned int i = 0; i <= nlevels; i++)
		memset(boundaries[i], 0, nframes * sizeof(struct traffic));
	for (unsigned int i = 0; i < nlevels; i++)
		for (unsigned int cpu = 0; cpu < (levels[i].shared ? 1 : CPUS); cpu++) {
			cache_clear(&levels[i].caches[cpu]);
			if (i == 0)
				cache_clear(&levels[i].fetched[cpu]);
		}
	if (dram.ndigits)
		dram_clear(&dram);
	/* Of a count that another one takes the place of. */
	clear_queues();
	memset(dram_counts, 0, sizeof(dram_counts));
	nmet = 0;
	memset(executed, 0, sizeof(executed));
	memset(lap, 0, sizeof(lap));
	if (tracing)
		start_trace();
	counting = true;
}

static void write_frames(FILE *file, unsigned int boundary)
{
	const struct traffic *t = boundaries[boundary];

	for (uint64_t frame = 0; frame < nframes; frame++, t++)
		if (t->accesses[FETCH] || t->accesses[READ] || t->accesses[WRITE]) {
			fprintf(file, "frame %u %" PRIu64, boundary, frame);
			for (int kind = 0; kind < KINDS; kind++)
				fprintf(file, " %" PRIu64 " %" PRIu64, t->accesses[kind], t->bytes[kind]);
			fputc('\n', file);
		}
}

static void stop(void)
{
	char path[4096];
	FILE *file;

	if (!counting)
		return;
	counting = false;
	drain_queues();
	if (tracing)
		stop_trace();
	path_of_count(path, sizeof(path), "");
	counts++;
	file = fopen(path, "w");
	if (!file)
		die(path);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		const struct dram_counts *d = &dram_counts[cpu];

		if (executed[cpu])
			fprintf(file, "instructions %u %" PRIu64 " %" PRIu64 "\n", cpu, executed[cpu], lap[cpu]);
		if (dram.ndigits && executed[cpu])
			fprintf(file, "dram %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", cpu, d->hits,
				d->opened, d->own, d->others);
	}
	for (unsigned int i = 0; i < nmet; i++)
		fprintf(file, "met %" PRIu64 " %" PRIu64 "\n", met[i].frame, met[i].other);
	for (unsigned int i = 0; i <= nlevels; i++)
		write_frames(file, i);
	if (fclose(file))
		die(path);
}

static void marked(unsigned int cpu, void *data)
{
	(void)cpu;
	if ((uintptr_t)data == MARK_START)
		start();
	else if ((uintptr_t)data == MARK_LAP)
		memcpy(lap, executed, sizeof(lap));
	else if ((uintptr_t)data == MARK_STOP)
		stop();
}

static struct block *describe(struct qemu_plugin_tb *tb)
{
	struct block *block = calloc(1, sizeof(*block));
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct run *run;

	if (!block)
		die("no memory");
	block->instructions = n;
	run = block->runs;
	for (size_t i = 0; i < n; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t host = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(insn);

		if (run->instructions && host / PAGE != run->host / PAGE && run == block->runs)
			run++;
		if (!run->instructions)
			run->host = host;
		run->instructions++;
		run->bytes += qemu_plugin_insn_size(insn);
	}
	return block;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t vaddr = qemu_plugin_tb_vaddr(tb);
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	if (vaddr - MARK_PAGE < PAGE)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, marked, QEMU_PLUGIN_CB_NO_REGS,
						     (void *)(uintptr_t)(vaddr - MARK_PAGE));
	if (user_only && is_kernels(vaddr))
		return;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executes, QEMU_PLUGIN_CB_NO_REGS, describe(tb));
	for (size_t i = 0; i < n; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), accessed, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
}

static uint64_t number(const char *text, char **end)
{
	uint64_t value = strtoull(text, end, 0);

	switch (**end) {
	case 'M':
		value <<= 10;
		/* fall through */
	case 'K':
		value <<= 10;
		++*end;
	}
	return value;
}

struct shape {
	uint64_t size, ways, line;
};

static struct shape shape(const char *text, char **end)
{
	struct shape shape = { number(text, end), 0, 0 };

	if (**end == ':')
		shape.ways = number(*end + 1, end);
	if (**end == ':')
		shape.line = number(*end + 1, end);
	return shape;
}

static bool add_caches(struct cache *caches, bool shared, struct shape shape)
{
	for (unsigned int cpu = 0; cpu < (shared ? 1 : CPUS); cpu++)
		if (!cache_init(&caches[cpu], shape.size, shape.ways, shape.line))
			return false;
	return true;
}

static bool add_level(const char *text)
{
	struct level *level = &levels[nlevels];
	struct shape wanted;
	char *end;

	wanted = shape(text, &end);
	level->shared = !strcmp(end, ":shared");
	if (nlevels == LEVELS || (*end && !level->shared) || !add_caches(level->caches, level->shared, wanted) ||
	    (nlevels == 0 && !add_caches(level->fetched, level->shared, wanted)))
		return false;
	nlevels++;
	return true;
}

/* Lines of the first level have one length. */
static bool change_fetched(const char *text)
{
	struct shape wanted;
	char *end;

	wanted = shape(text, &end);
	return nlevels && !*end && wanted.line == levels[0].caches[0].line &&
	       add_caches(levels[0].fetched, levels[0].shared, wanted);
}

static bool add_digit(const char *text)
{
	struct digit *digit = &dram.digits[dram.ndigits];
	char *end;

	if (dram.ndigits++ == DIGITS)
		return false;
	if (*text == '^') {
		digit->mask = number(text + 1, &end);
		return digit->mask && !*end;
	}
	digit->size = number(text, &end);
	if (*end == ':')
		digit->count = number(end + 1, &end);
	return digit->size && digit->count && !*end;
}

static bool argument(const char *text)
{
	char *end;

	if (!strncmp(text, "out=", 4))
		out = strdup(text + 4);
	else if (!strncmp(text, "ram=", 4))
		ram = strdup(text + 4);
	else if (!strcmp(text, "user=on"))
		user_only = true;
	else if (!strcmp(text, "trace=on"))
		tracing = true;
	else if (!strncmp(text, "cache=", 6))
		return add_level(text + 6);
	else if (!strncmp(text, "fetched=", 8))
		return change_fetched(text + 8);
	else if (!strncmp(text, "bank=", 5))
		return add_digit(text + 5);
	else if (!strncmp(text, "row=", 4))
		return (dram.row_size = number(text + 4, &end)) && !*end;
	else
		return false;
	return true;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!argument(argv[i])) {
			fprintf(stderr, "traffic: cannot take %s\n", argv[i]);
			return -1;
		}
	if (!out || !ram || !dram.ndigits != !dram.row_size || (dram.ndigits && !dram_init(&dram)))
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
