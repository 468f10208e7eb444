// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPUs that test, and which of them are trusted: one that is bad, or reaches memory by a bad
 * controller, finds all memory bad, and no other one does.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/topology.h>

#include <compat/housekeeping.h>

#include "result/tester.h"
#include "result/testers.h"

static DEFINE_PER_CPU(struct memdiag_tester, testers);	/* all under testers_lock */
static DEFINE_MUTEX(testers_lock);
static struct cpumask distrusted;			/* read without */
static unsigned int version;
static u64 doubted_blocks;

void memdiag_testers_begin(void)
{
	int cpu;

	mutex_lock(&testers_lock);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&testers, cpu), 0, sizeof(struct memdiag_tester));
	cpumask_clear(&distrusted);
	WRITE_ONCE(version, version + 1);
	mutex_unlock(&testers_lock);
}

/* The next one that is online and nobody's own, behind @cpu and round, but for @without. */
static int cpu_behind(int cpu, const struct cpumask *without, bool trusted)
{
	unsigned int i, other = cpu;

	for (i = 0; i < nr_cpu_ids; i++) {
		other = cpumask_next(other, cpu_online_mask);
		if (other >= nr_cpu_ids)
			other = cpumask_first(cpu_online_mask);
		if (other == cpu)
			break;
		if (!cpumask_test_cpu(other, without) && memsuite_housekeeping_has(other) &&
		    (!trusted || !cpumask_test_cpu(other, &distrusted)))
			return other;
	}
	return -1;
}

int memdiag_testers_other(int cpu)
{
	int other = cpu_behind(cpu, topology_sibling_cpumask(cpu), true);

	if (other < 0)
		other = cpu_behind(cpu, cpumask_of(cpu), true);
	return other < 0 ? cpu_behind(cpu, cpumask_of(cpu), false) : other;
}

void memdiag_testers_doubt(int cpu, u64 address)
{
	bool news;

	mutex_lock(&testers_lock);
	WRITE_ONCE(doubted_blocks, doubted_blocks + 1);
	news = memdiag_tester_doubt(per_cpu_ptr(&testers, cpu));
	if (news) {
		cpumask_set_cpu(cpu, &distrusted);
		WRITE_ONCE(version, version + 1);
	}
	mutex_unlock(&testers_lock);
	pr_warn_ratelimited("CPU %d finds a fault at 0x%llx, and no other one does: it stays in use\n",
			    cpu, address);
	if (news)
		pr_alert("CPU %d finds faults again and again that no other one finds: it is bad, or its way to memory is. It tests no more until memdiag is enabled anew\n",
			 cpu);
}

void memdiag_testers_confirm(int cpu)
{
	mutex_lock(&testers_lock);
	memdiag_tester_confirm(per_cpu_ptr(&testers, cpu));
	mutex_unlock(&testers_lock);
}

void memdiag_testers_keep_trusted(struct cpumask *mask)
{
	cpumask_andnot(mask, mask, &distrusted);
}

unsigned int memdiag_testers_version(void)
{
	return READ_ONCE(version);
}

u64 memdiag_testers_doubted_blocks(void)
{
	return READ_ONCE(doubted_blocks);
}

ssize_t memdiag_testers_show(char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(&distrusted));
}
