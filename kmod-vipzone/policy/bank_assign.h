/* SPDX-License-Identifier: GPL-2.0-only */
/* Which regions a page may come from, and whose each list of a bank policy is. */
#ifndef VIPZONE_POLICY_BANK_ASSIGN_H
#define VIPZONE_POLICY_BANK_ASSIGN_H

#include "policy/policy.h"

struct mm_struct;

/* The list of a bank policy that is for the task on this CPU. Preemption off. */
const struct vipzone_order *vipzone_bank_order(const struct vipzone_banks *banks,
					       const struct mm_struct *mm);

/**
 * vipzone_order_at_fault() - where a page that is allocated now comes from
 * @policy: that it is under
 * @segment: that it is for
 * @mm: address space that it is for
 *
 * Context: preemption off.
 * Return: the regions to try, in that order.
 */
static inline const struct vipzone_order *
vipzone_order_at_fault(const struct vipzone_policy *policy, enum vipzone_segment segment,
		       const struct mm_struct *mm)
{
	const struct vipzone_command *command = &policy->command;

	return likely(!command->banks.nr) ? &command->orders[segment] :
		vipzone_bank_order(&command->banks, mm);
}

/**
 * vipzone_order_at_home() - where a page belongs, whichever CPU has allocated it
 * @policy: that it is under
 * @segment: that it is for
 * @mm: address space that it is for
 *
 * Context: any; enters an RCU read side.
 * Return: the regions that it may lie in.
 */
const struct vipzone_order *vipzone_order_at_home(const struct vipzone_policy *policy,
						  enum vipzone_segment segment,
						  const struct mm_struct *mm);

/* May sleep. */
int vipzone_bank_assign_init(void);
void vipzone_bank_assign_exit(void);

#endif
