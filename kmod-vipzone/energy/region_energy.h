/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The energy, latency and wear of a region that processes are steered into. They
 * belong to the region, not to a policy: the next policy has no new wear budget.
 */
#ifndef VIPZONE_ENERGY_REGION_ENERGY_H
#define VIPZONE_ENERGY_REGION_ENERGY_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include <memsuite/region.h>

#include "energy/energy_model.h"

/**
 * struct vipzone_region_energy - of a region
 * @kobj: its directory, vipzone/ledger/REGION
 * @link: in the list of all
 * @region: held, which may be gone
 * @lock: for what follows, but for looking at @wear.over
 * @accesses: as the audit and the processors tell
 * @written_kib: pages found written, and those that contents were moved to
 * @unspent_kib: of these, not told to @wear yet
 * @idle_uj: energy that idle power took until
 * @since_ms: then
 * @wear: against its budget
 */
struct vipzone_region_energy {
	struct kobject kobj;
	struct list_head link;
	struct memsuite_region *region;
	spinlock_t lock;	/* for what follows */
	struct vipzone_energy accesses;
	u64 written_kib;
	u64 unspent_kib;
	u64 idle_uj;
	u64 since_ms;
	struct vipzone_wear wear;
};

/*
 * The energy of a region, the same for all, which is there for as long as the
 * region; that is for the caller to keep. May sleep. ERR_PTR(-ENOMEM).
 */
struct vipzone_region_energy *vipzone_region_energy_of(struct memsuite_region *region);

/* Adds touches, by kind. Each is charged as an access, unless accesses are counted. */
void vipzone_region_energy_touch(struct vipzone_region_energy *energy, const u64 *touched,
				 bool counted);

/* Adds accesses that were counted. */
void vipzone_region_energy_count(struct vipzone_region_energy *energy,
				 const struct vipzone_energy_place *place);

/* Adds pages of the region that were written. */
void vipzone_region_energy_wear(struct vipzone_region_energy *energy, u64 pages);

/* A round of the audit is over: finds the regions over their budget. May sleep. */
void vipzone_region_energy_settle(void);

/* The audit has stopped: until it runs again, no region is over budget. May sleep. */
void vipzone_region_energy_spare_none(void);

/* Whether more was written to the region than its wear budget allows. */
static inline bool vipzone_region_energy_is_over(const struct vipzone_region_energy *energy)
{
	return READ_ONCE(energy->wear.over);
}

int vipzone_region_energy_init(struct kobject *parent);

/* All policies are gone by now. */
void vipzone_region_energy_exit(void);

#endif
