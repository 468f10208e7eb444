// SPDX-License-Identifier: GPL-2.0-only
/* Two tasks that count with one counter, each as if alone. Not installed anywhere. */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

static unsigned long counter;

static void count(void)
{
	counter++;
	cond_resched();
}

static int count_too(void *unused)
{
	while (!kthread_should_stop())
		count();
	return 0;
}

static int __init racetest_init(void)
{
	struct task_struct *other = kthread_run(count_too, NULL, "racetest");
	unsigned long end = jiffies + 5 * HZ;

	if (IS_ERR(other))
		return PTR_ERR(other);
	while (time_before(jiffies, end))
		count();
	kthread_stop(other);
	return 0;
}

static void __exit racetest_exit(void)
{
}

module_init(racetest_init);
module_exit(racetest_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Races for KCSAN to find");
