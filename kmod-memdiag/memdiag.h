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

/* The tester. */
int tester_start(void);
void tester_stop(void);
bool tester_running(void);

extern unsigned int tester_lifetime_s;

/* In pairs with their complements. */
#define TESTER_BACKGROUNDS	4
extern const u64 tester_backgrounds[TESTER_BACKGROUNDS];

/* The background of the sweep that runs. */
u64 tester_background(void);
/* Count pages that were tested. */
void tester_count(unsigned long pages);
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
