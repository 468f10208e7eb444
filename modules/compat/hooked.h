/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that are hooked, as the proof of a hook calls them. Where an argument is neutral, as
 * a node 0 is, or may be left in a register that the function does not have, such registers are
 * given other values, so that none of them is taken for it: by a name of its own for the same
 * symbol, or right before the call.
 */
#ifndef MEMSUITE_COMPAT_HOOKED_H
#define MEMSUITE_COMPAT_HOOKED_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/page_ref.h>
#include <linux/pagemap.h>

#define MEMSUITE_UNUSED_REGISTER	0x5ca1ab1e0000d00dUL

/* Before a call with three arguments at most. */
static __always_inline void memsuite_spoil_unused_registers(void)
{
	asm volatile("movabsq %0, %%rcx\n\tmovq %%rcx, %%r8\n\tmovq %%rcx, %%r9"
		     : : "i" (MEMSUITE_UNUSED_REGISTER) : "rcx", "r8", "r9");
}

/* 6.10 renamed them when allocation tags came. */
#if MEMSUITE_HAVE_FOLIO
static inline struct page *memsuite_vma_alloc_pages(gfp_t gfp, unsigned int order,
						    struct vm_area_struct *vma,
						    unsigned long address)
{
	struct folio *folio;

#if MEMSUITE_HAVE_VMA_ALLOC_FOLIO_HUGEPAGE
	folio = vma_alloc_folio(gfp, order, vma, address, false);
#else
	folio = vma_alloc_folio(gfp, order, vma, address);
#endif
	return folio ? folio_page(folio, 0) : NULL;
}
#else
static inline struct page *memsuite_vma_alloc_pages(gfp_t gfp, unsigned int order,
						    struct vm_area_struct *vma,
						    unsigned long address)
{
	return alloc_pages_vma(gfp, order, vma, address, numa_node_id(), false);
}
#endif

/* What the page cache takes its pages by; and the function itself, which others call by another. */
#define MEMSUITE_CACHE_ALLOC_HAS_ORDER	MEMSUITE_HAVE_FOLIO
#if MEMSUITE_HAVE_FILEMAP_ALLOC_FOLIO_NOPROF
#define MEMSUITE_CACHE_ALLOC_FN		filemap_alloc_folio_noprof
#elif MEMSUITE_HAVE_FOLIO
#define MEMSUITE_CACHE_ALLOC_FN		filemap_alloc_folio
#else
#define MEMSUITE_CACHE_ALLOC_FN		__page_cache_alloc
#endif
#if MEMSUITE_HAVE_FOLIO
static inline struct page *memsuite_cache_alloc_pages(gfp_t gfp, unsigned int order)
{
	struct folio *folio;

#if MEMSUITE_HAVE_FILEMAP_ALLOC_FOLIO_POLICY
	folio = filemap_alloc_folio(gfp, order, NULL);
#else
	folio = filemap_alloc_folio(gfp, order);
#endif
	return folio ? folio_page(folio, 0) : NULL;
}
#else
struct page *memsuite_cache_alloc_filled(gfp_t gfp, unsigned long si, unsigned long dx,
					 unsigned long cx, unsigned long r8, unsigned long r9)
	__asm__("__page_cache_alloc");

static inline struct page *memsuite_cache_alloc_pages(gfp_t gfp, unsigned int order)
{
	const unsigned long unused = MEMSUITE_UNUSED_REGISTER;

	return memsuite_cache_alloc_filled(gfp, unused, unused, unused, unused, unused);
}
#endif

/* The allocator's entry, or what goes on to it with the same arguments. */
struct page *memsuite_alloc_pages_filled(gfp_t gfp, unsigned int order, int nid, nodemask_t *nodes,
					 unsigned long r8, unsigned long r9)
#if MEMSUITE_HAVE_ALLOC_PAGES_NOPROF
	__asm__("__alloc_pages_noprof");
#elif MEMSUITE_HAVE_FILEMAP_ALLOC_FOLIO_NOPROF
	__asm__("__alloc_frozen_pages_noprof");
#elif MEMSUITE_HAVE_FOLIO
	__asm__("__alloc_pages");
#else
	__asm__("__alloc_pages_nodemask");
#endif

static inline struct page *memsuite_alloc_pages_of(gfp_t gfp, unsigned int order, int nid,
						   nodemask_t *nodes)
{
	struct page *page = memsuite_alloc_pages_filled(gfp, order, nid, nodes,
							MEMSUITE_UNUSED_REGISTER,
							MEMSUITE_UNUSED_REGISTER);

	/* 7.3 has only the one whose pages have no reference yet. */
	if (page && !page_ref_count(page))
		set_page_count(page, 1);
	return page;
}

#endif
