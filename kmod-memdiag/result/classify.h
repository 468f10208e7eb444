/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of fault a page has, told by how often it shows. */
#ifndef MEMDIAG_RESULT_CLASSIFY_H
#define MEMDIAG_RESULT_CLASSIFY_H

#include <linux/types.h>

/* How many more times a march that failed is run over the same memory. */
#define MEMDIAG_CLASSIFY_RERUNS		2
/* How many more times the word that failed first is read, past the caches. */
#define MEMDIAG_CLASSIFY_REREADS	3

/* How long a page that failed in one run is looked at, by itself, and at which intervals. */
#define MEMDIAG_CLASSIFY_WATCH_MS	1000
#define MEMDIAG_CLASSIFY_LOOK_US	5000

/**
 * enum memdiag_fault_class - kinds of faults, the worst last
 * @MEMDIAG_CLASS_UNKNOWN: it was not looked at closely: retired by hand, one bad page
 *	of very many, or found by a test on demand alone
 * @MEMDIAG_CLASS_READ_PATH: the memory held the right value, and was read wrong once
 * @MEMDIAG_CLASS_TRANSIENT: the memory held a wrong value, once and never again
 * @MEMDIAG_CLASS_INTERMITTENT: the memory held a wrong value, but not in every run
 * @MEMDIAG_CLASS_HARD: every run of the test shows it
 * @MEMDIAG_CLASS_UNCORRECTABLE: the machine's ECC said that it cannot correct it
 * @MEMDIAG_NR_CLASSES: how many there are
 */
enum memdiag_fault_class {
	MEMDIAG_CLASS_UNKNOWN,
	MEMDIAG_CLASS_READ_PATH,
	MEMDIAG_CLASS_TRANSIENT,
	MEMDIAG_CLASS_INTERMITTENT,
	MEMDIAG_CLASS_HARD,
	MEMDIAG_CLASS_UNCORRECTABLE,
	MEMDIAG_NR_CLASSES,
};

/**
 * memdiag_classify() - tell the kind of a fault
 * @failed_runs: runs in which the page failed, of 1 + MEMDIAG_CLASSIFY_RERUNS
 * @wrong_rereads: how many rereads of the first failing word, right after it
 *	failed, were wrong as well, of MEMDIAG_CLASSIFY_REREADS
 * @again: the page failed with another background, too, or by itself when it was looked at
 *
 * Pure.
 *
 * Return: the class.
 */
enum memdiag_fault_class memdiag_classify(unsigned int failed_runs, unsigned int wrong_rereads,
					  bool again);

/**
 * memdiag_classify_name() - the name of a class, as user space reads it
 * @class: the class
 *
 * Return: "hard", "intermittent", "transient", "read-path", "unknown" or "uncorrectable".
 */
const char *memdiag_classify_name(enum memdiag_fault_class class);

/**
 * memdiag_classify_direction() - which way bits fell over
 * @rising: bits that were read as 1 and should have been 0
 * @falling: bits that were read as 0 and should have been 1
 *
 * Return: "0->1", "1->0", "both", or "-" if no bit did.
 */
const char *memdiag_classify_direction(u64 rising, u64 falling);

#endif
