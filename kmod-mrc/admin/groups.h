/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups come and go, and who belongs to them is looked through. */
#ifndef MRC_ADMIN_GROUPS_H
#define MRC_ADMIN_GROUPS_H

struct mrc_target_spec;

int mrc_groups_add(const struct mrc_target_spec *spec);
int mrc_groups_remove(const struct mrc_target_spec *spec);
void mrc_groups_remove_all(void);
void mrc_groups_look(void);

#endif
