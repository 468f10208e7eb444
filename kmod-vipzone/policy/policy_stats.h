/* SPDX-License-Identifier: GPL-2.0-only */
/* What became of the pages of a policy. */
#ifndef VIPZONE_POLICY_POLICY_STATS_H
#define VIPZONE_POLICY_POLICY_STATS_H

#include <linux/types.h>

#include <memsuite/migrate.h>

#include "energy/energy_model.h"
#include "parse/segment.h"

/* Why a page was left to the kernel. */
enum fallback {
	FALLBACK_EMPTY,		/* no region had a page at once */
	FALLBACK_POLICY,	/* the program or its area has a NUMA policy */
	FALLBACK_CPUSET,	/* its cpuset does not allow the region's node */
	FALLBACK_CONTEXT,	/* not a movable user page */
	FALLBACK_HUGE,		/* huge page refused: the regions have none free */
	FALLBACK_WEAR,		/* no region but those over their wear budget */
	NR_FALLBACKS,
};

/* What became of pages that were to be moved: as for memsuite_migrate, and */
enum {
	MOVE_SHARED = MEMSUITE_NR_MIGRATE_OUTCOMES,	/* other processes map it too */
	MOVE_POLICY,	/* the program or its area has a NUMA policy */
	MOVE_CPUSET,	/* its cpuset does not allow the nodes of the regions */
	NR_MOVES,
};

/* What a page was moved for. */
enum move_why {
	MOVE_ASKED,		/* a write to move */
	MOVE_REPAIR,		/* it lay outside of its regions */
	MOVE_HOT,		/* it is written often */
	MOVE_IDLE,		/* nobody uses it */
	MOVE_WORN,		/* it is written often, its region over budget */
	NR_MOVE_WHYS,
};

/* What a page is like that lies outside of its regions. */
enum astray {
	ASTRAY_SHARED,		/* other processes map it too, as after fork */
	ASTRAY_HUGE,		/* large, as khugepaged makes them */
	ASTRAY_NODE,		/* on a node where no region is */
	ASTRAY_NEAR,		/* on such a node, as compaction leaves it */
	NR_ASTRAYS,
};

/**
 * struct steering_stats - what became of the pages of a policy
 * @placed: by segment: given from a region's pool
 * @by_node: by segment: left to the kernel, with a node of ours
 * @kernel: the kernel's own, with a node of ours
 * @swapped_in: of those placed, brought back from swap
 * @collapsed: gathered in huge pages
 * @yielded: used little, and behind the first region for that
 * @next: of those placed, in a later region than the first that was tried
 * @fallbacks: left to the kernel, by reason
 * @moves: to be moved, by what became of that
 * @whys: moved, by what for
 * @looked: looked at by the audit
 * @astray: of these, outside of their regions, by what they are like
 * @accesses: as the audit and the processors tell
 * @counted: by the processors, by event
 * @elsewhere: of these, taken to have gone to no region of the policy
 */
struct steering_stats {
	u64 placed[NR_SEGMENTS];
	u64 by_node[NR_SEGMENTS];
	u64 kernel;
	u64 swapped_in;
	u64 collapsed;
	u64 yielded;
	u64 next;
	u64 fallbacks[NR_FALLBACKS];
	u64 moves[NR_MOVES];
	u64 whys[NR_MOVE_WHYS];
	u64 looked;
	u64 astray[NR_ASTRAYS];
	struct ledger accesses;
	u64 counted[LEDGER_KINDS];
	u64 elsewhere[LEDGER_KINDS];
};

#endif
