// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose addresses are limited, by setrlimit(2) before it was started: prints how many
 * threads it can have, up to 60, and how many MiB malloc() then gives it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *rest(void *unused)
{
	pause();
	return unused;
}

int main(void)
{
	unsigned int threads = 0, mib = 0;
	pthread_t thread;

	free(malloc(10));
	while (threads < 60 && !pthread_create(&thread, NULL, rest, NULL))
		threads++;
	while (malloc(64 << 20))
		mib += 64;
	printf("%u %u\n", threads, mib);
	return 0;
}
