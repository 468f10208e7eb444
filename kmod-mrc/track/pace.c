// SPDX-License-Identifier: GPL-2.0-only
/*
 * How trackers keep time: they sleep until they look again, and pause so that the CPU
 * time they spend stays within the budget.
 */

#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "target/target.h"
#include "target/tunables.h"
#include "track/pace.h"

/* Each sub-sample needs some, whatever the CPU budget says. */
#define SAMPLES_FLOOR	1024
/* Tracking takes one part in so many more of the CPU time than its thread sees. */
#define UNSEEN		4
#define PAUSE_MAX_US	(60 * USEC_PER_SEC)

/**
 * mrc_pace_stopping() - whether the tracker that calls it is to stop
 *
 * Return: true if it is to end, or tracking was switched off.
 */
bool mrc_pace_stopping(void)
{
	return kthread_should_stop() || !READ_ONCE(mrc_enabled);
}

/**
 * mrc_pace_sleep_until() - sleep, as a tracker
 * @us: until then
 *
 * Return: false if the tracker is to stop.
 */
bool mrc_pace_sleep_until(u64 us)
{
	ktime_t at = ns_to_ktime(us * NSEC_PER_USEC);

	while (!mrc_pace_stopping() && mrc_now_us() < us) {
		set_current_state(TASK_IDLE);
		if (!kthread_should_stop())
			schedule_hrtimeout_range(&at, 50 * NSEC_PER_USEC,
						 HRTIMER_MODE_ABS);
		__set_current_state(TASK_RUNNING);
	}
	return !mrc_pace_stopping();
}

/**
 * mrc_pace_cpu_ns() - CPU time of the tracker that calls it
 *
 * Return: what it has spent so far, in ns.
 */
u64 mrc_pace_cpu_ns(void)
{
	return READ_ONCE(current->se.sum_exec_runtime);
}

/* ns of CPU over permille of it are us of time. Interrupts and switches count. */
static u64 earned_us(u64 ns, u32 permille)
{
	return div_u64(ns + ns / UNSEEN, permille);
}

/**
 * mrc_pace_earned_us() - how long a target's budget takes to earn some CPU time
 * @ns: CPU time that a tracker has seen
 *
 * Return: the time, in us.
 */
u64 mrc_pace_earned_us(u64 ns)
{
	return earned_us(ns, READ_ONCE(mrc_tunables.max_cpu_permille));
}

/**
 * mrc_pace_total_earned_us() - how long the budget of all targets takes to earn it
 * @ns: CPU time that a tracker has seen
 *
 * What one target may take, all may.
 *
 * Return: the time, in us.
 */
u64 mrc_pace_total_earned_us(u64 ns)
{
	return earned_us(ns, max(READ_ONCE(mrc_tunables.total_cpu_permille),
				 READ_ONCE(mrc_tunables.max_cpu_permille)));
}

/**
 * mrc_pace_after_ladder() - a ladder is over: fit the next one to the budget
 * @t: the target
 * @took_us: how long it took
 *
 * It sets how many samples the next one has, so that the pause can be short.
 *
 * Return: how long to pause, so that the CPU time spent stays within the budget.
 */
u64 mrc_pace_after_ladder(struct mrc_target *t, u64 took_us)
{
	u64 earned = mrc_pace_earned_us(t->cost_ns);
	u64 period = earned * READ_ONCE(t->sharers);
	/* Who shares the budget takes its part out of it when it needs one: most need little. */
	u64 pause = earned > took_us ? earned - took_us : 0;
	u32 most = READ_ONCE(mrc_tunables.samples);
	u64 want;

	want = div64_u64(t->samples * (took_us + took_us / 4), period + 1);
	want = clamp_t(u64, want, t->samples / 2, t->samples * 2ULL);
	t->samples = clamp_t(u64, want, min_t(u32, SAMPLES_FLOOR, most), most);

	if (t->credit) {
		t->credit--;
		pause = 0;
	}
	/* Never in step with the program. */
	pause = max(pause, took_us / 32);
	pause += div_u64(pause * (get_random_u32() & 255), 1024);
	return min_t(u64, pause, PAUSE_MAX_US);
}

/**
 * mrc_pace_pause() - pause, as a tracker, unless it is to stop or another mode is wanted
 * @us: for so long
 */
void mrc_pace_pause(u64 us)
{
	enum mrc_mode mode = READ_ONCE(mrc_tunables.mode);

	wait_event_idle_timeout(mrc_changed, mrc_pace_stopping() ||
				READ_ONCE(mrc_tunables.mode) != mode,
				usecs_to_jiffies(us) + 1);
}
