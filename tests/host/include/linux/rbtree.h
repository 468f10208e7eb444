/* SPDX-License-Identifier: GPL-2.0-only */
/* The interface of the kernel's red-black trees; these are never balanced. */
#ifndef HOST_LINUX_RBTREE_H
#define HOST_LINUX_RBTREE_H

#include <linux/kernel.h>

struct rb_node {
	struct rb_node *parent;
	struct rb_node *rb_left;
	struct rb_node *rb_right;
};

struct rb_root {
	struct rb_node *rb_node;
};

#define RB_ROOT		((struct rb_root){ NULL })
#define rb_entry_safe(p, t, m) ({					\
	struct rb_node *p_ = (p);					\
									\
	p_ ? container_of(p_, t, m) : NULL;				\
})

static inline void rb_link_node_rcu(struct rb_node *node,
				    struct rb_node *parent,
				    struct rb_node **link)
{
	*node = (struct rb_node){ .parent = parent };
	*link = node;
}

static inline void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
}

static inline struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *next = node->rb_right;

	if (!next) {
		while (node->parent && node == node->parent->rb_right)
			node = node->parent;
		return node->parent;
	}
	while (next->rb_left)
		next = next->rb_left;
	return next;
}

static inline struct rb_node *rb_prev(const struct rb_node *node)
{
	struct rb_node *previous = node->rb_left;

	if (!previous) {
		while (node->parent && node == node->parent->rb_left)
			node = node->parent;
		return node->parent;
	}
	while (previous->rb_right)
		previous = previous->rb_right;
	return previous;
}

static inline void rb_replace(struct rb_root *root, struct rb_node *old,
			      struct rb_node *node)
{
	if (!old->parent)
		root->rb_node = node;
	else if (old->parent->rb_left == old)
		old->parent->rb_left = node;
	else
		old->parent->rb_right = node;
	if (node)
		node->parent = old->parent;
}

static inline void rb_erase(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *next;

	if (!node->rb_left || !node->rb_right) {
		rb_replace(root, node, node->rb_left ?: node->rb_right);
		return;
	}
	next = rb_next(node);
	rb_replace(root, next, next->rb_right);
	next->rb_left = node->rb_left;
	next->rb_right = node->rb_right;
	if (next->rb_left)
		next->rb_left->parent = next;
	if (next->rb_right)
		next->rb_right->parent = next;
	rb_replace(root, node, next);
}

static inline struct rb_node *rb_deepest(struct rb_node *node)
{
	while (node && (node->rb_left || node->rb_right))
		node = node->rb_left ?: node->rb_right;
	return node;
}

static inline struct rb_node *rb_next_postorder(const struct rb_node *node)
{
	struct rb_node *parent = node->parent;

	return parent && node == parent->rb_left && parent->rb_right ?
	       rb_deepest(parent->rb_right) : parent;
}

#define rbtree_postorder_for_each_entry_safe(pos, n, root, field)	\
	for (pos = rb_entry_safe(rb_deepest((root)->rb_node),		\
				 typeof(*pos), field);			\
	     pos && ({ n = rb_entry_safe(rb_next_postorder(&pos->field), \
					 typeof(*pos), field); 1; });	\
	     pos = n)

#endif
