/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the pages that fail a test are retired: memdiag/retire_policy/ in sysfs. */
#ifndef MEMDIAG_RESULT_RETIRE_POLICY_H
#define MEMDIAG_RESULT_RETIRE_POLICY_H

#include <linux/types.h>

struct attribute_group;
struct dentry;
struct memdiag_bad_page;

extern const struct attribute_group memdiag_retire_policy_group;

/* debugfs memdiag/suspects */
void memdiag_retire_policy_init(struct dentry *debugfs);
/* Forget all suspects. May sleep. */
void memdiag_retire_policy_exit(void);

/**
 * memdiag_retire_policy_wants() - whether a page that has failed is to be retired
 * @bad_page: the page, and what a test found
 *
 * Counts the finding if it is one of those that come to a page's limit only together, and the
 * page if it is to be retired.
 *
 * Context: may sleep.
 * Return: false if it is left in use: it has not failed often enough, or too many are
 * retired already.
 */
bool memdiag_retire_policy_wants(const struct memdiag_bad_page *bad_page);

/**
 * memdiag_retire_policy_suspects() - whether a page has failed a test, and was left in use
 * @pfn: its frame
 *
 * Context: may sleep.
 * Return: true if it has, within the window.
 */
bool memdiag_retire_policy_suspects(unsigned long pfn);

#endif
