// SPDX-License-Identifier: GPL-2.0-only
/*
 * together FILE: runs programs at once, each on a CPU of its own, and counts their accesses to memory from the first
 * instruction of each on until all have ended. A line of FILE is the command of a program; the first is "#!together".
 *
 * Meant for CPU 0: then what is done here before and after shares nothing with programs on other CPUs.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../guest/lib/marks.h"

#define PROGRAMS 16
#define WORDS 32

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void become(unsigned int cpu, char *command)
{
	char *words[WORDS] = { strtok(command, " \n") };
	cpu_set_t set;

	for (int i = 1; i < WORDS - 1 && words[i - 1]; i++)
		words[i] = strtok(NULL, " \n");
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		die("together");
	execvp(words[0], words);
	die(words[0]);
}

/* Until all are what they are to be, and stopped before they do anything. */
static void wait_for_exec(const pid_t *pids, unsigned int n)
{
	int status;

	for (unsigned int i = 0; i < n; i++)
		if (waitpid(pids[i], &status, 0) < 0 || !WIFSTOPPED(status))
			die("a program did not start");
}

/* Until all have ended, without waking up for each. */
static int wait_for_end(const pid_t *pids, unsigned int n, int pipe)
{
	int status, failed = 0;
	char byte;

	if (read(pipe, &byte, 1))
		die("read");
	mark(MARK_STOP);
	for (unsigned int i = 0; i < n; i++)
		failed |= waitpid(pids[i], &status, 0) < 0 || status;
	return failed;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	unsigned int n = 0;
	pid_t pids[PROGRAMS];
	char line[512];
	int ends[2];

	/* Who runs keeps the other end open. */
	if (!file || !fgets(line, sizeof(line), file) || pipe(ends))
		die("together");
	while (n < PROGRAMS && fgets(line, sizeof(line), file)) {
		pids[n] = fork();
		if (pids[n] < 0)
			die("fork");
		if (!pids[n])
			become(n, line);
		n++;
	}
	close(ends[1]);
	wait_for_exec(pids, n);
	mark(MARK_START);
	for (unsigned int i = 0; i < n; i++)
		ptrace(PTRACE_DETACH, pids[i], NULL, NULL);
	return wait_for_end(pids, n, ends[0]);
}
