/* SPDX-License-Identifier: GPL-2.0-only */
/* What is counted and measured of a target. */
#ifndef MRC_TARGET_TARGET_STATS_H
#define MRC_TARGET_TARGET_STATS_H

#include <linux/types.h>

/*
 * The lines of the file stats, in this order. Counts are since the target was
 * added; from samples on it is as of the last ladder.
 */
struct mrc_stats {
	u64 enabled_ns;			/* time that it was tracked */
	u64 cpu_ns;			/* of which the tracker ran */
	u64 ladders;			/* that are complete */
	u64 ladders_skipped;		/* given up: lock contended, exec */
	u64 rungs_skipped;		/* late, or lock contended */
	u64 enumerations;		/* of the page tables */
	u64 pte_reads;			/* accessed bits read */
	u64 pte_clears;			/* accessed bits found set and cleared */
	u64 tlb_flushes;
	u64 execs;			/* address spaces left behind */
	u64 shadow_young;		/* accessed bits kept for reclaim */
	u64 shadow_returned;		/* and given back to it */
	u64 samples;			/* pages in the sample */
	u64 samples_huge;		/* of them huge */
	u64 samples_absent;		/* of them not present */
	u64 samples_censored;		/* left out of the last ladder */
	u64 pages_per_sample;
	u64 resident_pages;		/* mapped, base and huge */
	u64 huge_pages;			/* of them, in pages of 4 KiB */
	u64 swapped_pages;
	u64 ladder_us;			/* its longest window */
	u64 period_us;			/* between the last two ladders */
	u64 horizon_us;			/* longest window, by idle age */
	u64 floor_us;			/* finest window that was read */
	u64 floor_pages;		/* below this size the curve is blind */
	u64 touches_per_s;		/* distinct pages, at the floor */
	u64 wss_pages;			/* working set of the ladder's window */
	u64 wss_10ms_pages;
	u64 wss_100ms_pages;
	u64 wss_1s_pages;
	u64 epochs;			/* of mode paper */
	u64 epochs_skipped;		/* cut short: lock contended */
	u64 protections;		/* pages protected */
	u64 protection_faults;		/* touches of protected pages */
	u64 protection_off;		/* how often it was switched off */
	u64 faults_lost;		/* that were too many at once; or samples */
	u64 restored;			/* pages unprotected without a touch */
	u64 protected_pages;		/* as of the last epoch */
	u64 scan_pages;			/* looked at in it */
	u64 stuck_pages;		/* that cannot be protected */
};

#endif
