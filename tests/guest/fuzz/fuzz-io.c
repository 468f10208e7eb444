// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-io: reads, writes, discards and flushes the device f and FUZZ_DISK's number,
 * that fuzz-store makes and takes away meanwhile. A block that is read has to be
 * what was last written to it: a write that failed may have been done or not, and
 * what was discarded is older. Its kind is "io".
 */
#define _GNU_SOURCE
#include <linux/fs.h>
#include <sys/mman.h>

#include "dm.h"
#include "fuzz.h"

#define BLOCKS		4096
#define BLOCK		4096
#define MOST		32	/* of a request */
#define WORDS		(BLOCK / sizeof(uint64_t))

/* Versions that a block may have. 0 is what it had before, zeroes. */
static uint32_t oldest[BLOCKS], newest[BLOCKS];
static uint32_t version;
static uint64_t *buffer;
static char device[16];

static uint64_t word(unsigned int block, uint32_t of, unsigned int i)
{
	return i ? ((uint64_t)block << 40 | of) * 0x9e3779b97f4a7c15ULL + i : (uint64_t)block << 32 | of;
}

/* Whether what is at @data can be the contents of a block. */
static bool holds(unsigned int block, const uint64_t *data)
{
	uint32_t of = data[0];
	unsigned int i;

	if (of < oldest[block] || of > newest[block])
		return false;
	for (i = 0; i < WORDS; i++)
		if (data[i] != (of ? word(block, of, i) : 0))
			return false;
	return true;
}

static int read_blocks(int fd, unsigned int first, unsigned int nr)
{
	unsigned int i;

	if (pread(fd, buffer, nr * BLOCK, (off_t)first * BLOCK) != (ssize_t)(nr * BLOCK))
		return errno;
	for (i = 0; i < nr; i++) {
		if (holds(first + i, buffer + i * WORDS))
			continue;
		fprintf(stderr, "%s: step %lu: block %u begins with %016llx, may be versions %u to %u\n", device,
			fuzz.step, first + i, (unsigned long long)buffer[i * WORDS], oldest[first + i],
			newest[first + i]);
		return EBADMSG;
	}
	return 0;
}

static int write_blocks(int fd, unsigned int first, unsigned int nr)
{
	unsigned int i, j;

	version++;
	for (i = 0; i < nr; i++)
		for (j = 0; j < WORDS; j++)
			buffer[i * WORDS + j] = word(first + i, version, j);
	/* From here on it may be there. */
	for (i = first; i < first + nr; i++)
		newest[i] = version;
	errno = 0;
	if (pwrite(fd, buffer, nr * BLOCK, (off_t)first * BLOCK) != (ssize_t)(nr * BLOCK))
		return errno;
	for (i = first; i < first + nr; i++)
		oldest[i] = version;
	return 0;
}

static int discard_blocks(int fd, unsigned int first, unsigned int nr)
{
	uint64_t range[2] = { (uint64_t)first * BLOCK, (uint64_t)nr * BLOCK };
	unsigned int i;

	for (i = first; i < first + nr; i++)
		oldest[i] = 0;
	return ioctl(fd, BLKDISCARD, range) < 0 ? errno : 0;
}

static void request(int fd)
{
	unsigned int first = fuzz_below(fuzz_one_in(2) ? 256 : BLOCKS), nr = 1 + fuzz_below(fuzz_one_in(4) ? MOST : 4);

	if (nr > BLOCKS - first)
		nr = BLOCKS - first;
	errno = 0;
	switch (fuzz_below(16)) {
	case 0:
		fuzz_result("io:discard", discard_blocks(fd, first, nr), 1);
		break;
	case 1:
		fuzz_result("io:flush", fsync(fd) ? errno : 0, 1);
		break;
	case 2:	/* less than a block, or beyond the end */
		fuzz_result("io:odd", pwrite(fd, (char *)buffer + 512, 512, BLOCKS * 4096LL - fuzz_below(2) * 512) < 0 ?
				      errno : 0, 1);
		break;
	case 3: case 4: case 5: case 6: case 7: case 8:
		fuzz_result("io:write", write_blocks(fd, first, nr), 1);
		break;
	default:
		fuzz_result("io:read", read_blocks(fd, first, nr), 1);
	}
}

static void step(void)
{
	unsigned int requests = 1 + fuzz_below(16);
	char path[32];
	int fd;

	fuzz_does(device, "requests", 8);
	if (dm_simple(DM_DEV_STATUS, device, 0)) {
		usleep(20000);
		return;
	}
	snprintf(path, sizeof(path), "/dev/dm-%u", (unsigned int)minor(dm.head.dev));
	fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC | (fuzz_one_in(8) ? O_DSYNC : 0));
	fuzz_result("io:open", fd < 0 ? errno : 0, 1);
	if (fd < 0)
		return;
	while (requests--)
		request(fd);
	close(fd);
	usleep(fuzz_below(20000));
}

int main(int argc, char **argv)
{
	const char *number = getenv("FUZZ_DISK");

	fuzz_begin(argc, argv);
	buffer = mmap(NULL, (MOST + 1) * BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!number || buffer == MAP_FAILED || dm_control() < 0)
		fuzz_die("FUZZ_DISK, memory, device-mapper");
	snprintf(device, sizeof(device), "f%s", number);
	fuzz_run(step);
	return 0;
}
