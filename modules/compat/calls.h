/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel functions that are not exported: their prototypes on each kernel, and
 * what unexported_calls.c makes of them.
 */
#ifndef MEMSUITE_COMPAT_CALLS_H
#define MEMSUITE_COMPAT_CALLS_H

#include <linux/migrate.h>
#include <linux/mm_inline.h>

#include <compat/compat.h>

/* The migratetype of a pageblock: a function of its own from 6.17 on. */
#if MEMSUITE_HAVE_GET_PFNBLOCK_MIGRATETYPE
#define MEMSUITE_MIGRATETYPE_SYMBOL	"get_pfnblock_migratetype"
typedef enum migratetype memsuite_migratetype_fn(const struct page *page,
						 unsigned long pfn);
#define MEMSUITE_MIGRATETYPE_ARGS(page, pfn)	page, pfn
#else
#define MEMSUITE_MIGRATETYPE_SYMBOL	"get_pfnblock_flags_mask"
#if MEMSUITE_HAVE_CONST_PFNBLOCK
typedef unsigned long memsuite_migratetype_fn(const struct page *page,
					      unsigned long pfn, unsigned long mask);
#else
typedef unsigned long memsuite_migratetype_fn(struct page *page, unsigned long pfn,
					      unsigned long mask);
#endif
#define MEMSUITE_MIGRATETYPE_ARGS(page, pfn)	page, pfn, MIGRATETYPE_MASK
#endif

/* Clearing a large folio for a fault; 6.11 renamed it. */
#define MEMSUITE_CLEARS_LARGE	\
	(IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) || IS_ENABLED(CONFIG_HUGETLBFS))
#if MEMSUITE_HAVE_FOLIO_ZERO_USER
#define MEMSUITE_CLEAR_LARGE_SYMBOL	"folio_zero_user"
typedef void memsuite_clear_large_fn(struct folio *folio, unsigned long address);
#define MEMSUITE_CLEAR_LARGE_ARGS(page, address, order)	page_folio(page), address
#else
#define MEMSUITE_CLEAR_LARGE_SYMBOL	"clear_huge_page"
typedef void memsuite_clear_large_fn(struct page *page, unsigned long address, unsigned int nr);
#define MEMSUITE_CLEAR_LARGE_ARGS(page, address, order)	page, address, 1U << (order)
#endif

/* Up to 5.12 post_alloc_hook() leaves the clearing to its caller. */
#define MEMSUITE_POST_ALLOC_HOOK_CLEARS	\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0))

/* Isolation from the LRU: true on success from 6.3 on, 0 before. */
#if MEMSUITE_HAVE_FOLIO
#define MEMSUITE_ISOLATE_LRU_SYMBOL	"folio_isolate_lru"
#define MEMSUITE_ISOLATE_LRU_ARG(page)	page_folio(page)
#define MEMSUITE_ISOLATE_LRU_TYPE	struct folio *
#else
#define MEMSUITE_ISOLATE_LRU_SYMBOL	"isolate_lru_page"
#define MEMSUITE_ISOLATE_LRU_ARG(page)	page
#define MEMSUITE_ISOLATE_LRU_TYPE	struct page *
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
typedef bool memsuite_isolate_lru_fn(MEMSUITE_ISOLATE_LRU_TYPE page);
#define MEMSUITE_ISOLATE_LRU_DONE(ret)	(ret)
#else
typedef int memsuite_isolate_lru_fn(MEMSUITE_ISOLATE_LRU_TYPE page);
#define MEMSUITE_ISOLATE_LRU_DONE(ret)	(!(ret))
#endif

/*
 * A place in swap for a locked page: by page, by folio, and from 6.16 on under
 * another name, with 0 for success, and a second argument for a while.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define MEMSUITE_ADD_TO_SWAP_SYMBOL	"folio_alloc_swap"
typedef int memsuite_add_to_swap_fn(struct folio *folio, gfp_t gfp);
#define MEMSUITE_ADD_TO_SWAP_ARGS(page)	page_folio(page), __GFP_HIGH | __GFP_NOWARN
#define MEMSUITE_ADD_TO_SWAP_DONE(ret)	(!(ret))
#elif MEMSUITE_HAVE_FOLIO
#define MEMSUITE_ADD_TO_SWAP_SYMBOL	"add_to_swap"
typedef bool memsuite_add_to_swap_fn(struct folio *folio);
#define MEMSUITE_ADD_TO_SWAP_ARGS(page)	page_folio(page)
#define MEMSUITE_ADD_TO_SWAP_DONE(ret)	(ret)
#else
#define MEMSUITE_ADD_TO_SWAP_SYMBOL	"add_to_swap"
typedef int memsuite_add_to_swap_fn(struct page *page);
#define MEMSUITE_ADD_TO_SWAP_ARGS(page)	page
#define MEMSUITE_ADD_TO_SWAP_DONE(ret)	(ret)
#endif

/* migrate_pages(): pages, then folios; a result more from 5.15 on. */
#if MEMSUITE_HAVE_NEW_FOLIO_T
typedef struct folio memsuite_migrate_unit;
#define memsuite_unit_page(unit)	folio_page(unit, 0)
#define memsuite_page_unit(page)	page_folio(page)
typedef new_folio_t memsuite_new_unit_fn;
typedef free_folio_t memsuite_free_unit_fn;
#else
typedef struct page memsuite_migrate_unit;
#define memsuite_unit_page(unit)	(unit)
#define memsuite_page_unit(page)	(page)
typedef new_page_t memsuite_new_unit_fn;
typedef free_page_t memsuite_free_unit_fn;
#endif
#if MEMSUITE_HAVE_MIGRATE_SUCCEEDED
typedef int memsuite_migrate_pages_fn(struct list_head *from, memsuite_new_unit_fn get,
				      memsuite_free_unit_fn put, unsigned long private,
				      enum migrate_mode mode, int reason,
				      unsigned int *succeeded);
#define MEMSUITE_MIGRATE_LAST_ARGS(reason)	reason, NULL
#else
typedef int memsuite_migrate_pages_fn(struct list_head *from, memsuite_new_unit_fn get,
				      memsuite_free_unit_fn put, unsigned long private,
				      enum migrate_mode mode, int reason);
#define MEMSUITE_MIGRATE_LAST_ARGS(reason)	reason
#endif

/* Takes a page's charge off its cgroup: a folio's from 5.16 on. */
#if MEMSUITE_HAVE_FOLIO
#define MEMSUITE_UNCHARGE_SYMBOL	"__mem_cgroup_uncharge"
typedef void memsuite_uncharge_fn(struct folio *folio);
#define MEMSUITE_UNCHARGE_ARG(page)	page_folio(page)
#else
#define MEMSUITE_UNCHARGE_SYMBOL	"mem_cgroup_uncharge"
typedef void memsuite_uncharge_fn(struct page *page);
#define MEMSUITE_UNCHARGE_ARG(page)	page
#endif

/* An allocation of folios makes large ones what huge pages are to be. */
#define MEMSUITE_ALLOC_PREPARES_LARGE	MEMSUITE_HAVE_FOLIO

/* What does that: prep_transhuge_page(), from 6.6 on a flag. */
#define MEMSUITE_PREPARES_LARGE_INLINE	MEMSUITE_HAVE_LARGE_RMAPPABLE
#if MEMSUITE_HAVE_LARGE_RMAPPABLE
#define memsuite_prepare_large(page)	folio_set_large_rmappable(page_folio(page))
#else
#define memsuite_prepare_large(page)	((void)(page))
#endif

/* Whether a page is counted as page cache: a folio's property from 5.16 on. */
#if MEMSUITE_HAVE_FOLIO
#define memsuite_page_is_file(page)	folio_is_file_lru(page_folio(page))
#else
#define memsuite_page_is_file(page)	page_is_file_lru(page)
#endif

#endif
