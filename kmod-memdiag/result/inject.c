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
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <asm/barrier.h>

#include <memsuite/block.h>
#include <memsuite/control.h>

#include "march/fault_model.h"
#include "result/bad_pages.h"
#include "result/inject.h"
#include "result/inject_parse.h"

#define VICTIM		0
#define AGGRESSOR	1
#define PAGE_WORDS	(PAGE_SIZE / sizeof(u64))
#define NO_WORD		(~0ULL)

struct emulated;

/**
 * struct emulated_cell - a bit that a fault has a part in
 * @by_page: in the table of all of them
 * @of: its fault
 * @address: of its word
 * @bit: in that
 */
struct emulated_cell {
	struct hlist_node by_page;
	struct emulated *of;
	u64 address;
	unsigned int bit;
};

/**
 * struct emulated - an emulated fault
 * @link: in the list of all, in the order in which they were added
 * @spec: as it was written
 * @fault: the same, for @cells
 * @cells: what its bits hold
 * @cell: where these are, by VICTIM and AGGRESSOR
 */
struct emulated {
	struct list_head link;
	struct memdiag_inject_spec spec;
	struct memdiag_fault fault;
	struct memdiag_cells cells;
	struct emulated_cell cell[2];
};

DEFINE_STATIC_KEY_FALSE(memdiag_inject_key);

/* Under inject_lock, also while a test runs: it keeps what cells hold. */
static LIST_HEAD(faults);
static DEFINE_HASHTABLE(cells_by_page, 10);	/* by frame: of a dead chip there are many */
static unsigned int nr_faults;
static DEFINE_MUTEX(inject_lock);

static bool has_aggressor(const struct emulated *fault)
{
	return fault->fault.aggressor == AGGRESSOR;
}

#define for_each_cell_of_page(c, address)				\
	hash_for_each_possible(cells_by_page, c, by_page, PHYS_PFN(address))

static bool page_has_cell(u64 address, size_t bytes)
{
	struct emulated_cell *c;

	for_each_cell_of_page(c, address)
		if (c->address >= address && c->address - address < bytes)
			return true;
	return false;
}

static bool faults_within(u64 address, size_t bytes)
{
	size_t part;

	for (; bytes; address += part, bytes -= part) {
		part = min_t(size_t, bytes, PAGE_SIZE - offset_in_page(address));
		if (page_has_cell(address, part))
			return true;
	}
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
	struct emulated_cell *c;

	lockdep_assert_held(&inject_lock);
	for_each_cell_of_page(c, address)
		if (c->address == address)
			mask &= ~BIT_ULL(c->bit);
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

/* VICTIM or AGGRESSOR; they are never in the same word. */
static int cell_number(const struct emulated_cell *c)
{
	return c - c->of->cell;
}

/* A fault of a CPU, not of the memory. */
static bool shows_here(const struct emulated *fault)
{
	return fault->spec.cpu == MEMDIAG_INJECT_ANY_CPU ||
	       fault->spec.cpu == raw_smp_processor_id();
}

static u64 emulated_read(struct inject_run *run, u64 address, u64 value)
{
	struct emulated_cell *c;

	for_each_cell_of_page(c, address) {
		struct memdiag_cells *cells = &c->of->cells;

		if (c->address != address || !shows_here(c->of))
			continue;
		/* What two operations in a row sensitise, others between undo. */
		if (run->last_word != address)
			cells->last.cell = -1;
		cells->sense = run->last_read >> c->bit & 1;
		if (memdiag_cells_read(cells, cell_number(c)))
			value |= BIT_ULL(c->bit);
		else
			value &= ~BIT_ULL(c->bit);
	}
	return value;
}

static void emulated_write(struct inject_run *run, u64 address, u64 value)
{
	struct emulated_cell *c;

	for_each_cell_of_page(c, address) {
		if (c->address != address)
			continue;
		if (run->last_word != address)
			c->of->cells.last.cell = -1;
		memdiag_cells_write(&c->of->cells, cell_number(c), value >> c->bit & 1);
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
	struct emulated *fault;

	list_for_each_entry(fault, &faults, link)
		memdiag_cells_delay(&fault->cells);
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

static struct emulated *emulated_new(const struct memdiag_inject_spec *spec)
{
	unsigned int single = memdiag_fault_variants[spec->kind].of_victim;
	struct emulated *fault = kmalloc(sizeof(*fault), GFP_KERNEL);

	if (!fault)
		return NULL;
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
		.cell = {
			[VICTIM] = { .of = fault, .address = spec->victim.address,
				     .bit = spec->victim.bit },
			[AGGRESSOR] = { .of = fault, .address = spec->aggressor.address,
					.bit = spec->aggressor.bit },
		},
	};
	fault->cells.fault = &fault->fault;
	memdiag_cells_settle(&fault->cells);
	return fault;
}

static void cell_hash(struct emulated_cell *c)
{
	hash_add(cells_by_page, &c->by_page, PHYS_PFN(c->address));
}

static void inject_add(struct emulated *fault)
{
	mutex_lock(&inject_lock);
	list_add_tail(&fault->link, &faults);
	cell_hash(&fault->cell[VICTIM]);
	if (has_aggressor(fault))
		cell_hash(&fault->cell[AGGRESSOR]);
	nr_faults++;
	mutex_unlock(&inject_lock);
}

static void inject_free_all(void)
{
	struct emulated *fault, *next;

	mutex_lock(&inject_lock);
	hash_init(cells_by_page);
	list_for_each_entry_safe(fault, next, &faults, link)
		kfree(fault);
	INIT_LIST_HEAD(&faults);
	nr_faults = 0;
	mutex_unlock(&inject_lock);
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
	struct emulated *fault;
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
	fault = emulated_new(&spec);
	if (!fault)
		return -ENOMEM;
	mutex_lock(&switch_lock);
	inject_add(fault);
	key_switch();
	mutex_unlock(&switch_lock);
	return size;
}

static void inject_clear(void)
{
	mutex_lock(&switch_lock);
	inject_free_all();
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
	struct emulated *fault;

	seq_puts(file, "# address bit kind variant aggressor aggressor_bit cpu\n");
	mutex_lock(&inject_lock);
	list_for_each_entry(fault, &faults, link)
		inject_show_fault(file, &fault->spec);
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
