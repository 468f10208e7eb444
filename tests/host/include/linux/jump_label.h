/* SPDX-License-Identifier: GPL-2.0-only */
#define DECLARE_STATIC_KEY_FALSE(name) extern int name
#define static_branch_unlikely(key) (*(key))
