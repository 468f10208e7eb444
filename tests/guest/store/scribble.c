// SPDX-License-Identifier: GPL-2.0-only
/*
 * scribble DEVICE COUNT: reads the first COUNT blocks of 4 KiB of a device, one by one, while another thread keeps
 * writing to the buffer. What the device holds may not change by that.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCK	4096

static volatile unsigned long *buffer;

static void *scribble(void *unused)
{
	for (unsigned int i = 0;; i = (i + 1) % (BLOCK / sizeof(*buffer)))
		buffer[i] = 0x5c5c5c5c5c5c5c5c;
	return NULL;
}

int main(int argc, char **argv)
{
	int device = argc == 3 ? open(argv[1], O_RDONLY | O_DIRECT) : -1;
	long count = argc == 3 ? atol(argv[2]) : 0, at;
	pthread_t thread;

	buffer = aligned_alloc(BLOCK, BLOCK);
	if (device < 0 || !buffer || pthread_create(&thread, NULL, scribble, NULL)) {
		perror("scribble");
		return 2;
	}
	for (at = 0; at < count; at++) {
		if (pread(device, (void *)buffer, BLOCK, at * BLOCK) != BLOCK) {
			perror("read");
			return 1;
		}
	}
	return 0;
}
