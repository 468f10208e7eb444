/* SPDX-License-Identifier: GPL-2.0-only */
/* Areas of hugetlbfs; kernels without it have none. */
#ifndef MEMSUITE_COMPAT_HUGETLB_AREA_H
#define MEMSUITE_COMPAT_HUGETLB_AREA_H

#include <linux/hugetlb.h>
#include <linux/mm.h>

/* Of the huge pages of an area. */
static inline unsigned int memsuite_hugetlb_order(struct vm_area_struct *vma)
{
#ifdef CONFIG_HUGETLB_PAGE
	return huge_page_order(hstate_vma(vma));
#else
	return 0;
#endif
}

/* How many such pages a node has free. Context: any; the figure may change. */
static inline unsigned int memsuite_hugetlb_free_on(struct vm_area_struct *vma, int nid)
{
#ifdef CONFIG_HUGETLB_PAGE
	return READ_ONCE(hstate_vma(vma)->free_huge_pages_node[nid]);
#else
	return 0;
#endif
}

#endif
