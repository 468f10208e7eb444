/* SPDX-License-Identifier: GPL-2.0-only */
/* The bad pages that memdiag knows of. */
#ifndef MEMDIAG_RESULT_BAD_PAGES_H
#define MEMDIAG_RESULT_BAD_PAGES_H

#include <linux/types.h>

#include "result/classify.h"
#include "result/part.h"

/**
 * enum memdiag_bad_page_origin - how a page got onto the list
 * @MEMDIAG_FOUND_BY_TEST: a test failed
 * @MEMDIAG_FOUND_BY_HAND: written to retire
 * @MEMDIAG_FOUND_BEFORE: written to retire, as found before an earlier reboot
 * @MEMDIAG_FOUND_EMULATED: a test failed of memory that is not bad: see inject
 * @MEMDIAG_FOUND_BY_ECC: the machine reported errors while the page was tested
 */
enum memdiag_bad_page_origin {
	MEMDIAG_FOUND_BY_TEST,
	MEMDIAG_FOUND_BY_HAND,
	MEMDIAG_FOUND_BEFORE,
	MEMDIAG_FOUND_EMULATED,
	MEMDIAG_FOUND_BY_ECC,
};

/**
 * struct memdiag_bad_page - what is known of a bad page
 * @pfn: its frame
 * @address: physical, of the first failing word
 * @mask: bits that failed, of all failing words of the page together
 * @rising: bits of @mask that read as 1 and should have been 0
 * @falling: bits of @mask that read as 0 and should have been 1
 * @element: march element that found it
 * @background: what 0 stood for
 * @time: seconds since 1970
 * @class: hard, intermittent, ...
 * @origin: how it got here
 */
struct memdiag_bad_page {
	unsigned long pfn;
	u64 address;
	u64 mask;
	u64 rising;
	u64 falling;
	unsigned int element;
	u64 background;
	time64_t time;
	enum memdiag_fault_class class;
	enum memdiag_bad_page_origin origin;
};

struct dentry;

int memdiag_bad_pages_init(void);
void memdiag_bad_pages_table_init(struct dentry *debugfs);
void memdiag_bad_pages_exit(void);

/**
 * memdiag_bad_pages_add() - put a bad page on the list, and announce it
 * @bad_page: the page
 *
 * To user space: a tracepoint at once, a uevent of the module a little later.
 *
 * Context: may sleep.
 */
void memdiag_bad_pages_add(const struct memdiag_bad_page *bad_page);

/**
 * memdiag_bad_pages_refuse() - whether so many are bad that one more is not retired
 * @bad_page: the page; one that is on the list already passes
 *
 * If so there is an alarm of its part, or of the machine, until there is room again. It is told
 * once, in the kernel log and by a uevent of the module, with what is to be replaced.
 *
 * Context: may sleep.
 * Return: true if it is not.
 */
bool memdiag_bad_pages_refuse(const struct memdiag_bad_page *bad_page);

/**
 * memdiag_bad_pages_set_limits() - how many may be bad; takes all alarms back
 * @most: on the list; 0: any number
 * @dimm_pct: on the list, of the pages of a DIMM, or of a node where DIMMs are not known; 0: any
 *	number
 *
 * Context: may sleep.
 */
void memdiag_bad_pages_set_limits(u64 most, unsigned int dimm_pct);

/**
 * memdiag_bad_pages_alarms() - print the alarms that there are
 * @buf: a page of sysfs: "pages|dimm DIMM SECONDS" for each, seconds since 1970
 *
 * Context: may sleep.
 * Return: number of bytes.
 */
ssize_t memdiag_bad_pages_alarms(char *buf);

/* How many there are. May sleep. */
unsigned int memdiag_bad_pages_alarm_count(void);

/**
 * memdiag_bad_pages_unretire() - give a page back, and take it off the list
 * @pfn: its frame
 *
 * Context: may sleep.
 * Return: as memsuite_page_unretire(); the list is as it was after an error.
 */
int memdiag_bad_pages_unretire(unsigned long pfn);

/**
 * memdiag_bad_pages_retire_again() - retire what is on the list and is not retired
 * @all: however many of them cannot be had; else the next call goes on where this one gave up
 *
 * Called after memory came online again, for the kernel has forgotten its marks,
 * and from time to time, for what the kernel had in use may be free by now. A
 * work item does it soon afterwards.
 *
 * Context: any.
 */
void memdiag_bad_pages_retire_again(bool all);

/**
 * memdiag_bad_pages_has() - whether a page is on the list
 * @pfn: its frame
 *
 * Context: may sleep.
 * Return: true if it is.
 */
bool memdiag_bad_pages_has(unsigned long pfn);

/**
 * memdiag_bad_pages_revoke_emulated() - give back the pages with emulated faults
 *
 * Context: may sleep.
 * Return: 0, -EBUSY (one is being tested: try again), -EOPNOTSUPP (the kernel
 * gives no page back any more).
 */
int memdiag_bad_pages_revoke_emulated(void);

/* How many pages are on the list, and how many of them are still in use. The latter may sleep. */
u64 memdiag_bad_pages_count(void);
u64 memdiag_bad_pages_pending(void);

#endif
