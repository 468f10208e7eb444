// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults between addresses that are far apart. A sweep marches over one block
 * after the other, so two addresses of different blocks that are one cell, by a
 * mistake of the address decoder, or cells that disturb each other are not seen
 * by it. Here blocks that differ in a few bits of their addresses are marched
 * over together, group of bits by group of bits, up to the highest.
 *
 * It is done between two sweeps, on their budget, and covers free memory.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <memsuite/control.h>

#include "paths/address_bits.h"
#include "paths/partners.h"
#include "sched/algorithm.h"
#include "sched/memory_span.h"
#include "sched/psi_backoff.h"
#include "sched/worker.h"

#define PERIOD_S	(24 * 3600)
#define PERIOD_MAX_S	(30 * 24 * 3600)

/* It finds all stuck-at, decoder and unlinked coupling faults of two cells. */
#define ALGORITHM	"march-c-"

/* No more than this part of all memory is held at a time. */
#define HELD_PART	32

/* How long to wait for a sweep to end, or for pressure to. */
#define WAIT_JIFFIES	(HZ / 20)
#define IDLE_JIFFIES	HZ
#define PATIENCE_JIFFIES	(2 * HZ)

#define UNIT_BIT	MEMSUITE_MAX_ORDER
#define NR_BITS		(BITS_PER_LONG - PAGE_SHIFT)
/* Blocks beside each other, where counting carries into many bits. */
#define NEIGHBOURS	NR_BITS

/**
 * struct bit_state - addresses that differ in one bit
 * @pages: that there are, whose partner is there, too
 * @tested: of them, together with their partner
 * @bad: pages that failed then
 * @time: when, seconds since boot; 0: never
 */
struct bit_state {
	unsigned long pages;
	unsigned long tested;
	unsigned long bad;
	time64_t time;
};

/**
 * struct pass - a walk over all memory for each group of bits
 * @bits: of the frame number, that a group has at most
 * @group: number of the group, behind the last one for neighbours
 * @groups: how many there are, without neighbours
 * @unit: number of the unit
 * @units: how many units
 * @state: what was counted so far
 */
struct pass {
	unsigned int bits;
	unsigned int group;
	unsigned int groups;
	unsigned long unit;
	unsigned long units;
	struct bit_state state[NR_BITS + 1];
};

static struct pass pass;			/* the thread's */
static unsigned int progress_pct;
static struct bit_state bits[NR_BITS + 1];	/* of the last pass; under bits_lock */
static DEFINE_MUTEX(bits_lock);
static unsigned int period_s = PERIOD_S;
static u64 passes;
static time64_t ended_s;		/* seconds since boot, of the last pass */

static struct task_struct *thread;
static struct memdiag_partners *partners;
static struct memdiag_engine_test plan;

/* The bits of the unit's number in which those of a group differ. */
static unsigned int group_shift(void)
{
	return pass.group * pass.bits;
}

static unsigned int group_bits(void)
{
	return min(pass.bits, (unsigned int)ilog2(pass.units - 1) + 1 - group_shift());
}

static unsigned long unit_pfn(unsigned long unit)
{
	return unit << UNIT_BIT;
}

/* The units that are tested together with @pass.unit, if it is the first of them. */
static bool group_units(void)
{
	unsigned int shift = group_shift(), i;

	if (pass.group == pass.groups) {
		/* The others differ in the lowest bit alone. */
		partners->nr = 2;
		partners->pfn[0] = unit_pfn(pass.unit);
		partners->pfn[1] = unit_pfn(pass.unit + 1);
		return pass.unit % 2;
	}
	partners->nr = 1U << group_bits();
	for (i = 0; i < partners->nr; i++)
		partners->pfn[i] = unit_pfn(pass.unit | (unsigned long)i << shift);
	return !(pass.unit >> shift & (partners->nr - 1));
}

static void pair_count(struct bit_state *state, unsigned int a, unsigned int b, bool tested)
{
	if (!test_bit(a, &partners->online) || !test_bit(b, &partners->online))
		return;
	state->pages += 2 * MEMDIAG_UNIT_PAGES;
	if (!tested)
		return;
	state->tested += memdiag_partners_pairs(partners, a, b);
	state->time = ktime_get_seconds();
}

static void group_count(bool tested)
{
	unsigned int bit, i;

	if (pass.group == pass.groups) {
		pair_count(&pass.state[NEIGHBOURS], 0, 1, tested);
		return;
	}
	for (bit = 0; bit < group_bits(); bit++)
		for (i = 0; i < partners->nr; i++)
			if (!(i & BIT(bit)))
				pair_count(&pass.state[UNIT_BIT + group_shift() + bit],
					   i, i | BIT(bit), tested);
}

/* Pages were bad: which bits of the address make the difference? */
static void group_blame(void)
{
	struct bit_state *state = &pass.state[NEIGHBOURS];
	struct memdiag_pair pair;

	if (!memdiag_partners_find_pair(partners, &pair))
		return;
	if (pass.group < pass.groups)
		state = &pass.state[fls64(pair.victim ^ pair.aggressor) - 1 - PAGE_SHIFT];
	state->bad += 2;
	pr_err_ratelimited("0x%llx and 0x%llx are one cell, or disturb each other: their addresses differ by 0x%llx\n",
			   pair.victim, pair.aggressor, pair.victim ^ pair.aggressor);
}

static bool group_failed(void)
{
	unsigned int i;

	for (i = 0; i < partners->joint.nr; i++)
		if (partners->joint.verdicts[i].nr_suspects)
			return true;
	return false;
}

static void group_test(void)
{
	int token = memsuite_hold_begin();
	bool tested = memdiag_partners_take(partners);

	if (tested) {
		tested = memdiag_joint_march(&partners->joint, &plan, READ_ONCE(passes),
					     memdiag_worker_ends);
		if (group_failed())
			group_blame();
	}
	group_count(tested);
	memdiag_partners_give(partners);
	memsuite_hold_end(token);
	if (tested)
		memdiag_worker_spend(partners->nr * MEMDIAG_UNIT_PAGES);
}

/* Where one sweep follows the other, this is not to wait for ever. */
static bool sweeps_go_first(unsigned long since)
{
	return memdiag_worker_sweeping() && time_before(jiffies, since + PATIENCE_JIFFIES);
}

/* Sweeps go first, and what memory is short of. Returns whether to go on. */
static bool pass_wait(void)
{
	unsigned long since = jiffies;

	while (!kthread_should_stop() && READ_ONCE(period_s) &&
	       (sweeps_go_first(since) || !memdiag_worker_may_test() ||
		memdiag_psi_share_pct() < 100))
		schedule_timeout_interruptible(WAIT_JIFFIES);
	cond_resched_tasks_rcu_qs();
	return !kthread_should_stop() && READ_ONCE(period_s);
}

static void pass_note_progress(void)
{
	u64 done = (u64)pass.group * pass.units + pass.unit;

	WRITE_ONCE(progress_pct, div64_u64(done * 100, (u64)(pass.groups + 1) * pass.units));
}

static bool pass_run_group(void)
{
	for (pass.unit = 0; pass.unit < pass.units; pass.unit++) {
		if (!group_units())
			continue;
		if (!pass_wait())
			return false;
		pass_note_progress();
		memdiag_worker_enter();
		group_test();
		memdiag_worker_leave();
	}
	return true;
}

static void pass_begin(void)
{
	unsigned long most = totalram_pages() / HELD_PART / MEMDIAG_UNIT_PAGES;

	memset(&pass, 0, sizeof(pass));
	pass.units = DIV_ROUND_UP(memdiag_memory_end_pfn(), MEMDIAG_UNIT_PAGES);
	pass.bits = clamp(most ? ilog2(most) : 0, 1, ilog2(MEMDIAG_PARTNERS_MAX));
	if (pass.units > 1)
		pass.groups = DIV_ROUND_UP(ilog2(pass.units - 1) + 1, pass.bits);
}

static void pass_end(void)
{
	mutex_lock(&bits_lock);
	memcpy(bits, pass.state, sizeof(bits));
	ended_s = ktime_get_seconds();
	WRITE_ONCE(passes, passes + 1);
	WRITE_ONCE(progress_pct, 0);
	mutex_unlock(&bits_lock);
}

static void pass_run(void)
{
	pass_begin();
	for (; pass.group <= pass.groups; pass.group++)
		if (!pass_run_group())
			return;
	pass_end();
}

/* Not before all free memory was tested by itself. */
static bool pass_is_due(void)
{
	unsigned int period = READ_ONCE(period_s);

	return period && memdiag_worker_passes() &&
	       (!passes || ktime_get_seconds() - ended_s >= period);
}

static int address_bits_thread(void *unused)
{
	while (!kthread_should_stop()) {
		if (pass_is_due())
			pass_run();
		else
			schedule_timeout_interruptible(IDLE_JIFFIES);
	}
	return 0;
}

static u64 tested_pct(const struct bit_state *state)
{
	return state->pages ? div64_u64((u64)state->tested * 100, state->pages) : 100;
}

/* What a pass has told; -ENODATA before the first one ends. */
static ssize_t age_s_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	time64_t age;

	mutex_lock(&bits_lock);
	age = passes ? ktime_get_seconds() - ended_s : -1;
	mutex_unlock(&bits_lock);
	return age < 0 ? -ENODATA : sysfs_emit(buf, "%lld\n", age);
}

static ssize_t tested_pct_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	u64 least = 100;
	unsigned int i;

	mutex_lock(&bits_lock);
	for (i = 0; i <= NR_BITS; i++)
		least = min(least, tested_pct(&bits[i]));
	mutex_unlock(&bits_lock);
	return READ_ONCE(passes) ? sysfs_emit(buf, "%llu\n", least) : -ENODATA;
}

MEMSUITE_ATTR_NUMBER(period_s, period_s, 0, PERIOD_MAX_S);
MEMSUITE_ATTR_NUMBER_RO(passes, READ_ONCE(passes));
MEMSUITE_ATTR_NUMBER_RO(pass_progress_pct, READ_ONCE(progress_pct));

static struct kobj_attribute age_s_attr = __ATTR_RO(age_s);
static struct kobj_attribute tested_pct_attr = __ATTR_RO(tested_pct);

static struct attribute *address_bits_attrs[] = {
	&period_s_attr.attr, &passes_attr.attr, &pass_progress_pct_attr.attr,
	&age_s_attr.attr, &tested_pct_attr.attr, NULL
};

const struct attribute_group memdiag_address_bits_group = {
	.name = "address_bits",
	.attrs = address_bits_attrs,
};

static void show_bit(struct seq_file *file, unsigned int bit)
{
	const struct bit_state *state = &bits[bit];

	if (!state->pages)
		return;
	if (bit == NEIGHBOURS)
		seq_printf(file, "next %lu", MEMDIAG_UNIT_PAGES << (PAGE_SHIFT - 10));
	else
		seq_printf(file, "%u %llu", bit + PAGE_SHIFT, 1ULL << (bit + PAGE_SHIFT - 10));
	seq_printf(file, " %lu %lu %llu ", state->pages, state->tested, tested_pct(state));
	if (state->time)
		seq_printf(file, "%lld", ktime_get_seconds() - state->time);
	else
		seq_putc(file, '-');
	seq_printf(file, " %lu\n", state->bad);
}

static int address_bits_show(struct seq_file *file, void *unused)
{
	unsigned int i;

	seq_puts(file, "# bit distance_kib pages tested_pages tested_pct age_s bad_pages\n");
	mutex_lock(&bits_lock);
	for (i = 0; i <= NR_BITS; i++)
		show_bit(file, i);
	mutex_unlock(&bits_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(address_bits);

void memdiag_address_bits_init(struct dentry *debugfs)
{
	debugfs_create_file("address_bits", 0400, debugfs, NULL, &address_bits_fops);
}

int memdiag_address_bits_start(void)
{
	int err;

	err = memdiag_algorithm_parse(ALGORITHM, &plan);
	if (err)
		return err;
	partners = kvzalloc(sizeof(*partners), GFP_KERNEL);
	if (!partners)
		return -ENOMEM;
	thread = kthread_create(address_bits_thread, NULL, "memdiag-bits");
	if (IS_ERR(thread)) {
		thread = NULL;
		kvfree(partners);
		return -ENOMEM;
	}
	set_user_nice(thread, MAX_NICE);
	wake_up_process(thread);
	return 0;
}

void memdiag_address_bits_stop(void)
{
	kthread_stop(thread);
	kvfree(partners);
}
