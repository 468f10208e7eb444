/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving contents to tested frames of the same zone and the same regions, for inuse.c. */
#ifndef MEMDIAG_PATHS_MOVER_H
#define MEMDIAG_PATHS_MOVER_H

#include <linux/types.h>

#include <memsuite/migrate.h>
#include <memsuite/target_frames.h>

struct page;
struct zone;

/* Pages found before any is moved; the rest of a free block then goes back. */
#define MEMDIAG_MOVER_PAGES	1024

/**
 * struct memdiag_mover - moves the pages that a walk finds
 * @fresh_s: to frames whose test is less old
 * @targets: tested free frames of the range where the walk is
 * @above: those of higher zones in the same regions, for what may lie anywhere
 * @move: pages on their way, and by what became of them
 * @found: pages to be moved, each with a reference
 * @nr_found: how many
 * @large: where the next huge page goes to, or NULL
 * @left_large: pages of large folios for which there was no target
 * @is_short: sweeps have not tested as much of this range as is to be moved to
 * @holds: targets are held
 * @token: since then
 * @look_next: by zone of each node: targets are not looked for before, in jiffies, for there were
 *	none
 * @zone: where the walk is, among these
 *
 * One thread's. Private but for @is_short, @left_large and the outcomes of @move.
 */
struct memdiag_mover {
	unsigned int fresh_s;
	struct memsuite_target_frames targets;
	struct memsuite_target_frames above;
	struct memsuite_migrate move;
	struct page *found[MEMDIAG_MOVER_PAGES];
	unsigned int nr_found;
	struct page *large;
	u64 left_large;
	bool is_short;
	bool holds;
	int token;
	unsigned long *look_next;
	unsigned int zone;
};

/* May sleep. Returns 0 or -ENOMEM. */
int memdiag_mover_init(struct memdiag_mover *mover);
/* Nothing is found, and nothing held. */
void memdiag_mover_exit(struct memdiag_mover *mover);

/* Begin a walk, and count anew. */
void memdiag_mover_begin(struct memdiag_mover *mover, unsigned int fresh_s);

/**
 * memdiag_mover_go() - what follows lies in another range
 * @mover: nothing is found, and nothing held
 * @zone: of the range
 * @start: first frame of it
 * @end: first frame behind it
 * @top: where the regions that it lies in end, on this node
 */
void memdiag_mover_go(struct memdiag_mover *mover, struct zone *zone, unsigned long start,
		      unsigned long end, unsigned long top);

/*
 * Have a page moved: one of order 0 before memdiag_mover_run() returns, a large one at once. Its
 * reference becomes the mover's. May sleep.
 */
void memdiag_mover_add(struct memdiag_mover *mover, struct page *page);
void memdiag_mover_add_large(struct memdiag_mover *mover, struct page *page);

/* Move all that was added. Targets may stay held, for what comes next. May sleep. */
void memdiag_mover_run(struct memdiag_mover *mover);

/* Nothing is held from here on. May sleep. */
void memdiag_mover_release(struct memdiag_mover *mover);

#endif
