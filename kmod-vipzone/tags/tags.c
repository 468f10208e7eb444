// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tags of address spaces.
 *
 * An address space has an entry from the first tag on. An mmu notifier tells
 * what is unmapped, and when the address space goes; the hook at MEMSUITE_HOOK_POINT_MREMAP_MOVE,
 * what is moved; a tracepoint, that it was forked. There nobody can sleep, as
 * making a notifier takes, so that a child makes its own before it gets to user
 * space.
 */

#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/wait.h>

#include <memsuite/hook.h>
#include <memsuite/vipzone.h>

#include "tags/tag_ranges.h"
#include "tags/tags.h"
#include "vipzone.h"

/**
 * struct tagged - an address space with tags
 * @hash: in the table, by @mm; under RCU
 * @notifier: tells what is unmapped; keeps @mm from being freed
 * @mm: the address space
 * @set: its tags
 * @others: flags of what is not tagged
 * @adoption: lets a child make its notifier
 * @rcu: frees it after a grace period
 */
struct tagged {
	struct hlist_node hash;
	struct mmu_notifier notifier;
	struct mm_struct *mm;
	struct tagset set;
	u32 others;
	struct callback_head adoption;
	struct rcu_head rcu;
};

static DEFINE_HASHTABLE(table, 8);		/* by mm; readers under RCU */
static DEFINE_SPINLOCK(table_lock);
static unsigned int nr_linked;			/* under table_lock */
static atomic_t nr_alive = ATOMIC_INIT(0);	/* entries not freed */
static atomic_t nr_adoptions = ATOMIC_INIT(0);	/* children not run yet */
static DECLARE_WAIT_QUEUE_HEAD(all_gone);
static bool adopted;				/* there were children */
static atomic64_t lost = ATOMIC64_INIT(0);

/* Under RCU, which preemption off is, too. */
static struct tagged *tagged_of(const struct mm_struct *mm)
{
	struct tagged *tagged;

	hlist_for_each_entry_rcu(tagged,
				 &table[hash_min((unsigned long)mm,
						 HASH_BITS(table))],
				 hash, true)
		if (tagged->mm == mm)
			return tagged;
	return NULL;
}

/* It stays: the address space lives, and the device is open. */
static struct tagged *own_tagged(void)
{
	struct tagged *tagged;

	rcu_read_lock();
	tagged = tagged_of(current->mm);
	rcu_read_unlock();
	return tagged;
}

bool tag_find(const struct mm_struct *mm, unsigned long address, u32 *flags)
{
	struct tagged *tagged = NULL;

	*flags = 0;
	if (READ_ONCE(nr_linked))
		tagged = tagged_of(mm);
	if (likely(!tagged))
		return false;
	if (tagset_find(&tagged->set, address, flags))
		return true;
	*flags = READ_ONCE(tagged->others);
	return *flags;
}

static struct tagged *tagged_alloc(struct mm_struct *mm, gfp_t gfp)
{
	struct tagged *tagged = kzalloc(sizeof(*tagged), gfp | __GFP_ACCOUNT);

	if (!tagged)
		return NULL;
	atomic_inc(&nr_alive);
	tagged->mm = mm;
	tagset_init(&tagged->set);
	return tagged;
}

static void tagged_free(struct tagged *tagged)
{
	tagset_clear(&tagged->set);
	kfree_rcu(tagged, rcu);
	if (atomic_dec_and_test(&nr_alive))
		wake_up(&all_gone);
}

static void tagged_link(struct tagged *tagged)
{
	spin_lock(&table_lock);
	hash_add_rcu(table, &tagged->hash, (unsigned long)tagged->mm);
	WRITE_ONCE(nr_linked, nr_linked + 1);
	spin_unlock(&table_lock);
}

/* Who takes it out of the table puts it. */
static bool tagged_unlink(struct tagged *tagged)
{
	bool linked;

	spin_lock(&table_lock);
	linked = hash_hashed(&tagged->hash);
	if (linked) {
		hlist_del_init_rcu(&tagged->hash);
		WRITE_ONCE(nr_linked, nr_linked - 1);
	}
	spin_unlock(&table_lock);
	return linked;
}

static struct tagged *to_tagged(struct mmu_notifier *notifier)
{
	return container_of(notifier, struct tagged, notifier);
}

/* Of all that invalidates, reclaim and migration among it, this unmaps. */
static int unmapped(struct mmu_notifier *notifier,
		    const struct mmu_notifier_range *range)
{
	struct tagset *set = &to_tagged(notifier)->set;

	if (range->event != MMU_NOTIFY_UNMAP)
		return 0;
	spin_lock(&set->lock);
	if (!tagset_unmap(set, range->start, range->end))
		atomic64_inc(&lost);
	spin_unlock(&set->lock);
	return 0;
}

static void mm_gone(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	if (tagged_unlink(to_tagged(notifier)))
		mmu_notifier_put(notifier);
}

static void notifier_free(struct mmu_notifier *notifier)
{
	tagged_free(to_tagged(notifier));
}

static const struct mmu_notifier_ops notifier_ops = {
	.invalidate_range_start = unmapped,
	.release = mm_gone,
	.free_notifier = notifier_free,
};

/* The mmap_lock of its address space is held for writing. */
static int watch(struct tagged *tagged)
{
	tagged->notifier.ops = &notifier_ops;
	return __mmu_notifier_register(&tagged->notifier, tagged->mm);
}

static void remapped(struct mm_struct *mm, unsigned long from,
		     unsigned long to, unsigned long length)
{
	struct tagged *tagged = tagged_of(mm);

	if (!tagged)
		return;
	spin_lock(&tagged->set.lock);
	atomic64_add(tagset_move(&tagged->set, from, to, length), &lost);
	spin_unlock(&tagged->set.lock);
}

static const struct memsuite_hook remap_hook = { .remap = remapped };

static DEFINE_MUTEX(follow_lock);
static bool following, given_up;

/*
 * Tags are of use without it. It is tried again where what failed lay with the
 * caller: its limits, its threads, its signals.
 */
static void follow_remaps(void)
{
	int err;

	mutex_lock(&follow_lock);
	if (!following && !given_up) {
		err = memsuite_hook_arm(MEMSUITE_HOOK_POINT_MREMAP_MOVE, MEMSUITE_HOOK_RANK_DEFAULT,
					&remap_hook);
		following = !err;
		given_up = err == -EOPNOTSUPP || err == -ENXIO || err == -EBUSY;
	}
	mutex_unlock(&follow_lock);
}

static struct tagged *tagged_create(void)
{
	struct tagged *tagged = tagged_alloc(current->mm, GFP_KERNEL);
	int err;

	if (!tagged)
		return ERR_PTR(-ENOMEM);
	err = watch(tagged);
	if (err) {
		tagged_free(tagged);
		return ERR_PTR(err);
	}
	tagged_link(tagged);
	return tagged;
}

/* That of the calling process, made if there is none. */
static struct tagged *tagged_get(void)
{
	struct tagged *tagged = own_tagged();
	int err;

	if (tagged)
		return tagged;
	err = lifetime_start();
	if (err)
		return ERR_PTR(err);
	follow_remaps();
	if (mmap_write_lock_killable(current->mm))
		return ERR_PTR(-EINTR);
	tagged = own_tagged() ?: tagged_create();
	mmap_write_unlock(current->mm);
	return tagged;
}

/* The mmap_lock is held, so that nothing is unmapped meanwhile. */
static bool is_mapped(unsigned long start, unsigned long end)
{
	struct vm_area_struct *vma;

	for (; start < end; start = vma->vm_end) {
		vma = find_vma(current->mm, start);
		if (!vma || vma->vm_start > start)
			return false;
	}
	return true;
}

static int tag_mapped(struct tagset *set, const struct vipzone_range *range,
		      struct tag **fresh)
{
	unsigned long end = range->start + range->length;
	int err = -ENOMEM;

	if (mmap_read_lock_killable(current->mm))
		return -EINTR;
	if (is_mapped(range->start, end)) {
		spin_lock(&set->lock);
		err = tagset_tag(set, range->start, end, range->flags, fresh);
		spin_unlock(&set->lock);
	}
	mmap_read_unlock(current->mm);
	return err;
}

static struct tag *tag_alloc(void)
{
	return kmalloc(sizeof(struct tag), GFP_KERNEL_ACCOUNT);
}

int tags_tag(const struct vipzone_range *range)
{
	struct tagged *tagged = tagged_get();
	struct tag *fresh[2];
	int err = -ENOMEM;

	if (IS_ERR(tagged))
		return PTR_ERR(tagged);
	fresh[0] = tag_alloc();
	fresh[1] = tag_alloc();
	if (fresh[0] && fresh[1])
		err = tag_mapped(&tagged->set, range, fresh);
	kfree(fresh[1]);
	kfree(fresh[0]);
	return err;
}

int tags_untag(const struct vipzone_range *range)
{
	unsigned long end = range->start + range->length;
	struct tagged *tagged = own_tagged();
	struct tagset *set;
	struct tag *fresh;
	int err = 0;

	if (!tagged)
		return 0;
	fresh = tag_alloc();
	if (!fresh)
		return -ENOMEM;
	set = &tagged->set;
	spin_lock(&set->lock);
	if (tagset_splits(set, range->start, end) &&
	    set->nr >= VIPZONE_MAX_RANGES)
		err = -ENOSPC;
	else
		tagset_untag(set, range->start, end, &fresh);
	spin_unlock(&set->lock);
	kfree(fresh);
	return err;
}

int tags_query(struct vipzone_range *range)
{
	struct tagged *tagged = own_tagged();
	const struct tag *tag;

	if (!tagged)
		return -ENOENT;
	spin_lock(&tagged->set.lock);
	tag = tagset_at(&tagged->set, range->start);
	if (tag) {
		range->start = tag->start;
		range->length = tag->end - tag->start;
		range->flags = tag->flags;
	}
	spin_unlock(&tagged->set.lock);
	return tag ? 0 : -ENOENT;
}

int tags_set_default(u32 flags)
{
	struct tagged *tagged = flags ? tagged_get() : own_tagged();

	if (IS_ERR(tagged))
		return PTR_ERR(tagged);
	if (tagged)
		WRITE_ONCE(tagged->others, flags);
	return 0;
}

u32 tags_default(void)
{
	struct tagged *tagged = own_tagged();

	return tagged ? READ_ONCE(tagged->others) : 0;
}

/*
 * What the parent had, and fork did not copy (MADV_DONTFORK), the child may map
 * anew: that is no mapping that anybody has tagged. The mmap_lock is held.
 */
static void drop_unmapped(struct tagged *tagged)
{
	struct tagset *set = &tagged->set;
	unsigned long start = 0, end;
	struct vm_area_struct *vma;

	do {
		vma = find_vma(tagged->mm, start);
		end = vma ? vma->vm_start : TASK_SIZE;
		spin_lock(&set->lock);
		if (start < end && !tagset_unmap(set, start, end))
			atomic64_inc(&lost);
		spin_unlock(&set->lock);
		if (vma)
			start = vma->vm_end;
	} while (vma);
}

/* A child whose address space is still that of the fork can be watched. */
static void adopt(struct callback_head *work)
{
	struct tagged *tagged = container_of(work, struct tagged, adoption);
	struct mm_struct *mm = tagged->mm;
	int err = -ESRCH;

	if (current->mm == mm) {
		/* A notifier is refused to who has a signal; that waits a moment. */
		bool pending = test_and_clear_thread_flag(TIF_SIGPENDING);

		mmap_write_lock(mm);
		err = watch(tagged);
		if (!err)
			drop_unmapped(tagged);
		mmap_write_unlock(mm);
		if (pending)
			set_thread_flag(TIF_SIGPENDING);
	}
	if (err) {
		atomic64_add(tagged->set.nr, &lost);
		tagged_unlink(tagged);
		tagged_free(tagged);
	}
	mmdrop(mm);
	if (atomic_dec_and_test(&nr_adoptions))
		wake_up(&all_gone);
}

static struct tagged *tagged_copy(struct tagged *from, struct mm_struct *mm)
{
	struct tagged *tagged = tagged_alloc(mm, GFP_NOWAIT | __GFP_NOWARN);

	if (!tagged) {
		atomic64_add(from->set.nr, &lost);
		return NULL;
	}
	spin_lock(&from->set.lock);
	atomic64_add(tagset_copy(&tagged->set, &from->set), &lost);
	tagged->others = from->others;
	spin_unlock(&from->set.lock);
	return tagged;
}

void tags_forked(struct task_struct *parent, struct task_struct *child)
{
	struct tagged *tagged;

	if (!child->mm || child->mm == parent->mm || !READ_ONCE(nr_linked))
		return;
	tagged = tagged_of(parent->mm);
	if (tagged)
		tagged = tagged_copy(tagged, child->mm);
	if (!tagged)
		return;
	mmgrab(child->mm);
	tagged_link(tagged);
	atomic_inc(&nr_adoptions);
	WRITE_ONCE(adopted, true);
	init_task_work(&tagged->adoption, adopt);
	/* It cannot fail before the child has run. */
	WARN_ON_ONCE(task_work_add(child, &tagged->adoption, TWA_RESUME));
}

unsigned int tags_processes(void)
{
	return READ_ONCE(nr_linked);
}

u64 tags_lost(void)
{
	return atomic64_read(&lost);
}

static struct tagged *take_any(void)
{
	struct tagged *tagged;
	int bucket;

	rcu_read_lock();
	hash_for_each_rcu(table, bucket, tagged, hash)
		if (tagged_unlink(tagged))
			break;
	rcu_read_unlock();
	return tagged;
}

void tags_exit(void)
{
	struct tagged *tagged;

	memsuite_hook_disarm(MEMSUITE_HOOK_POINT_MREMAP_MOVE, MEMSUITE_HOOK_RANK_DEFAULT);
	wait_event(all_gone, !atomic_read(&nr_adoptions));
	/* The last of adopt() may still run in a child. */
	if (adopted)
		synchronize_rcu_tasks();
	while ((tagged = take_any()))
		mmu_notifier_put(&tagged->notifier);
	wait_event(all_gone, !atomic_read(&nr_alive));
	/* Likewise of notifier_free(). */
	mmu_notifier_synchronize();
}
