// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tags of address spaces.
 *
 * An address space has an entry from the first tag on. An mmu notifier tells
 * what is unmapped, and when the address space goes; the hook at MEMSUITE_HOOK_POINT_MREMAP_MOVE,
 * what is moved; a tracepoint, that it was forked. The tracepoint cannot sleep,
 * which it takes to make a notifier, so that the child makes its own before it gets
 * to user space.
 *
 * There may be 32,768 tags, and all of these come with preemption off or have a
 * reader wait. So a fork shares the tags, and who changes them first copies them;
 * changes come in pieces; and the hook only notes what mremap() moves, which the
 * kernel then tells the notifier to unmap from where it was.
 */

#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/wait.h>

#include <compat/unmap.h>
#include <memsuite/hook.h>
#include <memsuite/vipzone.h>

#include "tags/shared_tags.h"
#include "tags/tags.h"

/**
 * struct tagged - an address space with tags
 * @hash: in the table, by @mm; under RCU
 * @notifier: tells what is unmapped; keeps @mm from being freed
 * @mm: the address space
 * @lock: held to change its tags
 * @tags: its tags, or NULL; written under @lock, read under RCU
 * @move: what mremap() moves and the tags have not followed yet; set with the
 *	mmap_lock held for writing, changed under @lock with it held
 * @others: flags of what is not tagged
 * @adoption: lets a child make its notifier
 * @rcu: frees it after a grace period
 */
struct tagged {
	struct hlist_node hash;
	struct mmu_notifier notifier;
	struct mm_struct *mm;
	struct mutex lock;	/* of its tags */
	struct vipzone_shared_tags __rcu *tags;
	struct vipzone_tag_move move;
	u32 others;
	struct callback_head adoption;
	struct rcu_head rcu;
};

static DEFINE_HASHTABLE(table, 12);		/* by mm; readers under RCU */
static DEFINE_SPINLOCK(table_lock);
static unsigned int nr_linked;			/* under table_lock */
static atomic_t nr_alive = ATOMIC_INIT(0);	/* entries not freed */
static atomic_t nr_adoptions = ATOMIC_INIT(0);	/* children not run yet */
static DECLARE_WAIT_QUEUE_HEAD(all_gone);
static bool adopted;				/* there were children */
static atomic64_t lost = ATOMIC64_INIT(0);

/* Under RCU, or with preemption off. */
static struct tagged *tagged_of(const struct mm_struct *mm)
{
	struct tagged *tagged;

	hlist_for_each_entry_rcu(tagged,
				 &table[hash_min((unsigned long)mm, HASH_BITS(table))], hash)
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

bool vipzone_tag_find(const struct mm_struct *mm, unsigned long address, u32 *flags)
{
	const struct vipzone_shared_tags *tags;
	struct tagged *tagged = NULL;

	*flags = 0;
	if (READ_ONCE(nr_linked))
		tagged = tagged_of(mm);
	if (likely(!tagged))
		return false;
	tags = rcu_dereference_raw(tagged->tags);
	if (tags && vipzone_tag_ranges_find(&tags->ranges, address, flags))
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
	mutex_init(&tagged->lock);
	return tagged;
}

/* Nobody changes its tags meanwhile: its lock is held, or nobody else knows it. */
static struct vipzone_shared_tags *tags_of(const struct tagged *tagged)
{
	return rcu_dereference_protected(tagged->tags, true);
}

static void tagged_free(struct tagged *tagged)
{
	struct vipzone_shared_tags *tags = tags_of(tagged);

	if (tags)
		vipzone_shared_tags_put(tags);
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

/* Whoever takes it out of the table puts it. */
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

static void tagged_copy_tags(struct tagged *tagged)
{
	struct vipzone_shared_tags *shared = tags_of(tagged);

	rcu_assign_pointer(tagged->tags, vipzone_shared_tags_copy(shared, &lost));
	vipzone_shared_tags_put(shared);
}

/*
 * For a piece of a change: what a fork shares is copied first. Returns them locked,
 * or NULL if there are none. Its lock is held.
 */
static struct vipzone_tag_ranges *tagged_begin(struct tagged *tagged)
{
	struct vipzone_shared_tags *tags;

	cond_resched();
	while ((tags = tags_of(tagged))) {
		spin_lock(&tags->ranges.lock);
		if (tags->users == 1) {
			__release(&tags->ranges.lock);	/* for sparse: the caller has it */
			return &tags->ranges;
		}
		spin_unlock(&tags->ranges.lock);
		tagged_copy_tags(tagged);
	}
	return NULL;
}

static void tagged_end(struct vipzone_tag_ranges *set)
{
	__acquire(&set->lock);
	spin_unlock(&set->lock);
}

/* Its lock is held. What has no tag there is not copied for it. */
static bool tagged_has_any(struct tagged *tagged, unsigned long start, unsigned long end)
{
	struct vipzone_shared_tags *tags = tags_of(tagged);
	bool any;

	if (!tags)
		return false;
	spin_lock(&tags->ranges.lock);
	any = vipzone_tag_ranges_has_any(&tags->ranges, start, end);
	spin_unlock(&tags->ranges.lock);
	return any;
}

/* Its lock is held. */
static void tagged_follow_move(struct tagged *tagged)
{
	struct vipzone_tag_move *move = &tagged->move;
	struct vipzone_tag_ranges *set;

	if (move->length && !tagged_has_any(tagged, move->from, move->from + move->length) &&
	    !tagged_has_any(tagged, move->to, move->to + move->length))
		move->length = 0;
	while (move->length) {
		set = tagged_begin(tagged);
		if (!set) {
			move->length = 0;
			break;
		}
		atomic64_add(vipzone_tag_ranges_move(set, move), &lost);
		tagged_end(set);
	}
}

/* Its lock is held. */
static void tagged_unmap(struct tagged *tagged, unsigned long start, unsigned long end)
{
	struct vipzone_tag_ranges *set;

	while (start < end && tagged_has_any(tagged, start, end)) {
		set = tagged_begin(tagged);
		if (!set)
			break;
		if (!vipzone_tag_ranges_unmap(set, &start, end))
			atomic64_inc(&lost);
		tagged_end(set);
	}
}

/*
 * Reclaim and migration invalidate, too; only MMU_NOTIFY_UNMAP unmaps, and moves. Where nobody may
 * wait, a dying process is reaped: its tags go with it.
 */
static int tagged_unmapped(struct mmu_notifier *notifier,
			   const struct mmu_notifier_range *range)
{
	struct tagged *tagged = to_tagged(notifier);

	if (!memsuite_range_is_unmapped(range) || !mmu_notifier_range_blockable(range))
		return 0;
	mutex_lock(&tagged->lock);
	tagged_follow_move(tagged);
	tagged_unmap(tagged, range->start, range->end);
	mutex_unlock(&tagged->lock);
	return 0;
}

static void tagged_mm_gone(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	if (tagged_unlink(to_tagged(notifier)))
		mmu_notifier_put(notifier);
}

static void notifier_free(struct mmu_notifier *notifier)
{
	tagged_free(to_tagged(notifier));
}

static const struct mmu_notifier_ops notifier_ops = {
	.invalidate_range_start = tagged_unmapped,
	.release = tagged_mm_gone,
	.free_notifier = notifier_free,
};

/* The mmap_lock of its address space is held for writing. */
static int tagged_watch(struct tagged *tagged)
{
	tagged->notifier.ops = &notifier_ops;
	return __mmu_notifier_register(&tagged->notifier, tagged->mm);
}

static void tagged_remapped(struct mm_struct *mm, unsigned long from,
			    unsigned long to, unsigned long length)
{
	struct tagged *tagged = tagged_of(mm);

	if (tagged)
		tagged->move = (struct vipzone_tag_move){
			.from = from,
			.to = to,
			.length = length,
		};
}

static const struct memsuite_hook remap_hook = { .remap = tagged_remapped };

static DEFINE_MUTEX(follow_lock);
static bool following, given_up;

/*
 * Tags are of use without the hook. Arming it is tried again if it failed for the
 * caller's sake: its limits, its threads, its signals.
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
	err = tagged_watch(tagged);
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

	if (tagged)
		return tagged;
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

/* Its lock is held. */
static int tagged_tag(struct tagged *tagged, const struct vipzone_range *range,
		      struct vipzone_tag **fresh)
{
	unsigned long start = range->start, end = start + range->length;
	struct vipzone_tag_ranges *set;
	int err;

	do {
		set = tagged_begin(tagged);
		if (!set)
			return -ENOMEM;
		err = vipzone_tag_ranges_tag(set, &start, end, range->flags, fresh);
		tagged_end(set);
	} while (!err && start < end);
	return err;
}

/* Its first ones, or the first since they were lost for want of memory. */
static int tagged_tag_with(struct tagged *tagged, const struct vipzone_range *range,
			   struct vipzone_tag **fresh, struct vipzone_shared_tags **empty)
{
	int err;

	mutex_lock(&tagged->lock);
	if (!tags_of(tagged)) {
		rcu_assign_pointer(tagged->tags, *empty);
		*empty = NULL;
	}
	err = tagged_tag(tagged, range, fresh);
	mutex_unlock(&tagged->lock);
	return err;
}

static int tag_mapped(struct tagged *tagged, const struct vipzone_range *range,
		      struct vipzone_tag **fresh, struct vipzone_shared_tags **empty)
{
	int err = -ENOMEM;

	if (mmap_read_lock_killable(current->mm))
		return -EINTR;
	if (is_mapped(range->start, range->start + range->length))
		err = tagged_tag_with(tagged, range, fresh, empty);
	mmap_read_unlock(current->mm);
	return err;
}

static struct vipzone_tag *tag_alloc(void)
{
	return kmalloc(sizeof(struct vipzone_tag), GFP_KERNEL_ACCOUNT);
}

int vipzone_tags_tag(const struct vipzone_range *range)
{
	struct tagged *tagged = tagged_get();
	struct vipzone_shared_tags *empty;
	struct vipzone_tag *fresh[2];
	int err = -ENOMEM;

	if (IS_ERR(tagged))
		return PTR_ERR(tagged);
	empty = vipzone_shared_tags_alloc(GFP_KERNEL);
	fresh[0] = tag_alloc();
	fresh[1] = tag_alloc();
	if (empty && fresh[0] && fresh[1])
		err = tag_mapped(tagged, range, fresh, &empty);
	kfree(fresh[1]);
	kfree(fresh[0]);
	kfree(empty);
	return err;
}

/* Its lock is held. */
static int tagged_untag(struct tagged *tagged, unsigned long start, unsigned long end,
			struct vipzone_tag **fresh)
{
	struct vipzone_tag_ranges *set;
	int err = 0;

	while (!err && start < end && tagged_has_any(tagged, start, end)) {
		set = tagged_begin(tagged);
		if (!set)
			break;
		if (vipzone_tag_ranges_splits(set, start, end) && set->nr >= VIPZONE_MAX_RANGES)
			err = -ENOSPC;
		else
			vipzone_tag_ranges_untag(set, &start, end, fresh);
		tagged_end(set);
	}
	return err;
}

int vipzone_tags_untag(const struct vipzone_range *range)
{
	struct tagged *tagged = own_tagged();
	struct vipzone_tag *fresh;
	int err;

	if (!tagged)
		return 0;
	fresh = tag_alloc();
	if (!fresh)
		return -ENOMEM;
	mutex_lock(&tagged->lock);
	err = tagged_untag(tagged, range->start, range->start + range->length, &fresh);
	mutex_unlock(&tagged->lock);
	kfree(fresh);
	return err;
}

int vipzone_tags_query(struct vipzone_range *range)
{
	struct tagged *tagged = own_tagged();
	const struct vipzone_shared_tags *tags;
	const struct vipzone_tag *tag = NULL;

	if (!tagged)
		return -ENOENT;
	mutex_lock(&tagged->lock);
	tags = tags_of(tagged);
	if (tags)
		tag = vipzone_tag_ranges_at(&tags->ranges, range->start);
	if (tag) {
		range->start = tag->start;
		range->length = tag->end - tag->start;
		range->flags = tag->flags;
	}
	mutex_unlock(&tagged->lock);
	return tag ? 0 : -ENOENT;
}

int vipzone_tags_set_default(u32 flags)
{
	struct tagged *tagged = flags ? tagged_get() : own_tagged();

	if (IS_ERR(tagged))
		return PTR_ERR(tagged);
	if (tagged)
		WRITE_ONCE(tagged->others, flags);
	return 0;
}

u32 vipzone_tags_default(void)
{
	struct tagged *tagged = own_tagged();

	return tagged ? READ_ONCE(tagged->others) : 0;
}

/*
 * Drops the tags of areas that fork did not copy (MADV_DONTFORK): what the child
 * maps there, nobody has tagged. The mmap_lock is held.
 */
static void tagged_drop_unmapped(struct tagged *tagged)
{
	unsigned long start = 0;
	struct vm_area_struct *vma;

	mutex_lock(&tagged->lock);
	do {
		vma = find_vma(tagged->mm, start);
		tagged_unmap(tagged, start, vma ? vma->vm_start : TASK_SIZE);
		if (vma)
			start = vma->vm_end;
	} while (vma);
	mutex_unlock(&tagged->lock);
}

/* All of them. */
static void tagged_count_lost(struct tagged *tagged)
{
	const struct vipzone_shared_tags *tags = rcu_dereference_raw(tagged->tags);

	if (tags)
		atomic64_add(READ_ONCE(tags->ranges.nr), &lost);
}

/* A child whose address space is still that of the fork can be watched. */
static void tagged_adopt(struct callback_head *work)
{
	struct tagged *tagged = container_of(work, struct tagged, adoption);
	struct mm_struct *mm = tagged->mm;
	int err = -ESRCH;

	if (current->mm == mm) {
		/* A task with a signal is refused a notifier: the signal waits a moment. */
		bool pending = test_and_clear_thread_flag(TIF_SIGPENDING);

		mmap_write_lock(mm);
		err = tagged_watch(tagged);
		if (!err)
			tagged_drop_unmapped(tagged);
		mmap_write_unlock(mm);
		if (pending)
			set_thread_flag(TIF_SIGPENDING);
	}
	if (err) {
		tagged_count_lost(tagged);
		tagged_unlink(tagged);
		tagged_free(tagged);
	}
	mmdrop(mm);
	if (atomic_dec_and_test(&nr_adoptions))
		wake_up(&all_gone);
}

/* Has them for one user more. Whoever changes them gets a copy, so this may meet old ones. */
static struct vipzone_shared_tags *tagged_share_tags(struct tagged *tagged)
{
	struct vipzone_shared_tags *tags;
	bool current_ones = false;

	while (!current_ones && (tags = rcu_dereference_raw(tagged->tags))) {
		spin_lock(&tags->ranges.lock);
		current_ones = rcu_access_pointer(tagged->tags) == tags;
		tags->users += current_ones;
		spin_unlock(&tags->ranges.lock);
	}
	return tags;
}

/* Under RCU. */
static struct tagged *tagged_fork(struct tagged *from, struct mm_struct *mm)
{
	struct tagged *tagged = tagged_alloc(mm, GFP_NOWAIT | __GFP_NOWARN);

	if (!tagged) {
		tagged_count_lost(from);
		return NULL;
	}
	RCU_INIT_POINTER(tagged->tags, tagged_share_tags(from));
	tagged->others = READ_ONCE(from->others);
	return tagged;
}

static struct tagged *tagged_copy(struct mm_struct *from, struct mm_struct *mm)
{
	struct tagged *tagged;

	rcu_read_lock();
	tagged = tagged_of(from);
	if (tagged)
		tagged = tagged_fork(tagged, mm);
	rcu_read_unlock();
	return tagged;
}

void vipzone_tags_forked(struct task_struct *parent, struct task_struct *child)
{
	struct tagged *tagged;

	if (!child->mm || child->mm == parent->mm || !READ_ONCE(nr_linked))
		return;
	tagged = tagged_copy(parent->mm, child->mm);
	if (!tagged)
		return;
	mmgrab(child->mm);
	tagged_link(tagged);
	atomic_inc(&nr_adoptions);
	WRITE_ONCE(adopted, true);
	init_task_work(&tagged->adoption, tagged_adopt);
	/* It cannot fail before the child has run. */
	WARN_ON_ONCE(task_work_add(child, &tagged->adoption, TWA_RESUME));
}

unsigned int vipzone_tags_processes(void)
{
	return READ_ONCE(nr_linked);
}

u64 vipzone_tags_lost(void)
{
	return atomic64_read(&lost);
}

static struct tagged *tagged_take_any(void)
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

int vipzone_tags_init(void)
{
	return vipzone_shared_tags_init();
}

void vipzone_tags_exit(void)
{
	struct tagged *tagged;

	memsuite_hook_disarm(MEMSUITE_HOOK_POINT_MREMAP_MOVE, MEMSUITE_HOOK_RANK_DEFAULT);
	wait_event(all_gone, !atomic_read(&nr_adoptions));
	/* The last of tagged_adopt() may still run in a child. */
	if (adopted)
		synchronize_rcu_tasks();
	while ((tagged = tagged_take_any()))
		mmu_notifier_put(&tagged->notifier);
	wait_event(all_gone, !atomic_read(&nr_alive));
	/* Likewise of notifier_free(). */
	mmu_notifier_synchronize();
	vipzone_shared_tags_exit();
}
