/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether it is the memory that fails, or the CPU that tests it. */
#ifndef MEMDIAG_RESULT_TESTER_H
#define MEMDIAG_RESULT_TESTER_H

#include <linux/types.h>

/*
 * A page is looked at on the CPU that found it bad and on another one, in turn. If it is the memory
 * that fails, each failing look is as likely on the one as on the other: that so many are all on
 * the first one has a probability of 1 in 64.
 */
#define MEMDIAG_TESTER_ALONE	6

/* So many looks at each of the two, whatever time they take, where the page fails now and then. */
#define MEMDIAG_TESTER_LOOKS	64

/* Findings in doubt, more than were confirmed meanwhile, until a CPU is not trusted any more. */
#define MEMDIAG_TESTER_DOUBTS	3

/**
 * enum memdiag_opinion - what looks from two CPUs say of a page that has failed
 * @MEMDIAG_OPINION_OPEN: nothing yet
 * @MEMDIAG_OPINION_CONFIRMED: it is bad
 * @MEMDIAG_OPINION_DOUBTED: it is not; the CPU that found it is
 */
enum memdiag_opinion {
	MEMDIAG_OPINION_OPEN,
	MEMDIAG_OPINION_CONFIRMED,
	MEMDIAG_OPINION_DOUBTED,
};

/**
 * struct memdiag_tester - a CPU that tests
 * @doubts: findings of it in doubt, less those that were confirmed
 * @distrusted: it is not to test
 */
struct memdiag_tester {
	unsigned int doubts;
	bool distrusted;
};

/**
 * memdiag_tester_judge() - whether the memory fails or the tester
 * @failed_here: looks that failed, on the CPU that has found it
 * @failed_there: looks that failed on another one, of as many
 *
 * Pure.
 *
 * Return: the opinion.
 */
enum memdiag_opinion memdiag_tester_judge(unsigned int failed_here, unsigned int failed_there);

/**
 * memdiag_tester_doubt() - a block in which it found what no other CPU finds
 * @tester: the CPU
 *
 * Pure.
 *
 * Return: true if it is distrusted from now on.
 */
bool memdiag_tester_doubt(struct memdiag_tester *tester);

/**
 * memdiag_tester_confirm() - another CPU has found the same
 * @tester: the CPU
 *
 * Pure.
 */
void memdiag_tester_confirm(struct memdiag_tester *tester);

#endif
