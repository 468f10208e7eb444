// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-store: device-mapper tables and messages of dm-vstore, by ioctls, as root.
 * The kind "store" has the PRAM of a device with DAX, /dev/pmem0, of which each
 * worker takes 1 MiB; "loan" has a range of addresses, FUZZ_RANGE, shared with memory.
 * The device of a worker is f and FUZZ_DISK's number, before /dev/loop of that
 * number. It never stays suspended, or who reads it would wait.
 */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "dm.h"
#include "text.h"

#define SECTORS		32768	/* 16 MiB */
#define PRAM_SECTORS	2048
#define NR(array)	(sizeof(array) / sizeof((array)[0]))

static char device[16], pram_name[16];
static char disk[16], pram[64];

static int done(const char *label, int error)
{
	char named[64];

	snprintf(named, sizeof(named), "dm:%s", label);
	fuzz_result(named, error, 1);
	return error;
}

static void number_of(const char *path, char *text, size_t size)
{
	struct stat status;

	if (stat(path, &status))
		fuzz_die(path);
	snprintf(text, size, "%u:%u", major(status.st_rdev), minor(status.st_rdev));
}

/* A part of /dev/pmem0 for this worker. */
static void make_pram(void)
{
	char parameters[64], whole[16];

	number_of("/dev/pmem0", whole, sizeof(whole));
	snprintf(pram_name, sizeof(pram_name), "pram%u", fuzz.number);
	snprintf(parameters, sizeof(parameters), "%s %u", whole, fuzz.number * PRAM_SECTORS);
	if (dm_simple(DM_DEV_CREATE, pram_name, 0) ||
	    dm_load(pram_name, PRAM_SECTORS, "linear", parameters, 0) ||
	    dm_simple(DM_DEV_SUSPEND, pram_name, 0))
		fuzz_die("cannot make a PRAM");
	snprintf(pram, sizeof(pram), "%u:%u", (unsigned int)major(dm.head.dev),
		 (unsigned int)minor(dm.head.dev));
}

static bool is_loan(void)
{
	return !strcmp(fuzz.kind, "loan");
}

static int load_good(void)
{
	char parameters[256];

	snprintf(parameters, sizeof(parameters), "%s %s %s", disk, pram,
		 is_loan() ? "2 format shared" : "1 format");
	return done("load", dm_load(device, SECTORS, "vstore", parameters, 0));
}

static int resume(void)
{
	return done("resume", dm_simple(DM_DEV_SUSPEND, device, 0));
}

/* Somebody may wait for the device: it goes on, at worst with errors. */
static void make_sure(void)
{
	if (dm_simple(DM_DEV_STATUS, device, 0) || !(dm_flags() & DM_SUSPEND_FLAG))
		return;
	if (!resume())
		return;
	if (!load_good() && !resume())
		return;
	if (!dm_load(device, SECTORS, "error", "", 0))
		resume();
}

static void make_whole(void)
{
	fuzz_does(device, "create", 6);
	done("create", dm_simple(DM_DEV_CREATE, device, 0));
	if (!load_good())
		resume();
}

/* A table that may be good. */
static void load_any(void)
{
	static const char *const features[] = {
		"<1 format~2 format shared~0~~3 format reads promote~3 format policy <random~selective~merging>>",
		"5 format <threshold~cache_kib~low_watermark~high_watermark~storage_min~storage_max>"
			" <%n~%d> <reads~policy> <keep~promote~random~merging>",
		"<3~5~%n> format cache %r<~ cache_kib <%n~400>>",
		"2 trust <disk~pram~%d>",
		"<3~2> format uuid <01234567-89ab-cdef-0123-456789abcdef~1~%n>",
		"%n <format~shared~policy~trust~uuid> %n",
		"6 format shared storage_min %d storage_max %d",
	};
	uint64_t sectors = fuzz_one_in(12) ? fuzz_mix(&fuzz.chance) >> fuzz_below(64) : SECTORS;
	uint32_t flags = fuzz_one_in(8) ? DM_READONLY_FLAG : 0;
	struct fuzz_text text;
	char parameters[FUZZ_TEXT + 128];

	fuzz_text(&text, features, NR(features));
	for (size_t i = 0; i < text.length; i++)
		if (!text.bytes[i] || text.bytes[i] == '\n')
			text.bytes[i] = ' ';
	snprintf(parameters, sizeof(parameters), "%s %s %.*s", fuzz_one_in(24) ? "1:99" : disk,
		 fuzz_one_in(24) ? "0x0-0x1000000" : pram, (int)text.length, text.bytes);
	fuzz_does("load", parameters, strlen(parameters));
	if (!done("load-any", dm_load(device, sectors, "vstore", parameters, flags)) && fuzz_one_in(2))
		resume();
}

static void send_message(void)
{
	static const char *const messages[] = {
		"flush", "policy <random~selective~merging>", "reads <keep~promote>", "threshold <0~4096~65536~%n>",
		"<low~high>_watermark <0~10~75~100~%n>", "storage_<min~max> %d", "cache_kib <0~%n>",
		"<%n~flush x~policy~uuid %n~format~trust disk>",
	};
	struct fuzz_text text;

	fuzz_text(&text, messages, NR(messages));
	text.bytes[text.length < FUZZ_TEXT ? text.length : FUZZ_TEXT - 1] = 0;
	/* Which are device-mapper's own, and wait. */
	if (text.bytes[0] == '@')
		text.bytes[0] = 'x';
	fuzz_does("message", text.bytes, strlen(text.bytes));
	done("message", dm_message(device, text.bytes));
}

static void write_setting(void)
{
	static const char *const files[] = {
		"policy", "reads", "threshold", "low_watermark", "high_watermark", "storage_min", "storage_max",
		"cache_kib",
	};
	static const char *const values[] = { "%n", "%d", "<random~selective~merging~keep~promote>" };
	const char *file = files[fuzz_below(NR(files))];
	struct fuzz_text text;
	char path[128], label[64];
	int fd, error = 0;

	fuzz_text(&text, values, NR(values));
	fuzz_does(file, text.bytes, text.length);
	if (dm_simple(DM_DEV_STATUS, device, 0))
		return;
	snprintf(path, sizeof(path), "/sys/block/dm-%u/vstore/%s", (unsigned int)minor(dm.head.dev), file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	snprintf(label, sizeof(label), "%s:/sys/block/dm-n/vstore/%s", fd < 0 ? "open" : "write", file);
	if (fd < 0 || write(fd, text.bytes, text.length) < 0)
		error = errno;
	if (fd >= 0)
		close(fd);
	fuzz_result(label, error, 1);
}

static void pause_it(void)
{
	fuzz_does(device, "suspend", 7);
	if (done("suspend", dm_simple(DM_DEV_SUSPEND, device,
				      DM_SUSPEND_FLAG | (fuzz_one_in(2) ? DM_NOFLUSH_FLAG : 0))))
		return;
	usleep(fuzz_below(50000));
	if (fuzz_one_in(2))
		load_good();
}

static void look(void)
{
	fuzz_does(device, "status", 6);
	done("status", dm_simple(DM_TABLE_STATUS, device, fuzz_one_in(2) ? DM_STATUS_TABLE_FLAG : 0));
	if (fuzz_one_in(4))
		done("clear", dm_simple(DM_TABLE_CLEAR, device, 0));
}

static void step(void)
{
	switch (fuzz_below(12)) {
	case 0:
		fuzz_does(device, "remove", 6);
		done("remove", dm_simple(DM_DEV_REMOVE, device, fuzz_one_in(8) ? DM_DEFERRED_REMOVE : 0));
		break;
	case 1:
		make_whole();
		break;
	case 2: case 3:
		load_any();
		break;
	case 4:
		pause_it();
		break;
	case 5:
		look();
		break;
	case 6: case 7:
		write_setting();
		break;
	default:
		send_message();
	}
	make_sure();
	if (dm_simple(DM_DEV_STATUS, device, 0) == ENXIO && fuzz_one_in(2)) {
		dm_simple(DM_DEV_CREATE, device, 0);
		if (!load_good())
			resume();
	}
	usleep(fuzz_below(30000));
}

/* Whoever still has it open is about to end. */
static void remove_device(const char *name)
{
	for (int tries = 0; tries < 300 && dm_simple(DM_DEV_REMOVE, name, 0) == EBUSY; tries++)
		usleep(100000);
	if (!dm_simple(DM_DEV_STATUS, name, 0)) {
		fprintf(stderr, "%s cannot be removed\n", name);
		exit(3);
	}
}

/* Whether memory still has some of what it was lent. */
static bool is_lent(void)
{
	char line[256];
	bool found = false;
	FILE *file = fopen("/proc/iomem", "r");

	while (file && fgets(line, sizeof(line), file))
		found |= !!strstr(line, "System RAM (dm-vstore)");
	if (file)
		fclose(file);
	return found;
}

/* What memory did not give back, it is asked for again by a store that comes and goes. */
static void take_back(void)
{
	for (int tries = 0; tries < 20 && is_lent(); tries++) {
		sleep(3);
		make_whole();
		remove_device(device);
	}
}

int main(int argc, char **argv)
{
	const char *number = getenv("FUZZ_DISK"), *range = getenv("FUZZ_RANGE");
	char loop[32];

	fuzz_begin(argc, argv);
	if (!number || (is_loan() && !range))
		fuzz_die("FUZZ_DISK, FUZZ_RANGE");
	snprintf(loop, sizeof(loop), "/dev/loop%s", number);
	snprintf(device, sizeof(device), "f%s", number);
	number_of(loop, disk, sizeof(disk));
	if (dm_control() < 0)
		fuzz_die("/dev/mapper/control");
	if (is_loan())
		snprintf(pram, sizeof(pram), "%s", range);
	else
		make_pram();
	fuzz_run(step);
	make_sure();
	remove_device(device);
	if (is_loan())
		take_back();
	else
		remove_device(pram_name);
	return 0;
}
