/* SPDX-License-Identifier: GPL-2.0-only */
/* What became of the pages of a policy. */
#ifndef VIPZONE_POLICY_POLICY_STATS_H
#define VIPZONE_POLICY_POLICY_STATS_H

#include <linux/types.h>

#include <memsuite/migrate.h>

#include "energy/energy_model.h"
#include "parse/segment.h"

/* Why a page was left to the kernel. */
enum vipzone_fallback {
	VIPZONE_FALLBACK_EMPTY,		/* no region had a page at once */
	VIPZONE_FALLBACK_POLICY,	/* the program or its area has a NUMA policy */
	VIPZONE_FALLBACK_CPUSET,	/* its cpuset does not allow the region's node */
	VIPZONE_FALLBACK_CONTEXT,	/* not a movable user page */
	VIPZONE_FALLBACK_HUGE,		/* huge page refused: the regions have none free */
	VIPZONE_FALLBACK_WEAR,		/* no region but those over their wear budget */
	VIPZONE_NR_FALLBACKS,
};

/* What became of pages that were to be moved: as for memsuite_migrate, and */
enum {
	VIPZONE_MOVE_SHARED = MEMSUITE_NR_MIGRATE_OUTCOMES,	/* other processes map it too */
	VIPZONE_MOVE_POLICY,	/* the program or its area has a NUMA policy */
	VIPZONE_MOVE_CPUSET,	/* its cpuset does not allow the nodes of the regions */
	VIPZONE_NR_MOVES,
};

/* What a page was moved for. */
enum vipzone_move_why {
	VIPZONE_MOVE_ASKED,		/* a write to move */
	VIPZONE_MOVE_ENTERED,		/* its process has entered a cgroup */
	VIPZONE_MOVE_REPAIR,		/* it lay outside of its regions */
	VIPZONE_MOVE_HOT,		/* it is used often, which costs less there */
	VIPZONE_MOVE_IDLE,		/* nobody uses it */
	VIPZONE_MOVE_OUTRANKED,		/* others that are used more take its place */
	VIPZONE_MOVE_WORN,		/* it is written often, its region over budget */
	VIPZONE_NR_MOVE_WHYS,
};

/* What a page is like that lies outside of its regions. */
enum vipzone_astray {
	VIPZONE_ASTRAY_SHARED,		/* other processes map it too, as after fork */
	VIPZONE_ASTRAY_HUGE,		/* large, as khugepaged makes them */
	VIPZONE_ASTRAY_NODE,		/* on a node where no region is */
	VIPZONE_ASTRAY_NEAR,		/* on such a node, as compaction leaves it */
	VIPZONE_NR_ASTRAYS,
};

/**
 * struct vipzone_policy_stats - what became of the pages of a policy
 * @placed: by segment: given from a region's pool
 * @by_node: by segment: left to the kernel, which was told the node
 * @kernel: the kernel's own memory, of which it was told the node
 * @swapped_in: of those placed, brought back from swap
 * @collapsed: gathered in huge pages
 * @yielded: used little, and so not from the first region
 * @next: of those placed, in a later region than the first that was tried
 * @turns: turns among regions of pages that come without a place in their file
 * @fallbacks: left to the kernel, by reason
 * @moves: pages that were to be moved, by the outcome
 * @whys: moved, by the reason
 * @looked: looked at by the audit
 * @astray: of these, outside of their regions, by what they are like
 * @accesses: as the audit and the processors tell
 * @counted: by the processors, by event
 * @elsewhere: of these, those taken to have gone to none of the policy's regions
 */
struct vipzone_policy_stats {
	u64 placed[VIPZONE_NR_SEGMENTS];
	u64 by_node[VIPZONE_NR_SEGMENTS];
	u64 kernel;
	u64 swapped_in;
	u64 collapsed;
	u64 yielded;
	u64 next;
	u64 turns;
	u64 fallbacks[VIPZONE_NR_FALLBACKS];
	u64 moves[VIPZONE_NR_MOVES];
	u64 whys[VIPZONE_NR_MOVE_WHYS];
	u64 looked;
	u64 astray[VIPZONE_NR_ASTRAYS];
	struct vipzone_energy accesses;
	u64 counted[VIPZONE_NR_ACCESS_KINDS];
	u64 elsewhere[VIPZONE_NR_ACCESS_KINDS];
};

#endif
