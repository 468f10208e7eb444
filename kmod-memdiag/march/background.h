/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data backgrounds: what "0" of a march test stands for in each line of
 * memory; "1" is its complement.
 */
#ifndef MEMDIAG_MARCH_BACKGROUND_H
#define MEMDIAG_MARCH_BACKGROUND_H

#include <linux/types.h>

#define MEMDIAG_LINE_BYTES	64
#define MEMDIAG_LINE_WORDS	(MEMDIAG_LINE_BYTES / sizeof(u64))

/* How many there are before they begin anew with other random numbers. */
#define MEMDIAG_BACKGROUNDS	32

#define MEMDIAG_BACKGROUND_NO_BIT	63

/**
 * struct memdiag_background - a function of the physical address of a line
 * @base: the words of the line at address 0
 * @step: what each of them grows by from line to line
 * @scatter: whether they are scattered by xorshift on top of that
 * @bit: lines whose number has this bit set are inverted
 */
struct memdiag_background {
	u64 base[MEMDIAG_LINE_WORDS];
	u64 step[MEMDIAG_LINE_WORDS];
	bool scatter;
	unsigned int bit;
};

/**
 * memdiag_background_make() - make one of the backgrounds
 * @background: result
 * @nr: which, from 0; from MEMDIAG_BACKGROUNDS on, only the random ones differ
 * @seed: of the random ones
 *
 * The first few are chosen so that a low fidelity gets the most of them. Behind
 * a scrambler, all that is left of a pattern is that its complement is its
 * complement, and only other random numbers add to that.
 */
void memdiag_background_make(struct memdiag_background *background, unsigned int nr, u64 seed);

/**
 * memdiag_background_word() - a word of a background
 * @background: the background
 * @address: of the word, physical
 *
 * Return: the word.
 */
u64 memdiag_background_word(const struct memdiag_background *background, u64 address);

/* Marsaglia, "Xorshift RNGs", 2003. Also of vectors of u64. */
#define MEMDIAG_BACKGROUND_SCATTER(v) do {				\
	(v) ^= (v) << 13;						\
	(v) ^= (v) >> 7;						\
	(v) ^= (v) << 17;						\
} while (0)

#endif
