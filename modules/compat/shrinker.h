/* SPDX-License-Identifier: GPL-2.0-only */
/* A module's one shrinker: allocated from 6.7 on, static before. */
#ifndef MEMSUITE_COMPAT_SHRINKER_H
#define MEMSUITE_COMPAT_SHRINKER_H

#include <linux/shrinker.h>

typedef unsigned long ms_shrink_fn(struct shrinker *shrinker,
				   struct shrink_control *control);

#if MS_HAVE_SHRINKER_ALLOC

static struct shrinker *ms_shrinker;

static inline int ms_shrinker_register(ms_shrink_fn count, ms_shrink_fn scan, int seeks)
{
	ms_shrinker = shrinker_alloc(0, "memsuite");
	if (!ms_shrinker)
		return -ENOMEM;
	ms_shrinker->count_objects = count;
	ms_shrinker->scan_objects = scan;
	ms_shrinker->seeks = seeks;
	shrinker_register(ms_shrinker);
	return 0;
}

static inline void ms_shrinker_unregister(void)
{
	shrinker_free(ms_shrinker);
}

#else

static struct shrinker ms_shrinker;

/* @seeks: 0 if what it frees takes no I/O to be made again */
static inline int ms_shrinker_register(ms_shrink_fn count, ms_shrink_fn scan, int seeks)
{
	ms_shrinker.count_objects = count;
	ms_shrinker.scan_objects = scan;
	ms_shrinker.seeks = seeks;
#if MS_HAVE_SHRINKER_NAME
	return register_shrinker(&ms_shrinker, "memsuite");
#else
	return register_shrinker(&ms_shrinker);
#endif
}

static inline void ms_shrinker_unregister(void)
{
	unregister_shrinker(&ms_shrinker);
}

#endif
#endif
