/* SPDX-License-Identifier: GPL-2.0-only */
/* Huge pages of hugetlbfs, in use or in reserve. */
#ifndef MEMDIAG_PATHS_HUGETLB_H
#define MEMDIAG_PATHS_HUGETLB_H

struct page;

/**
 * memdiag_hugetlb_test() - have the kernel put another huge page in the place of one, and test it
 * @head: its first page
 * @order: of the huge page
 *
 * Contents go along, and the number of huge pages stays what it is. The frames are free then,
 * but for bad ones, which are retired. For the thread that moves memory in use alone.
 *
 * Context: may sleep.
 * Return: false if it could not be had: there is no free memory in one piece for the other
 * one; it is pinned, or of more than a pageblock, as those of 1 GiB; it is in use, and might go
 * to another memory node; the tests' budget is used up; or the kernel does not do that for
 * huge pages.
 */
bool memdiag_hugetlb_test(struct page *head, unsigned int order);

#endif
