// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the suite keeps interrupts or preemption off, in /sys/kernel/debug/stretchtest/:
 *
 *   worst	reading gives the longest stretch of each kind and place, "NS KIND WHERE", with the
 *		stack at its end
 *   reset	writing anything forgets them
 *
 * It listens at the tracepoints that the irqsoff and preemptoff tracers have
 * (CONFIG_IRQSOFF_TRACER, CONFIG_PREEMPT_TRACER; without these it does not load). Those keep the
 * longest stretch of all, which is the kernel's own; this keeps the suite's. KIND is
 *
 *   irqs	the suite switched interrupts off
 *   preempt	the suite switched preemption off: what interrupts took meanwhile is left out
 *   call	a function of the suite that the kernel calls with either off: of the parameter
 *		calls=, of an interrupt sent by the suite, of a timer. Ftrace and tracepoints switch
 *		preemption off unseen.
 *   below	the kernel did, in a call of the suite's: its own affair, told for the record
 *
 * Not installed anywhere.
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
#define get_kretprobe(instance)	((instance)->rp)
#endif

#define PLACES	128
#define DEPTH	24
#define MAX_CALLS 32

static unsigned int least_ns = 5000;
module_param(least_ns, uint, 0600);
MODULE_PARM_DESC(least_ns, "what is shorter is not kept");

static char *calls[MAX_CALLS];
static int nr_calls;
module_param_array(calls, charp, &nr_calls, 0400);
MODULE_PARM_DESC(calls, "functions as module:function");

static const char * const suite[] = {
	"[memsuite]", "[memdiag]", "[vipzone]", "[mrc]", "[dm_vstore]",
};

enum kind { IRQS, PREEMPT, CALL, BELOW };
static const char * const kinds[] = { "irqs", "preempt", "call", "below" };

struct place {
	enum kind kind;
	unsigned long where;
	u64 ns;
	unsigned int depth;
	unsigned long stack[DEPTH];
};

static struct place places[PLACES];
static unsigned int nr_places;
static bool full;
static DEFINE_RAW_SPINLOCK(places_lock);

struct stretch {
	u64 began;
	u64 elsewhere;	/* what interrupts, and this module, had taken on this CPU by then */
	unsigned long where;
};

static DEFINE_PER_CPU(struct stretch, irqs);
static DEFINE_PER_CPU(struct stretch, preempt);
static DEFINE_PER_CPU(struct stretch, called);
static DEFINE_PER_CPU(struct stretch, interrupt);
static DEFINE_PER_CPU(u64, elsewhere);
static struct dentry *directory;

static bool of_suite(unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];
	size_t i;

	sprint_symbol_no_offset(name, address);
	for (i = 0; i < ARRAY_SIZE(suite); i++)
		if (strstr(name, suite[i]))
			return true;
	return false;
}

static struct place *place_of(enum kind kind, unsigned long where)
{
	unsigned int i;

	for (i = 0; i < nr_places; i++)
		if (places[i].kind == kind && places[i].where == where)
			return &places[i];
	if (nr_places == PLACES) {
		full = true;
		return NULL;
	}
	places[nr_places] = (struct place){ .kind = kind, .where = where };
	return &places[nr_places++];
}

static void keep(enum kind kind, unsigned long where, u64 ns)
{
	struct place *place;
	unsigned long flags;

	raw_spin_lock_irqsave(&places_lock, flags);
	place = place_of(kind, where);
	if (place && ns > place->ns) {
		place->ns = ns;
		place->depth = stack_trace_save(place->stack, DEPTH, 2);
	}
	raw_spin_unlock_irqrestore(&places_lock, flags);
}

/* What switches interrupts or preemption on, for another function. */
static bool is_primitive(unsigned long address)
{
	static const char * const begin[] = {
		"_raw_", "preempt_", "__local_bh_", "trace_", "kernel_fpu_", "0x",
	};
	char name[KSYM_SYMBOL_LEN];
	size_t i;

	sprint_symbol_no_offset(name, address);
	for (i = 0; i < ARRAY_SIZE(begin); i++)
		if (str_has_prefix(name, begin[i]))
			return true;
	return false;
}

/* The first function of the suite on the stack; 0: none. @by_itself: the stretch ends in it */
static unsigned long suite_function(bool *by_itself)
{
	unsigned long stack[DEPTH];
	unsigned int depth = stack_trace_save(stack, DEPTH, 2), i;

	*by_itself = true;
	for (i = 0; i < depth; i++) {
		if (of_suite(stack[i]))
			return stack[i];
		if (!is_primitive(stack[i]))
			*by_itself = false;
	}
	return 0;
}

/* To look up symbols takes long, and may be in the middle of another stretch. */
static void leave_out_since(u64 began)
{
	this_cpu_add(elsewhere, local_clock() - began);
}

static void begin(struct stretch *stretch, unsigned long where)
{
	stretch->where = where;
	stretch->elsewhere = this_cpu_read(elsewhere);
	stretch->began = local_clock();
}

static void end(struct stretch *stretch, enum kind kind)
{
	u64 now = local_clock(), ns = now - stretch->began;
	unsigned long where;
	bool by_itself;

	if (!stretch->began)
		return;
	stretch->began = 0;
	ns -= min(ns, this_cpu_read(elsewhere) - stretch->elsewhere);
	if (ns < READ_ONCE(least_ns))
		return;
	where = suite_function(&by_itself);
	if (of_suite(stretch->where))
		keep(kind, stretch->where, ns);
	else if (where)
		keep(by_itself ? kind : BELOW, where, ns);
	leave_out_since(now);
}

static void irqs_off(void *data, unsigned long where, unsigned long caller)
{
	begin(this_cpu_ptr(&irqs), where);
}

static void irqs_on(void *data, unsigned long where, unsigned long caller)
{
	end(this_cpu_ptr(&irqs), IRQS);
}

static void preempt_off(void *data, unsigned long where, unsigned long caller)
{
	begin(this_cpu_ptr(&preempt), where);
}

static void preempt_on(void *data, unsigned long where, unsigned long caller)
{
	end(this_cpu_ptr(&preempt), PREEMPT);
}

/* What another task, or none, has begun is not what this one ends. */
static void task_switched(void *data, bool preempted, struct task_struct *previous,
			  struct task_struct *next, unsigned int state)
{
	this_cpu_write(preempt.began, 0);
	this_cpu_write(irqs.began, 0);
}

static void interrupt_began(void *data, int vector)
{
	begin(this_cpu_ptr(&interrupt), 0);
}

static void interrupt_ended(void *data, int vector)
{
	struct stretch *stretch = this_cpu_ptr(&interrupt);

	if (stretch->began)
		this_cpu_add(elsewhere, local_clock() - stretch->began);
	stretch->began = 0;
}

static void softirq_began(void *data, unsigned int nr)
{
	interrupt_began(data, 0);
}

static void softirq_ended(void *data, unsigned int nr)
{
	interrupt_ended(data, 0);
}

static void call_began(void *data, void *function)
{
	begin(this_cpu_ptr(&called), (unsigned long)function);
}

static void call_ended(void *data, void *unused)
{
	struct stretch *stretch = this_cpu_ptr(&called);
	u64 now = local_clock(), ns = now - stretch->began;

	if (stretch->began && ns >= READ_ONCE(least_ns)) {
		if (of_suite(stretch->where))
			keep(CALL, stretch->where, ns);
		leave_out_since(now);
	}
	stretch->began = 0;
}

static void timer_began(void *data, struct timer_list *timer, unsigned long base)
{
	call_began(data, timer->function);
}

static void hrtimer_began(void *data, struct hrtimer *timer, ktime_t *now)
{
	call_began(data, timer->function);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
} probes[] = {
	{ "irq_disable", irqs_off },
	{ "irq_enable", irqs_on },
	{ "preempt_disable", preempt_off },
	{ "preempt_enable", preempt_on },
	{ "sched_switch", task_switched },
	{ "local_timer_entry", interrupt_began },
	{ "local_timer_exit", interrupt_ended },
	{ "reschedule_entry", interrupt_began },
	{ "reschedule_exit", interrupt_ended },
	{ "call_function_entry", interrupt_began },
	{ "call_function_exit", interrupt_ended },
	{ "call_function_single_entry", interrupt_began },
	{ "call_function_single_exit", interrupt_ended },
	{ "irq_work_entry", interrupt_began },
	{ "irq_work_exit", interrupt_ended },
	{ "softirq_entry", softirq_began },
	{ "softirq_exit", softirq_ended },
	{ "csd_function_entry", call_began },
	{ "csd_function_exit", call_ended },
	{ "timer_expire_entry", timer_began },
	{ "timer_expire_exit", call_ended },
	{ "hrtimer_expire_entry", hrtimer_began },
	{ "hrtimer_expire_exit", call_ended },
};

static int function_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	begin((struct stretch *)instance->data, (unsigned long)get_kretprobe(instance)->kp.addr);
	return 0;
}

static int function_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct stretch *stretch = (struct stretch *)instance->data;
	u64 now = local_clock(), ns = now - stretch->began;

	ns -= min(ns, this_cpu_read(elsewhere) - stretch->elsewhere);
	if (ns >= READ_ONCE(least_ns)) {
		keep(CALL, stretch->where, ns);
		leave_out_since(now);
	}
	return 0;
}

static struct kretprobe functions[MAX_CALLS];

static int worst_show(struct seq_file *file, void *unused)
{
	unsigned int i, frame;

	if (full)
		seq_puts(file, "# there were more places\n");
	for (i = 0; i < nr_places; i++) {
		seq_printf(file, "%llu %s %ps:", places[i].ns, kinds[places[i].kind],
			   (void *)places[i].where);
		for (frame = 0; frame < places[i].depth; frame++)
			seq_printf(file, " < %ps", (void *)places[i].stack[frame]);
		seq_putc(file, '\n');
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(worst);

static ssize_t reset_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	raw_spin_lock_irq(&places_lock);
	nr_places = 0;
	full = false;
	raw_spin_unlock_irq(&places_lock);
	return count;
}

static const struct file_operations reset_fops = { .owner = THIS_MODULE, .write = reset_write };

static void match(struct tracepoint *tracepoint, void *unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tracepoint->name, probes[i].name))
			probes[i].tracepoint = tracepoint;
}

static void functions_leave(unsigned int nr)
{
	while (nr--)
		unregister_kretprobe(&functions[nr]);
}

static int function_watch(int nr)
{
	struct kretprobe *function = &functions[nr];

	function->kp.symbol_name = calls[nr];
	function->handler = function_return;
	function->entry_handler = function_entry;
	function->data_size = sizeof(struct stretch);
	function->maxactive = 64;
	return register_kretprobe(function);
}

static int functions_watch(void)
{
	int nr, err;

	for (nr = 0; nr < nr_calls; nr++) {
		err = function_watch(nr);
		if (err) {
			pr_err("stretchtest: %s: %d\n", functions[nr].kp.symbol_name, err);
			functions_leave(nr);
			return err;
		}
	}
	return 0;
}

static void probes_leave(unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(probes[nr].tracepoint, probes[nr].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int probe_watch(unsigned int nr)
{
	if (!probes[nr].tracepoint)
		return -EOPNOTSUPP;
	return tracepoint_probe_register(probes[nr].tracepoint, probes[nr].probe, NULL);
}

static int probes_watch(void)
{
	unsigned int nr;
	int err;

	for_each_kernel_tracepoint(match, NULL);
	for (nr = 0; nr < ARRAY_SIZE(probes); nr++) {
		err = probe_watch(nr);
		if (err) {
			pr_err("stretchtest: tracepoint %s: %d\n", probes[nr].name, err);
			probes_leave(nr);
			return err;
		}
	}
	return 0;
}

static int __init stretchtest_init(void)
{
	int err = functions_watch();

	if (err)
		return err;
	err = probes_watch();
	if (err) {
		functions_leave(nr_calls);
		return err;
	}
	directory = debugfs_create_dir("stretchtest", NULL);
	debugfs_create_file("worst", 0400, directory, NULL, &worst_fops);
	debugfs_create_file("reset", 0200, directory, NULL, &reset_fops);
	return 0;
}

static void __exit stretchtest_exit(void)
{
	debugfs_remove_recursive(directory);
	probes_leave(ARRAY_SIZE(probes));
	functions_leave(nr_calls);
}

module_init(stretchtest_init);
module_exit(stretchtest_exit);
MODULE_DESCRIPTION("How long the suite keeps interrupts or preemption off");
MODULE_LICENSE("GPL");
