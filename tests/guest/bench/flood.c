// SPDX-License-Identifier: GPL-2.0-only
/*
 * What asks a web server for its documents, as flood did in paper 001:
 *
 *   flood PORT DOCUMENTS CLIENTS THINK_MS
 *
 * Gets /0 to /DOCUMENTS-1 once each, and prints "ready". Then CLIENTS processes get one after the other by a zipf
 * distribution (s = 1), with a pause of THINK_MS after each, until SIGTERM.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "random.h"

static int get(int port, unsigned int document)
{
	struct sockaddr_in server = { .sin_family = AF_INET, .sin_port = htons(port) };
	static char answer[1 << 16];
	int fd = socket(AF_INET, SOCK_STREAM, 0), good;
	ssize_t n, size = 0;

	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	good = !connect(fd, (struct sockaddr *)&server, sizeof(server)) &&
	       dprintf(fd, "GET /%u HTTP/1.0\r\n\r\n", document) > 0;
	while (good && (n = read(fd, answer, sizeof(answer))) > 0) {
		if (!size)
			good = n > 12 && !memcmp(answer + 9, "200", 3);
		size += n;
	}
	close(fd);
	return good && size;
}

/* Neighbours are not equally popular. */
static void shuffle(unsigned int *at, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		at[i] = i;
	for (unsigned int i = n - 1; i > 0; i--) {
		unsigned int k = uniform() * (i + 1), t = at[i];

		at[i] = at[k];
		at[k] = t;
	}
}

static void client(int number, int port, const unsigned int *at, const double *share, unsigned int n, unsigned int think)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	rng += number * 0x9e3779b97f4a7c15ULL;
	for (;;) {
		double u = uniform();
		unsigned int rank = 0;

		while (rank < n - 1 && share[rank] < u)
			rank++;
		if (!get(port, at[rank]))
			fprintf(stderr, "flood: no answer for %u\n", at[rank]);
		usleep(think * 1000);
	}
}

int main(int argc, char **argv)
{
	unsigned int n = argc == 5 ? atoi(argv[2]) : 0, *at = malloc(n * sizeof(*at));
	double *share = malloc(n * sizeof(*share)), sum = 0;

	if (!n) {
		fprintf(stderr, "usage: flood PORT DOCUMENTS CLIENTS THINK_MS\n");
		return 2;
	}
	shuffle(at, n);
	for (unsigned int i = 0; i < n; i++) {
		if (!get(atoi(argv[1]), i)) {
			fprintf(stderr, "flood: no answer for %u\n", i);
			return 1;
		}
		share[i] = sum += 1.0 / (i + 1);
	}
	for (unsigned int i = 0; i < n; i++)
		share[i] /= sum;
	printf("ready\n");
	fflush(stdout);
	for (int i = 1; i <= atoi(argv[3]); i++)
		if (!fork())
			client(i, atoi(argv[1]), at, share, n, atoi(argv[4]));
	pause();
	return 0;
}
