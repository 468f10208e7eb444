/* SPDX-License-Identifier: GPL-2.0-only */
/* device-mapper without its library, which a bare guest does not have. */
#ifndef _FUZZ_DM_H
#define _FUZZ_DM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DM_ROOM	16384

/* What goes in, and what comes back. */
static union {
	struct dm_ioctl head;
	char bytes[DM_ROOM];
} dm;

static inline int dm_control(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	return fd;
}

/* @payload: @length bytes of @dm behind its head are there. Returns 0 or an errno. */
static inline int dm_call(unsigned long request, const char *name, uint32_t flags)
{
	dm.head.version[0] = DM_VERSION_MAJOR;
	dm.head.version[1] = 0;
	dm.head.version[2] = 0;
	dm.head.data_size = sizeof(dm);
	dm.head.data_start = sizeof(dm.head);
	dm.head.flags = flags;
	dm.head.event_nr = 0;
	dm.head.dev = 0;
	dm.head.uuid[0] = 0;
	snprintf(dm.head.name, sizeof(dm.head.name), "%s", name);
	return ioctl(dm_control(), request, &dm) < 0 ? errno : 0;
}

static inline void dm_clear(void)
{
	memset(&dm, 0, sizeof(dm));
}

static inline int dm_simple(unsigned long request, const char *name, uint32_t flags)
{
	dm_clear();
	return dm_call(request, name, flags);
}

/* A table of one target. */
static inline int dm_load(const char *name, uint64_t sectors, const char *type, const char *parameters,
			  uint32_t flags)
{
	struct dm_target_spec *spec = (void *)(dm.bytes + sizeof(dm.head));

	dm_clear();
	dm.head.target_count = 1;
	spec->length = sectors;
	snprintf(spec->target_type, sizeof(spec->target_type), "%s", type);
	snprintf((char *)(spec + 1), DM_ROOM - sizeof(dm.head) - sizeof(*spec), "%s", parameters);
	return dm_call(DM_TABLE_LOAD, name, flags);
}

static inline int dm_message(const char *name, const char *text)
{
	struct dm_target_msg *message = (void *)(dm.bytes + sizeof(dm.head));

	dm_clear();
	snprintf(message->message, DM_ROOM - sizeof(dm.head) - sizeof(*message), "%s", text);
	return dm_call(DM_TARGET_MSG, name, 0);
}

/* The flags of a device, after a call about it. */
static inline uint32_t dm_flags(void)
{
	return dm.head.flags;
}

#endif
