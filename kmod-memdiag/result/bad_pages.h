/* SPDX-License-Identifier: GPL-2.0-only */
/* The bad pages that memdiag knows of. */
#ifndef MEMDIAG_RESULT_BAD_PAGES_H
#define MEMDIAG_RESULT_BAD_PAGES_H

#include <linux/types.h>

#include "result/classify.h"

/**
 * enum finding_origin - how a page got onto the list
 * @FOUND_BY_TEST: a test failed
 * @FOUND_BY_HAND: written to retire
 * @FOUND_BEFORE: likewise, as found before an earlier reboot
 * @FOUND_EMULATED: a test failed of memory that is not bad: see inject
 * @FOUND_BY_ECC: the machine reported errors while the page was tested
 */
enum finding_origin {
	FOUND_BY_TEST,
	FOUND_BY_HAND,
	FOUND_BEFORE,
	FOUND_EMULATED,
	FOUND_BY_ECC,
};

/**
 * struct finding - what is known of a bad page
 * @pfn: its frame
 * @address: physical, of the first failing word
 * @mask: bits that failed, of all failing words of the page together
 * @rising: of these, those read as 1 that should have been 0
 * @falling: of these, those read as 0 that should have been 1
 * @element: march element that found it
 * @background: what 0 stood for
 * @time: seconds since 1970
 * @class: hard, intermittent, ...
 * @origin: how it got here
 */
struct finding {
	unsigned long pfn;
	u64 address;
	u64 mask;
	u64 rising;
	u64 falling;
	unsigned int element;
	u64 background;
	time64_t time;
	enum fault_class class;
	enum finding_origin origin;
};

struct dentry;

void findings_init(struct dentry *debugfs);
void findings_exit(void);

/**
 * findings_add() - put a bad page on the list, and announce it
 * @finding: the page
 *
 * To user space: a tracepoint at once, a uevent of the module a little later.
 *
 * Context: may sleep.
 */
void findings_add(const struct finding *finding);

/**
 * findings_remove() - take a page off the list that is no longer retired
 * @pfn: its frame
 *
 * Context: may sleep.
 * Return: whether it was there.
 */
bool findings_remove(unsigned long pfn);

/**
 * findings_retire_again() - retire what is on the list and is not retired
 *
 * After memory came online again: the kernel has forgotten its marks; and from
 * time to time: what the kernel had in use may be free by now. Soon, from a work
 * item.
 *
 * Context: any.
 */
void findings_retire_again(void);

/**
 * findings_has() - whether a page is on the list
 * @pfn: its frame
 *
 * Context: may sleep.
 */
bool findings_has(unsigned long pfn);

/**
 * findings_revoke_emulated() - give back the pages with emulated faults
 *
 * Context: may sleep.
 * Return: 0, -EBUSY (one is being tested: try again), -EOPNOTSUPP (the kernel
 * gives no page back any more).
 */
int findings_revoke_emulated(void);

/* How many are on the list; of these, how many are still in use. */
u64 findings_count(void);
u64 findings_pending(void);

#endif
