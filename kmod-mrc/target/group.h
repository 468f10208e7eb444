/* SPDX-License-Identifier: GPL-2.0-only */
/* Targets of several processes: which there are, and who belongs to them. */
#ifndef MRC_TARGET_GROUP_H
#define MRC_TARGET_GROUP_H

#include <linux/types.h>

#include "target/target_parse.h"

struct cgroup;
struct dentry;
struct mrc_cpu_budget;
struct task_struct;

/* Slots are bits of mrc_target's groups. */
#define MRC_GROUPS		32

/**
 * struct mrc_group - processes that are a target together
 * @spec: which
 * @slot: its own
 * @cgroup: for those of a cgroup; NULL while there is none of that path
 * @dir: its directory in debugfs
 * @since: when it was added, in ns since boot
 * @accesses: of mrc_curve
 * @weight: by which the weights of its processes are multiplied
 * @min: pages that they get together before all others
 * @seen: how many processes there were when last looked
 * @seen_pages: what they had in memory
 * @tracked: how many of them are tracked
 * @tracked_pages: what these had in memory
 */
struct mrc_group {
	struct mrc_target_spec spec;
	unsigned int slot;
	struct cgroup *cgroup;
	struct dentry *dir;
	u64 since;
	u64 accesses;
	u32 weight;
	u64 min;
	u64 seen;
	u64 seen_pages;
	u64 tracked;
	u64 tracked_pages;
};

struct mrc_group *mrc_group_find(const struct mrc_target_spec *spec);
bool mrc_groups_any(void);
int mrc_groups_list(char *buf, int n);
int mrc_groups_list_shares(char *buf);

void mrc_groups_reopen(void);
u32 mrc_groups_of(struct task_struct *task, u64 pages, u32 before);
bool mrc_groups_have_root(u32 slots, int nr);
u32 mrc_groups_loan(u32 slots, struct task_struct *task);
struct mrc_cpu_budget *mrc_group_budget(u32 slots);
u32 mrc_groups_weight(u32 slots);
u64 mrc_group_min(unsigned int slot);

void mrc_groups_count_begin(void);
void mrc_groups_count(u32 slots, u64 pages);
void mrc_groups_share(void);

int mrc_group_slot(void);
void mrc_group_insert(struct mrc_group *group, unsigned int slot);
struct mrc_group *mrc_group_take(const struct mrc_target_spec *spec);
struct mrc_group *mrc_group_take_over(void);
struct mrc_group *mrc_group_take_any(void);

#endif
