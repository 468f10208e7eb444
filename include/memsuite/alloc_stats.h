/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation demand per zone and order (COMeT, appendix A.1.3), and the test
 * stamp of every page that it is counted by.
 *
 * While it is on, every page carries the second in which it was last tested.
 * An allocation finds its pages tested, expired (tested, but longer ago than
 * the lifetime of a test) or untested. A page that comes back from its user
 * keeps its test: it need not be tested again before that expires (section
 * 3.1).
 */
#ifndef MEMSUITE_ALLOC_STATS_H
#define MEMSUITE_ALLOC_STATS_H

#include <compat/compat.h>
#include <memsuite/block.h>

/* Frames whose tests are remembered by one word if they were tested together: 2 MiB. */
#define MEMSUITE_ALLOC_STATS_BLOCK_PAGES	512UL

/**
 * memsuite_alloc_stats_start() - begin to count, with every page untested
 * @lifetime_s: how long a test is good for, in seconds
 *
 * Context: may sleep.
 * Return: 0, -EBUSY (on already), -ENOMEM, -EOPNOTSUPP (no tracepoints).
 */
int memsuite_alloc_stats_start(unsigned int lifetime_s);

/**
 * memsuite_alloc_stats_stop() - stop counting and forget all stamps
 *
 * Context: may sleep.
 */
void memsuite_alloc_stats_stop(void);

/**
 * memsuite_alloc_stats_set_lifetime() - change how long a test is good for
 * @lifetime_s: seconds
 */
void memsuite_alloc_stats_set_lifetime(unsigned int lifetime_s);

/**
 * memsuite_alloc_stats_tested() - stamp frames as tested now
 * @pfn: first of an aligned power of two of frames that the caller holds
 * @nr: how many, at most 2^MEMSUITE_MAX_ORDER
 * @whole: the test shows all stuck-at and transition faults
 *
 * Context: any; between memsuite_hold_begin() and memsuite_hold_end().
 */
void memsuite_alloc_stats_tested(unsigned long pfn, unsigned long nr, bool whole);

/**
 * memsuite_alloc_stats_older() - whether a test of any of these frames is so long ago
 * @pfn: as for memsuite_alloc_stats_tested()
 * @nr: likewise
 * @age_s: seconds
 *
 * Context: any.
 * Return: true also if one is untested, or nobody counts.
 */
bool memsuite_alloc_stats_older(unsigned long pfn, unsigned long nr, unsigned int age_s);

/**
 * memsuite_alloc_stats_any_younger() - whether the test of any frame is less long ago
 * @age_s: seconds
 *
 * Where there is none, who looks for one need not look at all of memory.
 *
 * Context: any.
 * Return: false if no frame can be found that is not memsuite_alloc_stats_older().
 */
bool memsuite_alloc_stats_any_younger(unsigned int age_s);

/**
 * memsuite_alloc_stats_now_s() - the time that ages of tests are counted by
 *
 * Context: any.
 * Return: seconds; after the machine has slept they jump once all is awake again.
 */
u32 memsuite_alloc_stats_now_s(void);

/**
 * memsuite_alloc_stats_next_s() - when the next tests of a block will be so long ago
 * @pfn: a frame of the block, of 2 MiB
 * @age_s: seconds
 *
 * Context: any.
 * Return: seconds until then, without those that are so long ago; at most @age_s.
 */
unsigned int memsuite_alloc_stats_next_s(unsigned long pfn, unsigned int age_s);

/**
 * memsuite_alloc_stats_age_s() - how long ago a page was tested
 * @pfn: its frame; a page in use keeps the stamp that it was handed out with
 *
 * Context: any.
 * Return: seconds, or UINT_MAX if it is untested.
 */
unsigned int memsuite_alloc_stats_age_s(unsigned long pfn);

/**
 * memsuite_alloc_stats_uniform() - whether all pages of a block were tested together
 * @pfn: a frame of the block, of 2 MiB
 *
 * Context: any.
 * Return: true if they have one age, or are all untested; what is false may be so for no reason.
 */
bool memsuite_alloc_stats_uniform(unsigned long pfn);

/**
 * memsuite_alloc_stats_whole() - whether a page's last test was a whole one
 * @pfn: its frame
 *
 * Context: any.
 * Return: @whole of memsuite_alloc_stats_tested(); false if it is untested.
 */
bool memsuite_alloc_stats_whole(unsigned long pfn);

/**
 * struct memsuite_alloc_stats_counts - pages since the core was loaded, by order
 * @allocated: pages that were allocated
 * @untested: of these, without a test, or with one that had expired
 * @stale: pages that came back from their users without a test, or with one
 *	that had expired
 */
struct memsuite_alloc_stats_counts {
	u64 allocated[MEMSUITE_MAX_ORDER + 1];
	u64 untested[MEMSUITE_MAX_ORDER + 1];
	u64 stale[MEMSUITE_MAX_ORDER + 1];
};

/**
 * memsuite_alloc_stats_read() - read the demand of the whole machine
 * @counts: result
 *
 * Context: any; takes some microseconds for each CPU and node.
 */
void memsuite_alloc_stats_read(struct memsuite_alloc_stats_counts *counts);

#endif
