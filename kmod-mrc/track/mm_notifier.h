/* SPDX-License-Identifier: GPL-2.0-only */
/* MMU notifiers of programs that are not to be kept waiting. */
#ifndef MRC_TRACK_MM_NOTIFIER_H
#define MRC_TRACK_MM_NOTIFIER_H

#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/rwsem.h>

#define MRC_NOTIFIER_TRIES	20
#define MRC_NOTIFIER_REST_MS	5

/* Of a busy program somebody always has it; but who has it for writing may have it for long. */
static inline bool mrc_mmap_lock_is_free(struct mm_struct *mm, bool from_readers)
{
	if (!from_readers)
		return !rwsem_is_locked(&mm->mmap_lock);
	if (!mmap_read_trylock(mm))
		return false;
	mmap_read_unlock(mm);
	return true;
}

/**
 * mrc_mm_notifier_register() - as mmu_notifier_register(), but waits for nobody who takes long
 * @notifier: to be asked
 * @mm: the address space, with its memory
 *
 * Behind who waits for mmap_lock for writing, all faults of the program wait; and who has it for
 * long, as a mapping of a file on a server that is gone, would keep the caller from being stopped.
 * The kernel has no way to try: it is looked at first.
 *
 * Context: may sleep; a kthread.
 * Return: 0, -EAGAIN (somebody has mmap_lock), or another error.
 */
static inline int mrc_mm_notifier_register(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	unsigned int tries;

	for (tries = 0; tries < MRC_NOTIFIER_TRIES && !kthread_should_stop(); tries++) {
		if (mrc_mmap_lock_is_free(mm, tries >= MRC_NOTIFIER_TRIES / 2))
			return mmu_notifier_register(notifier, mm);
		msleep(MRC_NOTIFIER_REST_MS);
	}
	return -EAGAIN;
}

#endif
