// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which of the lists of a bank policy is whose: partitions of the banks, each
 * for one core, process or cgroup, so that they do not close one another's rows
 * (M3); or any, by chance.
 */

#include <linux/cgroup.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "policy/bank_assign.h"

/* One for each CPU. */
static struct rnd_state __percpu *dice;

/* Under RCU. */
static struct task_struct *owner_of(const struct mm_struct *mm)
{
#ifdef CONFIG_MEMCG
	return rcu_dereference_raw(mm->owner);
#else
	return current->mm == mm ? current : NULL;
#endif
}

/* Processes that are started one after another get one list after another. */
static u64 process_number(const struct mm_struct *mm)
{
	struct task_struct *owner = owner_of(mm);

	return owner ? owner->tgid : 0;
}

static u64 cgroup_number(const struct mm_struct *mm)
{
	struct task_struct *owner = owner_of(mm);

	return owner ? cgroup_id(task_dfl_cgroup(owner)) : 0;
}

static const struct vipzone_order *bank_order_nth(const struct vipzone_banks *banks, u64 n)
{
	return &banks->orders[n % banks->nr];
}

static u32 roll(void)
{
	u32 number = prandom_u32_state(get_cpu_ptr(dice));

	put_cpu_ptr(dice);
	return number;
}

const struct vipzone_order *vipzone_bank_order(const struct vipzone_banks *banks,
					       const struct mm_struct *mm)
{
	switch (banks->assign) {
	case VIPZONE_BANK_PERPROCESS:
		return bank_order_nth(banks, process_number(mm));
	case VIPZONE_BANK_PERCGROUP:
		return bank_order_nth(banks, cgroup_number(mm));
	case VIPZONE_BANK_RANDOM:
		return bank_order_nth(banks, roll());
	default:
		return bank_order_nth(banks, raw_smp_processor_id());
	}
}

const struct vipzone_order *vipzone_order_at_home(const struct vipzone_policy *policy,
						  enum vipzone_segment segment,
						  const struct mm_struct *mm)
{
	const struct vipzone_banks *banks = &policy->command.banks;
	const struct vipzone_order *order = &policy->command.orders[segment];

	if (banks->assign == VIPZONE_BANK_PERPROCESS || banks->assign == VIPZONE_BANK_PERCGROUP) {
		rcu_read_lock();
		order = vipzone_bank_order(banks, mm);
		rcu_read_unlock();
	}
	return order;
}

int vipzone_bank_assign_init(void)
{
	dice = alloc_percpu(struct rnd_state);
	if (!dice)
		return -ENOMEM;
	prandom_seed_full_state(dice);
	return 0;
}

void vipzone_bank_assign_exit(void)
{
	free_percpu(dice);
}
