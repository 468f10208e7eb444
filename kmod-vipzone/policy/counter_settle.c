// SPDX-License-Identifier: GPL-2.0-only
/* What the processors have counted; counter_settle.h. */

#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include <memsuite/control.h>

#include "energy/access_counters.h"
#include "policy/counter_settle.h"
#include "policy/policy.h"
#include "policy/process_energy.h"

void settle_counted(struct policy *policy)
{
	unsigned int i;

	for (i = 0; i < LEDGER_KINDS; i++) {
		u64 counted = memsuite_stat_sum(policy->stats, counted[i]);

		policy->undivided[i] += vipzone_counters_scaled(counted - policy->taken[i]);
		policy->taken[i] = counted;
	}
}

static void divide(struct policy *policy, unsigned int kind)
{
	enum ledger_event event = !vipzone_counters_are_apart() ? LEDGER_BOTH :
		kind == LEDGER_READ ? LEDGER_READS : LEDGER_WRITES;
	u64 counted = min(policy->undivided[kind], LEDGER_MOST);

	if (ledger_divide(event, counted, policy->places,
			  policy->nr_targets + 1))
		policy->undivided[kind] -= counted;
}

static void tell(struct policy *policy)
{
	const struct ledger_place *elsewhere =
		&policy->places[policy->nr_targets];
	struct steering_stats *stats = get_cpu_ptr(policy->stats);
	unsigned int i;

	for (i = 0; i < policy->nr_targets; i++)
		ledger_count(&stats->accesses,
			     memsuite_region_spec(policy->targets[i].region),
			     &policy->places[i]);
	for (i = 0; i < LEDGER_KINDS; i++)
		stats->elsewhere[i] += elsewhere->counted[i];
	put_cpu_ptr(stats);
	for (i = 0; i < policy->nr_targets; i++)
		account_counted(policy->targets[i].account, &policy->places[i]);
}

u64 settle_divided(struct policy *policy)
{
	divide(policy, LEDGER_READ);
	divide(policy, LEDGER_WRITE);
	tell(policy);
	bills_divide(policy, vipzone_counters_are_apart());
	memset(policy->places, 0, sizeof(policy->places));
	return policy->undivided[LEDGER_READ] + policy->undivided[LEDGER_WRITE];
}
