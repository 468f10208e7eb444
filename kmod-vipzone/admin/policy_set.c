// SPDX-License-Identifier: GPL-2.0-only
/* Which policy applies to whom; policy_set.h. */

#include <linux/err.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include <memsuite/process.h>

#include "admin/policy_set.h"
#include "audit/entrants.h"
#include "audit/file_arrivals.h"
#include "audit/file_move.h"
#include "audit/process_move.h"
#include "policy/cgroup_policy.h"
#include "policy/file_policy.h"
#include "policy/lookup.h"
#include "policy/process_table.h"
#include "steer/task_events.h"

static struct task_struct *find_thread(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = pid ? get_pid_task(pid, PIDTYPE_PID) : NULL;

	put_pid(pid);
	return task;
}

static int process_set(const struct vipzone_command *command)
{
	struct task_struct *task = find_thread(command->pid);
	struct vipzone_policy *policy;
	struct mm_struct *mm;
	struct pid *pid;
	int err;

	if (!task)
		return -ESRCH;
	mm = memsuite_process_mm(task);
	pid = get_task_pid(task, PIDTYPE_TGID);
	put_task_struct(task);
	err = mm ? vipzone_task_events_start() : -EINVAL;
	if (err)
		goto out;
	policy = vipzone_policy_create(command, NULL);
	err = PTR_ERR_OR_ZERO(policy);
	if (!err)
		err = vipzone_process_link(mm, pid, policy, NULL);
	if (!err)
		vipzone_process_catch_up(pid);
out:
	if (mm)
		mmput(mm);
	put_pid(pid);
	return err;
}

static int file_set(const struct vipzone_command *command)
{
	struct vipzone_policy *policy = vipzone_policy_create(command, NULL);
	int err;

	if (IS_ERR(policy))
		return PTR_ERR(policy);
	err = policy->file.kind == VIPZONE_FILE_CACHE ? vipzone_file_arrivals_start() : 0;
	if (err) {
		vipzone_policy_put(policy);
		return err;
	}
	vipzone_file_policy_set(policy);
	/* The one before it may be held. */
	vipzone_file_arrivals_flush();
	return 0;
}

static int file_unset(const char *name)
{
	int err = vipzone_file_policy_remove(name);

	vipzone_file_arrivals_flush();
	return err;
}

int vipzone_policy_set(const struct vipzone_command *command)
{
	struct vipzone_policy *policy;
	int err = 0;

	if (command->scope == VIPZONE_SCOPE_PROCESS)
		return process_set(command);
	if (command->scope == VIPZONE_SCOPE_FILE)
		return file_set(command);
	if (command->scope == VIPZONE_SCOPE_CGROUP)
		err = vipzone_cgroup_policy_watch() ?: vipzone_task_events_start();
	if (!err && command->move)
		err = vipzone_entrants_start();
	if (err)
		return err;
	policy = vipzone_policy_create(command, NULL);
	if (IS_ERR(policy))
		return PTR_ERR(policy);
	vipzone_cgroup_policy_set(policy);
	vipzone_entrants_forget();
	if (command->move)
		vipzone_entrants_gather(policy);
	return 0;
}

static int process_unset(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	bool found = pid && vipzone_process_unlink(pid, NULL);

	put_pid(pid);
	return found ? 0 : -ENOENT;
}

int vipzone_policy_unset(const struct vipzone_command *command)
{
	int err;

	if (command->scope == VIPZONE_SCOPE_PROCESS)
		return process_unset(command->pid);
	if (command->scope == VIPZONE_SCOPE_FILE)
		return file_unset(command->path);
	err = vipzone_cgroup_policy_remove(command);
	vipzone_entrants_forget();
	return err;
}

/*
 * Its own policy or that of what it is in. Only that and the address space are
 * kept: an entry comes and goes.
 */
static int move_group(struct task_struct *task, struct mm_struct *mm)
{
	struct vipzone_process_move move = {
		.why = VIPZONE_MOVE_ASKED,
		.wait = MEMSUITE_WALK_KILLABLE,
		.pages = LONG_MAX,
	};
	struct vipzone_policy *policy = vipzone_policy_hold(mm);
	int err;

	/* A choice whose base is gone may be under nothing. */
	if (!policy)
		return -ENOENT;
	err = vipzone_process_move(mm, task, policy, &move);
	vipzone_policy_put(policy);
	return err;
}

static int file_move(const char *name)
{
	struct vipzone_policy *policy;
	struct vipzone_file file;
	struct path path;
	int err = vipzone_file_find(name, &path, &file);

	if (err)
		return err;
	policy = vipzone_file_policy_hold(d_real_inode(path.dentry));
	err = policy ? vipzone_file_move(&path, file.all, policy) : -ENOENT;
	if (policy)
		vipzone_policy_put(policy);
	path_put(&path);
	return err;
}

static int process_move(pid_t nr)
{
	struct task_struct *task = find_thread(nr);
	struct mm_struct *mm = task ? memsuite_process_mm_grab(task) : NULL;
	int err = -ENOENT;

	if (!task)
		return -ESRCH;
	if (mm) {
		err = move_group(task, mm);
		mmdrop(mm);
	}
	put_task_struct(task);
	return err;
}

int vipzone_policy_move(const struct vipzone_command *command)
{
	switch (command->scope) {
	case VIPZONE_SCOPE_PROCESS:
		return process_move(command->pid);
	case VIPZONE_SCOPE_FILE:
		return file_move(command->path);
	default:
		return -EINVAL;
	}
}

/* The administrator's policy for the calling task, to be put; or NULL. */
static struct vipzone_policy *own_base(void)
{
	struct vipzone_policy *base;

	preempt_disable();
	base = vipzone_policy_base(vipzone_policy_of(current->mm));
	if (base)
		vipzone_policy_get(base);
	preempt_enable();
	return base;
}

static int choose_regions(struct vipzone_policy *base, char *list)
{
	struct vipzone_command *command = kmalloc(sizeof(*command), GFP_KERNEL);
	struct vipzone_policy *policy;
	int err = -ENOMEM;

	if (command)
		err = vipzone_command_choose(&base->command, list, command);
	if (!err) {
		command->pid = task_tgid_nr(current);
		policy = vipzone_policy_create(command, base);
		err = PTR_ERR_OR_ZERO(policy);
	}
	kfree(command);
	if (err)
		return err;
	return vipzone_process_link(current->mm, task_tgid(current), policy, base);
}

/* Back to the administrator's. */
static int unchoose_regions(struct vipzone_policy *base)
{
	if (base->command.scope == VIPZONE_SCOPE_PROCESS) {
		vipzone_policy_get(base);
		return vipzone_process_link(current->mm, task_tgid(current), base,
					    base);
	}
	vipzone_process_unlink(task_tgid(current), base);
	return 0;
}

int vipzone_policy_choose(char *list)
{
	int err = vipzone_task_events_start();
	struct vipzone_policy *base;

	if (err)
		return err;
	base = own_base();
	if (!base)
		return -EPERM;
	if (list)
		err = choose_regions(base, list);
	else if (base->command.programs)
		err = unchoose_regions(base);
	else
		err = -EPERM;
	vipzone_policy_put(base);
	return err;
}
