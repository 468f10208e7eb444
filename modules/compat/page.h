/* SPDX-License-Identifier: GPL-2.0-only */
/* What a page in use is, asked page by page before folios and by folio since. */
#ifndef MEMSUITE_COMPAT_PAGE_H
#define MEMSUITE_COMPAT_PAGE_H

#include <linux/ksm.h>
#include <linux/mm.h>
#include <linux/swap.h>

#include <compat/compat.h>

#if MEMSUITE_HAVE_FOLIO

/* The order of the folio that a page is the head of, else 0. */
static inline unsigned int memsuite_page_order(struct page *page)
{
	return PageHead(page) ? folio_order(page_folio(page)) : 0;
}

static inline bool memsuite_page_pinned(struct page *page)
{
	return folio_maybe_dma_pinned(page_folio(page));
}

/* Anonymous, and its process's own: KSM's pages belong to nobody. */
static inline bool memsuite_page_anon(struct page *page)
{
	struct folio *folio = page_folio(page);

	return folio_test_anon(folio) && !folio_test_ksm(folio);
}

/* Anonymous or shared memory. */
static inline bool memsuite_page_swap_backed(struct page *page)
{
	return folio_test_swapbacked(page_folio(page));
}

/* Shared memory, or a page of tmpfs. */
static inline bool memsuite_page_shmem(struct page *page)
{
	struct folio *folio = page_folio(page);

	return folio_test_swapbacked(folio) && !folio_test_anon(folio);
}

/* What the first page of a folio is a page of, and which one of it. */
static inline struct address_space *memsuite_page_cache(struct page *page)
{
	return page_folio(page)->mapping;
}

static inline pgoff_t memsuite_page_place(struct page *page)
{
	return page_folio(page)->index;
}

static inline bool memsuite_page_in_swap_cache(struct page *page)
{
	return folio_test_swapcache(page_folio(page));
}

/* Of a ramfs, say, or locked. */
static inline bool memsuite_page_unevictable(struct page *page)
{
	return folio_test_unevictable(page_folio(page));
}

/* Whether any address space maps any of it. */
static inline bool memsuite_page_mapped(struct page *page)
{
	return folio_mapped(page_folio(page));
}

static inline bool memsuite_page_writeback(struct page *page)
{
	return folio_test_writeback(page_folio(page));
}

static inline void memsuite_page_wait_writeback(struct page *page)
{
	folio_wait_writeback(page_folio(page));
}

static inline void memsuite_page_mark_dirty(struct page *page)
{
	folio_mark_dirty(page_folio(page));
}

static inline void memsuite_page_mark_accessed(struct page *page)
{
	folio_mark_accessed(page_folio(page));
}

static inline void memsuite_page_clear_active(struct page *page)
{
	folio_clear_active(page_folio(page));
}

/* Of the kind that folios are that are mapped in parts. */
static inline struct page *memsuite_alloc_large(gfp_t gfp, unsigned int order,
						int nid)
{
	struct folio *folio = __folio_alloc_node(gfp, order, nid);

	return folio ? folio_page(folio, 0) : NULL;
}

#else

static inline unsigned int memsuite_page_order(struct page *page)
{
	return compound_order(page);
}

static inline bool memsuite_page_pinned(struct page *page)
{
	return page_maybe_dma_pinned(page);
}

static inline bool memsuite_page_anon(struct page *page)
{
	return PageAnon(page) && !PageKsm(page);
}

static inline bool memsuite_page_swap_backed(struct page *page)
{
	return PageSwapBacked(page);
}

static inline bool memsuite_page_shmem(struct page *page)
{
	return PageSwapBacked(page) && !PageAnon(page);
}

static inline struct address_space *memsuite_page_cache(struct page *page)
{
	return page->mapping;
}

static inline pgoff_t memsuite_page_place(struct page *page)
{
	return page->index;
}

static inline bool memsuite_page_in_swap_cache(struct page *page)
{
	return PageSwapCache(page);
}

static inline bool memsuite_page_unevictable(struct page *page)
{
	return PageUnevictable(page);
}

static inline bool memsuite_page_mapped(struct page *page)
{
	return page_mapped(page);
}

static inline bool memsuite_page_writeback(struct page *page)
{
	return PageWriteback(page);
}

static inline void memsuite_page_wait_writeback(struct page *page)
{
	wait_on_page_writeback(page);
}

static inline void memsuite_page_mark_dirty(struct page *page)
{
	set_page_dirty(compound_head(page));
}

static inline void memsuite_page_mark_accessed(struct page *page)
{
	mark_page_accessed(compound_head(page));
}

static inline void memsuite_page_clear_active(struct page *page)
{
	ClearPageActive(page);
}

/* The caller makes it a folio of that kind. */
static inline struct page *memsuite_alloc_large(gfp_t gfp, unsigned int order,
						int nid)
{
	return alloc_pages_node(nid, gfp, order);
}

#endif

/* Whether a page of order 0 is charged to a cgroup, the root of all included. */
static inline bool memsuite_page_charged(struct page *page)
{
#ifndef CONFIG_MEMCG
	return false;
#elif MEMSUITE_HAVE_MEMCG_DATA
	return READ_ONCE(page->memcg_data);
#else
	return READ_ONCE(page->mem_cgroup);
#endif
}

/* The control group that a page of a program is charged to, or NULL. Under RCU. */
static inline struct mem_cgroup *memsuite_page_memcg(struct page *page)
{
#ifndef CONFIG_MEMCG
	return NULL;
#elif MEMSUITE_HAVE_MEMCG_DATA
	return folio_memcg(page_folio(page));
#else
	return READ_ONCE(compound_head(page)->mem_cgroup);
#endif
}

/* Whether other address spaces map it too; of a large folio, likely. */
static inline bool memsuite_page_shared(struct page *page)
{
#if MEMSUITE_HAVE_FOLIO_MAYBE_MAPPED_SHARED
	return folio_maybe_mapped_shared(page_folio(page));
#elif MEMSUITE_HAVE_FOLIO_LIKELY_MAPPED_SHARED
	return folio_likely_mapped_shared(page_folio(page));
#else
	return page_mapcount(page) > 1;
#endif
}

#endif
