/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The energy, latency and wear of a region that processes are steered into. They
 * are the region's, not the policies': who comes next has no new wear budget.
 */
#ifndef VIPZONE_ACCOUNT_H
#define VIPZONE_ACCOUNT_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include <memsuite/region.h>

#include "energy/energy_model.h"

/**
 * struct account - of a region
 * @kobj: its directory, vipzone/ledger/REGION
 * @link: in all accounts
 * @region: held, which may be gone
 * @lock: for what follows, but for looking at @wear.over
 * @accesses: as the audit and the processors tell
 * @written_kib: pages found written, and those that contents were moved to
 * @unspent_kib: of these, not told to @wear yet
 * @idle_uj: energy that idle power took until
 * @since_ms: then
 * @wear: against its budget
 */
struct account {
	struct kobject kobj;
	struct list_head link;
	struct memsuite_region *region;
	spinlock_t lock;	/* for what follows */
	struct ledger accesses;
	u64 written_kib;
	u64 unspent_kib;
	u64 idle_uj;
	u64 since_ms;
	struct wear wear;
};

/*
 * The account of a region, the same for all, which is there for as long as the
 * region; that is for the caller to keep. May sleep. ERR_PTR(-ENOMEM).
 */
struct account *account_of(struct memsuite_region *region);

/* Touches, by kind: each is charged as an access, unless accesses are counted. */
void account_touches(struct account *account, const u64 *touched, bool counted);

/* Accesses that were counted. */
void account_counted(struct account *account, const struct ledger_place *place);

/* Pages of a region that were written. */
void account_wear(struct account *account, u64 pages);

/* A round of the audit is over: sets what is over budget. May sleep. */
void accounts_settle(void);

/* There are no rounds until further notice: nothing is over budget. May sleep. */
void accounts_spare_none(void);

static inline bool account_is_over(const struct account *account)
{
	return READ_ONCE(account->wear.over);
}

int accounts_init(struct kobject *parent);
void accounts_exit(void);

#endif
