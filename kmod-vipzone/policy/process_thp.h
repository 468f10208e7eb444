/* SPDX-License-Identifier: GPL-2.0-only */
/* What of huge pages is taken from a steered process. All under the lock of the table. */
#ifndef VIPZONE_POLICY_PROCESS_THP_H
#define VIPZONE_POLICY_PROCESS_THP_H

#include "policy/process_table.h"

struct mm_struct;
struct task_struct;

bool vipzone_thp_is_forbidden(const struct mm_struct *mm);

/* The same of the parent of @task. */
bool vipzone_thp_parent_is_forbidden(const struct task_struct *task);

/* @from: the address space that @mm was copied from, or NULL. Returns what was taken. */
enum vipzone_thp vipzone_thp_restrict(const struct vipzone_policy *policy, struct mm_struct *mm,
				      const struct mm_struct *from);
void vipzone_thp_release(const struct vipzone_process *process);

#endif
