// SPDX-License-Identifier: GPL-2.0-only
/*
 * mark: tells QEMU's plugin to begin or to end a count of memory accesses.
 *
 * mark start [COMMAND ARG...]: begins one, and becomes COMMAND.
 * mark lap: notes the instructions so far. mark stop: ends it.
 * mark pattern READ WRITTEN ROUNDS: counts while this many lines of 64 bytes are read and written, of memory whose
 *	frames it prints: "read FRAME LINES" and "written FRAME LINES". For a test of the plugin.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frames.h"
#include "marks.h"

#define PAGE	4096
#define LINE	64

static char *memory(size_t lines)
{
	size_t size = (lines * LINE + PAGE - 1) / PAGE * PAGE;
	char *lines_at = mmap(NULL, size ? size : PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (lines_at == MAP_FAILED || mlock(lines_at, size)) {
		perror("mark");
		exit(1);
	}
	return lines_at;
}

static void tell(const char *what, const char *from, size_t lines)
{
	int map = open("/proc/self/pagemap", O_RDONLY);

	for (size_t i = 0; i < lines; i += PAGE / LINE)
		printf("%s %llu %zu\n", what, (unsigned long long)frame_of(map, (const uint64_t *)(from + i * LINE)),
		       lines - i < PAGE / LINE ? lines - i : PAGE / LINE);
	close(map);
}

static void pattern(size_t read, size_t written, unsigned int rounds)
{
	volatile uint64_t *from = (void *)memory(read), *to = (void *)memory(written);

	mark(MARK_START);
	while (rounds--) {
		for (size_t i = 0; i < read; i++)
			from[i * LINE / 8];
		for (size_t i = 0; i < written; i++)
			to[i * LINE / 8] = i;
	}
	mark(MARK_STOP);
	tell("read", (char *)from, read);
	tell("written", (char *)to, written);
}

int main(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "start")) {
		mark(MARK_START);
		if (argc == 2)
			return 0;
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		return 127;
	} else if (argc == 2 && !strcmp(argv[1], "lap")) {
		mark(MARK_LAP);
	} else if (argc == 2 && !strcmp(argv[1], "stop")) {
		mark(MARK_STOP);
	} else if (argc == 5 && !strcmp(argv[1], "pattern")) {
		pattern(strtoul(argv[2], NULL, 0), strtoul(argv[3], NULL, 0), strtoul(argv[4], NULL, 0));
	} else {
		fprintf(stderr, "usage: mark start [COMMAND ARG...] | lap | stop | pattern READ WRITTEN ROUNDS\n");
		return 2;
	}
	return 0;
}
