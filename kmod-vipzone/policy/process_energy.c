// SPDX-License-Identifier: GPL-2.0-only
/* The energy of each process, by region; process_energy.h. */

#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "policy/policy.h"
#include "policy/process_energy.h"

/**
 * struct process_share - the part of a process in a region
 * @link: in @shares of the process
 * @region: held, which may be gone; NULL: all that are not its policy's
 * @accesses: as the audit and the processors tell
 */
struct process_share {
	struct list_head link;
	struct memsuite_region *region;
	struct vipzone_energy accesses;
};

/**
 * struct process_energy - the energy of a process
 * @hash: in the table, by @pid
 * @pid: the process, which may be gone
 * @policy: number of the policy that it was under when it was last looked at. If
 *	that is gone, another policy may have the number by now
 * @touched: under that, since accesses were last divided: nothing, once it is
 *	gone: a policy divides last of all, and is held while a process is looked at
 * @shares: by region, as they were first touched
 */
struct process_energy {
	struct hlist_node hash;
	struct pid *pid;
	int policy;
	u64 touched[VIPZONE_POLICY_PLACES][VIPZONE_NR_ACCESS_KINDS];
	struct list_head shares;
};

static DEFINE_HASHTABLE(entries, 10);
static DEFINE_MUTEX(entries_lock);

static struct process_energy *entry_find(const struct pid *pid)
{
	struct process_energy *entry;

	hash_for_each_possible(entries, entry, hash, (unsigned long)pid)
		if (entry->pid == pid)
			return entry;
	return NULL;
}

static struct process_energy *entry_of(struct pid *pid)
{
	struct process_energy *entry = entry_find(pid);

	if (entry)
		return entry;
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return NULL;
	entry->pid = get_pid(pid);
	entry->policy = -1;
	INIT_LIST_HEAD(&entry->shares);
	hash_add(entries, &entry->hash, (unsigned long)pid);
	return entry;
}

static struct process_share *share_of(struct process_energy *entry, struct memsuite_region *region)
{
	struct process_share *share;

	list_for_each_entry(share, &entry->shares, link)
		if (share->region == region)
			return share;
	share = kzalloc(sizeof(*share), GFP_KERNEL);
	if (!share)
		return NULL;
	share->region = region;
	if (region)
		memsuite_region_hold(region);
	list_add_tail(&share->link, &entry->shares);
	return share;
}

static struct memsuite_region *region_at(const struct vipzone_policy *policy, unsigned int i)
{
	return i < policy->nr_targets ? policy->targets[i].region : NULL;
}

/* Without a region, the energy of an access is not known: only accesses are counted. */
static void share_touch(struct process_share *share, const u64 *touched, bool counted)
{
	unsigned int kind;

	if (share->region) {
		vipzone_energy_touch(&share->accesses, memsuite_region_spec(share->region),
				     touched, counted);
		return;
	}
	for (kind = 0; kind < VIPZONE_NR_ACCESS_KINDS; kind++)
		share->accesses.touched[kind] += touched[kind];
}

static void share_count(struct process_share *share, const struct vipzone_energy_place *part)
{
	unsigned int kind;

	if (share->region) {
		vipzone_energy_count(&share->accesses, memsuite_region_spec(share->region),
				     part);
		return;
	}
	for (kind = 0; kind < VIPZONE_NR_ACCESS_KINDS; kind++)
		share->accesses.counted[kind] += part->counted[kind];
}

static void entry_touch(struct process_energy *entry, const struct vipzone_policy *policy,
			u64 touched[][VIPZONE_NR_ACCESS_KINDS], bool counted)
{
	unsigned int i, kind;

	/* It no longer has a part in what another policy has counted. */
	if (entry->policy != policy->number)
		memset(entry->touched, 0, sizeof(entry->touched));
	entry->policy = policy->number;
	for (i = 0; i <= policy->nr_targets; i++) {
		struct process_share *share;

		if (!touched[i][VIPZONE_ACCESS_READ] && !touched[i][VIPZONE_ACCESS_WRITE])
			continue;
		share = share_of(entry, region_at(policy, i));
		if (!share)
			continue;
		share_touch(share, touched[i], counted);
		for (kind = 0; kind < VIPZONE_NR_ACCESS_KINDS; kind++)
			entry->touched[i][kind] += touched[i][kind];
	}
}

void vipzone_process_energy_touch(struct task_struct *task, const struct vipzone_policy *policy,
				  u64 touched[][VIPZONE_NR_ACCESS_KINDS], bool counted)
{
	struct pid *pid = get_task_pid(task, PIDTYPE_TGID);
	struct process_energy *entry;

	/* It has ended meanwhile. */
	if (!pid)
		return;
	mutex_lock(&entries_lock);
	entry = entry_of(pid);
	if (entry)
		entry_touch(entry, policy, touched, counted);
	mutex_unlock(&entries_lock);
	put_pid(pid);
}

static void entry_divide(struct process_energy *entry,
			 const struct vipzone_policy *policy, bool apart,
			 const u64 *total)
{
	unsigned int i;

	for (i = 0; i <= policy->nr_targets; i++) {
		struct vipzone_energy_place part = {};
		struct process_share *share;

		memcpy(part.touched, entry->touched[i], sizeof(part.touched));
		vipzone_energy_share(&policy->places[i], apart, total, &part);
		if (!part.counted[VIPZONE_ACCESS_READ] && !part.counted[VIPZONE_ACCESS_WRITE] &&
		    !part.error[VIPZONE_ACCESS_READ] && !part.error[VIPZONE_ACCESS_WRITE])
			continue;
		share = share_of(entry, region_at(policy, i));
		if (share)
			share_count(share, &part);
	}
	memset(entry->touched, 0, sizeof(entry->touched));
}

void vipzone_process_energy_divide(const struct vipzone_policy *policy, bool apart)
{
	u64 total[VIPZONE_NR_ACCESS_KINDS] = {};
	struct process_energy *entry;
	int bucket;
	unsigned int i, kind;

	for (i = 0; i <= policy->nr_targets; i++)
		for (kind = 0; kind < VIPZONE_NR_ACCESS_KINDS; kind++)
			total[kind] += policy->places[i].counted[kind];
	mutex_lock(&entries_lock);
	hash_for_each(entries, bucket, entry, hash)
		if (entry->policy == policy->number)
			entry_divide(entry, policy, apart, total);
	mutex_unlock(&entries_lock);
}

static void share_free(struct process_share *share)
{
	list_del(&share->link);
	if (share->region)
		memsuite_region_let_go(share->region);
	kfree(share);
}

/* Other regions may have the names of those that are gone by now. */
static void entry_sweep_shares(struct process_energy *entry, bool all)
{
	struct process_share *share, *next;

	list_for_each_entry_safe(share, next, &entry->shares, link)
		if (all ||
		    (share->region && memsuite_region_is_gone(share->region)))
			share_free(share);
}

static bool entry_is_gone(const struct process_energy *entry)
{
	bool gone;

	rcu_read_lock();
	gone = !pid_task(entry->pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return gone;
}

void vipzone_process_energy_sweep(bool all)
{
	struct hlist_node *next;
	struct process_energy *entry;
	int bucket;

	mutex_lock(&entries_lock);
	hash_for_each_safe(entries, bucket, next, entry, hash) {
		bool gone = all || entry_is_gone(entry);

		entry_sweep_shares(entry, gone);
		if (!gone)
			continue;
		hash_del(&entry->hash);
		put_pid(entry->pid);
		kfree(entry);
	}
	mutex_unlock(&entries_lock);
}

static void entry_show(struct seq_file *file, const struct process_energy *entry)
{
	const struct process_share *share;

	list_for_each_entry(share, &entry->shares, link) {
		const struct vipzone_energy *energy = &share->accesses;

		if (share->region && memsuite_region_is_gone(share->region))
			continue;
		seq_printf(file, "%d %d %s %llu %llu %llu %llu %llu %llu %llu\n",
			   pid_vnr(entry->pid), entry->policy,
			   share->region ? memsuite_region_spec(share->region)->name :
					   "-",
			   energy->touched[VIPZONE_ACCESS_READ],
			   energy->touched[VIPZONE_ACCESS_WRITE],
			   energy->counted[VIPZONE_ACCESS_READ],
			   energy->counted[VIPZONE_ACCESS_WRITE], energy->energy_nj,
			   energy->error_nj, energy->latency_ns);
	}
}

int vipzone_process_energy_show(struct seq_file *file, void *unused)
{
	struct process_energy *entry;
	int bucket;

	seq_puts(file, "# pid policy region sampled_reads sampled_writes counted_reads counted_writes access_energy_nj access_error_nj access_latency_ns\n");
	mutex_lock(&entries_lock);
	hash_for_each(entries, bucket, entry, hash)
		if (!entry_is_gone(entry))
			entry_show(file, entry);
	mutex_unlock(&entries_lock);
	return 0;
}
