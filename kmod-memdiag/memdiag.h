/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of memdiag share. */
#ifndef MEMDIAG_H
#define MEMDIAG_H

#include <linux/types.h>

#include "march/engine.h"
#include "result/bad_pages.h"

/* The controller of the testers. */
extern const struct attribute_group control_group;
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

/* Memory in use: moved before its tests expire. */
extern const struct attribute_group inuse_group;
extern const struct attribute_group inuse_moves_group;
void inuse_init(struct dentry *debugfs);
int inuse_start(void);
void inuse_stop(void);
u64 inuse_moved_pages(void);

/* The test of a range on demand. */
extern const struct attribute_group range_group;
/* Begin one, in bytes; -EBUSY, -ENXIO, -ENOMEM. May sleep. */
int range_begin(u64 from, u64 to);
bool range_running(void);
void range_stop(void);

/* What stands between the tests and the memory cells. */
extern const struct attribute_group effectiveness_group;
void effectiveness_init(void);

/* Memory that comes online. */
extern const struct attribute_group newcomers_group;
int newcomers_init(void);
void newcomers_exit(void);

/* The test in use. */
extern const struct attribute_group algorithm_group;
extern const struct attribute_group algorithm_coverage_group;

int algorithm_init(void);
/* May sleep. */
void algorithm_get(struct engine_test *test);

/**
 * algorithm_parse() - parse a test as written to sysfs
 * @line: a name of available_algorithms, or a march test written out
 * @parsed: its @kind and @march are set
 *
 * Return: 0 or -EINVAL, and the log tells why.
 */
int algorithm_parse(const char *line, struct engine_test *parsed);

/* Emulated faults. */
extern const struct attribute_group emulation_group;
void emulation_init(struct dentry *debugfs);
void emulation_exit(void);

/* The errors that the machine reports. */
extern const struct attribute_group ecc_group;
void ecc_init(struct dentry *debugfs);
void ecc_exit(void);

/* Retiring pages by hand. */
extern const struct attribute_group retirement_group;

int memdiag_sysfs_init(void);
void memdiag_sysfs_exit(void);

#endif
