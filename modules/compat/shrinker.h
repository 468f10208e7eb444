/* SPDX-License-Identifier: GPL-2.0-only */
/* A module's one shrinker: allocated from 6.7 on, static before. */
#ifndef MEMSUITE_COMPAT_SHRINKER_H
#define MEMSUITE_COMPAT_SHRINKER_H

#include <linux/shrinker.h>

typedef unsigned long memsuite_shrink_fn(struct shrinker *shrinker,
					 struct shrink_control *control);

/*
 * memsuite_shrinker_register(): @seeks is 0 if what it frees takes no I/O to be made again; @flags
 * are SHRINKER_NUMA_AWARE if it is to be asked for each node, or 0.
 */
#if MEMSUITE_HAVE_SHRINKER_ALLOC

static struct shrinker *memsuite_shrinker;

static inline int memsuite_shrinker_register(memsuite_shrink_fn count,
					     memsuite_shrink_fn scan, int seeks,
					     unsigned int flags)
{
	memsuite_shrinker = shrinker_alloc(flags, "memsuite");
	if (!memsuite_shrinker)
		return -ENOMEM;
	memsuite_shrinker->count_objects = count;
	memsuite_shrinker->scan_objects = scan;
	memsuite_shrinker->seeks = seeks;
	shrinker_register(memsuite_shrinker);
	return 0;
}

static inline void memsuite_shrinker_unregister(void)
{
	shrinker_free(memsuite_shrinker);
}

#else

static struct shrinker memsuite_shrinker;

static inline int memsuite_shrinker_register(memsuite_shrink_fn count,
					     memsuite_shrink_fn scan, int seeks,
					     unsigned int flags)
{
	memsuite_shrinker.count_objects = count;
	memsuite_shrinker.scan_objects = scan;
	memsuite_shrinker.seeks = seeks;
	memsuite_shrinker.flags = flags;
#if MEMSUITE_HAVE_SHRINKER_NAME
	return register_shrinker(&memsuite_shrinker, "memsuite");
#else
	return register_shrinker(&memsuite_shrinker);
#endif
}

static inline void memsuite_shrinker_unregister(void)
{
	unregister_shrinker(&memsuite_shrinker);
}

#endif
#endif
