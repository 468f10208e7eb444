/* SPDX-License-Identifier: GPL-2.0-only */
/* Heads of what listens at tracepoints whose arguments, or headers, differ. */
#ifndef MEMSUITE_COMPAT_TRACE_PROBE_H
#define MEMSUITE_COMPAT_TRACE_PROBE_H

#include <linux/mm.h>
#include <linux/sched.h>

#include <trace/events/filemap.h>
#include <trace/events/huge_memory.h>
#include <trace/events/sched.h>

#if MEMSUITE_HAVE_EVENTS_EXCEPTIONS
#include <trace/events/exceptions.h>
#else
#include <asm/trace/exceptions.h>
#endif

/* At sched_process_exit: the argument is @task. 7.2 also tells whether it was the last thread. */
#if MEMSUITE_HAVE_EXIT_GROUP_DEAD
#define MEMSUITE_PROBE_EXIT(name) \
	static void name(void *data, struct task_struct *task, bool group_dead)
#else
#define MEMSUITE_PROBE_EXIT(name)	static void name(void *data, struct task_struct *task)
#endif

/* At sched_switch: the argument is @prev, who leaves the CPU. 6.1 also tells its state. */
#if MEMSUITE_HAVE_SWITCH_PREV_STATE
#define MEMSUITE_PROBE_SWITCH(name) \
	static void name(void *data, bool preempt, struct task_struct *prev, \
			 struct task_struct *next, unsigned int prev_state)
#else
#define MEMSUITE_PROBE_SWITCH(name) \
	static void name(void *data, bool preempt, struct task_struct *prev, \
			 struct task_struct *next)
#endif

/* At mm_filemap_add_to_page_cache: MEMSUITE_ADDED_PAGE is the first page of what has been added. */
#if MEMSUITE_HAVE_FOLIO
#define MEMSUITE_PROBE_FILEMAP_ADD(name)	static void name(void *data, struct folio *folio)
#define MEMSUITE_ADDED_PAGE			folio_page(folio, 0)
#else
#define MEMSUITE_PROBE_FILEMAP_ADD(name)	static void name(void *data, struct page *page)
#define MEMSUITE_ADDED_PAGE			page
#endif

/*
 * At mm_collapse_huge_page: the arguments are @mm and @status. 7.2 also tells the order; before,
 * all are of one size. Not HPAGE_PMD_ORDER: in a kernel without huge pages it does not build.
 */
#if MEMSUITE_HAVE_COLLAPSE_ORDER
#define MEMSUITE_PROBE_COLLAPSE(name) \
	static void name(void *data, struct mm_struct *mm, int isolated, int status, \
			 unsigned int order)
#define MEMSUITE_COLLAPSE_ORDER		order
#else
#define MEMSUITE_PROBE_COLLAPSE(name) \
	static void name(void *data, struct mm_struct *mm, int isolated, int status)
#define MEMSUITE_COLLAPSE_ORDER		(PMD_SHIFT - PAGE_SHIFT)
#endif

#endif
