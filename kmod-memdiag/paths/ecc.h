/* SPDX-License-Identifier: GPL-2.0-only */
/* The errors that the machine reports. */
#ifndef MEMDIAG_PATHS_ECC_H
#define MEMDIAG_PATHS_ECC_H

struct attribute_group;
struct dentry;

extern const struct attribute_group memdiag_ecc_group;

/* debugfs memdiag/ecc_pages, and listen to the machine. May sleep. */
void memdiag_ecc_init(struct dentry *debugfs);
void memdiag_ecc_exit(void);

#endif
