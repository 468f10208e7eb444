/* SPDX-License-Identifier: GPL-2.0-only */
/* The PRAM that a table names. */
#ifndef VSTORE_PRAM_DEVICE_H
#define VSTORE_PRAM_DEVICE_H

#include <linux/types.h>
#include <linux/uuid.h>

struct vstore;
struct vstore_report;

int vstore_pram_device_map(struct vstore *store, const char *path, char **error);
int vstore_pram_device_map_range(struct vstore *store, const char *range, char **error);
bool vstore_pram_device_in_place(const struct vstore *store);
int vstore_pram_device_check(struct vstore *store, bool format, const uuid_t *uuid,
			     char **error);
int vstore_pram_device_check_again(const struct vstore *store, struct vstore_report *report);

#endif
