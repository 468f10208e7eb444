// SPDX-License-Identifier: GPL-2.0-only
/* How much may be moved in the background; move_quota.h. */

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>

#include "audit/move_quota.h"

/* Quota can be saved up for a second, and for a huge page at least. */
#define SAVED_MS	1000
#define SAVED_KIB	4096
#define KIB_PER_PAGE	((s64)PAGE_SIZE / 1024)
/* A quota of its own: moves take a tenth of the time of one CPU. So much tells how long. */
#define LEAST_KIB_S	16384
#define CPU_SHARE	10
#define MEASURED_KIB	32768

static unsigned int rate_kib_s = LEAST_KIB_S;
static bool rate_auto = true;

static DEFINE_MUTEX(quota_lock);	/* of what follows */
static s64 left_kib;			/* below 0: more was moved than was left */
static u64 added_ms;			/* when it was last added to */
static u64 moved_kib;			/* lately */
static u64 moving_ns;			/* how long that took */

static void quota_add(void)
{
	u64 now = ktime_to_ms(ktime_get()), rate = READ_ONCE(rate_kib_s), kib;
	s64 most = rate ? max_t(u64, rate * SAVED_MS / 1000, SAVED_KIB) : 0;

	added_ms = max_t(s64, added_ms, now - SAVED_MS);
	kib = (now - added_ms) * rate / 1000;
	left_kib = min_t(s64, left_kib + kib, most);
	/* The time that is not a KiB yet counts the next time. */
	added_ms = rate ? added_ms + kib * 1000 / rate : now;
}

long vipzone_move_quota_take(void)
{
	long pages;

	mutex_lock(&quota_lock);
	quota_add();
	/* The rest of less than a page is kept. */
	pages = max_t(s64, left_kib, 0) / KIB_PER_PAGE;
	left_kib -= pages * KIB_PER_PAGE;
	mutex_unlock(&quota_lock);
	return pages;
}

/* What moves faster may move more in the same time. */
static void quota_measure(u64 pages, u64 ns)
{
	u64 kib_s;

	moved_kib += pages * KIB_PER_PAGE;
	moving_ns += ns;
	if (moved_kib < MEASURED_KIB / 16 || !moving_ns)
		return;
	kib_s = div64_u64(moved_kib * (NSEC_PER_SEC / CPU_SHARE), moving_ns);
	if (READ_ONCE(rate_auto))
		WRITE_ONCE(rate_kib_s, clamp_t(u64, kib_s, LEAST_KIB_S, VIPZONE_MOVE_QUOTA_MAX));
	/* What was long ago counts less. */
	if (moved_kib >= MEASURED_KIB) {
		moved_kib /= 2;
		moving_ns /= 2;
	}
}

void vipzone_move_quota_return(long pages, u64 moved, u64 ns)
{
	mutex_lock(&quota_lock);
	left_kib += pages * KIB_PER_PAGE;
	quota_measure(moved, ns);
	mutex_unlock(&quota_lock);
}

unsigned int vipzone_move_quota_rate(void)
{
	return READ_ONCE(rate_kib_s);
}

/* Whoever says how much may be moved means it. */
int vipzone_move_quota_set_rate(u64 kib_s)
{
	WRITE_ONCE(rate_auto, false);
	WRITE_ONCE(rate_kib_s, kib_s);
	return 0;
}

bool vipzone_move_quota_is_auto(void)
{
	return READ_ONCE(rate_auto);
}

int vipzone_move_quota_set_auto(bool on)
{
	WRITE_ONCE(rate_auto, on);
	return 0;
}
