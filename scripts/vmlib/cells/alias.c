// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU TCG plugin: pages of the guest's memory that are one. It sees no access, and costs nothing: the host's
 * page behind the one is mapped in place of that behind the other.
 *
 * Arguments: on=FILE     its first byte is 0 while the faults are off; any other change means that there are new ones
 *            pages=FILE  one a line: OFFSET OTHER FILE<tab>OTHERS-FILE; the page at OFFSET of FILE, which is guest
 *                        memory, becomes that at OTHER of the other file
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "qemu-plugin.h"

#define PAGE 4096u
#define LOOK_EVERY_NS 10000000
#define TEXT 4096

static const char *list;
static volatile uint8_t *on;

struct alias {
	uint64_t offset, other;
	char path[TEXT], others_path[TEXT];
	void *place;
	struct alias *next;
};

static struct alias *mapped;	/* the thread's */

/* Where this process has mapped that page of a file; files of guest memory are mapped once. */
static void *find(const char *path, uint64_t offset)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t start, end, from;
	char line[2 * TEXT];
	void *place = NULL;
	int at;

	while (maps && !place && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &start, &end, &from, &at) == 3 &&
		    !strcmp(line + at, path) && offset >= from && offset - from < end - start)
			place = (void *)(start + offset - from);
	}
	if (maps)
		fclose(maps);
	return place;
}

static void map_page(void *place, const char *path, uint64_t offset)
{
	int fd = open(path, O_RDWR);

	if (!place || fd < 0 ||
	    mmap(place, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset) != place) {
		fprintf(stderr, "alias: cannot map page 0x%" PRIx64 " of %s\n", offset, path);
		abort();
	}
	close(fd);
}

static struct alias *read_alias(FILE *file)
{
	struct alias *alias = calloc(1, sizeof(*alias));

	if (alias && fscanf(file, "%" SCNu64 " %" SCNu64 " %4095[^\t]\t%4095[^\n]\n", &alias->offset, &alias->other,
			    alias->path, alias->others_path) == 4)
		return alias;
	free(alias);
	return NULL;
}

/* Those that are mapped already are no longer found. */
static void map_all(void)
{
	FILE *file = fopen(list, "r");
	struct alias *alias;

	while (file && (alias = read_alias(file))) {
		alias->place = find(alias->path, alias->offset);
		if (alias->place) {
			map_page(alias->place, alias->others_path, alias->other);
			alias->next = mapped;
			mapped = alias;
		}
	}
	if (file)
		fclose(file);
}

static void unmap_all(void)
{
	for (; mapped; mapped = mapped->next)
		map_page(mapped->place, mapped->path, mapped->offset);
}

static void *watch(void *unused)
{
	uint8_t known = 0, now;

	for (;; nanosleep(&(struct timespec){ .tv_nsec = LOOK_EVERY_NS }, NULL)) {
		now = *on;
		if (!now)
			unmap_all();
		else if (now != known)
			map_all();
		known = now;
	}
	return unused;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	pthread_t thread;
	int fd;

	(void)id;
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "on=", 3)) {
			fd = open(argv[i] + 3, O_RDONLY);
			on = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
			close(fd);
		} else if (!strncmp(argv[i], "pages=", 6)) {
			list = strdup(argv[i] + 6);
		} else {
			return -1;
		}
	}
	if (!on || on == MAP_FAILED || !list)
		return -1;
	return pthread_create(&thread, NULL, watch, NULL);
}
