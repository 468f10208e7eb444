// SPDX-License-Identifier: GPL-2.0-only
/*
 * Emulated faults in the compare path, and memdiag/inject. While there is one
 * in the memory under test, the test is done here instead of by the engine:
 * operation by operation, with the two bits of each fault kept beside the
 * memory, as a faulty memory would keep them.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <asm/barrier.h>

#include <memsuite/block.h>
#include <memsuite/control.h>

#include "march/fault_model.h"
#include "result/bad_pages.h"
#include "result/inject.h"
#include "result/inject_parse.h"

#define INJECT_MAX	32
#define VICTIM		0
#define AGGRESSOR	1
#define PAGE_WORDS	(PAGE_SIZE / sizeof(u64))
#define NO_WORD		(~0ULL)

/**
 * struct emulated - an emulated fault
 * @spec: as it was written
 * @fault: the same, for @cells
 * @cells: what its bits hold
 */
struct emulated {
	struct memdiag_inject_spec spec;
	struct memdiag_fault fault;
	struct memdiag_cells cells;
};

DEFINE_STATIC_KEY_FALSE(memdiag_inject_key);

/* Under inject_lock, also while a test runs: it keeps what cells hold. */
static struct emulated faults[INJECT_MAX];
static unsigned int nr_faults;
static DEFINE_MUTEX(inject_lock);

static bool has_aggressor(const struct emulated *fault)
{
	return fault->fault.aggressor == AGGRESSOR;
}

static bool address_within(u64 at, u64 address, size_t bytes)
{
	return at >= address && at - address < bytes;
}

static bool faults_within(u64 address, size_t bytes)
{
	unsigned int i;

	for (i = 0; i < nr_faults; i++)
		if (address_within(faults[i].spec.victim.address, address, bytes) ||
		    (has_aggressor(&faults[i]) &&
		     address_within(faults[i].spec.aggressor.address, address, bytes)))
			return true;
	return false;
}

bool memdiag_inject_within(u64 address, size_t bytes)
{
	bool covers;

	mutex_lock(&inject_lock);
	covers = faults_within(address, bytes);
	mutex_unlock(&inject_lock);
	return covers;
}

bool memdiag_inject_explains(u64 address, u64 mask)
{
	unsigned int i;

	lockdep_assert_held(&inject_lock);
	for (i = 0; i < nr_faults; i++) {
		const struct emulated *fault = &faults[i];

		if (fault->spec.victim.address == address)
			mask &= ~BIT_ULL(fault->spec.victim.bit);
		if (has_aggressor(fault) &&
		    fault->spec.aggressor.address == address)
			mask &= ~BIT_ULL(fault->spec.aggressor.bit);
	}
	return !mask;
}

/**
 * struct inject_run - a test that is run with emulated faults
 * @block: the memory
 * @background: what 0 stands for
 * @last_word: address of the word that the last operation was done to
 * @last_read: what was read last, of any word: the sense amplifiers
 * @failure: the next one, but for the word
 * @report: for failures
 * @context: for @report
 */
struct inject_run {
	const struct memdiag_engine_block *block;
	struct memdiag_background background;
	u64 last_word;
	u64 last_read;
	struct memdiag_march_failure failure;
	memdiag_march_report_fn *report;
	void *context;
};

static void real_write(u64 *word, u64 value)
{
	asm volatile("movnti %1, %0" : "=m" (*word) : "r" (value));
}

/* The cell of a fault that a word has, if it has one. */
static int cell_of(const struct emulated *fault, u64 address, unsigned int *bit)
{
	if (fault->spec.victim.address == address) {
		*bit = fault->spec.victim.bit;
		return VICTIM;
	}
	if (has_aggressor(fault) && fault->spec.aggressor.address == address) {
		*bit = fault->spec.aggressor.bit;
		return AGGRESSOR;
	}
	return -1;
}

/* A fault of a CPU, not of the memory. */
static bool shows_here(const struct emulated *fault)
{
	return fault->spec.cpu == MEMDIAG_INJECT_ANY_CPU ||
	       fault->spec.cpu == raw_smp_processor_id();
}

static u64 emulated_read(struct inject_run *run, u64 address, u64 value)
{
	unsigned int i, bit;

	for (i = 0; i < nr_faults; i++) {
		struct memdiag_cells *cells = &faults[i].cells;
		int cell = cell_of(&faults[i], address, &bit);

		if (cell < 0 || !shows_here(&faults[i]))
			continue;
		/* What two operations in a row sensitise, others between undo. */
		if (run->last_word != address)
			cells->last.cell = -1;
		cells->sense = run->last_read >> bit & 1;
		if (memdiag_cells_read(cells, cell))
			value |= BIT_ULL(bit);
		else
			value &= ~BIT_ULL(bit);
	}
	return value;
}

static void emulated_write(struct inject_run *run, u64 address, u64 value)
{
	unsigned int i, bit;

	for (i = 0; i < nr_faults; i++) {
		int cell = cell_of(&faults[i], address, &bit);

		if (cell < 0)
			continue;
		if (run->last_word != address)
			faults[i].cells.last.cell = -1;
		memdiag_cells_write(&faults[i].cells, cell, value >> bit & 1);
	}
}

static void inject_check(struct inject_run *run, size_t word, u64 got, u64 expected)
{
	run->last_read = got;
	if (likely(got == expected))
		return;
	run->failure.word = word;
	run->failure.mask = got ^ expected;
	run->failure.expected = expected;
	run->report(run->context, &run->failure);
}

static void inject_visit(struct inject_run *run, const struct memdiag_march_element *element,
			 size_t word, bool emulated)
{
	u64 address = run->block->address + word * sizeof(u64), got, value;
	u64 background = memdiag_background_word(&run->background, address);
	u64 *real = &run->block->words[word];
	unsigned int i;

	run->failure.background = background;
	for (i = 0; i < element->nr_ops; i++) {
		value = element->ops[i].value ? ~background : background;
		if (element->ops[i].write) {
			real_write(real, value);
			if (emulated)
				emulated_write(run, address, value);
		} else {
			got = READ_ONCE(*real);
			if (emulated)
				got = emulated_read(run, address, got);
			inject_check(run, word, got, value);
		}
		run->last_word = address;
	}
}

static void inject_pause(unsigned int ms)
{
	unsigned int i;

	for (i = 0; i < nr_faults; i++)
		memdiag_cells_delay(&faults[i].cells);
	msleep(ms);
}

static void inject_run_element(struct inject_run *run, const struct memdiag_march_element *element)
{
	size_t nr = run->block->nr_lines * MEMDIAG_LINE_WORDS, done, first, i;
	bool down = element->order == MEMDIAG_MARCH_DOWN, emulated;

	if (element->delay_ms) {
		inject_pause(element->delay_ms);
		return;
	}
	for (done = 0; done < nr; done += PAGE_WORDS) {
		first = down ? nr - PAGE_WORDS - done : done;
		emulated = faults_within(run->block->address +
					 first * sizeof(u64), PAGE_SIZE);
		for (i = 0; i < PAGE_WORDS; i++)
			inject_visit(run, element,
				     first + (down ? PAGE_WORDS - 1 - i : i), emulated);
		cond_resched();
	}
	/* The next element reads what this one wrote. */
	wmb();
}

void memdiag_inject_run(const struct memdiag_engine_test *test,
			const struct memdiag_engine_block *block, unsigned int background,
			memdiag_march_report_fn *report, void *context)
{
	struct inject_run run = {
		.block = block,
		.last_word = NO_WORD,
		.report = report,
		.context = context,
	};
	unsigned int i;

	memdiag_background_make(&run.background, background, test->seed);
	mutex_lock(&inject_lock);
	for (i = 0; i < test->march.nr_elements; i++) {
		run.failure.element = i;
		inject_run_element(&run, &test->march.elements[i]);
	}
	mutex_unlock(&inject_lock);
}

static int inject_add(const struct memdiag_inject_spec *spec)
{
	struct emulated *fault = &faults[nr_faults];
	unsigned int single = memdiag_fault_variants[spec->kind].of_victim;

	if (nr_faults == INJECT_MAX)
		return -ENOSPC;
	*fault = (struct emulated) {
		.spec = *spec,
		.fault = {
			.kind = spec->kind,
			.variant = spec->variant,
			.victim = VICTIM,
			.aggressor = spec->variant >= single ?
				     AGGRESSOR : MEMDIAG_FAULT_NO_CELL,
		},
		.cells.last.cell = -1,
	};
	fault->cells.fault = &fault->fault;
	memdiag_cells_settle(&fault->cells);
	nr_faults++;
	return 0;
}

/*
 * Whoever brings memory online has the lock of CPU hotplug, and then asks for inject_lock: the key,
 * for which that lock is taken, is switched without.
 */
static DEFINE_MUTEX(switch_lock);

static void key_switch(void)
{
	bool on;

	mutex_lock(&inject_lock);
	on = nr_faults;
	mutex_unlock(&inject_lock);
	if (on)
		static_branch_enable(&memdiag_inject_key);
	else
		static_branch_disable(&memdiag_inject_key);
}

static ssize_t add_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t size)
{
	struct memdiag_inject_spec spec;
	char line[96];
	int err;

	err = memsuite_parse_line(buf, size, line, sizeof(line));
	if (err)
		return err == -E2BIG ? -EINVAL : err;
	err = memdiag_inject_parse(line, &spec);
	if (err)
		return err;
	if (!pfn_valid(PHYS_PFN(spec.victim.address)) ||
	    !pfn_valid(PHYS_PFN(spec.aggressor.address)) ||
	    (spec.cpu != MEMDIAG_INJECT_ANY_CPU &&
	     (spec.cpu >= nr_cpu_ids || !cpu_possible(spec.cpu))))
		return -ENXIO;
	mutex_lock(&switch_lock);
	mutex_lock(&inject_lock);
	err = inject_add(&spec);
	mutex_unlock(&inject_lock);
	key_switch();
	mutex_unlock(&switch_lock);
	return err ?: size;
}

static void inject_clear(void)
{
	mutex_lock(&switch_lock);
	mutex_lock(&inject_lock);
	nr_faults = 0;
	mutex_unlock(&inject_lock);
	key_switch();
	mutex_unlock(&switch_lock);
}

static int inject_clear_and_revoke(u64 unused)
{
	inject_clear();
	/* What failed already is on the list by then. */
	memsuite_hold_wait();
	return memdiag_bad_pages_revoke_emulated();
}

MEMSUITE_ATTR_COMMAND(clear, inject_clear_and_revoke, 1, 1);
MEMSUITE_ATTR_NUMBER_RO(count, READ_ONCE(nr_faults));

static ssize_t available_kinds_show(struct kobject *kobj,
				    struct kobj_attribute *attr, char *buf)
{
	ssize_t length = 0;
	unsigned int i;

	for (i = 0; i < MEMDIAG_FAULT_NR_KINDS; i++)
		length += sysfs_emit_at(buf, length, "%s\n",
					memdiag_fault_kind_name[i]);
	return length;
}

static struct kobj_attribute available_kinds_attr = __ATTR_RO(available_kinds);
static struct kobj_attribute add_attr = __ATTR_WO(add);

static struct attribute *inject_attrs[] = {
	&add_attr.attr, &clear_attr.attr, &count_attr.attr,
	&available_kinds_attr.attr, NULL
};

const struct attribute_group memdiag_inject_group = {
	.name = "inject",
	.attrs = inject_attrs,
};

static void inject_show_fault(struct seq_file *file, const struct memdiag_inject_spec *spec)
{
	seq_printf(file, "0x%llx %u %s %u ", spec->victim.address,
		   spec->victim.bit, memdiag_fault_kind_name[spec->kind],
		   spec->variant);
	if (spec->variant >= memdiag_fault_variants[spec->kind].of_victim)
		seq_printf(file, "0x%llx %u", spec->aggressor.address,
			   spec->aggressor.bit);
	else
		seq_puts(file, "- -");
	if (spec->cpu == MEMDIAG_INJECT_ANY_CPU)
		seq_puts(file, " -\n");
	else
		seq_printf(file, " %u\n", spec->cpu);
}

static int injected_show(struct seq_file *file, void *unused)
{
	unsigned int i;

	seq_puts(file, "# address bit kind variant aggressor aggressor_bit cpu\n");
	mutex_lock(&inject_lock);
	for (i = 0; i < nr_faults; i++)
		inject_show_fault(file, &faults[i].spec);
	mutex_unlock(&inject_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(injected);

void memdiag_inject_init(struct dentry *debugfs)
{
	debugfs_create_file("injected", 0400, debugfs, NULL, &injected_fops);
}

/* After the last test. */
void memdiag_inject_exit(void)
{
	inject_clear();
	memdiag_bad_pages_revoke_emulated();
}
