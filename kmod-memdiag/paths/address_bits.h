/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults between addresses that are further apart than one march goes, bit by bit. */
#ifndef MEMDIAG_PATHS_ADDRESS_BITS_H
#define MEMDIAG_PATHS_ADDRESS_BITS_H

struct attribute_group;
struct dentry;

/* address_bits/ in sysfs */
extern const struct attribute_group memdiag_address_bits_group;

/* debugfs memdiag/address_bits */
void memdiag_address_bits_init(struct dentry *debugfs);
/* Start and stop the thread that tests. May sleep. Returns 0 or -ENOMEM. */
int memdiag_address_bits_start(void);
void memdiag_address_bits_stop(void);

#endif
