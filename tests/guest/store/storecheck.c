// SPDX-License-Identifier: GPL-2.0-only
/*
 * storecheck [-e] DEVICE FIRST COUNT STATE OPERATIONS SEED [LOG]
 *
 * Random reads, writes, discards and flushes of the blocks of 4 KiB FIRST to
 * FIRST + COUNT of a device, against a model of what each block must hold. The
 * model is kept in the file STATE: the next run begins with checking all blocks
 * by it. Without the file they are zero. Exits with 1 if a block is wrong. SIGTERM
 * ends the operations early, but not the check of all blocks that follows.
 *
 * Some writes are durable by themselves: FUA, without a flush behind.
 *
 * With -e, a disk may fail: what a write leaves that failed is unknown, a read that failed tells
 * nothing, and how many did is printed. All else must be right.
 *
 * LOG gets, of each block, the version that is being written and the last one that
 * was acknowledged, each before the next request: for who cuts the power. Behind them
 * is, of each block, the version that was acknowledged before the last flush, or by a
 * FUA write since; then, how many of these there were.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK		4096
#define WORDS		(BLOCK / 8)
#define MOST		64
#define TOLD		20	/* of those that are wrong */
#define UNKNOWN		UINT32_MAX	/* discarded */

static int device, log_file = -1;
static uint64_t first, count;
static uint32_t *model, version, nr_fua;
static aio_context_t aio;
static uint64_t *buffer, wrong;
static volatile sig_atomic_t enough;
static bool may_fail;
static uint64_t failed;

static void stop(int signal)
{
	enough = 1;
}

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

/* An error that -e allows. */
static void let_fail(const char *what)
{
	if (!may_fail)
		fail(what);
	failed++;
}

/* Columns of the log: 0 before a request that changes blocks, 1 after it. */
static void tell(int column, uint64_t at, uint64_t nr)
{
	static uint32_t pairs[2 * MOST];
	uint64_t b;

	if (log_file < 0)
		return;
	for (b = 0; b < nr; b++) {
		pairs[2 * b] = model[at + b];
		if (column)
			pairs[2 * b + 1] = model[at + b];
		else if (pread(log_file, &pairs[2 * b + 1], 4, (at + b) * 8 + 4) != 4)
			pairs[2 * b + 1] = 0;
	}
	if (pwrite(log_file, pairs, nr * 8, at * 8) != (ssize_t)(nr * 8))
		fail("log");
}

static void tell_flushed(void)
{
	if (log_file >= 0 && pwrite(log_file, model, count * 4, count * 8) != (ssize_t)(count * 4))
		fail("log");
}

static void tell_durable(uint64_t at, uint64_t nr)
{
	nr_fua++;
	if (log_file >= 0 && (pwrite(log_file, model + at, nr * 4, count * 8 + at * 4) != (ssize_t)(nr * 4) ||
			      pwrite(log_file, &nr_fua, 4, count * 12) != 4))
		fail("log");
}

/* A flush follows what write() and its kind make durable. Not what is asynchronous: FUA has to do for it. */
static int write_fua(uint64_t at, uint64_t nr)
{
	struct iocb request = {
		.aio_lio_opcode = IOCB_CMD_PWRITE,
		.aio_rw_flags = RWF_DSYNC,
		.aio_fildes = device,
		.aio_buf = (uintptr_t)buffer,
		.aio_nbytes = nr * BLOCK,
		.aio_offset = (first + at) * BLOCK,
	}, *requests[] = { &request };
	struct io_event event;

	if (syscall(SYS_io_submit, aio, 1, requests) != 1)
		return -1;
	while (syscall(SYS_io_getevents, aio, 1, 1, &event, NULL) != 1)
		if (errno != EINTR)
			return -1;
	errno = event.res < 0 ? -event.res : EIO;
	return event.res == (int64_t)(nr * BLOCK) ? 0 : -1;
}

static uint64_t word_of(uint64_t block, uint32_t v, unsigned int i)
{
	return v ? (uint64_t)v << 32 | ((block << 9 | i) & UINT32_MAX) : 0;
}

static void check(uint64_t at, uint64_t nr)
{
	uint64_t b;
	unsigned int i;

	if (pread(device, buffer, nr * BLOCK, (first + at) * BLOCK) != (ssize_t)(nr * BLOCK)) {
		let_fail("read");
		return;
	}
	for (b = 0; b < nr; b++) {
		const uint64_t *words = buffer + b * WORDS;

		if (model[at + b] == UNKNOWN)
			continue;
		for (i = 0; i < WORDS; i++) {
			if (words[i] == word_of(first + at + b, model[at + b], i))
				continue;
			if (wrong++ < TOLD)
				printf("# block %llu word %u: version %u, not %u\n",
				       (unsigned long long)(first + at + b), i, (unsigned int)(words[i] >> 32),
				       model[at + b]);
			break;
		}
	}
}

static void check_all(void)
{
	uint64_t at;

	for (at = 0; at < count; at += MOST)
		check(at, count - at < MOST ? count - at : MOST);
}

static void put(uint64_t at, uint64_t nr)
{
	static unsigned int writes;
	bool fua = ++writes % 4 == 0;
	uint64_t b;
	unsigned int i;

	for (b = 0; b < nr; b++) {
		model[at + b] = ++version;
		for (i = 0; i < WORDS; i++)
			buffer[b * WORDS + i] = word_of(first + at + b, version, i);
	}
	tell(0, at, nr);
	if (fua ? write_fua(at, nr) :
	    pwrite(device, buffer, nr * BLOCK, (first + at) * BLOCK) != (ssize_t)(nr * BLOCK)) {
		let_fail("write");
		for (b = 0; b < nr; b++)
			model[at + b] = UNKNOWN;
		return;
	}
	tell(1, at, nr);
	if (fua)
		tell_durable(at, nr);
}

static void discard(uint64_t at, uint64_t nr)
{
	uint64_t range[2] = { (first + at) * BLOCK, nr * BLOCK }, b;

	/* The disk has none, or nothing could be told of its contents. */
	if (log_file >= 0 || (ioctl(device, BLKDISCARD, range) && !may_fail))
		return;
	for (b = 0; b < nr; b++)
		model[at + b] = UNKNOWN;
}

/* Mostly small ones at random, some large, and a file that grows. */
static void operate(void)
{
	static uint64_t growing;
	uint64_t nr = 1 + random() % (random() % 4 ? 4 : MOST), at = random() % (count - nr + 1);

	switch (random() % 16) {
	case 0:
		if (fsync(device))
			let_fail("fsync");
		else
			tell_flushed();
		break;
	case 1:
		discard(at, nr);
		break;
	case 2 ... 5:
		check(at, nr);
		break;
	case 6 ... 9:
		if (growing + 4 > count)
			growing = 0;
		put(growing, 4);
		growing += 4;
		break;
	default:
		put(at, nr);
	}
}

static void keep(const char *path, const char *mode)
{
	FILE *f = fopen(path, mode);

	if (!f && *mode == 'r')
		return;
	if (!f)
		fail(path);
	if (*mode == 'r' ? fread(model, sizeof(*model), count, f) != count ||
	    fread(&version, sizeof(version), 1, f) != 1 :
	    fwrite(model, sizeof(*model), count, f) != count || fwrite(&version, sizeof(version), 1, f) != 1)
		fail(path);
	fclose(f);
}

int main(int argc, char **argv)
{
	long operations;

	if (argc > 1 && !strcmp(argv[1], "-e")) {
		may_fail = true;
		argv++;
		argc--;
	}
	if (argc != 7 && argc != 8)
		return 2;
	if (argc == 8)
		log_file = open(argv[7], O_RDWR | O_CREAT, 0644);
	device = open(argv[1], O_RDWR | O_DIRECT);
	if (device < 0)
		fail(argv[1]);
	first = strtoull(argv[2], NULL, 0);
	count = strtoull(argv[3], NULL, 0);
	model = calloc(count, sizeof(*model));
	if (!model || posix_memalign((void **)&buffer, BLOCK, MOST * BLOCK))
		fail("memory");
	if (syscall(SYS_io_setup, 1, &aio))
		fail("AIO");
	keep(argv[4], "r");
	srandom(atoi(argv[6]));
	signal(SIGTERM, stop);
	check_all();
	for (operations = atol(argv[5]); operations > 0 && !wrong && !enough; operations--)
		operate();
	check_all();
	keep(argv[4], "w");
	if (failed)
		printf("# %llu requests failed\n", (unsigned long long)failed);
	if (wrong)
		printf("# %llu blocks wrong\n", (unsigned long long)wrong);
	return wrong ? 1 : 0;
}
