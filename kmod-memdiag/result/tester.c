// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether it is the memory that fails, or the CPU that tests it. Pure logic: also built in user
 * space.
 */

#include <linux/kernel.h>

#include "result/tester.h"

enum memdiag_opinion memdiag_tester_judge(unsigned int failed_here, unsigned int failed_there)
{
	if (failed_there)
		return MEMDIAG_OPINION_CONFIRMED;
	return failed_here >= MEMDIAG_TESTER_ALONE ? MEMDIAG_OPINION_DOUBTED :
						     MEMDIAG_OPINION_OPEN;
}

bool memdiag_tester_doubt(struct memdiag_tester *tester)
{
	if (tester->distrusted)
		return false;
	tester->doubts++;
	tester->distrusted = tester->doubts >= MEMDIAG_TESTER_DOUBTS;
	return tester->distrusted;
}

void memdiag_tester_confirm(struct memdiag_tester *tester)
{
	if (tester->doubts)
		tester->doubts--;
}
