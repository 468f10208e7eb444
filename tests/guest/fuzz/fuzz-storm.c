// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-storm: what goes on beside the fuzzer's calls. Its kinds are
 *
 *	forks		processes fork, exec and exit, in cgroups that come and go
 *	pressure	memory is taken and given back in many ways
 *	cpus		a CPU goes offline and comes back
 *	blocks		memory blocks come online and go: FUZZ_BLOCKS names their files
 *	modules		the suite's modules are unloaded, and loaded again
 *
 * Of all these only the modules' answers are judged.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fuzz.h"

#define CGROUPS	"/sys/fs/cgroup"
#define MIB	(1UL << 20)

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		errno = 0;
	close(fd);
}

/* Or as much as can be had in some seconds: each page may be tested before. */
static void touch(char *memory, size_t size)
{
	time_t end = fuzz_now() + 4;

	for (size_t i = 0; i < size; i += 4096) {
		memory[i] = 1;
		if (!(i % MIB) && fuzz_now() > end)
			break;
	}
}

static char *map(size_t size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* The group that a child is in, which may have limits. */
static void enter_group(char *path, size_t size)
{
	static const char *const limits[] = { "memory.max", "memory.low", "memory.min", "memory.high" };
	char file[128], number[32];

	snprintf(path, size, CGROUPS "/f%u", (unsigned int)fuzz_below(4));
	mkdir(path, 0755);
	if (fuzz_one_in(2)) {
		snprintf(file, sizeof(file), "%s/%s", path, limits[fuzz_below(4)]);
		snprintf(number, sizeof(number), "%lu", (8 + fuzz_below(64)) * MIB);
		put(file, number);
	}
	snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	snprintf(number, sizeof(number), "%d", getpid());
	put(file, number);
}

/* A child that may be killed first of all, and that waits for nobody. */
static pid_t child_begins(void)
{
	pid_t child = fork();

	if (!child)
		put("/proc/self/oom_score_adj", "900");
	return child;
}

static void fork_more(unsigned int depth)
{
	static char *const arguments[] = { "/bin/sh", "-c", "true | true", NULL };
	char *memory = map(MIB / 2);
	unsigned int i;

	if (memory)
		touch(memory, MIB / 2);
	for (i = 0; depth && i < 3; i++)
		if (!fork()) {
			if (memory)
				touch(memory, MIB / 4);
			fork_more(depth - 1);
			_exit(0);
		}
	if (fuzz_one_in(2))
		execv(arguments[0], arguments);
	while (wait(NULL) > 0)
		;
}

static void forks_step(void)
{
	unsigned int i, nr = 1 + fuzz_below(4);
	char group[64];

	fuzz_does("forks", "", 0);
	for (i = 0; i < nr; i++) {
		fuzz_mix(&fuzz.chance);
		if (!child_begins()) {
			enter_group(group, sizeof(group));
			fork_more(fuzz_below(3));
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	snprintf(group, sizeof(group), CGROUPS "/f%u", (unsigned int)fuzz_below(4));
	rmdir(group);
	usleep(fuzz_below(100000));
}

static unsigned long available(void)
{
	char line[128];
	unsigned long kib = 0;
	FILE *file = fopen("/proc/meminfo", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %lu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib << 10;
}

static void take_memory(size_t size, unsigned int how)
{
	char *memory = map(size), *at;

	if (!memory)
		return;
	if (how & 1)
		madvise(memory, size, MADV_HUGEPAGE);
	touch(memory, size);
	for (at = memory; at + 4 * MIB <= memory + size; at += 4 * MIB)
		switch (fuzz_below(6)) {
		case 0:
			madvise(at, MIB, MADV_DONTNEED);
			break;
		case 1:
			madvise(at, MIB, 21 /* MADV_PAGEOUT */);
			break;
		case 2:
			madvise(at, 2 * MIB, 25 /* MADV_COLLAPSE */);
			break;
		case 3:
			mlock(at, MIB);
			break;
		case 4:
			mprotect(at, MIB, PROT_READ);
			break;
		}
	usleep(fuzz_below(400000));
}

static void take_files(size_t size)
{
	char path[64], *memory = map(MIB);
	int fd;

	snprintf(path, sizeof(path), "/tmp/fuzz.%u", fuzz.number);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || !memory)
		return;
	for (size_t done = 0; done < size; done += MIB)
		if (write(fd, memory, MIB) < 0)
			break;
	unlink(path);
}

static void pressure_step(void)
{
	/* What goes offline has to have room elsewhere, or whoever takes it offline waits for ever. */
	size_t room = available() / 2;
	unsigned int what = fuzz_below(8);
	size_t size = room / 16 * (1 + fuzz_below(what ? 6 : 15));
	int status;
	char group[64];

	fuzz_does("pressure", "", 0);
	if (!child_begins()) {
		if (fuzz_one_in(3))
			enter_group(group, sizeof(group));
		if (what < 6)
			take_memory(size, what);
		else
			take_files(size / 4);
		_exit(0);
	}
	wait(&status);
	if (WIFSIGNALED(status) && WTERMSIG(status) != 9)
		fuzz_result("child:pressure", EFAULT, 1);
	if (fuzz_one_in(8))
		put("/proc/sys/vm/drop_caches", fuzz_one_in(2) ? "3" : "1");
	if (fuzz_one_in(8))
		put("/proc/sys/vm/compact_memory", "1");
	usleep(fuzz_below(200000));
}

static void cpus_step(void)
{
	const char *path = "/sys/devices/system/cpu/cpu1/online";

	fuzz_does("cpu1", "", 0);
	put(path, "0");
	usleep(fuzz_below(300000));
	put(path, "1");
	usleep(fuzz_below(1500000));
}

static void blocks_step(void)
{
	char list[1024], *paths[8], *rest = list, *path;
	unsigned int nr = 0;

	snprintf(list, sizeof(list), "%s", getenv("FUZZ_BLOCKS") ?: "");
	while (nr < 8 && (path = strsep(&rest, " ")))
		if (*path)
			paths[nr++] = path;
	if (!nr)
		return;
	path = paths[fuzz_below(nr)];
	fuzz_does(path, "", 0);
	/* Where the kernel itself may have some of it, it need not go offline again. */
	put(path, "online_movable");
	usleep(fuzz_below(500000));
	put(path, "offline");
	usleep(fuzz_below(500000));
}

static int load(const char *module)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		close(2);
		execl("/sbin/modprobe", "modprobe", module, NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void modules_step(void)
{
	static const char *const modules[] = { "mrc", "vipzone", "memdiag", "dm_vstore", "memsuite" };
	unsigned int first = fuzz_below(5), nr = fuzz_one_in(4) ? 5 : 1, i;
	const char *module;

	fuzz_does("modules", modules[first], strlen(modules[first]));
	for (i = 0; i < nr; i++) {
		module = modules[(first + i) % 5];
		fuzz_result("rmmod", syscall(SYS_delete_module, module, O_NONBLOCK) ? errno : 0, 1);
		usleep(fuzz_below(50000));
	}
	for (i = 0; i < 3; i++)
		fuzz_result("modprobe", load(modules[(first + i) % 3]), 1);
	/* Not so often that nothing ever goes on. */
	usleep(fuzz_below(8000000));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *kind;
		void (*step)(void);
	} kinds[] = {
		{ "forks", forks_step }, { "pressure", pressure_step }, { "cpus", cpus_step },
		{ "blocks", blocks_step }, { "modules", modules_step },
	};

	fuzz_begin(argc, argv);
	put(CGROUPS "/cgroup.subtree_control", "+memory");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].kind, fuzz.kind)) {
			fuzz_run(kinds[i].step);
			return 0;
		}
	errno = EINVAL;
	fuzz_die("kind");
	return 2;
}
