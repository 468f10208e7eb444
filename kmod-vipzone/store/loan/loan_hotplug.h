/* SPDX-License-Identifier: GPL-2.0-only */
/* All loans, as memory hotplug has to know them. */
#ifndef VSTORE_LOAN_LOAN_HOTPLUG_H
#define VSTORE_LOAN_LOAN_HOTPLUG_H

#include <linux/list.h>

struct page;
struct vstore_loan;

extern struct list_head vstore_loans;

int vstore_loan_hotplug_add(struct vstore_loan *loan);
void vstore_loan_hotplug_remove(struct vstore_loan *loan);
void vstore_loan_withhold(struct page *page, unsigned long nr);

#endif
