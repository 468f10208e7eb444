// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that allocates by libvip and by malloc(), and frees and resizes both
 * by free() and realloc(), in threads and in children, so many as the first argument
 * says. With a second one, a thread that is to be cancelled is the first to allocate.
 * "libvip-program: good" says that it came to its end.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vip.h"

#ifdef STATIC
/* There free() and its like do not take memory of libvip. */
#define free vip_free
#define realloc(memory, bytes) vip_realloc(memory, bytes, _VIP_TYP_WRITE)
#define malloc_usable_size(memory) 1
#endif

static void *churn(void *unused)
{
	char *pieces[64] = {};
	unsigned int seed = 1;

	for (int i = 0; i < 5000; i++) {
		char **piece = &pieces[rand_r(&seed) % 64];
		size_t bytes = rand_r(&seed) % (rand_r(&seed) % 20 ? 2000 : 200000) + 1;

		if (*piece && (*piece)[0] != (char)(malloc_usable_size(*piece) > 0))
			abort();
		if (*piece && i % 3 == 0) {
			*piece = realloc(*piece, bytes);
		} else {
			free(*piece);
			*piece = i % 2 ? vip_malloc(bytes, i & _VIP_MASK) : malloc(bytes);
		}
		if (!*piece)
			abort();
		memset(*piece, 1, bytes);
	}
	for (int i = 0; i < 64; i++)
		free(pieces[i]);
	free(vip_realloc(strdup("text"), 100, _VIP_TYP_WRITE));
	vip_free(malloc(10));
	vip_free(vip_calloc(10, 10, _VIP_HI_UTIL));
	free(vip_aligned_alloc(4096, 10, 0));
	return unused;
}

/* At its first point where that can be. */
static void *cancelled(void *unused)
{
	pthread_cancel(pthread_self());
	vip_free(vip_malloc(100, _VIP_TYP_WRITE));
	return unused;
}

int main(int argc, char **argv)
{
	int status, i, children = argc > 1 ? atoi(argv[1]) : 5;
	pthread_t threads[3];

	if (argc > 2) {
		if (pthread_create(&threads[0], NULL, cancelled, NULL))
			return 1;
		pthread_join(threads[0], NULL);
	}
	for (i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, churn, NULL))
			return 1;
	for (i = 0; i < children; i++) {
		pid_t pid = fork();

		if (!pid) {
			churn(NULL);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	churn(NULL);
	puts("libvip-program: good");
	return 0;
}
