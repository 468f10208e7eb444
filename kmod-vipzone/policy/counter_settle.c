// SPDX-License-Identifier: GPL-2.0-only
/* From policies to regions: what the processors have counted; counter_settle.h. */

#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include <memsuite/control.h>

#include "energy/access_counters.h"
#include "policy/counter_settle.h"
#include "policy/policy.h"
#include "policy/process_energy.h"

void vipzone_counter_settle(struct vipzone_policy *policy)
{
	unsigned int i;

	for (i = 0; i < VIPZONE_NR_ACCESS_KINDS; i++) {
		u64 counted = memsuite_stat_sum(policy->stats, counted[i]);

		policy->undivided[i] += vipzone_counters_scaled(counted - policy->taken[i]);
		policy->taken[i] = counted;
	}
}

static void policy_divide(struct vipzone_policy *policy, unsigned int kind)
{
	enum vipzone_access_event event = !vipzone_counters_are_apart() ? VIPZONE_EVENT_BOTH :
		kind == VIPZONE_ACCESS_READ ? VIPZONE_EVENT_READS : VIPZONE_EVENT_WRITES;
	u64 counted = min(policy->undivided[kind], VIPZONE_ACCESS_MAX);

	if (vipzone_energy_divide(event, counted, policy->places,
				  policy->nr_targets + 1))
		policy->undivided[kind] -= counted;
}

static void policy_tell(struct vipzone_policy *policy)
{
	const struct vipzone_energy_place *elsewhere =
		&policy->places[policy->nr_targets];
	struct vipzone_policy_stats *stats = get_cpu_ptr(policy->stats);
	unsigned int i;

	for (i = 0; i < policy->nr_targets; i++)
		vipzone_energy_count(&stats->accesses,
				     memsuite_region_spec(policy->targets[i].region),
				     &policy->places[i]);
	for (i = 0; i < VIPZONE_NR_ACCESS_KINDS; i++)
		stats->elsewhere[i] += elsewhere->counted[i];
	put_cpu_ptr(stats);
	for (i = 0; i < policy->nr_targets; i++)
		vipzone_region_energy_count(policy->targets[i].energy, &policy->places[i]);
}

u64 vipzone_counter_divide(struct vipzone_policy *policy)
{
	policy_divide(policy, VIPZONE_ACCESS_READ);
	policy_divide(policy, VIPZONE_ACCESS_WRITE);
	policy_tell(policy);
	vipzone_process_energy_divide(policy, vipzone_counters_are_apart());
	memset(policy->places, 0, sizeof(policy->places));
	policy->is_touched = false;
	return policy->undivided[VIPZONE_ACCESS_READ] + policy->undivided[VIPZONE_ACCESS_WRITE];
}
