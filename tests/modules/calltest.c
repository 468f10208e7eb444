// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a kernel function another one for what modules call, as a kernel might be that nobody has tried the suite on:
 *
 *	modprobe calltest mutant=NAME [times=CALLS]
 *
 * A probe at the function's entry skips it, changes an argument, or has the return probed, which changes the result or
 * what the function did. What the suite cannot know of, and so leaves, is given back when this module goes. Not
 * installed anywhere.
 */
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/page_ref.h>
#include <linux/pagemap.h>
#include <linux/version.h>

#define ISOLATED	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0))	/* what success of isolation is */

static char *mutant = "";
module_param(mutant, charp, 0400);

static int times = INT_MAX;	/* calls that are changed */
module_param(times, int, 0400);

/* A call that is being changed. */
struct call {
	unsigned long args[6];
	struct page *page;	/* the first of a list that is its first argument */
	struct address_space *mapping;
	pgoff_t index;
};

struct mutant {
	const char *name;
	const char *functions[2];	/* the first one that is there */
	bool skip;
	unsigned long result;		/* if it is skipped */
	void (*enter)(struct call *call, struct pt_regs *regs);
	void (*leave)(struct call *call, struct pt_regs *regs);
};

#define NR_LEFT 16
static struct { struct page *page; unsigned long order; } left[NR_LEFT];
static atomic_t nr_left;
static void (*give_back)(struct page *page, unsigned long order);

static void leave_behind(struct page *page, unsigned long order, void (*how)(struct page *page, unsigned long order))
{
	int i = atomic_inc_return(&nr_left) - 1;

	if (i >= NR_LEFT)
		return;
	left[i].page = page;
	left[i].order = order;
	give_back = how;
}

static void put_one(struct page *page, unsigned long unused)
{
	put_page(page);
}

static void free_head(struct page *page, unsigned long unused)
{
	set_page_count(page, 1);
	__free_page(page);
}

static void free_upper_half(struct page *page, unsigned long order)
{
	page += 1UL << (order - 1);
	set_page_count(page, 1);
	__free_pages(page, order - 1);
}

static void count_smaller(struct page *page, unsigned long order)
{
	struct zone *zone = page_zone(page);
	unsigned long flags;

	spin_lock_irqsave(&zone->lock, flags);
	zone->free_area[order].nr_free--;
	zone->free_area[order - 1].nr_free++;
	spin_unlock_irqrestore(&zone->lock, flags);
	mod_zone_page_state(zone, NR_FREE_PAGES, -(1L << (order - 1)));
}

static void count_taken(struct page *page, unsigned long order)
{
	mod_zone_page_state(page_zone(page), NR_FREE_PAGES, -(1L << order));
}

/* Isolated, with a reference that nobody knows of. */
static void put_isolated(struct page *page, unsigned long unused)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
	folio_clear_active(page_folio(page));
#else
	ClearPageActive(page);
#endif
	put_page(page);
}

static void say_nothing(struct call *call, struct pt_regs *regs)
{
	regs->ax = 0;
}

static void say_one(struct call *call, struct pt_regs *regs)
{
	regs->ax = 1;
}

static void say_another(struct call *call, struct pt_regs *regs)
{
	regs->ax ^= 1;
}

static void block_half(struct call *call, struct pt_regs *regs)
{
	leave_behind((void *)call->args[0], call->args[1], count_smaller);
	regs->si--;
}

static void block_uncounted(struct call *call, struct pt_regs *regs)
{
	if (!regs->ax)
		return;
	mod_zone_page_state(page_zone((void *)call->args[0]), NR_FREE_PAGES, 1L << call->args[1]);
	leave_behind((void *)call->args[0], call->args[1], count_taken);
}

static void block_referenced(struct call *call, struct pt_regs *regs)
{
	page_ref_add((void *)call->args[0], 2);
	leave_behind((void *)call->args[0], 0, free_head);
}

static void block_dirty(struct call *call, struct pt_regs *regs)
{
	((u8 *)page_address((void *)call->args[0]))[3 * PAGE_SIZE + 5] = 1;
}

static void large_half(struct call *call, struct pt_regs *regs)
{
	leave_behind((void *)call->args[0], call->args[1], free_upper_half);
	regs->si--;
}

static void lru_inverted(struct call *call, struct pt_regs *regs)
{
	if ((u8)regs->ax == ISOLATED)
		leave_behind((void *)call->args[0], 0, put_isolated);
	regs->ax = !(u8)regs->ax;
}

static void lru_unreferenced(struct call *call, struct pt_regs *regs)
{
	if ((u8)regs->ax == ISOLATED)
		page_ref_dec((void *)call->args[0]);
}

static void list_referenced(struct call *call, struct pt_regs *regs)
{
	get_page(call->page);
	leave_behind(call->page, 0, put_one);
}

static void move_spoilt(struct call *call, struct pt_regs *regs)
{
	struct page *page = xa_load(&call->mapping->i_pages, call->index);

	if (page && page != call->page)
		((u8 *)page_address(page))[PAGE_SIZE - 7] ^= 1;
}

static void move_freed(struct call *call, struct pt_regs *regs)
{
	regs->r9 = MR_SYSCALL;
}

static void move_kept(struct call *call, struct pt_regs *regs)
{
	if (regs->r9 == MR_MEMORY_FAILURE)
		return;
	regs->r9 = MR_MEMORY_FAILURE;
	leave_behind(call->page, 0, put_one);
}

#define ISOLATE_LRU	{ "folio_isolate_lru", "isolate_lru_page" }
#define UNCHARGE	{ "__mem_cgroup_uncharge", "mem_cgroup_uncharge" }
#define MIGRATETYPE	{ "get_pfnblock_migratetype", "get_pfnblock_flags_mask" }

static const struct mutant mutants[] = {
	{ "block-denied", { "__isolate_free_page" }, .leave = say_nothing },
	{ "block-not-taken", { "__isolate_free_page" }, .skip = true, .result = 1 },
	{ "block-refused", { "__isolate_free_page" }, .skip = true, .result = 0 },
	{ "block-half", { "__isolate_free_page" }, .enter = block_half },
	{ "block-uncounted", { "__isolate_free_page" }, .leave = block_uncounted },
	{ "block-another-type", MIGRATETYPE, .leave = say_another },
	{ "block-referenced", { "post_alloc_hook" }, .leave = block_referenced },
	{ "block-dirty", { "post_alloc_hook" }, .leave = block_dirty },
	{ "large-half", { "prep_compound_page" }, .enter = large_half },
	{ "lru-inverted", ISOLATE_LRU, .leave = lru_inverted },
	{ "lru-not-taken", ISOLATE_LRU, .skip = true, .result = ISOLATED },
	{ "lru-unreferenced", ISOLATE_LRU, .leave = lru_unreferenced },
	{ "putback-nothing", { "putback_movable_pages" }, .skip = true },
	{ "putback-referenced", { "putback_movable_pages" }, .enter = list_referenced },
	{ "move-nothing", { "migrate_pages" }, .skip = true, .result = 0 },
	{ "move-denied", { "migrate_pages" }, .leave = say_one },
	{ "move-spoilt", { "migrate_pages" }, .leave = move_spoilt },
	{ "move-freed", { "migrate_pages" }, .enter = move_freed },
	{ "move-kept", { "migrate_pages" }, .enter = move_kept },
	{ "charge-stays", UNCHARGE, .skip = true },
	{ "reclaim-nothing", { "reclaim_pages" }, .skip = true, .result = 1 },
	{ "no-file", { "shmem_file_setup" }, .skip = true, .result = -ENOMEM },
	{ "psi-silent", { "psi_memory_show" }, .skip = true, .result = 0 },
};

static const struct mutant *chosen;

/* Modules' calls only: the kernel goes on as it is. */
static bool is_changed(struct pt_regs *regs)
{
	unsigned long from = *(unsigned long *)regs->sp;

	return from >= MODULES_VADDR && from < MODULES_END && times-- > 0;
}

static noinline notrace unsigned long bare_return(unsigned long value)
{
	return value;
}

static int skip_enter(struct kprobe *probe, struct pt_regs *regs)
{
	if (!is_changed(regs))
		return 0;
	regs->di = chosen->result;
	regs->ip = (unsigned long)bare_return;
	return 1;
}

/* With one, the probe is not made a jump, which could skip nothing. */
static void skip_after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe skipper = { .pre_handler = skip_enter, .post_handler = skip_after };

static void call_look_at_list(struct call *call)
{
	const struct list_head *list = (void *)call->args[0];

	call->page = list_first_entry(list, struct page, lru);
	call->mapping = call->page->mapping;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
	call->index = page_folio(call->page)->index;
#else
	call->index = call->page->index;
#endif
}

static int change_enter(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct call *call = (struct call *)instance->data;

	if (!is_changed(regs))
		return 1;
	call->args[0] = regs->di;
	call->args[1] = regs->si;
	if (!strncmp(chosen->name, "move-", 5) || !strncmp(chosen->name, "putback-", 8))
		call_look_at_list(call);
	if (chosen->enter)
		chosen->enter(call, regs);
	return 0;
}

static int change_leave(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (chosen->leave)
		chosen->leave((struct call *)instance->data, regs);
	return 0;
}

static struct kretprobe changer = {
	.entry_handler = change_enter,
	.handler = change_leave,
	.data_size = sizeof(struct call),
	.maxactive = 64,
};

static int mutate(const char *function)
{
	if (chosen->skip) {
		skipper.symbol_name = function;
		return register_kprobe(&skipper);
	}
	changer.kp.symbol_name = function;
	return register_kretprobe(&changer);
}

static int __init calltest_init(void)
{
	int i, err = -EINVAL;

	for (i = 0; i < ARRAY_SIZE(mutants); i++)
		if (!strcmp(mutants[i].name, mutant))
			chosen = &mutants[i];
	for (i = 0; chosen && err && i < ARRAY_SIZE(chosen->functions) && chosen->functions[i]; i++)
		err = mutate(chosen->functions[i]);
	return err;
}

static void __exit calltest_exit(void)
{
	int i;

	if (chosen->skip)
		unregister_kprobe(&skipper);
	else
		unregister_kretprobe(&changer);
	for (i = 0; i < min(atomic_read(&nr_left), NR_LEFT); i++)
		give_back(left[i].page, left[i].order);
}

module_init(calltest_init);
module_exit(calltest_exit);
MODULE_DESCRIPTION("Makes a kernel function another one, for a test");
MODULE_LICENSE("GPL");
