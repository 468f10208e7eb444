// SPDX-License-Identifier: GPL-2.0-only
/*
 * as WHO COMMAND [ARG]...: runs a command as somebody who may do less, or sees less.
 * WHO is a user's number; "powerless": the user 0, without any capability; or
 * "contained": in a cgroup namespace, whose root is the cgroup of the caller.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Also not by executing a program, which would give the user 0 all of them back. */
static int capabilities_drop(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	int i;

	for (i = 0; prctl(PR_CAPBSET_READ, i) >= 0; i++)
		if (prctl(PR_CAPBSET_DROP, i))
			return -1;
	return syscall(SYS_capset, &header, data);
}

int main(int argc, char **argv)
{
	int failed;

	if (argc < 3) {
		fprintf(stderr, "usage: as UID|powerless|contained COMMAND [ARG]...\n");
		return 2;
	}
	if (!strcmp(argv[1], "powerless"))
		failed = capabilities_drop();
	else if (!strcmp(argv[1], "contained"))
		failed = unshare(CLONE_NEWCGROUP);
	else
		failed = setgroups(0, NULL) || setgid(atoi(argv[1])) || setuid(atoi(argv[1]));
	if (!failed)
		execvp(argv[2], argv + 2);
	perror("as");
	return 125;
}
