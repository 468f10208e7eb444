// SPDX-License-Identifier: GPL-2.0-only
/*
 * The self-test. No compiler sees that a function which is called by its address alone does
 * something else on another kernel. So before anything uses them, they are called once with pages
 * that nobody else uses, and it is looked at what became of these.
 *
 * What others do to memory meanwhile must not refuse a good kernel: a difference counts if it
 * is the same at each of some attempts.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "frame/self_test.h"
#include "frame/self_test_private.h"
#include "kernel/unexported_calls.h"

#define DIFFERENCES	3	/* that refuse a kernel */
#define ATTEMPTS	8

static int psi_check(struct memsuite_self_test_finding *finding, enum memsuite_psi what,
		     const char *function)
{
	char text[256] = "";
	struct seq_file file = { .buf = text, .size = sizeof(text) - 1 };

	/* None, or switched off by psi=0. */
	if (memsuite_kcall_psi_show(what, &file))
		return 0;
	return memsuite_self_test_expect(finding, function, "prints a line of /proc/pressure",
					 str_has_prefix(text, "some avg10=") &&
					 strstr(text, " total="), true);
}

static int self_test_psi(struct memsuite_self_test_finding *finding, int attempt)
{
	return psi_check(finding, MEMSUITE_PSI_MEMORY, "psi_memory_show") ?:
	       psi_check(finding, MEMSUITE_PSI_CPU, "psi_cpu_show");
}

static const struct {
	const char *subject;
	int (*check)(struct memsuite_self_test_finding *finding, int attempt);
} self_tests[] = {
	{ "taking free memory", memsuite_self_test_block },
	{ "moving memory in use", memsuite_self_test_move },
	{ "pressure stall information", self_test_psi },
};

static bool findings_agree(const struct memsuite_self_test_finding *one,
			   const struct memsuite_self_test_finding *other)
{
	return one->function == other->function && one->what == other->what;
}

static int self_test_repeat(int (*check)(struct memsuite_self_test_finding *, int),
			    struct memsuite_self_test_finding *finding)
{
	struct memsuite_self_test_finding now;
	int attempt, differences = 0, err = -EAGAIN;

	for (attempt = 0; attempt < ATTEMPTS && differences < DIFFERENCES; attempt++) {
		err = check(&now, attempt);
		if (!err)
			return 0;
		if (err != -EOPNOTSUPP)
			continue;
		if (differences && !findings_agree(&now, finding))
			return -EAGAIN;
		*finding = now;
		differences++;
	}
	return differences == DIFFERENCES ? -EOPNOTSUPP : -EAGAIN;
}

int memsuite_self_test_init(void)
{
	struct memsuite_self_test_finding finding;
	int i, err;

	for (i = 0; i < ARRAY_SIZE(self_tests); i++) {
		err = self_test_repeat(self_tests[i].check, &finding);
		if (err == -EAGAIN)
			pr_info("the self-test cannot tell of %s: memory is short, or busy\n",
				self_tests[i].subject);
		if (err != -EOPNOTSUPP)
			continue;
		pr_err("this kernel's %s() differs: %s: %ld, expected %ld\n", finding.function,
		       finding.what, finding.found, finding.expected);
		return err;
	}
	return 0;
}
