/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of fault a page has, told by how often it shows. */
#ifndef MEMDIAG_RESULT_CLASSIFY_H
#define MEMDIAG_RESULT_CLASSIFY_H

#include <linux/types.h>

/* A march that failed is run so many times more over the same memory. */
#define CLASSIFY_RERUNS		2
/* The word that failed first is read so many times more, past the caches. */
#define CLASSIFY_REREADS	3

/**
 * enum fault_class - kinds of faults, the worst last
 * @FAULT_UNKNOWN: nobody saw more of it: retired by hand, one bad page of very
 *	many, or found by a test on demand alone
 * @FAULT_READ_PATH: the memory held the right value, and was read wrong once
 * @FAULT_INTERMITTENT: the memory held a wrong value, but not in every run
 * @FAULT_HARD: every run of the test shows it
 * @FAULT_UNCORRECTABLE: the machine's ECC said that it cannot correct it
 */
enum fault_class {
	FAULT_UNKNOWN,
	FAULT_READ_PATH,
	FAULT_INTERMITTENT,
	FAULT_HARD,
	FAULT_UNCORRECTABLE,
};

/**
 * classify() - tell the kind of a fault
 * @failed_runs: runs in which the page failed, of 1 + CLASSIFY_RERUNS
 * @wrong_rereads: how many rereads of the first failing word, right after it
 *	failed, were wrong as well, of CLASSIFY_REREADS
 *
 * Pure.
 */
enum fault_class classify(unsigned int failed_runs, unsigned int wrong_rereads);

/**
 * classify_name() - "hard", "intermittent", "read-path", "unknown",
 *	"uncorrectable"
 * @class: the class
 */
const char *classify_name(enum fault_class class);

/**
 * classify_direction() - which way bits fell over
 * @rising: bits that were read as 1 and should have been 0
 * @falling: bits that were read as 0 and should have been 1
 *
 * Return: "0->1", "1->0", "both", or "-" if no bit did.
 */
const char *classify_direction(u64 rising, u64 falling);

#endif
