// SPDX-License-Identifier: GPL-2.0-only
/* Taking partners, and giving them back; partners.h. */

#include <linux/kernel.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <asm/barrier.h>
#include <asm/special_insns.h>

#include "march/mcsafe.h"
#include "paths/partners.h"

/* As many blocks of a unit as the joint test has room for. */
#define UNIT_BLOCKS	(MEMDIAG_JOINT_BLOCKS / MEMDIAG_PARTNERS_MAX)
/* And so they are this large at least. */
#define LEAST_ORDER	(MEMSUITE_MAX_ORDER - ilog2(UNIT_BLOCKS))

static void unit_take(struct memdiag_partners *partners, unsigned int unit)
{
	struct memsuite_scan scan = {
		.pfn = partners->pfn[unit],
		.end = partners->pfn[unit] + MEMDIAG_UNIT_PAGES,
		.orders = MEMSUITE_ANY_ORDER & ~(BIT(LEAST_ORDER) - 1),
		.nid = NUMA_NO_NODE,
		.migratetypes = MEMSUITE_ANY_MIGRATETYPE,
	};
	struct memdiag_joint *joint = &partners->joint;
	struct memsuite_block *block = &partners->block[joint->nr];
	unsigned long first;

	for (; !memsuite_block_take(&scan, block); block++) {
		first = page_to_pfn(block->page);
		bitmap_set(partners->held[unit], first - partners->pfn[unit], 1U << block->order);
		memdiag_joint_add(joint, first, 1UL << block->order);
	}
}

bool memdiag_partners_take(struct memdiag_partners *partners)
{
	unsigned int i, units = 0;

	partners->online = 0;
	partners->joint.nr = 0;
	for (i = 0; i < partners->nr; i++) {
		bitmap_zero(partners->held[i], MEMDIAG_UNIT_PAGES);
		if (!pfn_to_online_page(partners->pfn[i]))
			continue;
		__set_bit(i, &partners->online);
		unit_take(partners, i);
		units += !bitmap_empty(partners->held[i], MEMDIAG_UNIT_PAGES);
	}
	return units > 1;
}

unsigned long memdiag_partners_give(struct memdiag_partners *partners)
{
	struct memdiag_joint *joint = &partners->joint;
	unsigned long bad = 0, found;
	unsigned int i;

	for (i = 0; i < joint->nr; i++) {
		found = memdiag_verdict_report(&joint->verdicts[i]);
		if (found)
			memsuite_block_retire(&partners->block[i], joint->verdicts[i].bad);
		else
			memsuite_block_give(&partners->block[i]);
		bad += found;
	}
	joint->nr = 0;
	return bad;
}

unsigned long memdiag_partners_pairs(const struct memdiag_partners *partners, unsigned int a,
				     unsigned int b)
{
	DECLARE_BITMAP(both, MEMDIAG_UNIT_PAGES);

	bitmap_and(both, partners->held[a], partners->held[b], MEMDIAG_UNIT_PAGES);
	return 2UL * bitmap_weight(both, MEMDIAG_UNIT_PAGES);
}

static u64 *word_of(u64 address)
{
	return (u64 *)((char *)page_address(pfn_to_page(PHYS_PFN(address))) +
		       offset_in_page(address));
}

/* To the memory, past the caches. */
static void word_write(u64 *word, u64 value)
{
	WRITE_ONCE(*word, value);
	mb();	/* before it is flushed */
	clflush(word);
	mb();	/* before anything else is done */
}

static bool word_holds(u64 *word, u64 value)
{
	clflush(word);
	mb();	/* before it is read */
	return memdiag_mcsafe_read(word) && READ_ONCE(*word) == value;
}

/* Whether a write to the one is seen in the other, and not without it. */
static bool word_changes(u64 *victim, u64 *aggressor)
{
	static const u64 values[] = { 0, ~0ULL };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		for (k = 0; k < ARRAY_SIZE(values); k++) {
			word_write(aggressor, ~values[k]);
			word_write(victim, values[i]);
			if (!word_holds(victim, values[i]))
				return false;
			word_write(aggressor, values[k]);
			if (!word_holds(victim, values[i]))
				return true;
		}
	}
	return false;
}

static unsigned int unit_of(const struct memdiag_partners *partners, unsigned long pfn)
{
	unsigned int i = 0;

	while (pfn - partners->pfn[i] >= MEMDIAG_UNIT_PAGES)
		i++;
	return i;
}

static bool suspect_find_pair(const struct memdiag_partners *partners, u64 address,
			      struct memdiag_pair *pair)
{
	unsigned long pfn = PHYS_PFN(address);
	unsigned int unit = unit_of(partners, pfn), i;
	unsigned long at = pfn - partners->pfn[unit];

	for (i = 0; i < partners->nr; i++) {
		if (i == unit || !test_bit(at, partners->held[i]))
			continue;
		pair->victim = address;
		pair->aggressor = PFN_PHYS(partners->pfn[i] + at) + offset_in_page(address);
		if (word_changes(word_of(pair->victim), word_of(pair->aggressor)))
			return true;
	}
	return false;
}

bool memdiag_partners_find_pair(const struct memdiag_partners *partners,
				struct memdiag_pair *pair)
{
	const struct memdiag_verdict *verdict = partners->joint.verdicts;
	unsigned int i, k;

	for (i = 0; i < partners->joint.nr; i++, verdict++) {
		cond_resched();
		for (k = 0; k < verdict->nr_suspects; k++)
			if (suspect_find_pair(partners, verdict->suspects[k].bad_page.address,
					      pair))
				return true;
	}
	return false;
}
