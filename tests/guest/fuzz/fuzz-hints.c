// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-hints: calls of /dev/vipzone as a plain user, with good and bad commands,
 * pointers and ranges, from processes whose threads call, map and unmap at the same
 * time, and that fork, exec and exit amid it. Its kind is "hints".
 */
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <memsuite/vipzone.h>

#include "text.h"

#define PAGE	4096UL
#define PAGES	64
#define NOBODY	65534
#define ERRNOS	140

enum label { OPEN, TAG, UNTAG, QUERY, SET, GET, CHOOSE, OTHER, CHILD, LABELS };
static const char *const labels[LABELS] = {
	"open:/dev/vipzone", "ioctl:TAG", "ioctl:UNTAG", "ioctl:QUERY", "ioctl:SET_DEFAULT",
	"ioctl:GET_DEFAULT", "ioctl:CHOOSE", "ioctl:other", "child:hints",
};
static const unsigned long requests[LABELS] = {
	[TAG] = VIPZONE_TAG, [UNTAG] = VIPZONE_UNTAG, [QUERY] = VIPZONE_QUERY,
	[SET] = VIPZONE_SET_DEFAULT, [GET] = VIPZONE_GET_DEFAULT, [CHOOSE] = VIPZONE_CHOOSE,
};

/* Of all processes of a step. */
static unsigned int (*counts)[ERRNOS];
static char *arena;
static int device;

static void count(enum label label, int error)
{
	__atomic_fetch_add(&counts[label][error < ERRNOS ? error : ERRNOS - 1], 1, __ATOMIC_RELAXED);
}

/* A thread's own chance; fuzz.chance is the first one's. */
struct caller {
	uint64_t chance;
	int calls;
};

static uint64_t below(struct caller *caller, uint64_t limit)
{
	return fuzz_mix(&caller->chance) % limit;
}

/* Somewhere in the arena, mostly. */
static uint64_t address(struct caller *caller)
{
	static const uint64_t edges[] = {
		0, 1, 0x7fffffffe000, 0x7ffffffff000, 0x800000000000, 0xffff800000000000,
		~0ULL, ~0ULL - 4095, 0xffffffff81000000, 1ULL << 63,
	};

	if (!below(caller, 12))
		return edges[below(caller, sizeof(edges) / sizeof(*edges))];
	if (!below(caller, 12))
		return (uintptr_t)arena + below(caller, PAGES * PAGE);
	return (uintptr_t)arena + below(caller, PAGES) * PAGE;
}

static uint64_t length(struct caller *caller)
{
	switch (below(caller, 16)) {
	case 0:
		return 0;
	case 1:
		return fuzz_mix(&caller->chance);
	case 2:
		return -PAGE * below(caller, 4);
	case 3:
		return below(caller, 3 * PAGE);
	default:
		return (1 + below(caller, below(caller, 2) ? 4 : PAGES)) * PAGE;
	}
}

/* What a call is given: @data, or something that it cannot read or write. */
static void *pointer(struct caller *caller, void *data)
{
	switch (below(caller, 40)) {
	case 0:
		return NULL;
	case 1:
		return (void *)0xffffffff81000000;
	case 2:
		return (void *)0x7ffffffffff8;
	case 3:	/* half of it is mapped */
		return arena + PAGES * PAGE - 8;
	case 4:	/* only to be read */
		return (void *)((uintptr_t)labels & ~7UL);
	default:
		return data;
	}
}

static void call(struct caller *caller)
{
	static const char *const choices[] = {
		"region:r0", "r0", "heap=r0,*=r1", "heap=r1+r0,stack=node0", "*=node0", "", "r0+r1+r0",
		"heap=", "cache=r0,mmap=r2", "region:node0", "heap=r0=3+r1=1,*=r0", "heap=r0=0+r1=1",
		"*=r0=255+node0=1",
	};
	union {
		struct vipzone_range range;
		struct vipzone_default others;
		struct vipzone_choice choice;
		char bytes[512];
	} data = { .bytes = "" };
	enum label label = TAG + below(caller, below(caller, 3) ? 3 : 7);
	unsigned long request = requests[label];

	data.range.start = address(caller);
	data.range.length = label == QUERY && below(caller, 8) ? 0 : length(caller);
	data.range.flags = label == TAG ? below(caller, 4) << 4 : 0;
	if (label == SET)
		data.others.flags = below(caller, 4) << 4, data.others.reserved = 0;
	if (label == CHOOSE) {
		memset(&data, 0, sizeof(data));
		strcpy(data.choice.policy, choices[below(caller, sizeof(choices) / sizeof(*choices))]);
	}
	if (!below(caller, 16))
		data.bytes[below(caller, 40)] ^= 1 << below(caller, 8);
	if (!below(caller, 64))
		memset(data.bytes, 'x', sizeof(data));
	if (label == OTHER) {
		request = requests[TAG + below(caller, 6)] ^ 1UL << below(caller, 33);
		if (!below(caller, 4))
			request = fuzz_mix(&caller->chance);
		/* It may be one of the others by now. */
		for (label = TAG; label < OTHER && (uint32_t)requests[label] != (uint32_t)request;)
			label++;
	}
	count(label, ioctl(device, request, pointer(caller, &data)) < 0 ? errno : 0);
}

static void *call_often(void *argument)
{
	struct caller *caller = argument;

	while (caller->calls--)
		call(caller);
	return NULL;
}

/* The arena changes: holes, and what goes to other places and comes back. */
static void change(struct caller *caller)
{
	char *at = arena + below(caller, PAGES) * PAGE, *moved;
	size_t size = (1 + below(caller, 8)) * PAGE;

	if (at + size > arena + PAGES * PAGE)
		size = arena + PAGES * PAGE - at;
	switch (below(caller, 5)) {
	case 0:
		munmap(at, size);
		break;
	case 1:
		madvise(at, size, MADV_DONTNEED);
		break;
	case 2:
		moved = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (moved == MAP_FAILED || mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, moved) == MAP_FAILED)
			break;
		mremap(moved, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at);
		break;
	default:
		moved = mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		if (moved != MAP_FAILED)
			memset(moved, 1, size);
	}
}

/* What was tagged is tagged, if nobody else is at it. */
static bool tag_holds(void)
{
	struct vipzone_range tag = { .length = 3 * PAGE, .flags = fuzz_below(4) << 4 }, query = {};
	char *m = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (m == MAP_FAILED)
		return true;
	tag.start = (uintptr_t)m + PAGE;
	if (ioctl(device, VIPZONE_TAG, &tag) < 0) {
		count(TAG, errno);
		return errno == ENOMEM || errno == ENOSPC;
	}
	count(TAG, 0);
	query.start = tag.start + 2 * PAGE;
	if (ioctl(device, VIPZONE_QUERY, &query) < 0) {
		count(QUERY, errno);
		return false;
	}
	count(QUERY, 0);
	return query.flags == tag.flags && query.start <= tag.start &&
	       query.start + query.length >= tag.start + tag.length;
}

static void ends_otherwise(struct caller *caller)
{
	static char *const arguments[] = { "/bin/true", NULL };

	switch (below(caller, 6)) {
	case 0:
		execv(arguments[0], arguments);
		break;
	case 1:	/* with the threads at it */
		raise(SIGKILL);
		break;
	case 2:
		if (!vfork()) {
			execv(arguments[0], arguments);
			_exit(0);
		}
		break;
	case 3:
		if (!fork()) {
			caller->calls = 20;
			call_often(caller);
			_exit(0);
		}
		break;
	}
}

/* A process: threads call, it changes its memory, and ends somehow. */
static int process(void)
{
	struct caller callers[4] = {}, own = { .chance = fuzz_mix(&fuzz.chance) };
	unsigned int nr = fuzz_below(4), i;
	pthread_t threads[4];

	if (!tag_holds())
		return EBADMSG;
	for (i = 0; i < nr; i++) {
		callers[i] = (struct caller){ .chance = fuzz_mix(&fuzz.chance), .calls = 100 };
		if (pthread_create(&threads[i], NULL, call_often, &callers[i]))
			break;
	}
	nr = i;
	for (i = 0; i < 40; i++) {
		if (below(&own, 2))
			change(&own);
		call(&own);
	}
	ends_otherwise(&own);
	if (below(&own, 2))
		return 0;
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static void step(void)
{
	int status, fd;
	pid_t child;

	fuzz_does("/dev/vipzone", "calls", 5);
	memset(counts, 0, LABELS * sizeof(*counts));
	device = open("/dev/vipzone", fuzz_one_in(4) ? O_RDONLY : O_RDWR);
	count(OPEN, device < 0 ? errno : 0);
	if (device >= 0) {
		child = fork();
		if (!child) {
			fd = open("/proc/self/oom_score_adj", O_WRONLY);
			if (fd >= 0 && write(fd, "500", 3) == 3)
				close(fd);
			_exit(process());
		}
		if (child > 0 && waitpid(child, &status, 0) == child) {
			/* It may kill itself, and memory may be short. */
			if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
				count(CHILD, EFAULT);
			else
				count(CHILD, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
		}
		close(device);
	} else {
		usleep(20000);
	}
	for (unsigned int label = 0; label < LABELS; label++)
		for (int error = 0; error < ERRNOS; error++)
			if (counts[label][error])
				fuzz_result(labels[label], error, counts[label][error]);
}

int main(int argc, char **argv)
{
	fuzz_begin(argc, argv);
	counts = mmap(NULL, LABELS * sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	arena = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED || arena == MAP_FAILED)
		fuzz_die("mmap");
	munmap(arena + PAGES * PAGE, PAGE);
	/* Grandchildren end without being waited for. */
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		fuzz_die("setuid");
	/* Which a change of user takes away. */
	prctl(PR_SET_DUMPABLE, 1);
	fuzz_run(step);
	return 0;
}
