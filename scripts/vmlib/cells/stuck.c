// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps bits of files stuck: usage: stuck PATH:OFFSET:BIT:VALUE:ON:PERIOD...
 *
 * The files are the memory of a running guest.  A bit is forced during the first ON microseconds of every PERIOD;
 * ON = PERIOD is always, and PERIOD = 0 flips it once, at the start.  One byte on standard output says that every
 * cell has been forced for the first time.  Ends with its parent.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/*
 * Short against the millisecond and more that emulation takes to write a block of 4 MiB, and shorter while somebody
 * writes the cell: looks take processor time from the guest.
 */
#define LOOK_EVERY_NS 100000
#define LOOK_OFTEN_NS 20000
#define LOOK_OFTEN_US 10000

struct cell {
	uint8_t *byte;
	uint8_t mask;
	bool value;
	uint64_t on_us, period_us;
};

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

static void parse(char *spec, struct cell *cell)
{
	unsigned long long offset, on, period;
	char *colon = strchr(spec, ':');
	unsigned int bit, value;
	char *page;
	int fd;

	if (!colon || sscanf(colon, ":%llu:%u:%u:%llu:%llu", &offset, &bit, &value, &on, &period) != 5) {
		fprintf(stderr, "stuck: cannot parse %s\n", spec);
		exit(2);
	}
	*colon = '\0';
	fd = open(spec, O_RDWR);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset & ~4095ull);
	if (fd < 0 || page == MAP_FAILED) {
		perror(spec);
		exit(2);
	}
	close(fd);
	*cell = (struct cell){ (uint8_t *)page + (offset & 4095), 1u << bit, value, on, period };
}

/* Tells whether that changed it. */
static bool force(struct cell *cell)
{
	uint8_t seen = __atomic_load_n(cell->byte, __ATOMIC_RELAXED);

	/* Only this bit, and only if it differs: the guest writes its neighbours at the same time. */
	if (!!(seen & cell->mask) == cell->value)
		return false;
	if (cell->value)
		__atomic_or_fetch(cell->byte, cell->mask, __ATOMIC_RELAXED);
	else
		__atomic_and_fetch(cell->byte, (uint8_t)~cell->mask, __ATOMIC_RELAXED);
	return true;
}

int main(int argc, char **argv)
{
	struct cell *cells = calloc(argc, sizeof(*cells));
	struct sched_param first = { .sched_priority = 1 };
	uint64_t start = now_us(), changed = 0;
	bool lasting = false;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TIMERSLACK, 1);
	/* Ahead of QEMU, or a busy host would leave a cell alone for milliseconds; without the right, as it comes. */
	sched_setscheduler(0, SCHED_FIFO, &first);

	for (int i = 1; i < argc; i++) {
		parse(argv[i], &cells[i]);
		if (!cells[i].period_us)
			__atomic_xor_fetch(cells[i].byte, cells[i].mask, __ATOMIC_RELAXED);
		else
			force(&cells[i]);
		lasting |= cells[i].period_us;
	}
	if (write(1, "+", 1) != 1)
		return 1;
	while (lasting) {
		uint64_t t = now_us() - start;

		for (int i = 1; i < argc; i++) {
			bool on = cells[i].period_us && t % cells[i].period_us < cells[i].on_us;

			if (on && force(&cells[i]))
				changed = t;
		}
		nanosleep(&(struct timespec){
				.tv_nsec = t - changed < LOOK_OFTEN_US ? LOOK_OFTEN_NS : LOOK_EVERY_NS }, NULL);
	}
	for (;;)
		sleep(1000);
}
