// SPDX-License-Identifier: GPL-2.0-only
/* The table of steered processes. */

#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <compat/thp.h>
#include <memsuite/control.h>
#include <memsuite/hook_watch.h>
#include <memsuite/process.h>

#include "policy/lookup.h"
#include "policy/process_table.h"
#include "policy/process_thp.h"

static DEFINE_SPINLOCK(table_lock);		/* of both tables */
static struct workqueue_struct *reaper;
static u64 lost;				/* under table_lock */
static u64 nr_chosen;				/* likewise: of programs' choices, made so far */

static void process_free(struct vipzone_process *process)
{
	vipzone_policy_put(process->policy);
	mmdrop(process->mm);
	put_pid(process->pid);
	kfree(process);
}

static void process_die(struct work_struct *work)
{
	process_free(container_of(to_rcu_work(work), struct vipzone_process, dying));
}

/* @from: the address space that its own was copied from, or NULL. Under table_lock. */
static void process_publish(struct vipzone_process *process,
			    const struct mm_struct *from)
{
	process->thp = vipzone_thp_restrict(process->policy, process->mm, from);
	if (process->policy->base)
		WRITE_ONCE(nr_chosen, nr_chosen + 1);
	memsuite_hook_watch(process->mm);
	hash_add_rcu(vipzone_processes_by_mm, &process->by_mm, (unsigned long)process->mm);
	hash_add_rcu(vipzone_processes_by_pid, &process->by_pid, (unsigned long)process->pid);
}

/* Under table_lock. */
static void process_unlink(struct vipzone_process *process)
{
	hash_del_rcu(&process->by_mm);
	hash_del_rcu(&process->by_pid);
	memsuite_hook_unwatch(process->mm);
	vipzone_thp_release(process);
	queue_rcu_work(reaper, &process->dying);
}

/* Takes over a use of @policy, if it succeeds. */
static struct vipzone_process *process_create(struct mm_struct *mm, struct pid *pid,
					      struct vipzone_policy *policy, gfp_t gfp)
{
	struct vipzone_process *process;

	/* What a program asks for is its own. */
	process = kzalloc(sizeof(*process), policy->base ? gfp | __GFP_ACCOUNT : gfp);
	if (!process)
		return NULL;
	mmgrab(mm);
	process->mm = mm;
	process->pid = get_pid(pid);
	process->policy = policy;
	INIT_RCU_WORK(&process->dying, process_die);
	return process;
}

/* For another process, or the same with another mm or policy. Under table_lock. */
static void process_copy(const struct vipzone_process *process, struct mm_struct *mm,
			 struct pid *pid, struct vipzone_policy *policy)
{
	struct vipzone_process *copy;

	copy = process_create(mm, pid, policy, GFP_ATOMIC | __GFP_NOWARN);
	if (!copy) {
		lost++;
		return;
	}
	vipzone_policy_get(policy);
	process_publish(copy, process->mm);
}

/*
 * The process has got another mm, by exec. The entry of the old one stays for
 * readers until their grace period is over. Under table_lock.
 */
static void process_rekey(struct vipzone_process *process, struct mm_struct *mm)
{
	if (process->mm == mm)
		return;
	process_copy(process, mm, process->pid, process->policy);
	process_unlink(process);
}

void vipzone_process_catch_up(struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm = task ? memsuite_process_mm(task) : NULL;
	struct vipzone_process *process;

	spin_lock(&table_lock);
	process = vipzone_process_by_pid(pid);
	if (process && mm)
		process_rekey(process, mm);
	else if (process)
		process_unlink(process);
	spin_unlock(&table_lock);
	if (mm)
		mmput(mm);
	if (task)
		put_task_struct(task);
}

static bool entry_link(struct vipzone_process *process, const struct vipzone_policy *base)
{
	struct vipzone_process *old;

	spin_lock(&table_lock);
	if (base && vipzone_policy_base(vipzone_policy_of(current->mm)) != base) {
		spin_unlock(&table_lock);
		return false;
	}
	old = vipzone_process_by_pid(process->pid);
	if (old)
		process_unlink(old);
	process_publish(process, NULL);
	spin_unlock(&table_lock);
	return true;
}

int vipzone_process_link(struct mm_struct *mm, struct pid *pid,
			 struct vipzone_policy *policy, const struct vipzone_policy *base)
{
	struct vipzone_process *process = process_create(mm, pid, policy, GFP_KERNEL);

	if (!process) {
		vipzone_policy_put(policy);
		return -ENOMEM;
	}
	if (entry_link(process, base))
		return 0;
	process_free(process);
	return -EPERM;
}

bool vipzone_process_unlink(struct pid *pid, const struct vipzone_policy *base)
{
	struct vipzone_process *process;

	spin_lock(&table_lock);
	process = vipzone_process_by_pid(pid);
	if (process && base && process->policy->base != base)
		process = NULL;
	if (process)
		process_unlink(process);
	spin_unlock(&table_lock);
	return process;
}

static void bucket_revoke(struct hlist_head *bucket, const struct vipzone_policy *base)
{
	struct vipzone_process *process;
	struct hlist_node *next;

	spin_lock(&table_lock);
	hlist_for_each_entry_safe(process, next, bucket, by_mm)
		if (!base || process->policy->base == base)
			process_unlink(process);
	spin_unlock(&table_lock);
}

/*
 * There may be thousands of processes. Of policies based on @base only children get one
 * now, which may be where this has been.
 */
void vipzone_processes_revoke(const struct vipzone_policy *base)
{
	int bucket;
	u64 before;

	do {
		before = READ_ONCE(nr_chosen);
		for (bucket = 0; bucket < HASH_SIZE(vipzone_processes_by_mm); bucket++)
			bucket_revoke(&vipzone_processes_by_mm[bucket], base);
	} while (READ_ONCE(nr_chosen) != before);
}

/* Inside a tracepoint: no sleeping. */
void vipzone_process_forked(struct task_struct *parent, struct task_struct *child)
{
	struct vipzone_process *process;

	if (!child->mm || child->signal == parent->signal)
		return;
	spin_lock(&table_lock);
	process = vipzone_process_by_pid(task_tgid(parent));
	if (process && process->policy->command.children)
		process_copy(process, child->mm, task_tgid(child), process->policy);
	else if (child->mm != parent->mm && vipzone_thp_is_forbidden(parent->mm))
		memsuite_thp_enable(child->mm);
	spin_unlock(&table_lock);
}

/* The administrator's policy counts again; of a cgroup or the machine it needs no entry. */
static void process_unchoose(struct vipzone_process *process, struct mm_struct *mm)
{
	struct vipzone_policy *base = process->policy->base;

	if (base->command.scope == VIPZONE_SCOPE_PROCESS)
		process_copy(process, mm, process->pid, base);
	process_unlink(process);
}

/* Inside a tracepoint, in the task itself. */
void vipzone_process_execed(struct task_struct *task, bool secure)
{
	struct vipzone_process *process;

	spin_lock(&table_lock);
	process = vipzone_process_by_pid(task_tgid(task));
	if (process && secure && process->policy->base)
		process_unchoose(process, task->mm);
	else if (process)
		process_rekey(process, task->mm);
	else if (vipzone_thp_parent_is_forbidden(task))
		memsuite_thp_enable(task->mm);
	spin_unlock(&table_lock);
}

void vipzone_process_exited(struct task_struct *task)
{
	struct vipzone_process *process;

	if (atomic_read(&task->signal->live))
		return;
	spin_lock(&table_lock);
	process = vipzone_process_by_pid(task_tgid(task));
	if (process)
		process_unlink(process);
	spin_unlock(&table_lock);
}

u64 vipzone_processes_lost(void)
{
	return READ_ONCE(lost);
}

int vipzone_processes_show(struct seq_file *file, void *unused)
{
	struct vipzone_process *process;
	int bucket;

	seq_puts(file, "# pid policy choice\n");
	for (bucket = 0; bucket < HASH_SIZE(vipzone_processes_by_mm); bucket++) {
		spin_lock(&table_lock);
		hlist_for_each_entry(process, &vipzone_processes_by_mm[bucket], by_mm)
			seq_printf(file, "%d %d %s\n", pid_vnr(process->pid),
				   process->policy->number,
				   process->policy->base ? process->policy->command.policy : "-");
		spin_unlock(&table_lock);
	}
	return 0;
}

int vipzone_processes_init(void)
{
	reaper = alloc_workqueue("vipzone", WQ_UNBOUND, 0);
	return reaper ? 0 : -ENOMEM;
}

void vipzone_processes_exit(void)
{
	vipzone_processes_revoke(NULL);
	/* Those waiting for a grace period are not in the queue yet. */
	rcu_barrier();
	destroy_workqueue(reaper);
}
