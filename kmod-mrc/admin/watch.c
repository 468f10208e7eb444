// SPDX-License-Identifier: GPL-2.0-only
/*
 * The watcher decides whether targets are tracked: when the administrator has enabled
 * it and, if asked for, only while memory is short (paper 001, section 4.2.3). Memory is
 * short when tasks wait for it, by the kernel's pressure stall information, or when
 * little of it is available. Not every kernel has that information, nor one that was
 * booted with psi=0; the other test works always. Each second the watcher also has the
 * groups looked through.
 */

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <memsuite/psi.h>

#include "admin/groups.h"
#include "admin/watch.h"
#include "target/group.h"
#include "target/target.h"
#include "target/tunables.h"

#define PERIOD	HZ
/* How long tracking goes on when memory is no longer short: some ladders. */
#define HOLD	(20 * HZ)

struct mrc_contention mrc_contention = {
	.pressure_pct = 1,
	.available_pct = 10,
};

static bool enabled;
static DEFINE_MUTEX(watch_lock);

/* When pressure was last read, and when memory was last short; of the work. */
static u64 stall_us;
static ktime_t stall_read;
static unsigned long short_until;

static bool memory_is_pressed(void)
{
	ktime_t now = ktime_get();
	s64 passed = ktime_us_delta(now, stall_read);
	u64 us, waited;

	if (memsuite_psi_read(MEMSUITE_PSI_MEMORY, &us))
		return false;
	waited = us - stall_us;
	stall_us = us;
	stall_read = now;
	/* What was before the first look is not known. */
	if (passed > 10 * USEC_PER_SEC || !READ_ONCE(mrc_contention.pressure_pct))
		return false;
	return waited * 100 >= passed * READ_ONCE(mrc_contention.pressure_pct);
}

static bool memory_is_little(void)
{
	return (u64)max(si_mem_available(), 0L) * 100 <
	       (u64)totalram_pages() * READ_ONCE(mrc_contention.available_pct);
}

static bool memory_is_short(void)
{
	bool pressed = memory_is_pressed();

	if (pressed || memory_is_little())
		short_until = jiffies + HOLD;
	else if (!READ_ONCE(mrc_contention.now))
		return false;
	return time_before(jiffies, short_until);
}

/* Under watch_lock. */
static void tracking_decide(void)
{
	bool only = READ_ONCE(mrc_contention.only);
	bool on;

	WRITE_ONCE(mrc_contention.now, enabled && only && memory_is_short());
	on = enabled && (!only || mrc_contention.now);
	if (on == READ_ONCE(mrc_enabled))
		return;
	WRITE_ONCE(mrc_enabled, on);
	wake_up_all(&mrc_changed);
}

static void watch_tick(struct work_struct *work);
static DECLARE_DELAYED_WORK(watch_work, watch_tick);

static void watch_tick(struct work_struct *work)
{
	bool any;

	mutex_lock(&watch_lock);
	tracking_decide();
	mutex_unlock(&watch_lock);
	mutex_lock(&mrc_targets_lock);
	any = mrc_groups_any();
	mutex_unlock(&mrc_targets_lock);
	if (any)
		mrc_groups_look();
	if (any || (READ_ONCE(enabled) && READ_ONCE(mrc_contention.only)))
		schedule_delayed_work(&watch_work, PERIOD);
}

/**
 * mrc_watch_kick() - there is something to look at
 */
void mrc_watch_kick(void)
{
	schedule_delayed_work(&watch_work, PERIOD);
}

/**
 * mrc_watch_enable() - the administrator enables tracking
 * @on: or disables it
 *
 * Context: may sleep.
 * Return: 0.
 */
int mrc_watch_enable(bool on)
{
	mutex_lock(&watch_lock);
	WRITE_ONCE(enabled, on);
	tracking_decide();
	mutex_unlock(&watch_lock);
	mrc_watch_kick();
	return 0;
}

/**
 * mrc_watch_enabled() - what the administrator has set
 *
 * Return: whether tracking is enabled, be it only while memory is short.
 */
bool mrc_watch_enabled(void)
{
	return READ_ONCE(enabled);
}

/**
 * mrc_watch_contended_only() - track only while memory is short
 * @on: or always
 *
 * Context: may sleep.
 * Return: 0.
 */
int mrc_watch_contended_only(bool on)
{
	mutex_lock(&watch_lock);
	WRITE_ONCE(mrc_contention.only, on);
	tracking_decide();
	mutex_unlock(&watch_lock);
	mrc_watch_kick();
	return 0;
}

/**
 * mrc_watch_source() - what tells on this kernel that memory is short
 *
 * Return: as the file contention_source shows it.
 */
const char *mrc_watch_source(void)
{
	u64 us;

	return memsuite_psi_read(MEMSUITE_PSI_MEMORY, &us) ? "available" :
		"pressure,available";
}

/**
 * mrc_watch_stop() - look no more; nobody starts it again
 *
 * Context: may sleep.
 */
void mrc_watch_stop(void)
{
	cancel_delayed_work_sync(&watch_work);
}
