// SPDX-License-Identifier: GPL-2.0-only
/*
 * The on-demand test of one page (COMeT, section 3.2): the least that shows a
 * stuck bit, {c(w1);c(r1,w0);c(r0)}. It runs in page faults, with interrupts
 * off: no floating point, nothing that sleeps, a few microseconds.
 */

#include <linux/compiler.h>
#include <linux/mm.h>
#include <asm/barrier.h>

#include "march/background.h"
#include "march/mcsafe.h"
#include "paths/ondemand.h"

#define WORDS	(PAGE_SIZE / sizeof(u64))

/* Past the caches, so that the read that follows comes from memory. */
static inline void write_word(u64 *word, u64 value)
{
	asm volatile("movnti %1, %0" : "=m" (*word) : "r" (value));
}

/* The first word of a line is read with care; the others are in the cache then. */
static inline bool word_is_readable(const u64 *words, size_t i)
{
	return i % MEMDIAG_LINE_WORDS || memdiag_mcsafe_read(&words[i]);
}

bool memdiag_ondemand_test(u64 *words)
{
	u64 wrong = 0;
	size_t i;

	for (i = 0; i < WORDS; i++)
		write_word(&words[i], ~0ULL);
	/* Out of the write-combining buffers before anything is read. */
	wmb();
	for (i = 0; i < WORDS; i++) {
		if (!word_is_readable(words, i))
			return false;
		wrong |= ~READ_ONCE(words[i]);
		write_word(&words[i], 0);
	}
	/* Likewise. */
	wmb();
	for (i = 0; i < WORDS; i++) {
		if (!word_is_readable(words, i))
			return false;
		wrong |= READ_ONCE(words[i]);
	}
	return !wrong;
}
