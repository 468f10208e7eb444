/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs have told about their memory. */
#ifndef VIPZONE_TAGS_H
#define VIPZONE_TAGS_H

#include <linux/types.h>

struct mm_struct;
struct task_struct;
struct vipzone_range;

/**
 * tag_find() - how the memory at an address is used
 * @mm: the address space
 * @address: an address in it
 * @flags: result: of the range that is tagged there, or else the default of the
 *	process, or else 0
 *
 * Context: preemption off; takes no lock.
 * Return: whether the program has said anything about it.
 */
bool tag_find(const struct mm_struct *mm, unsigned long address, u32 *flags);

/*
 * Of the calling process, as VIPZONE_TAG and so on want it. The range is
 * aligned to pages and lies in user space; flags are valid. May sleep.
 *
 * 0, -ENOMEM, -ENOSPC, -EINTR; tags_query(): or -ENOENT.
 */
int tags_tag(const struct vipzone_range *range);
int tags_untag(const struct vipzone_range *range);
int tags_query(struct vipzone_range *range);
int tags_set_default(u32 flags);
u32 tags_default(void);

/* Inside a tracepoint, in the parent. */
void tags_forked(struct task_struct *parent, struct task_struct *child);

/* Address spaces with tags now; tags that were lost for want of memory. */
unsigned int tags_processes(void);
u64 tags_lost(void);

/* Nobody can tag or fork any more. */
void tags_exit(void);

#endif
