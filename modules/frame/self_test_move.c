// SPDX-License-Identifier: GPL-2.0-only
/*
 * The self-test of moving memory that is in use. Its pages are those of a file of shared memory
 * that only it has: unlike memory of the loading task, it is there where a kernel thread loads the
 * module, too, and no other thread writes to it. Such a page has two references, of the file and of
 * the test, as long as nobody else holds it.
 */

#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/page_ref.h>
#include <linux/string.h>

#include <compat/calls.h>
#include <compat/page.h>
#include <compat/shmem.h>

#include "frame/self_test_private.h"
#include "kernel/unexported_calls.h"

#define FILE_PAGES	512
#define OWN_REFERENCES	2

/* A CPU puts pages on the LRU lists so many at a time, at most; a task may change its CPU. */
#define SETTLE_PAGES	64

struct move_test {
	struct memsuite_self_test_finding *finding;
	struct address_space *mapping;
	pgoff_t next;		/* of pages that are there only to be read */
	pgoff_t index;
	struct page *page;	/* at @index, with a reference */
	struct page *target;	/* where it is to be moved to, if somebody has asked */
	struct list_head isolated;
};

static struct page *file_page(struct move_test *test, pgoff_t index)
{
	struct page *page = shmem_read_mapping_page_gfp(test->mapping, index,
							MEMSUITE_SELF_TEST_GFP);

	return IS_ERR(page) ? NULL : page;
}

/* Has the page put on its LRU list: that is done when a CPU has enough to put there. */
static bool page_settle(struct move_test *test)
{
	struct page *page;
	int i;

	for (i = 0; i < SETTLE_PAGES && !PageLRU(test->page); i++) {
		page = test->next < FILE_PAGES ? file_page(test, test->next++) : NULL;
		if (!page)
			return false;
		put_page(page);
	}
	return PageLRU(test->page);
}

static void page_count_isolated(struct page *page, int nr)
{
	mod_node_page_state(page_pgdat(page), NR_ISOLATED_ANON + memsuite_page_is_file(page), nr);
}

static int page_isolate(struct move_test *test)
{
	struct page *page = test->page;
	bool done;
	int err;

	if (!page_settle(test) || page_ref_count(page) != OWN_REFERENCES)
		return -EAGAIN;
	done = memsuite_kcall_isolate_lru(page);
	err = memsuite_self_test_expect(test->finding, MEMSUITE_ISOLATE_LRU_SYMBOL,
					"says that it took the page",
					done, !PageLRU(page));
	/* If it is off the list, somebody else may have taken it: it is left to them. */
	if (err || !done)
		return err ?: -EAGAIN;
	err = memsuite_self_test_expect(test->finding, MEMSUITE_ISOLATE_LRU_SYMBOL, "references",
					page_ref_count(page), OWN_REFERENCES + 1);
	/* Without a reference to give up it cannot be put back: it is freed from where it is. */
	if (err && page_ref_count(page) <= OWN_REFERENCES) {
		memsuite_page_clear_active(page);
		return err;
	}
	page_count_isolated(page, 1);
	list_add(&page->lru, &test->isolated);
	return err;
}

static int page_put_back(struct move_test *test)
{
	static const char function[] = "putback_movable_pages";
	struct page *page = test->page;
	int err;

	memsuite_kcall_putback_movable_pages(&test->isolated);
	err = memsuite_self_test_expect(test->finding, function, "takes all pages of the list",
					list_empty(&test->isolated), true);
	if (err) {
		list_del_init(&page->lru);
		page_count_isolated(page, -1);
		memsuite_page_clear_active(page);
		put_page(page);
		return err;
	}
	if (page_settle(test))
		return memsuite_self_test_expect(test->finding, function, "references",
						 page_ref_count(page), OWN_REFERENCES);
	/* As long as a CPU has it at hand it holds it. */
	if (page_ref_count(page) > OWN_REFERENCES)
		return -EAGAIN;
	return memsuite_self_test_expect(test->finding, function, "the page is on a list then",
					 PageLRU(page), true);
}

static int move_check_lru(struct move_test *test)
{
	int err = page_isolate(test);

	if (list_empty(&test->isolated))
		return err;
	return page_put_back(test) ?: err;
}

static memsuite_migrate_unit *move_get_target(memsuite_migrate_unit *old, unsigned long private)
{
	struct move_test *test = (struct move_test *)private;

	test->target = alloc_page(MEMSUITE_SELF_TEST_GFP);
	return test->target ? memsuite_page_unit(test->target) : NULL;
}

static void move_put_target(memsuite_migrate_unit *unit, unsigned long private)
{
	struct move_test *test = (struct move_test *)private;

	test->target = NULL;
	put_page(memsuite_unit_page(unit));
}

#define PAGE_WORDS	(PAGE_SIZE / sizeof(u64))

/* No word is like another, nor like those of the page before. */
static u64 page_word(const struct move_test *test, unsigned int at)
{
	return ~((u64)test->index << 32 | at);
}

static void page_write(struct move_test *test)
{
	u64 *words = page_address(test->page);
	unsigned int i;

	for (i = 0; i < PAGE_WORDS; i++)
		words[i] = page_word(test, i);
}

static bool page_has_words(struct move_test *test)
{
	const u64 *words = page_address(test->page);
	unsigned int i;

	for (i = 0; i < PAGE_WORDS && words[i] == page_word(test, i); i++)
		;
	return i == PAGE_WORDS;
}

/* What was moved away from, for the reason that leaves it to the caller. */
static int move_check_kept(struct move_test *test, struct page *old)
{
	int err = memsuite_self_test_expect(test->finding, "migrate_pages",
					    "references to a page that is to be kept",
					    page_ref_count(old), 1);

	if (!err) {
		memsuite_kcall_uncharge_moved(old);
		err = memsuite_self_test_expect(test->finding, MEMSUITE_UNCHARGE_SYMBOL,
						"the page is still charged to a cgroup",
						memsuite_page_charged(old), false);
	}
	if (page_ref_count(old))
		put_page(old);
	return err;
}

static int move_check_new(struct move_test *test, long left, bool charged)
{
	static const char function[] = "migrate_pages";
	int err = memsuite_self_test_expect(test->finding, function, "pages that it says it left",
					    left, 0) ?:
		  memsuite_self_test_expect(test->finding, function,
					    "the list is empty then",
					    list_empty(&test->isolated), true) ?:
		  memsuite_self_test_expect(test->finding, function,
					    "contents are the same then",
					    page_has_words(test), true) ?:
		  memsuite_self_test_expect(test->finding, function,
					    "the new page is charged to a cgroup",
					    memsuite_page_charged(test->page), charged);

	if (err)
		return err;
	if (!page_settle(test))
		return -EAGAIN;
	return memsuite_self_test_expect(test->finding, function, "references to the new page",
					 page_ref_count(test->page), OWN_REFERENCES);
}

static int move_check_old(struct move_test *test, struct page *old, bool keep)
{
	if (keep)
		return move_check_kept(test, old);
	/* Somebody else may have it by now, though not each time. */
	return memsuite_self_test_expect(test->finding, "migrate_pages",
					 "references to a page that is to be freed",
					 page_ref_count(old), 0);
}

/* It was not moved. That it can be was not promised, but then it is not to say that it was. */
static int move_check_stayed(struct move_test *test, long left)
{
	if (!list_empty(&test->isolated))
		memsuite_kcall_putback_movable_pages(&test->isolated);
	return memsuite_self_test_expect(test->finding, "migrate_pages",
					 "says that it moved the page", !left, false) ?:
	       -EAGAIN;
}

/* The page is isolated. */
static int move_run(struct move_test *test, bool keep)
{
	struct page *old = test->page;
	bool charged = memsuite_page_charged(old);
	int err_new, err_old = 0;
	long left;

	page_write(test);
	test->target = NULL;
	put_page(old);
	left = memsuite_kcall_migrate_pages(&test->isolated, move_get_target, move_put_target,
					    (unsigned long)test,
					    keep ? MIGRATE_SYNC : MIGRATE_SYNC_LIGHT,
					    keep ? MR_MEMORY_FAILURE : MR_SYSCALL);
	/* At once: it does not stay free for long. */
	if (test->target && READ_ONCE(old->mapping) != test->mapping)
		err_old = move_check_old(test, old, keep);
	test->page = file_page(test, test->index);
	if (test->page && test->page == old)
		return move_check_stayed(test, left);
	/* What is clean may have been evicted meanwhile. */
	if (!test->page || test->page != test->target)
		return -EAGAIN;
	err_new = move_check_new(test, left, charged);
	return err_new ?: err_old;
}

static int move_check_migration(struct move_test *test, bool keep)
{
	int err = page_isolate(test);

	if (list_empty(&test->isolated))
		return err;
	return err ? page_put_back(test) ?: err : move_run(test, keep);
}

/* Whether it can be evicted is not said; but nothing is to stay on the list. */
static int move_check_eviction(struct move_test *test)
{
	static const char function[] = "reclaim_pages";
	bool more;
	int err;

	if (!memsuite_kcall_reclaim_there())
		return 0;
	err = page_isolate(test);
	if (list_empty(&test->isolated))
		return err;
	if (err || memsuite_page_unevictable(test->page))
		return page_put_back(test) ?: err;
	page_count_isolated(test->page, -1);
	put_page(test->page);
	more = memsuite_kcall_reclaim_pages(&test->isolated) > 1;
	err = memsuite_self_test_expect(test->finding, function, "takes all pages of the list",
					list_empty(&test->isolated), true) ?:
	      memsuite_self_test_expect(test->finding, function, "says that it evicted more",
					more, false);
	if (!list_empty(&test->isolated)) {
		page_count_isolated(test->page, 1);
		memsuite_kcall_putback_movable_pages(&test->isolated);
	}
	test->page = NULL;
	return err;
}

static int move_run_all(struct move_test *test)
{
	test->page = file_page(test, test->index);
	/* Where shared memory has huge pages, it is one. */
	if (!test->page || PageCompound(test->page))
		return -EAGAIN;
	return move_check_lru(test) ?: move_check_migration(test, true) ?:
	       move_check_migration(test, false) ?: move_check_eviction(test);
}

int memsuite_self_test_move(struct memsuite_self_test_finding *finding, int attempt)
{
	struct file *file = memsuite_shmem_file(KBUILD_MODNAME, (loff_t)FILE_PAGES << PAGE_SHIFT);
	struct move_test test = {
		.finding = finding,
		.index = attempt,
		.next = attempt + 1,
		.isolated = LIST_HEAD_INIT(test.isolated),
	};
	int err;

	if (IS_ERR(file))
		return -EAGAIN;
	test.mapping = file->f_mapping;
	err = move_run_all(&test);
	if (test.page)
		put_page(test.page);
	fput(file);
	return err;
}
