/* SPDX-License-Identifier: GPL-2.0-only */
/* The test of one page at once, when it is allocated. */
#ifndef MEMDIAG_PATHS_ONDEMAND_H
#define MEMDIAG_PATHS_ONDEMAND_H

#include <linux/types.h>

/**
 * memdiag_ondemand_test() - test one page by the least that shows a stuck bit
 * @words: the page; zero on return, but for what is bad
 *
 * Context: any; a few microseconds.
 * Return: whether the page is good.
 */
bool memdiag_ondemand_test(u64 *words);

#endif
