// SPDX-License-Identifier: GPL-2.0-only
/* Data backgrounds. Pure logic: also built in user space. */

#include <linux/kernel.h>
#include <linux/string.h>

#include "march/background.h"

#define WALKING		8
#define GOLDEN		0x9e3779b97f4a7c15ULL	/* of the ratio, odd */

enum shape { SOLID, CHECKERBOARD, ADDRESS, RANDOM, WITHIN_WORD, BETWEEN_WORDS, WALK };

/*
 * WITHIN_WORD and BETWEEN_WORDS with SOLID are the log2(512) + 1 backgrounds
 * that tell any two bits of a line apart (van de Goor and Tlili, "March tests
 * for word-oriented memories", 1998): bits or words that alternate with a
 * period of 1, 2, 4 ... In WALK, a 1 walks over the 64 data wires; each wire
 * has it in one word of one of the eight.
 */
static const struct {
	enum shape shape;
	unsigned int argument;
} shapes[] = {
	{ SOLID, 0 },
	{ CHECKERBOARD, 0 },
	{ ADDRESS, 0 },
	{ RANDOM, 0 },
	{ WITHIN_WORD, 1 },
	{ WITHIN_WORD, 2 },
	{ WITHIN_WORD, 4 },
	{ WITHIN_WORD, 8 },
	{ WITHIN_WORD, 16 },
	{ WITHIN_WORD, 32 },
	{ BETWEEN_WORDS, 1 },
	{ BETWEEN_WORDS, 2 },
	{ BETWEEN_WORDS, 4 },
	{ WALK, 0 }, { WALK, 1 }, { WALK, 2 }, { WALK, 3 },
	{ WALK, 4 }, { WALK, 5 }, { WALK, 6 }, { WALK, 7 },
};

/* Ones and zeros that alternate every @period bits, zeros in the low ones. */
static u64 background_stripes(unsigned int period)
{
	u64 low = (1ULL << period) - 1, word = low;
	unsigned int bit;

	for (bit = 2 * period; bit < 64; bit += 2 * period)
		word |= low << bit;
	return ~word;
}

/* Steele, Lea and Flood's SplitMix: good for seeding others. */
static u64 next_random(u64 *state)
{
	u64 z = *state += GOLDEN;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* Every word of the line counts in odd steps; scattered, that is random. */
static void make_random(struct memdiag_background *background, u64 seed)
{
	unsigned int i;

	for (i = 0; i < MEMDIAG_LINE_WORDS; i++) {
		background->base[i] = next_random(&seed);
		background->step[i] = next_random(&seed) | 1;
	}
	background->scatter = true;
}

static void make_address(struct memdiag_background *background)
{
	unsigned int i;

	for (i = 0; i < MEMDIAG_LINE_WORDS; i++) {
		background->base[i] = i * sizeof(u64);
		background->step[i] = MEMDIAG_LINE_BYTES;
	}
}

static u64 fixed_word(enum shape shape, unsigned int argument, unsigned int i)
{
	switch (shape) {
	case CHECKERBOARD:
		return i % 2 ? ~background_stripes(1) : background_stripes(1);
	case WITHIN_WORD:
		return background_stripes(argument);
	case BETWEEN_WORDS:
		return i & argument ? ~0ULL : 0;
	case WALK:
		return 1ULL << (i * WALKING + argument);
	default:
		return 0;
	}
}

void memdiag_background_make(struct memdiag_background *background, unsigned int nr, u64 seed)
{
	unsigned int i, index = nr % MEMDIAG_BACKGROUNDS;
	enum shape shape = RANDOM;

	memset(background, 0, sizeof(*background));
	background->bit = MEMDIAG_BACKGROUND_NO_BIT;
	if (index < ARRAY_SIZE(shapes))
		shape = shapes[index].shape;
	if (shape == RANDOM) {
		make_random(background, seed ^ nr * GOLDEN);
		return;
	}
	if (shape == ADDRESS) {
		make_address(background);
		return;
	}
	for (i = 0; i < MEMDIAG_LINE_WORDS; i++)
		background->base[i] = fixed_word(shape, shapes[index].argument,
						 i);
}

u64 memdiag_background_word(const struct memdiag_background *background, u64 address)
{
	unsigned int i = address % MEMDIAG_LINE_BYTES / sizeof(u64);
	u64 line = address / MEMDIAG_LINE_BYTES;
	u64 word = background->base[i] + line * background->step[i];

	if (background->scatter)
		MEMDIAG_BACKGROUND_SCATTER(word);
	return line >> background->bit & 1 ? ~word : word;
}
