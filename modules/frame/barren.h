/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Barren pageblocks: those of a range in which a walk found nothing to take. Later
 * walks leave them out, so that what a walk costs follows what is free, not what there is.
 *
 * Nothing tells that memory is freed, without a cost to whoever frees it. But what was
 * freed lately lies at the ends of the kernel's free lists: memsuite_barren_peek(). What
 * does not come to lie there is found by looking at pageblocks anew, at the first frame of
 * many and at all frames of a few: memsuite_barren_look_again().
 */
#ifndef MEMSUITE_FRAME_BARREN_H
#define MEMSUITE_FRAME_BARREN_H

/**
 * struct memsuite_barren - which pageblocks of a range are barren
 * @start_pfn: first frame of the range
 * @end_pfn: first frame behind it
 * @first: number of its first pageblock
 * @nr: how many
 * @again: where pageblocks are looked at anew next
 * @again_head: and where their first frames are
 * @bits: one each; set and cleared by anybody, without a lock
 */
struct memsuite_barren {
	unsigned long start_pfn;
	unsigned long end_pfn;
	unsigned long first;
	unsigned long nr;
	unsigned long again;
	unsigned long again_head;
	unsigned long *bits;
};

/* Context: may sleep. Return: 0, or -ENOMEM. */
int memsuite_barren_init(struct memsuite_barren *barren, unsigned long start_pfn,
			 unsigned long end_pfn);
void memsuite_barren_exit(struct memsuite_barren *barren);

/* The next frame, from @pfn on, that is in no barren pageblock. Context: any. */
unsigned long memsuite_barren_skip(const struct memsuite_barren *barren, unsigned long pfn);

/* A walk has found nothing from @from up to @to. Context: any. */
void memsuite_barren_note(struct memsuite_barren *barren, unsigned long from, unsigned long to);

/* Forgets it of all. Context: any. */
void memsuite_barren_forget(struct memsuite_barren *barren);

/*
 * Forgets of @nr barren pageblocks that they are, the next ones; and of those among the
 * next @nr_heads that are free as a whole. Context: any; of two at a time, one may leave
 * out what the other looks at.
 */
void memsuite_barren_look_again(struct memsuite_barren *barren, unsigned int nr,
				unsigned int nr_heads);

/*
 * Forgets it of those in which something was freed lately: of so many @blocks at each end
 * of each free list. Context: takes zones' locks, once for each list.
 */
void memsuite_barren_peek(struct memsuite_barren *barren, int blocks);

#endif
