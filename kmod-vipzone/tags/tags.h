/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs have told about their memory. */
#ifndef VIPZONE_TAGS_TAGS_H
#define VIPZONE_TAGS_TAGS_H

#include <linux/types.h>

struct mm_struct;
struct task_struct;
struct vipzone_range;

/**
 * vipzone_tag_find() - how the memory at an address is used
 * @mm: the address space
 * @address: an address in it
 * @flags: result: of the range that is tagged there, or else the default of the
 *	process, or else 0
 *
 * Context: preemption off; takes no lock.
 * Return: whether the program has said anything about it.
 */
bool vipzone_tag_find(const struct mm_struct *mm, unsigned long address, u32 *flags);

/*
 * For the calling process, as VIPZONE_TAG and so on want it. The range is aligned
 * to pages and lies in user space; flags are valid. Before the first tag, forks are
 * followed (vipzone_task_events_start()). May sleep.
 *
 * 0, -ENOMEM, -ENOSPC, -EINTR; vipzone_tags_query(): or -ENOENT.
 */
int vipzone_tags_tag(const struct vipzone_range *range);
int vipzone_tags_untag(const struct vipzone_range *range);
int vipzone_tags_query(struct vipzone_range *range);
int vipzone_tags_set_default(u32 flags);
u32 vipzone_tags_default(void);

/* Called from a tracepoint, in the parent: does not sleep. */
void vipzone_tags_forked(struct task_struct *parent, struct task_struct *child);

/* Address spaces with tags now. */
unsigned int vipzone_tags_processes(void);

/* Tags that were lost for want of memory. */
u64 vipzone_tags_lost(void);

int vipzone_tags_init(void);

/* Nobody can tag or fork any more. */
void vipzone_tags_exit(void);

#endif
