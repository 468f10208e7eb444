// SPDX-License-Identifier: GPL-2.0-only
/* The table of steered processes. */

#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <compat/thp.h>
#include <memsuite/control.h>

#include "vipzone.h"

const char * const fallback_name[NR_FALLBACKS] = {
	"empty", "policy", "cpuset", "context", "huge",
};

const char * const move_name[NR_MOVES] = {
	[MS_MOVED] = "moved",
	[MS_MOVE_BUSY] = "unmoved_busy",
	[MS_MOVE_PINNED] = "unmoved_pinned",
	[MS_MOVE_FULL] = "unmoved_full",
	[MS_MOVE_GONE] = "unmoved_gone",
	[MOVE_SHARED] = "unmoved_shared",
	[MOVE_POLICY] = "unmoved_policy",
	[MOVE_CPUSET] = "unmoved_cpuset",
};

static DEFINE_HASHTABLE(table, 8);		/* by mm; readers under RCU */
static DEFINE_SPINLOCK(table_lock);
static struct workqueue_struct *reaper;
static struct dentry *debugfs;
static struct steering_stats gone;		/* under table_lock */
static u64 lost;				/* under table_lock */

static void placement_put(struct placement *placement)
{
	unsigned int i;

	if (!refcount_dec_and_test(&placement->users))
		return;
	if (placement->has_node)
		steering_unuse_nodes();
	for (i = 0; i < placement->nr_targets; i++) {
		ms_region_close_pool(placement->targets[i].region);
		ms_region_put(placement->targets[i].region);
	}
	kfree(placement);
}

static bool placement_has_node(const struct placement *placement)
{
	unsigned int i;

	for (i = 0; i < placement->nr_targets; i++)
		if (placement->targets[i].is_node)
			return true;
	return false;
}

static int target_open(struct target *target, const char *name)
{
	const struct ms_region_spec *spec;
	unsigned long pfn;

	target->region = ms_region_get(name);
	if (IS_ERR(target->region))
		return PTR_ERR(target->region);
	target->pool = ms_region_open_pool(target->region);
	if (IS_ERR(target->pool)) {
		ms_region_put(target->region);
		return PTR_ERR(target->pool);
	}
	spec = ms_region_spec(target->region);
	target->is_node = spec->source == MS_REGION_NODE;
	target->nid = spec->nid;
	/* Memory may come and go; the node of its first page online decides. */
	for (pfn = PHYS_PFN(spec->start);
	     target->nid < 0 && pfn < PHYS_PFN(spec->end);
	     pfn += pageblock_nr_pages)
		if (pfn_to_online_page(pfn))
			target->nid = page_to_nid(pfn_to_page(pfn));
	return 0;
}

static struct placement *placement_create(const struct vipzone_command *command)
{
	struct placement *placement = kzalloc(sizeof(*placement), GFP_KERNEL);
	int err;

	if (!placement)
		return ERR_PTR(-ENOMEM);
	refcount_set(&placement->users, 1);
	placement->children = command->children;
	while (placement->nr_targets < command->nr_regions) {
		unsigned int nr = placement->nr_targets;

		err = target_open(&placement->targets[nr],
				  command->regions[nr]);
		if (err) {
			placement_put(placement);
			return ERR_PTR(err);
		}
		placement->nr_targets++;
	}
	if (placement_has_node(placement)) {
		err = steering_use_nodes();
		if (err) {
			placement_put(placement);
			return ERR_PTR(err);
		}
		placement->has_node = true;
	}
	return placement;
}

static void stats_add(struct steering_stats *sum,
		      struct steering_stats __percpu *stats)
{
	int i;

	sum->steered += ms_stat_sum(stats, steered);
	sum->steered_by_node += ms_stat_sum(stats, steered_by_node);
	for (i = 0; i < NR_FALLBACKS; i++)
		sum->fallbacks[i] += ms_stat_sum(stats, fallbacks[i]);
	for (i = 0; i < NR_MOVES; i++)
		sum->moves[i] += ms_stat_sum(stats, moves[i]);
}

static void process_free(struct process *process)
{
	if (process->no_thp)
		ms_thp_enable(process->mm);
	placement_put(process->placement);
	free_percpu(process->stats);
	mmdrop(process->mm);
	put_pid(process->pid);
	kfree(process);
}

static void process_die(struct work_struct *work)
{
	process_free(container_of(to_rcu_work(work), struct process, dying));
}

/* Under table_lock. */
static void process_unlink(struct process *process)
{
	hash_del_rcu(&process->hash);
	stats_add(&gone, process->stats);
	queue_rcu_work(reaper, &process->dying);
}

/* Takes over the reference to @placement, if it succeeds. */
static struct process *process_create(struct mm_struct *mm, struct pid *pid,
				      struct placement *placement, gfp_t gfp)
{
	struct process *process = kzalloc(sizeof(*process), gfp);

	if (!process)
		return NULL;
	process->stats = alloc_percpu_gfp(struct steering_stats, gfp);
	if (!process->stats) {
		kfree(process);
		return NULL;
	}
	mmgrab(mm);
	process->mm = mm;
	process->no_thp = !placement->has_node && ms_thp_disable(mm);
	process->pid = get_pid(pid);
	process->placement = placement;
	INIT_RCU_WORK(&process->dying, process_die);
	return process;
}

/* Under table_lock. */
static void process_link(struct process *process)
{
	hash_add_rcu(table, &process->hash, (unsigned long)process->mm);
}

static struct process *process_by_pid(const struct pid *pid)
{
	struct process *process;
	int bucket;

	hash_for_each(table, bucket, process, hash)
		if (process->pid == pid)
			return process;
	return NULL;
}

struct process *process_of(const struct mm_struct *mm)
{
	struct process *process;

	/* Preemption is off, which is a read side of RCU. */
	hlist_for_each_entry_rcu(process,
				 &table[hash_min((unsigned long)mm,
						 HASH_BITS(table))],
				 hash, true)
		if (process->mm == mm)
			return process;
	return NULL;
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
	*mm = get_task_mm(task);
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
	struct process *copy;

	if (process->mm == mm)
		return;
	refcount_inc(&process->placement->users);
	copy = process_create(mm, process->pid, process->placement,
			      GFP_ATOMIC | __GFP_NOWARN);
	if (copy) {
		process_link(copy);
	} else {
		refcount_dec(&process->placement->users);
		lost++;
	}
	process_unlink(process);
}

/* An exec or exit that came before the entry was there was seen by nobody. */
static void process_catch_up(struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm = task ? get_task_mm(task) : NULL;
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

int process_add(const struct vipzone_command *command)
{
	struct placement *placement;
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
	placement = placement_create(command);
	if (IS_ERR(placement)) {
		err = PTR_ERR(placement);
		goto out;
	}
	process = process_create(mm, pid, placement, GFP_KERNEL);
	if (!process) {
		placement_put(placement);
		err = -ENOMEM;
		goto out;
	}
	spin_lock(&table_lock);
	if (process_by_pid(pid))
		err = -EEXIST;
	else
		process_link(process);
	spin_unlock(&table_lock);
	if (err)
		process_free(process);
	else
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

/*
 * The process, its address space and its placement, to be moved into it. Only
 * the last two are kept: the entry comes and goes.
 */
static int process_hold(struct pid *pid, struct mm_struct **mm,
			struct placement **placement)
{
	struct process *process;
	int err = -ENOENT;

	spin_lock(&table_lock);
	process = process_by_pid(pid);
	if (process) {
		err = mmget_not_zero(process->mm) ? 0 : -ESRCH;
		*mm = process->mm;
		*placement = process->placement;
	}
	if (!err)
		refcount_inc(&process->placement->users);
	spin_unlock(&table_lock);
	return err;
}

/* Pages moved are those of the process, or of one that has gone since. */
static void process_count_moves(struct pid *pid, const u64 *outcome)
{
	struct process *process;
	int i;

	spin_lock(&table_lock);
	process = process_by_pid(pid);
	for (i = 0; i < NR_MOVES; i++) {
		if (process)
			this_cpu_add(process->stats->moves[i], outcome[i]);
		else
			gone.moves[i] += outcome[i];
	}
	spin_unlock(&table_lock);
}

int process_move(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = pid ? get_pid_task(pid, PIDTYPE_TGID) : NULL;
	u64 outcome[NR_MOVES] = {};
	struct placement *placement;
	struct mm_struct *mm;
	int err;

	err = task ? process_hold(pid, &mm, &placement) : -ENOENT;
	if (!err) {
		err = mover_run(mm, task, placement, outcome);
		process_count_moves(pid, outcome);
		mmput(mm);
		placement_put(placement);
	}
	if (task)
		put_task_struct(task);
	put_pid(pid);
	return err;
}

/* Inside a tracepoint: no sleeping. */
void process_forked(struct task_struct *parent, struct task_struct *child)
{
	struct process *process, *copy = NULL;

	if (!child->mm || child->signal == parent->signal)
		return;
	spin_lock(&table_lock);
	process = process_by_pid(task_tgid(parent));
	if (process && process->placement->children) {
		refcount_inc(&process->placement->users);
		copy = process_create(child->mm, task_tgid(child),
				      process->placement,
				      GFP_ATOMIC | __GFP_NOWARN);
		if (copy) {
			process_link(copy);
		} else {
			/* Not the last: @process holds one too. */
			refcount_dec(&process->placement->users);
			lost++;
		}
	}
	spin_unlock(&table_lock);
}

/* Inside a tracepoint, in the task itself. */
void process_execed(struct task_struct *task)
{
	struct process *process;

	spin_lock(&table_lock);
	process = process_by_pid(task_tgid(task));
	if (process)
		process_rekey(process, task->mm);
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

void processes_sum(struct steering_stats *sum)
{
	struct process *process;
	int bucket;

	spin_lock(&table_lock);
	*sum = gone;
	hash_for_each(table, bucket, process, hash)
		stats_add(sum, process->stats);
	spin_unlock(&table_lock);
}

u64 processes_lost(void)
{
	return READ_ONCE(lost);
}

static void show_process(struct seq_file *file, struct process *process)
{
	struct placement *placement = process->placement;
	struct steering_stats stats = {};
	unsigned int i;

	stats_add(&stats, process->stats);
	seq_printf(file, "%d ", pid_vnr(process->pid));
	for (i = 0; i < placement->nr_targets; i++)
		seq_printf(file, "%s%s", i ? "," : "",
			   ms_region_spec(placement->targets[i].region)->name);
	seq_printf(file, " %d %llu %llu", placement->children, stats.steered,
		   stats.steered_by_node);
	for (i = 0; i < NR_FALLBACKS; i++)
		seq_printf(file, " %llu", stats.fallbacks[i]);
	for (i = 0; i < NR_MOVES; i++)
		seq_printf(file, " %llu", stats.moves[i]);
	seq_putc(file, '\n');
}

static int processes_show(struct seq_file *file, void *unused)
{
	struct process *process;
	int bucket, i;

	seq_puts(file, "# pid regions children steered steered_by_node");
	for (i = 0; i < NR_FALLBACKS; i++)
		seq_printf(file, " fallback_%s", fallback_name[i]);
	for (i = 0; i < NR_MOVES; i++)
		seq_printf(file, " %s", move_name[i]);
	seq_putc(file, '\n');
	spin_lock(&table_lock);
	hash_for_each(table, bucket, process, hash)
		show_process(file, process);
	spin_unlock(&table_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(processes);

int processes_init(void)
{
	reaper = alloc_workqueue("vipzone", WQ_UNBOUND, 0);
	if (!reaper)
		return -ENOMEM;
	debugfs = ms_debugfs_add("vipzone");
	debugfs_create_file("processes", 0444, debugfs, NULL, &processes_fops);
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
	hash_for_each_safe(table, bucket, next, process, hash)
		process_unlink(process);
	spin_unlock(&table_lock);
	/* Those waiting for a grace period are not in the queue yet. */
	rcu_barrier();
	destroy_workqueue(reaper);
}
