// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accessed bits that are cleared here are missed by reclaim, which would take
 * the page to be idle. So each is remembered, and given back once: an mmu
 * notifier is asked, whenever an accessed bit is tested or cleared, what a
 * secondary MMU has seen, and answers with the bit that was taken.
 *
 * The other way round, who clears an accessed bit takes it from the ladder:
 * that page's touch can no longer be seen in it, and the page is left out.
 *
 * In 6.1, MGLRU (off by default) ages without asking; everything else does,
 * DAMON and idle page tracking included.
 */

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <compat/pagetable.h>

#include "mrc.h"

/*
 * What callbacks look things up in: they run under page table locks, while the
 * tracker replaces the sample.
 */
struct mrc_shadow {
	u32 n;
	unsigned long *young;	/* cleared by us, not yet given back */
	unsigned long *taken;	/* cleared by others in this ladder */
	unsigned long *seen;	/* cleared by mrc_young_age(), for the ladder */
	unsigned long addr[];	/* ascending */
};

static void free_shadow(struct mrc_target *t)
{
	struct mrc_shadow *old = rcu_replace_pointer(t->shadow, NULL, true);

	/* Who evicts pages calls mrc_young_age() at any time. */
	if (old)
		synchronize_rcu();
	kvfree(old);
}

/* First index whose address is not below @addr. */
static u32 lower_bound(const struct mrc_shadow *s, unsigned long addr)
{
	u32 low = 0, high = s->n;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (s->addr[mid] < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Whether a page is in the sample; at which index. */
static bool is_sampled(const struct mrc_shadow *s, unsigned long addr, u32 *i)
{
	*i = s ? lower_bound(s, addr) : 0;
	return s && *i < s->n && s->addr[*i] == addr;
}

/* Whether a touch of page @i was taken, and not given back before. */
static bool return_touch(struct mrc_target *t, struct mrc_shadow *s, u32 i)
{
	if (!test_and_clear_bit(i, s->young))
		return false;
	atomic64_inc(&t->returned);
	return true;
}

#if IS_ENABLED(CONFIG_MMU_NOTIFIER)

static bool give_back(struct mmu_notifier *mn, unsigned long start,
		      unsigned long end, bool clear)
{
	struct mrc_target *t = container_of(mn, struct mrc_target, notifier);
	struct mrc_shadow *s;
	bool young;
	u32 i;

	rcu_read_lock();
	young = mrc_aging_give_back(t, start, end, clear);
	s = rcu_dereference(t->shadow);
	for (i = s ? lower_bound(s, start) : 0; s && i < s->n; i++) {
		if (s->addr[i] >= end)
			break;
		if (!clear) {
			young |= test_bit(i, s->young);
			continue;
		}
		set_bit(i, s->taken);
		young |= return_touch(t, s, i);
	}
	rcu_read_unlock();
	return young;
}

static memsuite_young_t clear_young(struct mmu_notifier *mn, struct mm_struct *mm,
				    unsigned long start, unsigned long end)
{
	return give_back(mn, start, end, true);
}

static memsuite_young_t test_young(struct mmu_notifier *mn, struct mm_struct *mm,
				   unsigned long addr)
{
	return give_back(mn, addr, addr + 1, false);
}

static const struct mmu_notifier_ops ops = {
	.clear_flush_young = clear_young,
	.clear_young = clear_young,
	.test_young = test_young,
};

/**
 * mrc_young_start() - answer for an address space
 * @t: the target; @mm is set
 *
 * Context: may sleep; takes mmap_lock for writing.
 * Return: 0 or an error; -ESRCH if the address space is gone.
 */
int mrc_young_start(struct mrc_target *t)
{
	int err;

	if (t->notified)
		return 0;
	if (!mmget_not_zero(t->mm))
		return -ESRCH;
	t->notifier.ops = &ops;
	err = mmu_notifier_register(&t->notifier, t->mm);
	mmput_async(t->mm);
	t->notified = !err;
	return err;
}

/**
 * mrc_young_stop() - answer no more
 * @t: the target; @mm is still the one that was answered for
 *
 * Context: may sleep.
 */
void mrc_young_stop(struct mrc_target *t)
{
	if (t->notified)
		mmu_notifier_unregister(&t->notifier, t->mm);
	t->notified = false;
	free_shadow(t);
}

#else

int mrc_young_start(struct mrc_target *t)
{
	return 0;
}

void mrc_young_stop(struct mrc_target *t)
{
	free_shadow(t);
}

#endif

/**
 * mrc_young_renew() - the sample has been replaced
 * @t: the target
 *
 * What was taken from pages that are still sampled is kept. What was taken from
 * the others is lost: they were in the sample for seconds. Context: may sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_young_renew(struct mrc_target *t)
{
	struct mrc_shadow *old = rcu_dereference_protected(t->shadow, true);
	u32 n = t->sample.n, longs = BITS_TO_LONGS(n), i, k = 0;
	struct mrc_shadow *s;

	s = kvzalloc(struct_size(s, addr, n + 3 * longs), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	s->n = n;
	s->young = s->addr + n;
	s->taken = s->young + longs;
	s->seen = s->taken + longs;
	for (i = 0; i < n; i++) {
		s->addr[i] = t->sample.entry[i].addr;
		while (old && k < old->n && old->addr[k] < s->addr[i])
			k++;
		if (!old || k >= old->n || old->addr[k] != s->addr[i])
			continue;
		if (test_bit(k, old->young))
			__set_bit(i, s->young);
		if (test_bit(k, old->seen))
			__set_bit(i, s->seen);
	}
	rcu_assign_pointer(t->shadow, s);
	if (old) {
		synchronize_rcu();
		kvfree(old);
	}
	return 0;
}

/**
 * mrc_young_took() - an accessed bit was cleared
 * @t: the target
 * @i: index of the page in its sample
 *
 * Context: any, as long as the sample is not replaced.
 */
void mrc_young_took(struct mrc_target *t, u32 i)
{
	struct mrc_shadow *s = rcu_dereference_protected(t->shadow, true);

	if (!test_and_set_bit(i, s->young))
		t->stats.shadow_young++;
}

/**
 * mrc_young_begin() - a ladder begins: what others clear from here on counts
 * @t: the target
 */
void mrc_young_begin(struct mrc_target *t)
{
	struct mrc_shadow *s = rcu_dereference_protected(t->shadow, true);

	bitmap_zero(s->taken, s->n);
}

/**
 * mrc_young_lost() - whether others may have cleared an accessed bit
 * @t: the target
 * @i: index of the page in its sample
 *
 * Return: true if they did since mrc_young_begin().
 */
bool mrc_young_lost(struct mrc_target *t, u32 i)
{
	return test_bit(i, rcu_dereference_protected(t->shadow, true)->taken);
}

/**
 * mrc_young_age() - a hand (clock_hand.h) has cleared an accessed bit
 * @t: the target
 * @addr: of the page
 * @young: whether the bit was set
 *
 * Unlike others who do, it tells the ladder, which loses nothing. Context: any.
 *
 * Return: whether the page was touched since this was last called for it.
 */
bool mrc_young_age(struct mrc_target *t, unsigned long addr, bool young)
{
	struct mrc_shadow *s;
	u32 i;

	rcu_read_lock();
	s = rcu_dereference(t->shadow);
	if (is_sampled(s, addr, &i)) {
		if (young)
			set_bit(i, s->seen);
		young |= test_and_clear_bit(i, s->young);
	}
	rcu_read_unlock();
	return young;
}

/**
 * mrc_young_kept() - whether an accessed bit was cleared, and is to be given back
 * @t: the target
 * @addr: of the page
 *
 * Context: any.
 */
bool mrc_young_kept(struct mrc_target *t, unsigned long addr)
{
	struct mrc_shadow *s;
	bool kept;
	u32 i;

	rcu_read_lock();
	s = rcu_dereference(t->shadow);
	kept = is_sampled(s, addr, &i) && test_bit(i, s->young);
	rcu_read_unlock();
	return kept;
}

/**
 * mrc_young_seen() - whether a touch was seen by mrc_young_age(); once
 * @t: the target
 * @i: index of the page in its sample
 */
bool mrc_young_seen(struct mrc_target *t, u32 i)
{
	unsigned long *seen = rcu_dereference_protected(t->shadow, true)->seen;

	return test_bit(i, seen) && test_and_clear_bit(i, seen);
}
