// SPDX-License-Identifier: GPL-2.0-only
/*
 * blockreplay DEVICE TRACE
 *
 * Does the requests of a block trace, one after the other, each when the one
 * before is done, and tells how long they took. Lines of the trace are what the
 * kernel's tracepoints say: kind, first sector, number of sectors. In the kind, R
 * and W are reads and writes, an F before them a flush before, one after them FUA.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MOST	(4 << 20)	/* bytes in a request */

struct sum {
	uint64_t requests, bytes, ns;
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void request(int device, const char *kind, void *buffer, uint64_t at, size_t size)
{
	struct iovec whole = { buffer, size };
	const char *op = strpbrk(kind, "RWF");

	if (!op)
		return;
	if (*op == 'F') {
		if (fdatasync(device))
			fail("flush");
		op++;
	}
	if (!size)
		return;
	if (*op == 'R' && pread(device, buffer, size, at) != (ssize_t)size)
		fail("read");
	if (*op == 'W' && pwritev2(device, &whole, 1, at, op[1] == 'F' ? RWF_DSYNC : 0) != (ssize_t)size)
		fail("write");
}

static void tell(const char *name, const struct sum *sum, const char *end)
{
	printf("\"%s\": {\"requests\": %llu, \"bytes\": %llu, \"seconds\": %.6f}%s", name,
	       (unsigned long long)sum->requests, (unsigned long long)sum->bytes, sum->ns / 1e9, end);
}

int main(int argc, char **argv)
{
	struct sum reads = { 0 }, writes = { 0 };
	unsigned long long sector, sectors;
	char kind[16];
	void *buffer;
	FILE *trace;
	int device;

	if (argc != 3)
		return 2;
	device = open(argv[1], O_RDWR | O_DIRECT);
	if (device < 0)
		fail(argv[1]);
	trace = fopen(argv[2], "r");
	if (!trace)
		fail(argv[2]);
	if (posix_memalign(&buffer, 4096, MOST))
		fail("memory");
	memset(buffer, 0x5a, MOST);
	while (fscanf(trace, "%15s %llu %llu", kind, &sector, &sectors) == 3) {
		struct sum *sum = strchr(kind, 'R') ? &reads : &writes;
		uint64_t began;

		if (sectors * 512 > MOST) {
			fprintf(stderr, "%llu sectors are too many\n", sectors);
			return 1;
		}
		began = now();
		request(device, kind, buffer, sector * 512, sectors * 512);
		sum->ns += now() - began;
		sum->bytes += sectors * 512;
		sum->requests++;
	}
	tell("reads", &reads, ", ");
	tell("writes", &writes, "\n");
	return 0;
}
