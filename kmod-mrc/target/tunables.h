/* SPDX-License-Identifier: GPL-2.0-only */
/* What the administrator sets of tracking, and who is told of changes. */
#ifndef MRC_TARGET_TUNABLES_H
#define MRC_TARGET_TUNABLES_H

#include <linux/types.h>
#include <linux/wait.h>

struct kobject;

enum mrc_mode {
	MRC_MODE_LADDER,
	MRC_MODE_PAPER,
	MRC_MODE_SAMPLES,
};

/* What the administrator sets; each is read once a ladder, or an epoch. */
struct mrc_tunables {
	enum mrc_mode mode;
	u32 epoch_ms;
	u32 group_pages;
	u32 samples;
	u32 ladder_ms;
	u32 max_cpu_permille;
	u32 total_cpu_permille;
	u32 change_pct;
};

#define MRC_SAMPLES_MIN		256
#define MRC_SAMPLES_MAX		65536
#define MRC_LADDER_MS_MIN	100
#define MRC_LADDER_MS_MAX	60000
/* The first ladder of a target looks for so long both ways at most: its curve comes soon. */
#define MRC_LADDER_FIRST_MS	1000
#define MRC_EPOCH_MS_MAX	1000
#define MRC_GROUP_PAGES_MAX	4096

extern struct mrc_tunables mrc_tunables;
extern bool mrc_enabled;	/* targets are tracked: as admin/watch.c decides */
extern wait_queue_head_t mrc_changed;

void mrc_changes_notify(void);
void mrc_changes_set_dir(struct kobject *kobj);
u64 mrc_changes_count(void);

#endif
