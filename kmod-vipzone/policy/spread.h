/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policies whose regions share pages by weight.
 *
 * Whose turn a page is depends on where it lies in its area or file, and on nothing else: there is
 * no count that processors would have to share, a page that is faulted in again or copied gets the
 * same region as before, and so does what processes share, whoever touches it first.
 */
#ifndef VIPZONE_POLICY_SPREAD_H
#define VIPZONE_POLICY_SPREAD_H

#include <linux/mm.h>

#include "policy/policy.h"

/**
 * vipzone_spread_place() - the number of a page in its area or file
 * @vma: the area
 * @address: of the page, or of any in it
 * @order: of the page: it is counted in pages of that size
 *
 * Context: the area stays.
 * Return: the number, which mremap() does not change.
 */
static inline unsigned long vipzone_spread_place(const struct vm_area_struct *vma,
						 unsigned long address, unsigned int order)
{
	unsigned long first = address & (~0UL << (PAGE_SHIFT + order));

	return (vma->vm_pgoff + ((long)(first - vma->vm_start) >> PAGE_SHIFT)) >> order;
}

/**
 * vipzone_spread_away_to() - where a page goes that does not lie where it belongs
 * @policy: that it is under
 * @segment: that it is for
 * @order: its regions, by vipzone_order_at_home()
 * @page: the page
 * @place: its number in its area or file
 *
 * With weights, it belongs in the region whose turn it is; if that is full, another of @order may
 * keep it, but none takes it.
 *
 * Context: any; the page stays.
 * Return: the regions, in that order; NULL: it stays.
 */
const struct vipzone_order *vipzone_spread_away_to(const struct vipzone_policy *policy,
						   enum vipzone_segment segment,
						   const struct vipzone_order *order,
						   struct page *page, unsigned long place);

/* Deals out the turns of a policy that is being made. May sleep. Return: 0 or -ENOMEM. */
int vipzone_spread_open(struct vipzone_policy *policy);

/* Also if that has failed. */
void vipzone_spread_close(struct vipzone_policy *policy);

#endif
