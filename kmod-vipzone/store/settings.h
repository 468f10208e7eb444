/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings: features of the table, messages, and files in sysfs. */
#ifndef VSTORE_SETTINGS_H
#define VSTORE_SETTINGS_H

#include <linux/kobject.h>

struct vstore;

#define VSTORE_SETTINGS	8

struct vstore_settings_file {
	struct kobj_attribute attribute;
	struct vstore *store;
};

int vstore_settings_set(struct vstore *store, const char *name, const char *value);
void vstore_settings_print(const struct vstore *store, char *result, unsigned int maxlen);
void vstore_settings_add(struct vstore *store);
void vstore_settings_remove(struct vstore *store);

#endif
