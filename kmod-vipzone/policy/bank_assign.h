/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the lists of a bank policy is whose. */
#ifndef VIPZONE_SPREAD_H
#define VIPZONE_SPREAD_H

#include "policy/policy.h"

struct mm_struct;

const struct vipzone_order *spread_order(const struct vipzone_banks *banks,
					 const struct mm_struct *mm);

/**
 * order_at_fault() - where a page that is allocated now comes from
 * @policy: that it is under
 * @segment: that it is for
 * @mm: address space that it is for
 *
 * Context: preemption off.
 */
static inline const struct vipzone_order *
order_at_fault(const struct policy *policy, enum segment segment,
	       const struct mm_struct *mm)
{
	const struct vipzone_command *command = &policy->command;

	return likely(!command->banks.nr) ? &command->orders[segment] :
		spread_order(&command->banks, mm);
}

/**
 * order_at_home() - where a page belongs, whichever CPU has allocated it
 * @policy: that it is under
 * @segment: that it is for
 * @mm: address space that it is for
 *
 * Context: any; enters an RCU read side.
 */
const struct vipzone_order *order_at_home(const struct policy *policy,
					  enum segment segment,
					  const struct mm_struct *mm);

/* May sleep. */
int spread_init(void);
void spread_exit(void);

#endif
