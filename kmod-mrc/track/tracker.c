// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracker of a target: a thread that follows its process through exec, waits
 * until its budget allows to look, and tracks it by the mode that is set.
 */

#include <linux/kthread.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/wait.h>

#include <compat/compat.h>
#include <memsuite/process.h>

#include "curve/curve.h"
#include "target/cpu_budget.h"
#include "target/target.h"
#include "target/tunables.h"
#include "track/ladder.h"
#include "track/mode_paper.h"
#include "track/mode_samples.h"
#include "track/pace.h"
#include "track/tracker.h"
#include "track/young_notifier.h"

/* A new target begins with these, until its cost is known. */
#define SAMPLES_START	1024
/* Who waits to be paid looks so often at what its process is doing. */
#define FOLLOW_US	USEC_PER_SEC

static struct mrc_cpu_budget budget_of_all;

static void modes_stop(struct mrc_target *t)
{
	mrc_young_notifier_stop(t);
	mrc_mode_paper_stop(t);
	mrc_mode_samples_stop(t);
}

/* Follow the process through exec. Return: 0, or -ESRCH: it has ended. */
static int tracker_follow(struct mrc_target *t)
{
	struct task_struct *task = get_pid_task(t->pid, PIDTYPE_TGID);
	struct mm_struct *mm;

	if (!task)
		return -ESRCH;
	mm = memsuite_process_mm(task);
	put_task_struct(task);
	if (!mm)
		return -ESRCH;
	if (mm != t->mm) {
		modes_stop(t);
		mmgrab(mm);
		mmdrop(t->mm);
		t->mm = mm;
		mrc_ladder_forget(t);
		mutex_lock(&t->lock);
		mrc_curve_reset(&t->curve);
		t->stats.execs++;
		mutex_unlock(&t->lock);
	}
	mmput_async(mm);
	return 0;
}

static int tracker_window(struct mrc_target *t)
{
	switch (t->mode) {
	case MRC_MODE_PAPER:
		return mrc_mode_paper_window(t);
	case MRC_MODE_SAMPLES:
		return mrc_mode_samples_window(t);
	default:
		return mrc_ladder_window(t);
	}
}

/* Return: 0: it may go on; -ESRCH: the process has ended; -EINTR: the tracker is to stop. */
static int tracker_look(struct mrc_target *t)
{
	int err = tracker_follow(t);

	if (err)
		return err;
	return mrc_pace_stopping() ? -EINTR : 0;
}

/* Leave the queues: the ladder that was paid for does not come. */
static void tracker_take_back(struct mrc_target *t)
{
	if (t->payer)
		mrc_cpu_budget_settle(t->payer, t->taken, 0);
	if (t->taken_of_all)
		mrc_cpu_budget_settle(&budget_of_all, t->taken_of_all, 0);
	t->payer = NULL;
	t->taken_of_all = 0;
}

static bool tracker_was_moved(const struct mrc_target *t)
{
	return t->payer != READ_ONCE(t->budget) ||
	       t->permille != READ_ONCE(mrc_tunables.max_cpu_permille);
}

/*
 * Wait for a turn. A program that is executed meanwhile has credit.
 *
 * Return: as tracker_look(); -EAGAIN if another budget is to pay, or it earns at another rate.
 */
static int tracker_await(struct mrc_target *t, u64 turn)
{
	u64 now = mrc_now_us();
	int err = 0;

	while (!err && !t->credit && now < turn &&
	       READ_ONCE(mrc_tunables.mode) == MRC_MODE_LADDER) {
		mrc_pace_pause(min_t(u64, turn - now, FOLLOW_US));
		err = tracker_look(t);
		if (!err && tracker_was_moved(t))
			err = -EAGAIN;
		now = mrc_now_us();
	}
	return err;
}

static int tracker_queue(struct mrc_target *t)
{
	u64 turn;
	int err;

	t->payer = READ_ONCE(t->budget);
	t->permille = READ_ONCE(mrc_tunables.max_cpu_permille);
	mrc_cpu_budget_set_rate(t->payer, t->permille);
	t->taken = mrc_pace_earned_us(t->cost_ns);
	turn = mrc_cpu_budget_queue(t->payer, mrc_now_us(), t->taken, t->credit);
	err = tracker_await(t, turn);
	if (err)
		return err;
	t->doubted &= !!t->credit;
	t->taken_of_all = mrc_pace_total_earned_us(t->cost_ns);
	turn = mrc_cpu_budget_queue(&budget_of_all, mrc_now_us(), t->taken_of_all, t->credit);
	return tracker_await(t, turn);
}

/*
 * Wait until the target's budget has earned one more ladder, and then that of all targets.
 *
 * Return: as tracker_look().
 */
static int tracker_await_turn(struct mrc_target *t)
{
	int err = tracker_look(t);

	t->payer = NULL;
	t->taken_of_all = 0;
	while (!err && READ_ONCE(mrc_tunables.mode) == MRC_MODE_LADDER) {
		err = tracker_queue(t);
		if (!err)
			return 0;
		tracker_take_back(t);
		if (err == -EAGAIN)
			err = 0;
	}
	return err;
}

/* Nothing of what one mode has found is of use to the other. */
static void mode_set(struct mrc_target *t, enum mrc_mode mode)
{
	u64 accesses;

	if (t->mode == mode)
		return;
	mrc_ladder_forget(t);
	modes_stop(t);
	mutex_lock(&t->lock);
	/* That was not found. */
	accesses = t->curve.accesses;
	mrc_curve_reset(&t->curve);
	t->curve.accesses = accesses;
	mutex_unlock(&t->lock);
	t->mode = mode;
}

/**
 * mrc_tracker_run() - track one target
 * @t: the target
 *
 * Context: a thread of its own.
 * Return: 0, once kthread_stop() is called; -ESRCH: its process has ended.
 */
int mrc_tracker_run(struct mrc_target *t)
{
	u64 began, cpu, seen = mrc_pace_cpu_ns(), last = 0;
	int err;

	/* Polite, but not so that points come late on a busy machine. */
	set_user_nice(current, 5);
	mrc_ladder_forget(t);
	t->samples = min_t(u32, SAMPLES_START, READ_ONCE(mrc_tunables.samples));
	while (!kthread_should_stop()) {
		if (!READ_ONCE(mrc_enabled)) {
			/* Idle ages would count the time off. */
			mrc_ladder_forget(t);
			modes_stop(t);
			last = 0;
			wait_event_idle(mrc_changed, kthread_should_stop() ||
					READ_ONCE(mrc_enabled));
			continue;
		}
		err = tracker_await_turn(t);
		if (err == -ESRCH)
			return err;
		if (err)
			continue;
		began = mrc_now_us();
		mode_set(t, READ_ONCE(mrc_tunables.mode));
		err = tracker_window(t);
		/* Told by ticks and switches: the rest comes with the next one. */
		cpu = mrc_pace_cpu_ns();
		t->cost_ns = cpu - seen;
		seen = cpu;

		mutex_lock(&t->lock);
		t->stats.cpu_ns += t->cost_ns;
		if (err && err != -EINTR)
			t->stats.ladders_skipped++;
		if (last) {
			t->stats.period_us = began - last;
			t->stats.enabled_ns += (began - last) * NSEC_PER_USEC;
		}
		mutex_unlock(&t->lock);
		last = began;
		if (t->payer)
			mrc_cpu_budget_settle(t->payer, t->taken,
					      mrc_pace_earned_us(t->cost_ns));
		if (t->taken_of_all)
			mrc_cpu_budget_settle(&budget_of_all, t->taken_of_all,
					      mrc_pace_total_earned_us(t->cost_ns));
		if (t->mode == MRC_MODE_LADDER)
			mrc_pace_pause(mrc_pace_after_ladder(t, mrc_now_us() - began));
		else if (err)
			mrc_pace_pause(100 * USEC_PER_MSEC);
	}
	return 0;
}

/**
 * mrc_tracker_free() - free what the tracker allocated, once it has stopped
 * @t: the target
 */
void mrc_tracker_free(struct mrc_target *t)
{
	modes_stop(t);
	mrc_ladder_free(t);
	mmdrop(t->mm);
}
