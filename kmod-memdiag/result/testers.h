/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPUs that test, and which of them are trusted. */
#ifndef MEMDIAG_RESULT_TESTERS_H
#define MEMDIAG_RESULT_TESTERS_H

#include <linux/cpumask.h>
#include <linux/types.h>

/* All are trusted again: memdiag is enabled. May sleep. */
void memdiag_testers_begin(void);

/**
 * memdiag_testers_other() - a CPU for a second opinion
 * @cpu: not that one, and if there is another one no thread of its core, which shares its caches
 *
 * Context: any. It may go offline at any time.
 * Return: an online CPU, trusted if there is one; -1: there is no other.
 */
int memdiag_testers_other(int cpu);

/**
 * memdiag_testers_doubt() - in a block, a CPU has found what no other one finds
 * @cpu: the CPU
 * @address: of such a page
 *
 * If that comes again and again it is not trusted any more, which the kernel log tells.
 *
 * Context: may sleep.
 */
void memdiag_testers_doubt(int cpu, u64 address);

/**
 * memdiag_testers_confirm() - another CPU has found the same as this one
 * @cpu: the CPU
 *
 * Context: may sleep.
 */
void memdiag_testers_confirm(int cpu);

/**
 * memdiag_testers_keep_trusted() - those that may test
 * @mask: those that are not trusted are taken out of it
 *
 * Context: any.
 */
void memdiag_testers_keep_trusted(struct cpumask *mask);

/* Changes when one is not trusted any more. Any context. */
unsigned int memdiag_testers_version(void);

/* Blocks in doubt so far; and those distrusted, as a list of CPUs, into a page of sysfs. */
u64 memdiag_testers_doubted_blocks(void);
ssize_t memdiag_testers_show(char *buf);

#endif
