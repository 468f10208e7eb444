/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of memdiag share. */
#ifndef MEMDIAG_H
#define MEMDIAG_H

#include <linux/types.h>

#include "march.h"

/* Findings: the bad pages, since the module was loaded. */
struct finding {
	unsigned long pfn;
	u64 address;		/* of the first failing word */
	u64 mask;		/* of all failing words of the page */
	unsigned int element;
	u64 background;
	time64_t time;
};

int findings_init(void);
void findings_exit(void);
void findings_add(const struct finding *finding);
u64 findings_count(void);

/* The controller of the testers. */
extern const struct attribute_group control_group;
extern unsigned int tester_lifetime_s;
int controller_start(void);
void controller_stop(void);
bool controller_running(void);

/* The testers. */
u64 tester_tested_pages(void);
u64 tester_passes(void);
unsigned int tester_progress_pct(void);

/* Tested pages ahead of allocation. */
extern const struct attribute_group ahead_group;
void ahead_start(void);
void ahead_stop(void);

/* Coverage. */
extern const struct attribute_group coverage_group;
void coverage_init(struct dentry *debugfs);

/* The test of a range on demand. */
extern const struct attribute_group range_group;
void range_stop(void);

/* The test in use. */
extern const struct attribute_group algorithm_group;
extern const struct attribute_group algorithm_coverage_group;

int algorithm_init(void);
/* May sleep. */
void algorithm_get(struct march_test *test);

int memdiag_sysfs_init(void);
void memdiag_sysfs_exit(void);

#endif
