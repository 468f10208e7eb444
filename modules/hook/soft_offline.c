// SPDX-License-Identifier: GPL-2.0-only
/*
 * RAS tools take a page out of use that errs, by soft_offline_page(). The kernel does not know a
 * page that the suite holds, and refuses. So while there are pools, the function is redirected,
 * as a live patch would do it, to one that has the page given back, and then calls the kernel's.
 * Unlike a hook point this one sleeps in the module: who takes it away waits for those in it.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/wait.h>

#include <compat/ftrace.h>

#include "frame/buddy_isolate.h"
#include "hook/soft_offline.h"
#include "kernel/symbols.h"
#include "kernel/unexported_calls.h"

/* A page that was given back may be taken anew before the kernel sees it. */
#define TRIES	3

static DEFINE_MUTEX(use_lock);		/* of what follows */
static unsigned int users;
static bool hooked;
static unsigned long address;

static DEFINE_MUTEX(call_lock);		/* one page at a time */
static struct task_struct *caller;	/* whose calls are the kernel's own function */
static void (*page_give_back)(unsigned long pfn);
static atomic_t nr_inside = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(left);

/*
 * Neither a program's, nor free: the suite may hold it. What the caller has a reference of is
 * somebody's, whatever it is, and a second try would be without that reference.
 */
static bool may_be_held(unsigned long pfn, int flags)
{
	struct page *page = flags & MF_COUNT_INCREASED ? NULL : pfn_to_online_page(pfn);

	return page && !PageLRU(page) && !PageBuddy(page);
}

/* Not to the lists that CPUs have, where the kernel would not find it on all versions. */
static void page_release(unsigned long pfn)
{
	page_give_back(pfn);
	memsuite_kcall_drain_all_pages(page_zone(pfn_to_page(pfn)));
}

static noinline int soft_offline_redirected(unsigned long pfn, int flags)
{
	int err, tries = 0;

	atomic_inc(&nr_inside);
	mutex_lock(&call_lock);
	WRITE_ONCE(caller, current);
	memsuite_frames_leave(pfn);
	do {
		if (may_be_held(pfn, flags))
			page_release(pfn);
		err = memsuite_kcall_soft_offline_page(pfn, flags);
	} while (err && ++tries < TRIES && may_be_held(pfn, flags));
	memsuite_frames_leave(ULONG_MAX);
	WRITE_ONCE(caller, NULL);
	mutex_unlock(&call_lock);
	if (atomic_dec_and_test(&nr_inside))
		wake_up_all(&left);
	return err;
}

static void soft_offline_redirect(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	if (READ_ONCE(caller) != current)
		memsuite_ftrace_regs(fregs)->ip = (unsigned long)soft_offline_redirected;
}

static struct ftrace_ops redirect_ops = {
	.func = soft_offline_redirect,
	.flags = MEMSUITE_FTRACE_OPS_FLAGS | FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_IPMODIFY,
};

static int redirect_register(void)
{
	int err;

	if (!memsuite_kcall_soft_offline_there())
		return -EOPNOTSUPP;
	address = memsuite_symbol_traced("soft_offline_page");
	err = ftrace_set_filter_ip(&redirect_ops, address, 0, 0);
	if (err)
		return err;
	err = register_ftrace_function(&redirect_ops);
	if (err)
		ftrace_set_filter_ip(&redirect_ops, address, 1, 0);
	return err;
}

/*
 * For whoever was redirected and has not begun, ftrace waits. Then come those who have begun, and
 * those who have not quite left.
 */
static void redirect_unregister(void)
{
	if (unregister_ftrace_function(&redirect_ops)) {
		pr_crit("soft_offline_page cannot be unhooked: memsuite cannot be unloaded before the next boot\n");
		__module_get(THIS_MODULE);
		return;
	}
	ftrace_set_filter_ip(&redirect_ops, address, 1, 0);
	wait_event(left, !atomic_read(&nr_inside));
	synchronize_rcu_tasks();
	hooked = false;
}

void memsuite_soft_offline_get(void (*give_back)(unsigned long pfn))
{
	int err;

	mutex_lock(&use_lock);
	if (!users++ && !hooked) {
		page_give_back = give_back;
		err = redirect_register();
		hooked = !err;
		/* Without it, nobody takes pages offline. */
		if (err && IS_ENABLED(CONFIG_MEMORY_FAILURE))
			pr_warn_once("soft_offline_page cannot be hooked (%d): pages that are held do not go offline\n",
				     err);
	}
	mutex_unlock(&use_lock);
}

void memsuite_soft_offline_put(void)
{
	mutex_lock(&use_lock);
	if (!--users && hooked)
		redirect_unregister();
	mutex_unlock(&use_lock);
}
