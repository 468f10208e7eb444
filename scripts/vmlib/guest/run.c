// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process 1 of the guest, once /init has set it up: runs the command, and hands its output and its exit
 * status to the host.
 *
 * Output leaves byte by byte through an ISA debug console, and the status through the second serial port,
 * both driven from here by port I/O: no kernel driver, no console message and no panic can write there.
 * The status is preceded by a word that only this process was told.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT 0x0e9		/* isa-debugcon */
#define CONTROL 0x2f8		/* 16550 */
#define CONTROL_STATUS (CONTROL + 5)
#define RECEIVED 0x01
#define CAN_SEND 0x20
#define END_OF_LOG "<0>vm: end of the log\n"
#define EXIT 0x501		/* isa-debug-exit */

static char nonce[64];

static void control(const char *text)
{
	for (; *text; text++) {
		while (!(inb(CONTROL_STATUS) & CAN_SEND))
			;
		outb(*text, CONTROL);
	}
}

static void die(const char *what)
{
	char line[256];

	snprintf(line, sizeof(line), "%s broken %s: %s\n", nonce, what, strerror(errno));
	control(line);
	outb(0, EXIT);
	_exit(1);
}

/* Says a word to the host, and waits until it answers. */
static void tell(const char *word)
{
	char line[128];

	snprintf(line, sizeof(line), "%s %s\n", nonce, word);
	control(line);
	while (!(inb(CONTROL_STATUS) & RECEIVED))
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	inb(CONTROL);
}

/* The whole of a small file, with a NUL after it. */
static char *contents(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	char *text;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	text = calloc(1, st.st_size + 1);
	if (!text || read(fd, text, st.st_size) != st.st_size)
		die(path);
	close(fd);
	*size = st.st_size;
	return text;
}

/* Strings that each end in NUL, as a vector. */
static char **strings(const char *path)
{
	size_t size, n = 0;
	char *text = contents(path, &size), **vector;

	vector = calloc(size + 1, sizeof(*vector));
	if (!vector)
		die(path);
	for (char *s = text; s < text + size; s += strlen(s) + 1)
		vector[n++] = s;
	return vector;
}

static pid_t start(char **argv, char **env, char **where, int out, bool quiet);

static void forward(const char *buffer, ssize_t n)
{
	asm volatile("rep outsb" : "+S" (buffer), "+c" (n) : "d" (OUTPUT) : "memory");
}

static bool drain(int fd)
{
	static char buffer[65536];
	ssize_t n = read(fd, buffer, sizeof(buffer));

	if (n > 0)
		forward(buffer, n);
	return n > 0;
}

static void reaped(int sig)
{
	(void)sig;	/* only there to interrupt poll */
}

static int run(char **argv, char **env, char **where, bool quiet)
{
	sigset_t child, before;
	int pipes[2], status, got;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		die("pipe");
	fcntl(pipes[1], F_SETPIPE_SZ, 1 << 20);
	fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	pid = start(argv, env, where, pipes[1], quiet);
	close(pipes[1]);

	/* Not until end of file: what the command left running in the background may hold the pipe. */
	for (;;) {
		struct pollfd poll = { .fd = pipes[0], .events = POLLIN };

		ppoll(&poll, 1, NULL, &before);
		if (poll.revents & POLLHUP && !(poll.revents & POLLIN)) {
			/* The other end is closed; only the child matters now. */
			do {
				got = waitpid(-1, &status, 0);
			} while (got != pid);
			break;
		}
		drain(pipes[0]);
		do {
			got = waitpid(-1, &status, WNOHANG);
		} while (got > 0 && got != pid);
		if (got == pid)
			break;
	}
	while (drain(pipes[0]))
		;
	close(pipes[0]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static pid_t start(char **argv, char **env, char **where, int out, bool quiet)
{
	pid_t pid = fork();
	int null, level;

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	level = iopl(0);
	(void)level;
	signal(SIGCHLD, SIG_DFL);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(quiet ? null : out, 1);
	dup2(quiet ? null : out, 2);
	if ((strcmp(where[0], "/") && chroot(where[0])) || chdir(where[1] ?: "/"))
		dprintf(2, "cannot enter %s in %s: %s\n", where[1], where[0], strerror(errno));
	environ = env;
	execvp(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

int main(void)
{
	static char *after[] = { "/bin/sh", "/vm/after", NULL };
	static char *home[] = { "/", "/", NULL };
	char **argv, **env, **where, *word, line[256];
	size_t size;
	int status, log;

	if (iopl(3))
		return 1;
	word = contents("/vm/nonce", &size);
	snprintf(nonce, sizeof(nonce), "%s", word);
	unlink("/vm/nonce");
	signal(SIGCHLD, reaped);
	argv = strings("/vm/argv");
	env = strings("/vm/environ");
	where = strings("/vm/where");
	if (!argv[0] || !where[0])
		die("no command");

	/* The host may now make memory faulty, and then lets us go. */
	tell("ready");

	status = run(argv, env, where, false);
	tell("ended");
	run(after, env, home, true);
	sync();

	/* The log reaches the console in its own time: wait until the host has read its end. */
	log = open("/dev/kmsg", O_WRONLY);
	if (write(log, END_OF_LOG, strlen(END_OF_LOG)) < 0)
		die("/dev/kmsg");
	tell("logged");
	snprintf(line, sizeof(line), "%s status %d\n", nonce, status);
	control(line);
	outb(0, EXIT);
	for (;;)
		pause();
}
