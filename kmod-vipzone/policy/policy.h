/* SPDX-License-Identifier: GPL-2.0-only */
/* Policies: which regions the pages of each segment come from. */
#ifndef VIPZONE_POLICY_H
#define VIPZONE_POLICY_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>

#include <memsuite/pool.h>
#include <memsuite/region.h>

#include "energy/energy_model.h"
#include "energy/region_energy.h"
#include "parse/command.h"
#include "policy/policy_stats.h"
#include "policy/reserve.h"

struct cgroup;

/* Its regions, and all that is in none of them. */
#define POLICY_PLACES	(VIPZONE_MAX_REGIONS + 1)

/**
 * struct target - one region of a policy
 * @region: kept for as long
 * @pool: its pool, open for as long
 * @account: its energy and wear
 * @nid: the first node that it lies on, -1 if none of it was online
 * @nodes: all of them
 * @spans: it lies on more than one
 * @is_node: it is the whole of that node
 * @room: what is not reserved of it, if the policy has rooms
 */
struct target {
	struct memsuite_region *region;
	struct memsuite_pool *pool;
	struct account *account;
	int nid;
	nodemask_t nodes;
	bool spans;
	bool is_node;
	struct room room;
};

/* Whether all of a region is on some nodes. Of one node, as usual, in no time. */
static inline bool target_is_on(const struct target *target,
				const nodemask_t *nodes)
{
	if (unlikely(target->spans))
		return nodes_subset(target->nodes, *nodes);
	return target->nid >= 0 && node_isset(target->nid, *nodes);
}

/**
 * struct policy - where a process, a cgroup or the machine gets its pages from
 * @kobj: its directory, vipzone/policies/NUMBER
 * @number: of it
 * @users: processes that have it, and the scope that it is for
 * @command: what it was made from, with the full path of a cgroup; does not change
 * @base: the administrator's, if a program has chosen this one
 * @cgroup: that was last made at the path that it is for, or NULL; under RCU
 * @link: in the policies of cgroups; under RCU
 * @has_node: one of the targets is a whole node
 * @has_large: one of them has large folios
 * @has_cache: it is for the page cache too
 * @has_kernel: it is for the kernel's own memory too
 * @has_rooms: it looks at the free memory of its targets
 * @rooms_asked: a fault has wanted to know since the last look
 * @most_free: the target that has the most
 * @look: does that
 * @nr_targets: number of @targets
 * @targets: the regions, as numbered in @command
 * @stats: what became of its pages
 * @places: touches of its targets, and of what is in none of them, since accesses
 *	were last divided; of the audit's thread, or the last user
 * @taken: of stats->counted, what was looked at
 * @undivided: of that, and scaled, what was not divided yet
 */
struct policy {
	struct kobject kobj;
	int number;
	refcount_t users;
	struct vipzone_command command;
	struct policy *base;
	struct cgroup *cgroup;
	struct list_head link;
	bool has_node;
	bool has_large;
	bool has_cache;
	bool has_kernel;
	bool has_rooms;
	bool rooms_asked;
	unsigned int most_free;
	struct delayed_work look;
	unsigned int nr_targets;
	struct target targets[VIPZONE_MAX_REGIONS];
	struct steering_stats __percpu *stats;
	struct ledger_place places[POLICY_PLACES];
	u64 taken[LEDGER_KINDS];
	u64 undivided[LEDGER_KINDS];
};

/**
 * policy_create() - make a policy and its directory
 * @command: what was written
 *
 * Context: may sleep.
 * Return: a policy with one user; ERR_PTR(-ENOENT): no such region or cgroup,
 * -EINVAL: it is for the kernel's memory and has no node, -EBUSY and others:
 * nodes cannot be chosen (memsuite_hook_arm()), -ENOMEM.
 */
struct policy *policy_create(const struct vipzone_command *command);

/* The last user frees it. Hooks may not see it any more. May sleep. */
void policy_put(struct policy *policy);

static inline void policy_get(struct policy *policy)
{
	refcount_inc(&policy->users);
}

/*
 * Notes what the processors have counted since; with @divide it is also told to
 * the accounts of the regions, by what was touched. For the audit's thread. May
 * sleep.
 */
void policies_settle(bool divide);

/* What was counted of policies that are gone, and has gone to no account. */
u64 policies_undivided(void);

/* What became of all pages, those of policies that are gone among them. */
void policies_sum(struct steering_stats *sum);

/**
 * vipzone_cgroup_path() - the path that a policy of a cgroup is known by
 * @cgroup: the cgroup
 * @path: result, of VIPZONE_PATH bytes
 *
 * Context: any. Return: 0 or -ENAMETOOLONG.
 */
int vipzone_cgroup_path(struct cgroup *cgroup, char *path);

int policies_init(struct kobject *parent);
void policies_exit(void);

#endif
