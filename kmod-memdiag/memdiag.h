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

/* Under settings_lock. */
extern const struct march_named *tester_algorithm;
extern unsigned int tester_lifetime_s;
extern struct mutex settings_lock;

u64 tester_tested_pages(void);
u64 tester_passes(void);
unsigned int tester_progress_pct(void);

int memdiag_sysfs_init(void);
void memdiag_sysfs_exit(void);

#endif
