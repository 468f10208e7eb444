// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault ADDR:BIT:KIND...: has the host make these cells of this machine's memory faulty; scripts/vm --help tells more.
 *
 * They are there when it returns.  Status 1: the host found a mistake, and none is; 2: it cannot be asked.
 *
 * The third serial port is driven by port I/O, as the others are: it must work whatever becomes of a driver's memory.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/io.h>
#include <time.h>

#define PORT 0x3e8		/* 16550 */
#define STATUS (PORT + 5)
#define RECEIVED 0x01
#define CAN_SEND 0x20
#define ABSENT 0xff

static void say(const char *text)
{
	for (; *text; text++) {
		while (!(inb(STATUS) & CAN_SEND))
			;
		outb(*text, PORT);
	}
}

static char hear(void)
{
	while (!(inb(STATUS) & RECEIVED))
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return inb(PORT);
}

/* An empty line ends them. */
static bool are_lines(char **texts)
{
	for (; *texts; texts++)
		if (!**texts || strchr(*texts, '\n'))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	FILE *self = fopen("/proc/self/exe", "r");
	int status = 0;
	char c;

	if (argc < 2 || !are_lines(argv + 1)) {
		fprintf(stderr, "usage: fault ADDR:BIT:KIND...\n");
		return 2;
	}
	/* One at a time. */
	if (!self || flock(fileno(self), LOCK_EX) || iopl(3)) {
		perror("fault");
		return 2;
	}
	if (inb(STATUS) == ABSENT) {
		fprintf(stderr, "fault: the host listens only with scripts/vm --fault later\n");
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		say(argv[i]);
		say("\n");
	}
	say("\n");
	while ((c = hear()) != '\n') {
		fputc(c, stderr);
		status = 1;
	}
	if (status)
		fputc('\n', stderr);
	return status;
}
