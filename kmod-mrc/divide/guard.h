/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether evicting helps, by how long programs wait for memory. Pure logic. */
#ifndef MRC_DIVIDE_GUARD_H
#define MRC_DIVIDE_GUARD_H

#include <linux/types.h>

/**
 * enum mrc_guard_phase - what is being found out
 * @MRC_GUARD_WATCH: shares bind, and it is seen how long programs wait
 * @MRC_GUARD_TRIAL: the same, for seconds, without shares
 * @MRC_GUARD_UNDONE: programs were better off without shares, which are lifted for some
 *	time
 */
enum mrc_guard_phase {
	MRC_GUARD_WATCH,
	MRC_GUARD_TRIAL,
	MRC_GUARD_UNDONE,
};

/**
 * struct mrc_guard_look - what has been counted up to now
 * @now: us
 * @waited: time in which some program waited for memory, in us
 * @evicted: pages evicted of targets
 * @fetched: major faults of targets
 * @swapped: pages that targets have in swap now
 */
struct mrc_guard_look {
	u64 now;
	u64 waited;
	u64 evicted;
	u64 fetched;
	u64 swapped;
};

/**
 * struct mrc_guard - what is known; zeroed, it is about to begin
 * @phase: what is being found out
 * @undone: how often it was found that shares do not help
 * @entered: when the phase began, in us
 * @begin: counts that others are compared with: in watching, since the window began
 * @settled: in a trial: what was evicted before has come back, and @begin is after that
 * @with: how long programs waited with shares, in thousandths of the time
 * @fetched_with: major faults a second then
 * @trial_at: no trial before that, in us
 * @trial_us: how long it is to the trial after the next one
 * @undone_us: how long shares are lifted next time
 */
struct mrc_guard {
	enum mrc_guard_phase phase;
	u64 undone;
	u64 entered;
	struct mrc_guard_look begin;
	bool settled;
	u64 with;
	u64 fetched_with;
	u64 trial_at;
	u64 trial_us;
	u64 undone_us;
};

bool mrc_guard_see(struct mrc_guard *g, const struct mrc_guard_look *look);

#endif
