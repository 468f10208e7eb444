// SPDX-License-Identifier: GPL-2.0-only
/*
 * storewriters DEVICE SECONDS BLOCK...
 *
 * A thread for each of these blocks of 4 KiB writes it again and again, past the page cache: first the number 1, then 2
 * and so on, and reads each. Prints, of each, the last number whose write was acknowledged, and exits with 1
 * if a block had another one when it was read. With 0 SECONDS it prints what the blocks have.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BLOCK	4096
#define MOST	128

static struct writer {
	pthread_t thread;
	off_t at;
	uint64_t *buffer;
	uint64_t last;
} writers[MOST];

static int device;
static time_t until;
static volatile int wrong;

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static uint64_t get(struct writer *writer)
{
	if (pread(device, writer->buffer, BLOCK, writer->at) != BLOCK)
		fail("pread");
	return writer->buffer[0];
}

static void *run(void *argument)
{
	struct writer *writer = argument;
	uint64_t has;

	if (!until)
		writer->last = get(writer);
	while (time(NULL) < until) {
		writer->buffer[0] = writer->last + 1;
		if (pwrite(device, writer->buffer, BLOCK, writer->at) != BLOCK)
			fail("pwrite");
		writer->last++;
		has = get(writer);
		if (has == writer->last)
			continue;
		fprintf(stderr, "block %ld: %lu, not %lu\n", (long)writer->at / BLOCK, has, writer->last);
		wrong = 1;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int nr = argc - 3, i;

	if (nr < 1 || nr > MOST) {
		fprintf(stderr, "usage: %s DEVICE SECONDS BLOCK...\n", argv[0]);
		return 2;
	}
	device = open(argv[1], O_RDWR | O_DIRECT);
	if (device < 0)
		fail(argv[1]);
	if (atoi(argv[2]))
		until = time(NULL) + atoi(argv[2]);
	for (i = 0; i < nr; i++) {
		writers[i].at = atol(argv[3 + i]) * BLOCK;
		if (posix_memalign((void **)&writers[i].buffer, BLOCK, BLOCK) ||
		    pthread_create(&writers[i].thread, NULL, run, &writers[i]))
			fail("thread");
	}
	for (i = 0; i < nr; i++) {
		pthread_join(writers[i].thread, NULL);
		printf("%ld %lu\n", (long)writers[i].at / BLOCK, writers[i].last);
	}
	return wrong;
}
