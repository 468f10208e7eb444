// SPDX-License-Identifier: GPL-2.0-only
/* The ledger by process and region; process_energy.h. */

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
 * struct share - what a process takes of a region
 * @link: in the bill
 * @region: held, which may be gone; NULL: of all that are not its policy's
 * @accesses: as the audit and the processors tell
 */
struct share {
	struct list_head link;
	struct memsuite_region *region;
	struct ledger accesses;
};

/**
 * struct bill - of a process
 * @hash: in all bills, by @pid
 * @pid: the process, which may be gone
 * @policy: number of the one that it was under when it was last looked at;
 *	that of another one by now, if that is gone
 * @touched: under that, since accesses were last divided: nothing, once it is
 *	gone, for a policy divides last of all, and who looks at a process holds it
 * @shares: by region, as they were first touched
 */
struct bill {
	struct hlist_node hash;
	struct pid *pid;
	int policy;
	u64 touched[POLICY_PLACES][LEDGER_KINDS];
	struct list_head shares;
};

static DEFINE_HASHTABLE(bills, 6);
static DEFINE_MUTEX(bills_lock);

static struct bill *find(const struct pid *pid)
{
	struct bill *bill;

	hash_for_each_possible(bills, bill, hash, (unsigned long)pid)
		if (bill->pid == pid)
			return bill;
	return NULL;
}

static struct bill *bill_of(struct pid *pid)
{
	struct bill *bill = find(pid);

	if (bill)
		return bill;
	bill = kzalloc(sizeof(*bill), GFP_KERNEL);
	if (!bill)
		return NULL;
	bill->pid = get_pid(pid);
	bill->policy = -1;
	INIT_LIST_HEAD(&bill->shares);
	hash_add(bills, &bill->hash, (unsigned long)pid);
	return bill;
}

static struct share *share_of(struct bill *bill, struct memsuite_region *region)
{
	struct share *share;

	list_for_each_entry(share, &bill->shares, link)
		if (share->region == region)
			return share;
	share = kzalloc(sizeof(*share), GFP_KERNEL);
	if (!share)
		return NULL;
	share->region = region;
	if (region)
		memsuite_region_hold(region);
	list_add_tail(&share->link, &bill->shares);
	return share;
}

static struct memsuite_region *region_at(const struct policy *policy, unsigned int i)
{
	return i < policy->nr_targets ? policy->targets[i].region : NULL;
}

/* Where nothing is known of what an access takes, accesses are all there is. */
static void note_touches(struct share *share, const u64 *touched, bool counted)
{
	unsigned int kind;

	if (share->region) {
		ledger_touch(&share->accesses, memsuite_region_spec(share->region),
			     touched, counted);
		return;
	}
	for (kind = 0; kind < LEDGER_KINDS; kind++)
		share->accesses.touched[kind] += touched[kind];
}

static void note_counted(struct share *share, const struct ledger_place *part)
{
	unsigned int kind;

	if (share->region) {
		ledger_count(&share->accesses, memsuite_region_spec(share->region),
			     part);
		return;
	}
	for (kind = 0; kind < LEDGER_KINDS; kind++)
		share->accesses.counted[kind] += part->counted[kind];
}

static void touch(struct bill *bill, const struct policy *policy,
		  u64 touched[][LEDGER_KINDS], bool counted)
{
	unsigned int i, kind;

	/* What another policy has counted is not divided by it any more. */
	if (bill->policy != policy->number)
		memset(bill->touched, 0, sizeof(bill->touched));
	bill->policy = policy->number;
	for (i = 0; i <= policy->nr_targets; i++) {
		struct share *share;

		if (!touched[i][LEDGER_READ] && !touched[i][LEDGER_WRITE])
			continue;
		share = share_of(bill, region_at(policy, i));
		if (!share)
			continue;
		note_touches(share, touched[i], counted);
		for (kind = 0; kind < LEDGER_KINDS; kind++)
			bill->touched[i][kind] += touched[i][kind];
	}
}

void bill_touches(struct task_struct *task, const struct policy *policy,
		  u64 touched[][LEDGER_KINDS], bool counted)
{
	struct pid *pid = get_task_pid(task, PIDTYPE_TGID);
	struct bill *bill;

	/* It has ended meanwhile. */
	if (!pid)
		return;
	mutex_lock(&bills_lock);
	bill = bill_of(pid);
	if (bill)
		touch(bill, policy, touched, counted);
	mutex_unlock(&bills_lock);
	put_pid(pid);
}

static void divide(struct bill *bill, const struct policy *policy, bool apart,
		   const u64 *total)
{
	unsigned int i;

	for (i = 0; i <= policy->nr_targets; i++) {
		struct ledger_place part = {};
		struct share *share;

		memcpy(part.touched, bill->touched[i], sizeof(part.touched));
		ledger_share(&policy->places[i], apart, total, &part);
		if (!part.counted[LEDGER_READ] && !part.counted[LEDGER_WRITE] &&
		    !part.error[LEDGER_READ] && !part.error[LEDGER_WRITE])
			continue;
		share = share_of(bill, region_at(policy, i));
		if (share)
			note_counted(share, &part);
	}
	memset(bill->touched, 0, sizeof(bill->touched));
}

void bills_divide(const struct policy *policy, bool apart)
{
	u64 total[LEDGER_KINDS] = {};
	struct bill *bill;
	int bucket;
	unsigned int i, kind;

	for (i = 0; i <= policy->nr_targets; i++)
		for (kind = 0; kind < LEDGER_KINDS; kind++)
			total[kind] += policy->places[i].counted[kind];
	mutex_lock(&bills_lock);
	hash_for_each(bills, bucket, bill, hash)
		if (bill->policy == policy->number)
			divide(bill, policy, apart, total);
	mutex_unlock(&bills_lock);
}

static void share_free(struct share *share)
{
	list_del(&share->link);
	if (share->region)
		memsuite_region_let_go(share->region);
	kfree(share);
}

/* Names of regions that are gone may be others' by now. */
static void sweep_shares(struct bill *bill, bool all)
{
	struct share *share, *next;

	list_for_each_entry_safe(share, next, &bill->shares, link)
		if (all ||
		    (share->region && memsuite_region_is_gone(share->region)))
			share_free(share);
}

static bool is_gone(const struct bill *bill)
{
	bool gone;

	rcu_read_lock();
	gone = !pid_task(bill->pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return gone;
}

void bills_sweep(bool all)
{
	struct hlist_node *next;
	struct bill *bill;
	int bucket;

	mutex_lock(&bills_lock);
	hash_for_each_safe(bills, bucket, next, bill, hash) {
		bool gone = all || is_gone(bill);

		sweep_shares(bill, gone);
		if (!gone)
			continue;
		hash_del(&bill->hash);
		put_pid(bill->pid);
		kfree(bill);
	}
	mutex_unlock(&bills_lock);
}

static void show(struct seq_file *file, const struct bill *bill)
{
	const struct share *share;

	list_for_each_entry(share, &bill->shares, link) {
		const struct ledger *ledger = &share->accesses;

		if (share->region && memsuite_region_is_gone(share->region))
			continue;
		seq_printf(file, "%d %d %s %llu %llu %llu %llu %llu %llu %llu\n",
			   pid_vnr(bill->pid), bill->policy,
			   share->region ? memsuite_region_spec(share->region)->name :
					   "-",
			   ledger->touched[LEDGER_READ],
			   ledger->touched[LEDGER_WRITE],
			   ledger->counted[LEDGER_READ],
			   ledger->counted[LEDGER_WRITE], ledger->energy_nj,
			   ledger->error_nj, ledger->latency_ns);
	}
}

int vipzone_process_energy_show(struct seq_file *file, void *unused)
{
	struct bill *bill;
	int bucket;

	seq_puts(file, "# pid policy region sampled_reads sampled_writes counted_reads counted_writes access_energy_nj access_error_nj access_latency_ns\n");
	mutex_lock(&bills_lock);
	hash_for_each(bills, bucket, bill, hash)
		if (!is_gone(bill))
			show(file, bill);
	mutex_unlock(&bills_lock);
	return 0;
}
