/* SPDX-License-Identifier: GPL-2.0-only */
/* A few entries; enough for what is tested. */
#pragma once
#include <linux/kernel.h>

#define XARRAY_ENTRIES	64

struct xarray {
	void *entries[XARRAY_ENTRIES];
};

#define DEFINE_XARRAY(name)	struct xarray name

static inline void *xa_load(struct xarray *xa, unsigned long index)
{
	return index < XARRAY_ENTRIES ? xa->entries[index] : NULL;
}

static inline void *xa_store(struct xarray *xa, unsigned long index, void *entry, int gfp)
{
	void *old = xa_load(xa, index);

	if (index >= XARRAY_ENTRIES)
		abort();
	xa->entries[index] = entry;
	return old;
}

static inline bool xa_is_err(const void *entry)
{
	return false;
}

#define xa_for_each(xa, index, entry) \
	for (index = 0; index < XARRAY_ENTRIES; index++) \
		if (((entry) = (xa)->entries[index]))

static inline void xa_destroy(struct xarray *xa)
{
	memset(xa, 0, sizeof(*xa));
}
