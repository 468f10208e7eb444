// SPDX-License-Identifier: GPL-2.0-only
/* The table of hook points: one logical name, a symbol for each kernel. */

#include <linux/kernel.h>

#include <compat/remap.h>
#include <compat/shmem.h>

#include "hook/hook_points.h"

/*
 * Newest first: the first symbol that exists is hooked. 7.2 still has
 * __alloc_pages_noprof, but page faults no longer pass through it.
 */
const struct memsuite_hook_point memsuite_hook_points[MEMSUITE_NR_HOOK_POINTS] = {
	[MEMSUITE_HOOK_POINT_FAULT_ALLOC] = {
		.name = "fault.alloc",
		.nr_args = 4,
		.answers = true,
		.candidates = {
			/* 6.12 on: (gfp, order, vma, addr, ...) */
			{ "vma_alloc_folio_noprof", { 0, 1, 2, 3 } },
			/* 6.1: (gfp, order, vma, addr, hugepage) */
			{ "vma_alloc_folio", { 0, 1, 2, 3 } },
			/* 5.10: (gfp, order, vma, addr, node, hugepage) */
			{ "alloc_pages_vma", { 0, 1, 2, 3 } },
		},
	},
	[MEMSUITE_HOOK_POINT_CACHE_ALLOC] = {
		.name = "cache.alloc",
		.nr_args = 2,
		.answers = true,
		.candidates = {
			/* 6.12 on: (gfp, order, ...) */
			{ "filemap_alloc_folio_noprof", { 0, 1 } },
			/* 6.1: (gfp, order) */
			{ "filemap_alloc_folio", { 0, 1 } },
			/* 5.10: (gfp) */
			{ "__page_cache_alloc", { 0, MEMSUITE_HOOK_NO_ARG } },
		},
	},
	[MEMSUITE_HOOK_POINT_SHMEM_ALLOC] = {
		.name = "shmem.alloc",
		.nr_args = 4,
		.answers = true,
		.candidates = {
			/* 6.12 on: (gfp, order, file, index); 6.1 and 5.10: (gfp, file, index) */
			{ MEMSUITE_SHMEM_ALLOC_SYMBOL, MEMSUITE_SHMEM_ALLOC_ARGS },
		},
	},
	[MEMSUITE_HOOK_POINT_HUGETLB_POLICY] = {
		.name = "hugetlb.policy",
		.nr_args = 4,
		.answers = true,
		.candidates = {
			/* (vma, address, gfp, &policy, &nodemask) */
			{ "huge_node", { 0, 1, 3, 4 } },
		},
	},
	[MEMSUITE_HOOK_POINT_ALLOC_ENTRY] = {
		.name = "alloc.entry",
		.nr_args = 4,
		.candidates = {
			/* 7.2: (gfp, order, preferred_nid, nodemask) */
			{ "__alloc_frozen_pages_noprof", { 0, 1, 2, 3 } },
			/* 6.12 */
			{ "__alloc_pages_noprof", { 0, 1, 2, 3 } },
			/* 6.1 */
			{ "__alloc_pages", { 0, 1, 2, 3 } },
			/* 5.10 */
			{ "__alloc_pages_nodemask", { 0, 1, 2, 3 } },
		},
	},
	[MEMSUITE_HOOK_POINT_MREMAP_MOVE] = {
		.name = "mremap.move",
		.nr_args = MEMSUITE_MREMAP_NR_ARGS,
		.candidates = {
			/* 5.10, where mremap() calls but the rest of it */
			{ "move_page_tables.part.0", MEMSUITE_MREMAP_ARGS },
			{ "move_page_tables", MEMSUITE_MREMAP_ARGS },
		},
	},
	[MEMSUITE_HOOK_POINT_NUMA_MISPLACED] = {
		.name = "numa.misplaced",
		.nr_args = 3,
		.answers = true,
		.candidates = {
			/* See compat/misplaced.h. */
			{ "mpol_misplaced", { 0, 1, 2 } },
		},
	},
	[MEMSUITE_HOOK_POINT_FAULT_CLEAR] = {
		.name = "fault.clear",
		.nr_args = 2,
		.answers = true,
		.candidates = {
			/* 6.12 on: (folio, addr) */
			{ "folio_zero_user", { 0, 1 } },
			/* 6.1 and before: (page, addr, nr) */
			{ "clear_huge_page", { 0, 1 } },
		},
	},
};
