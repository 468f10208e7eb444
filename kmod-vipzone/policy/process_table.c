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

#include "energy/process_energy.h"
#include "vipzone.h"

/* The same processes; readers under RCU. */
static DEFINE_HASHTABLE(by_mm, 8);
static DEFINE_HASHTABLE(by_pid, 8);
static DEFINE_SPINLOCK(table_lock);
static struct workqueue_struct *reaper;
static struct dentry *debugfs;
static u64 lost;				/* under table_lock */

static void process_free(struct process *process)
{
	policy_put(process->policy);
	mmdrop(process->mm);
	put_pid(process->pid);
	kfree(process);
}

static void process_die(struct work_struct *work)
{
	process_free(container_of(to_rcu_work(work), struct process, dying));
}

/* Huge pages were forbidden to it by an entry, not by itself. Under table_lock. */
static bool is_forbidden(const struct mm_struct *mm)
{
	struct process *process;

	hash_for_each_possible(by_mm, process, by_mm, (unsigned long)mm)
		if (process->mm == mm && process->thp == THP_FORBIDDEN)
			return true;
	return false;
}

/*
 * Where the policy has a node, khugepaged does as it does without. Else it is
 * kept away, unless it knows the address space already, as that of a forked
 * child; and of single banks there are no huge pages.
 */
static enum process_thp restrict_thp(const struct policy *policy,
				     struct mm_struct *mm,
				     const struct mm_struct *from)
{
	if (policy->has_node)
		return THP_AS_EVER;
	if (policy->has_large)
		return memsuite_khugepaged_avoid(mm) ? THP_NOT_GATHERED : THP_AS_EVER;
	if (memsuite_thp_disable(mm) || (from != mm && is_forbidden(from)))
		return THP_FORBIDDEN;
	return THP_AS_EVER;
}

static void release_thp(const struct process *process)
{
	if (process->thp == THP_NOT_GATHERED)
		memsuite_khugepaged_admit(process->mm);
	if (process->thp == THP_FORBIDDEN)
		memsuite_thp_enable(process->mm);
}

/* @from: the address space that its own was made from, or NULL. Under table_lock. */
static void process_publish(struct process *process,
			    const struct mm_struct *from)
{
	process->thp = restrict_thp(process->policy, process->mm, from);
	hash_add_rcu(by_mm, &process->by_mm, (unsigned long)process->mm);
	hash_add_rcu(by_pid, &process->by_pid, (unsigned long)process->pid);
}

/* Under table_lock. */
static void process_unlink(struct process *process)
{
	hash_del_rcu(&process->by_mm);
	hash_del_rcu(&process->by_pid);
	release_thp(process);
	queue_rcu_work(reaper, &process->dying);
}

/* Takes over a use of @policy, if it succeeds. */
static struct process *process_create(struct mm_struct *mm, struct pid *pid,
				      struct policy *policy, gfp_t gfp)
{
	struct process *process = kzalloc(sizeof(*process), gfp);

	if (!process)
		return NULL;
	mmgrab(mm);
	process->mm = mm;
	process->pid = get_pid(pid);
	process->policy = policy;
	INIT_RCU_WORK(&process->dying, process_die);
	return process;
}

/* For another process, or the same with another mm. Under table_lock. */
static bool process_copy(const struct process *process, struct mm_struct *mm,
			 struct pid *pid)
{
	struct process *copy;

	copy = process_create(mm, pid, process->policy,
			      GFP_ATOMIC | __GFP_NOWARN);
	if (!copy) {
		lost++;
		return false;
	}
	policy_get(process->policy);
	process_publish(copy, process->mm);
	return true;
}

/* Under table_lock, or RCU. */
static struct process *process_by_pid(const struct pid *pid)
{
	struct process *process;

	hlist_for_each_entry_rcu(process,
				 &by_pid[hash_min((unsigned long)pid,
						  HASH_BITS(by_pid))],
				 by_pid, true)
		if (process->pid == pid)
			return process;
	return NULL;
}

struct process *process_of(const struct mm_struct *mm)
{
	struct process *process;

	/* Preemption is off, which is a read side of RCU. */
	hlist_for_each_entry_rcu(process,
				 &by_mm[hash_min((unsigned long)mm,
						 HASH_BITS(by_mm))],
				 by_mm, true)
		if (process->mm == mm)
			return process;
	/* Until exec is over, the new address space is in no table. */
	return current->in_execve ? process_by_pid(task_tgid(current)) : NULL;
}

struct mm_struct *process_mm(struct task_struct *task)
{
	struct task_struct *thread;
	struct mm_struct *mm = NULL;

	rcu_read_lock();
	for_each_thread(task, thread) {
		mm = get_task_mm(thread);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

/* The thread group that @nr is, or is in. */
static int find_group(pid_t nr, struct pid **pid, struct mm_struct **mm)
{
	struct pid *thread = find_get_pid(nr);
	struct task_struct *task = thread ? get_pid_task(thread, PIDTYPE_PID) :
					    NULL;

	put_pid(thread);
	if (!task)
		return -ESRCH;
	*mm = process_mm(task);
	*pid = get_task_pid(task, PIDTYPE_TGID);
	put_task_struct(task);
	if (*mm)
		return 0;
	put_pid(*pid);
	return -EINVAL;
}

/*
 * The process has got another mm, by exec. The entry of the old one stays for
 * readers until their grace period is over. Under table_lock.
 */
static void process_rekey(struct process *process, struct mm_struct *mm)
{
	if (process->mm == mm)
		return;
	process_copy(process, mm, process->pid);
	process_unlink(process);
}

/* An exec or exit that came before the entry was there was seen by nobody. */
static void process_catch_up(struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm = task ? process_mm(task) : NULL;
	struct process *process;

	spin_lock(&table_lock);
	process = process_by_pid(pid);
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

static struct policy *base_of(struct policy *policy)
{
	return policy && policy->base ? policy->base : policy;
}

/*
 * In place of the one that it had. With @base, only while the caller is under
 * that: the administrator may have set another policy meanwhile.
 */
static bool process_link(struct process *process, const struct policy *base)
{
	struct process *old;

	spin_lock(&table_lock);
	if (base && base_of(policy_of(current->mm)) != base) {
		spin_unlock(&table_lock);
		return false;
	}
	old = process_by_pid(process->pid);
	if (old)
		process_unlink(old);
	process_publish(process, NULL);
	spin_unlock(&table_lock);
	return true;
}

int process_add(const struct vipzone_command *command)
{
	struct policy *policy;
	struct process *process;
	struct mm_struct *mm;
	struct pid *pid;
	int err;

	err = find_group(command->pid, &pid, &mm);
	if (err)
		return err;
	err = lifetime_start();
	if (err)
		goto out;
	policy = policy_create(command);
	if (IS_ERR(policy)) {
		err = PTR_ERR(policy);
		goto out;
	}
	process = process_create(mm, pid, policy, GFP_KERNEL);
	if (!process) {
		policy_put(policy);
		err = -ENOMEM;
		goto out;
	}
	process_link(process, NULL);
	process_catch_up(pid);
out:
	mmput(mm);
	put_pid(pid);
	return err;
}

int process_remove(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct process *process;

	spin_lock(&table_lock);
	process = pid ? process_by_pid(pid) : NULL;
	if (process)
		process_unlink(process);
	spin_unlock(&table_lock);
	put_pid(pid);
	return process ? 0 : -ENOENT;
}

/* The administrator's policy for the calling task, to be put; or NULL. */
static struct policy *own_base(void)
{
	struct policy *base;

	preempt_disable();
	base = base_of(policy_of(current->mm));
	if (base)
		policy_get(base);
	preempt_enable();
	return base;
}

/*
 * Under a policy in place of what the caller had, as long as that was @base or
 * chosen of it. Takes over a use of @policy.
 */
static int process_put_under(struct policy *policy, const struct policy *base)
{
	struct process *process;

	process = process_create(current->mm, task_tgid(current), policy,
				 GFP_KERNEL);
	if (!process) {
		policy_put(policy);
		return -ENOMEM;
	}
	if (process_link(process, base))
		return 0;
	process_free(process);
	return -EPERM;
}

static int choose(struct policy *base, char *list)
{
	struct vipzone_command *command = kmalloc(sizeof(*command), GFP_KERNEL);
	struct policy *policy;
	int err = -ENOMEM;

	if (command)
		err = vipzone_choose(&base->command, list, command);
	if (!err) {
		command->pid = task_tgid_nr(current);
		policy = policy_create(command);
		err = PTR_ERR_OR_ZERO(policy);
	}
	kfree(command);
	if (err)
		return err;
	policy_get(base);
	policy->base = base;
	return process_put_under(policy, base);
}

/* Back to the administrator's. */
static int unchoose(struct policy *base)
{
	struct process *process;

	if (base->command.scope == VIPZONE_PROCESS) {
		policy_get(base);
		return process_put_under(base, base);
	}
	spin_lock(&table_lock);
	process = process_by_pid(task_tgid(current));
	if (process && process->policy->base == base)
		process_unlink(process);
	spin_unlock(&table_lock);
	return 0;
}

int process_choose(char *list)
{
	int err = lifetime_start();
	struct policy *base;

	if (err)
		return err;
	base = own_base();
	if (!base)
		return -EPERM;
	if (list)
		err = choose(base, list);
	else if (base->command.programs)
		err = unchoose(base);
	else
		err = -EPERM;
	policy_put(base);
	return err;
}

void processes_revoke(const struct policy *base)
{
	struct process *process;
	struct hlist_node *next;
	int bucket;

	spin_lock(&table_lock);
	hash_for_each_safe(by_mm, bucket, next, process, by_mm)
		if (process->policy->base == base)
			process_unlink(process);
	spin_unlock(&table_lock);
}

/*
 * Its own policy or that of what it is in. Only that and the address space are
 * kept: an entry comes and goes.
 */
static int move_group(struct task_struct *task, struct mm_struct *mm)
{
	struct policy *policy = policy_hold(mm);
	u64 outcome[NR_MOVES] = {};
	int err, i;

	/* A choice whose base is gone may be under nothing. */
	if (!policy)
		return -ENOENT;
	err = mover_run(mm, task, policy, outcome);
	for (i = 0; i < NR_MOVES; i++)
		this_cpu_add(policy->stats->moves[i], outcome[i]);
	policy_put(policy);
	return err;
}

int process_move(pid_t nr)
{
	struct task_struct *task;
	struct mm_struct *mm;
	struct pid *pid;
	int err = find_group(nr, &pid, &mm);

	if (err)
		return err == -EINVAL ? -ENOENT : err;
	task = get_pid_task(pid, PIDTYPE_TGID);
	err = task ? move_group(task, mm) : -ESRCH;
	if (task)
		put_task_struct(task);
	mmput(mm);
	put_pid(pid);
	return err;
}

/* Inside a tracepoint: no sleeping. */
void process_forked(struct task_struct *parent, struct task_struct *child)
{
	struct process *process;

	if (!child->mm || child->signal == parent->signal)
		return;
	spin_lock(&table_lock);
	process = process_by_pid(task_tgid(parent));
	if (process && process->policy->command.children)
		process_copy(process, child->mm, task_tgid(child));
	else if (child->mm != parent->mm && is_forbidden(parent->mm))
		memsuite_thp_enable(child->mm);
	spin_unlock(&table_lock);
}

/* A child of vfork() or posix_spawn() execs from its parent's address space. */
static bool parent_is_forbidden(const struct task_struct *task)
{
	bool forbidden;

	rcu_read_lock();
	forbidden = is_forbidden(READ_ONCE(rcu_dereference(task->real_parent)->mm));
	rcu_read_unlock();
	return forbidden;
}

/* Inside a tracepoint, in the task itself. */
void process_execed(struct task_struct *task)
{
	struct process *process;

	spin_lock(&table_lock);
	process = process_by_pid(task_tgid(task));
	if (process)
		process_rekey(process, task->mm);
	else if (parent_is_forbidden(task))
		memsuite_thp_enable(task->mm);
	spin_unlock(&table_lock);
}

void process_exited(struct task_struct *task)
{
	struct process *process;

	if (atomic_read(&task->signal->live))
		return;
	spin_lock(&table_lock);
	process = process_by_pid(task_tgid(task));
	if (process)
		process_unlink(process);
	spin_unlock(&table_lock);
}

u64 processes_lost(void)
{
	return READ_ONCE(lost);
}

static int processes_show(struct seq_file *file, void *unused)
{
	struct process *process;
	int bucket;

	seq_puts(file, "# pid policy\n");
	spin_lock(&table_lock);
	hash_for_each(by_mm, bucket, process, by_mm)
		seq_printf(file, "%d %d\n", pid_vnr(process->pid),
			   process->policy->number);
	spin_unlock(&table_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(processes);

int processes_init(void)
{
	reaper = alloc_workqueue("vipzone", WQ_UNBOUND, 0);
	if (!reaper)
		return -ENOMEM;
	debugfs = memsuite_debugfs_add("vipzone");
	debugfs_create_file("processes", 0444, debugfs, NULL, &processes_fops);
	debugfs_create_file("ledger", 0444, debugfs, NULL, &bills_fops);
	return 0;
}

/* Hooks and tracepoints are off by now. */
void processes_exit(void)
{
	struct process *process;
	struct hlist_node *next;
	int bucket;

	debugfs_remove_recursive(debugfs);
	spin_lock(&table_lock);
	hash_for_each_safe(by_mm, bucket, next, process, by_mm)
		process_unlink(process);
	spin_unlock(&table_lock);
	/* Those waiting for a grace period are not in the queue yet. */
	rcu_barrier();
	destroy_workqueue(reaper);
	bills_sweep(true);
}
