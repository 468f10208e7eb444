/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whom the handlers of hooks are asked about. Everybody else passes a hook that ftrace calls
 * directly in a few instructions, see hook/hook_direct.h. Who is asked about without being
 * watched is no harm: a handler has to know its own.
 */
#ifndef MEMSUITE_HOOK_WATCH_H
#define MEMSUITE_HOOK_WATCH_H

#include <linux/mm_types.h>
#include <linux/percpu.h>

#include <memsuite/hook.h>

/*
 * A byte for all address spaces of one hash, not 0 while one of them is watched: of 4,096, so
 * that a few hundred processes under policies leave most others alone. An address space is a
 * slab object, whose address tells it from others in the bits from the sixth on.
 */
#define MEMSUITE_HOOK_WATCH_SHIFT	6
#define MEMSUITE_HOOK_WATCH_SIZE	4096

/**
 * memsuite_hook_watch() - have allocations for an address space seen by fault.alloc and cache.alloc
 * @mm: the address space
 *
 * A program that is being executed is seen in any case, until its arguments are in place.
 *
 * Context: any but NMI; each call is taken back by one of memsuite_hook_unwatch().
 */
void memsuite_hook_watch(const struct mm_struct *mm);
void memsuite_hook_unwatch(const struct mm_struct *mm);

/* The same for all address spaces. May sleep. */
void memsuite_hook_watch_all(void);
void memsuite_hook_unwatch_all(void);

/**
 * memsuite_hook_watch_files() - have allocations for files seen, whoever they are for
 * @id: at MEMSUITE_HOOK_POINT_SHMEM_ALLOC or MEMSUITE_HOOK_POINT_CACHE_ALLOC
 *
 * Context: any but NMI; each call is taken back by one of memsuite_hook_unwatch_files().
 */
void memsuite_hook_watch_files(enum memsuite_hook_point_id id);
void memsuite_hook_unwatch_files(enum memsuite_hook_point_id id);

/**
 * memsuite_hook_mark() - the same, for who does not hear of an address space's end
 * @mm: the address space; is not looked at
 *
 * It stays so until marks are renewed, in the course of which all have to be marked anew, and
 * who comes meanwhile is marked as ever. One user at a time.
 *
 * Context: any but NMI.
 */
void memsuite_hook_mark(const struct mm_struct *mm);

/* May sleep. */
void memsuite_hook_marks_renew_begin(void);

/* Forgets all that was not marked since. May sleep. */
void memsuite_hook_marks_renew_end(void);

/* Have all allocations seen by alloc.entry, and take that back. May sleep. */
void memsuite_hook_watch_entry(void);
void memsuite_hook_unwatch_entry(void);

/**
 * struct memsuite_hook_entry_watch - what alloc.entry sees on a CPU
 * @next: somebody waits for the allocation that comes next
 * @all: all of them are watched
 */
struct memsuite_hook_entry_watch {
	u8 next;
	u8 all;
};

DECLARE_PER_CPU(struct memsuite_hook_entry_watch, memsuite_hook_entry_watch);

/* From a handler: whether alloc.entry sees the allocations that follow on this CPU. */
static inline void memsuite_hook_watch_next(bool watch)
{
	this_cpu_write(memsuite_hook_entry_watch.next, watch);
}

#endif
