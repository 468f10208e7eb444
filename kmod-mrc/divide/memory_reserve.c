// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much memory is available, and how much of it is to stay so.
 *
 * The kernel begins to reclaim when free memory has fallen to the low watermarks; what
 * is called available here lies above the high ones. As long as there is any, programs
 * may have all of it. When they want more, or the kernel takes it from some of them, a
 * reserve is kept from then on, for pages that are evicted take memory until they are
 * written. It is given up when programs have not wanted more than there is for some time.
 */

#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/vmstat.h>

#include <compat/vmstat.h>
#include <memsuite/reclaim_pages.h>

#include "divide/memory_reserve.h"
#include "target/target.h"

/* The most that is kept is such a part of what is divided. */
#define PART		32
/* Memory is scarce when less than such a part of it is available. */
#define SCARCE_PART	8
/* How long memory has to be enough. */
#define CALM_US		(5 * USEC_PER_SEC)
/* So many pages of programs are taken by the kernel at once, if any are. */
#define STOLEN_MIN	32

/* Pages that are to stay available, since the last division. */
u64 mrc_reserve_kept;

/* When memory was short last, and scarce, in us; 0: never. */
static u64 short_at;
static u64 scarce_at;
/* Pages that the kernel had taken by then. */
static unsigned long stolen;

static u64 low_watermarks(void)
{
	struct zone *zone;
	u64 pages = 0;
	int nid;

	for_each_online_node(nid)
		for (zone = NODE_DATA(nid)->node_zones;
		     zone < NODE_DATA(nid)->node_zones + MAX_NR_ZONES; zone++)
			pages += low_wmark_pages(zone);
	return pages;
}

/* What the kernel counts as available of so much page cache. */
static u64 cache_available(u64 pages, u64 low)
{
	return pages - min(pages / 2, low);
}

/**
 * mrc_reserve_available() - memory that is to be had without evicting anybody's
 *
 * The kernel counts pages of files as available that somebody maps: they are left out
 * here. So is the swap cache: what was read ahead is evicted no sooner than pages that
 * are in use. Of a tmpfs' pages, which are not on the lists of files, the kernel does
 * not tell how many are mapped: all may be.
 *
 * Return: pages.
 */
u64 mrc_reserve_available(void)
{
	u64 cache = global_node_page_state(NR_ACTIVE_FILE) +
		    global_node_page_state(NR_INACTIVE_FILE);
	u64 mapped = global_node_page_state(NR_FILE_MAPPED);
	u64 low = low_watermarks(), less;

	mapped -= min_t(u64, mapped, global_node_page_state(NR_SHMEM));
	mapped = min(mapped, cache);
	less = cache_available(cache, low) - cache_available(cache - mapped, low);
	return max_t(s64, si_mem_available() - (s64)less, 0);
}

static bool was_lately(u64 us)
{
	return us && mrc_now_us() - us < CALM_US;
}

/**
 * mrc_reserve_is_scarce() - whether programs could use up before long what is available
 *
 * Context: the enforcer alone.
 * Return: true if less than an eighth of memory is available, or was in the last seconds.
 */
bool mrc_reserve_is_scarce(void)
{
	if (mrc_reserve_available() < totalram_pages() / SCARCE_PART)
		scarce_at = mrc_now_us();
	return was_lately(scarce_at);
}

/**
 * mrc_reserve_pages() - memory that is to stay available, if none is set
 * @used: pages that targets have, and that are available
 * @targets: how many targets there are
 *
 * There is room for what can be on its way out at a time.
 *
 * Return: pages.
 */
u64 mrc_reserve_pages(u64 used, unsigned int targets)
{
	if (!was_lately(READ_ONCE(short_at)))
		return 0;
	return min_t(u64, used / PART, (u64)targets * MEMSUITE_RECLAIM_MAX);
}

/*
 * Since it was last asked. What is evicted here the kernel does not count. What a control group
 * that is at its limit loses it counts as well: where memory is left, a reserve costs nobody
 * anything.
 */
static bool kernel_stole(void)
{
	unsigned long now = memsuite_vmstat_stolen_anon(), pages = now - stolen;

	stolen = now;
	return pages >= STOLEN_MIN;
}

/**
 * mrc_reserve_begin() - memory will be divided from now on
 *
 * What was short, and was taken, before does not count. Whether it is scarce is not known yet.
 */
void mrc_reserve_begin(void)
{
	WRITE_ONCE(short_at, 0);
	scarce_at = mrc_now_us();
	stolen = memsuite_vmstat_stolen_anon();
}

/**
 * mrc_reserve_see() - memory is about to be divided
 * @is_short: programs will want more than is available before the next time
 *
 * Context: mrc_targets_lock is held.
 */
void mrc_reserve_see(bool is_short)
{
	if (kernel_stole() || is_short)
		WRITE_ONCE(short_at, mrc_now_us());
}
