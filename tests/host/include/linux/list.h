/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_LINUX_LIST_H
#define HOST_LINUX_LIST_H

#include <linux/kernel.h>

struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

#define LIST_HEAD(name)	struct list_head name = { &(name), &(name) }
#define list_entry(p, t, m)		container_of(p, t, m)
#define list_first_entry(head, t, m)	list_entry((head)->next, t, m)
#define list_for_each_entry(at, head, member)						\
	for (at = list_first_entry(head, __typeof__(*at), member); &at->member != (head);	\
	     at = list_entry(at->member.next, __typeof__(*at), member))

#define list_for_each_entry_safe(p, n, head, m)				\
	for (p = list_first_entry(head, typeof(*p), m),			\
	     n = list_entry(p->m.next, typeof(*p), m); &p->m != (head);	\
	     p = n, n = list_entry(n->m.next, typeof(*n), m))

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void list_add_tail(struct list_head *new, struct list_head *head)
{
	new->next = head;
	new->prev = head->prev;
	head->prev->next = new;
	head->prev = new;
}

static inline void list_del_init(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	INIT_LIST_HEAD(entry);
}

static inline void list_move_tail(struct list_head *entry, struct list_head *head)
{
	list_del_init(entry);
	list_add_tail(entry, head);
}

static inline void list_replace_init(struct list_head *old, struct list_head *new)
{
	new->next = old->next;
	new->next->prev = new;
	new->prev = old->prev;
	new->prev->next = new;
	INIT_LIST_HEAD(old);
}

#endif
