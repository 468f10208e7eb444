// SPDX-License-Identifier: GPL-2.0-only
/*
 * poke FILE KIND...: one write(2) of each kind of bad input to a file; prints
 * "ok" or the name of the errno, a line each, or the errno of opening it. Kinds:
 * empty, newline, text, negative, huge, nul, numbernul, junk (4 KiB), trailing, or
 * literal:TEXT.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t make(const char *kind, char *data)
{
	size_t i;

	if (!strncmp(kind, "literal:", 8))
		return strlen(strcpy(data, kind + 8));
	if (!strcmp(kind, "newline"))
		return strlen(strcpy(data, "\n"));
	if (!strcmp(kind, "text"))
		return strlen(strcpy(data, "rhubarb"));
	if (!strcmp(kind, "negative"))
		return strlen(strcpy(data, "-1"));
	if (!strcmp(kind, "huge"))
		return strlen(strcpy(data, "99999999999999999999999999"));
	if (!strcmp(kind, "trailing"))
		return strlen(strcpy(data, "1 x"));
	if (!strcmp(kind, "nul"))
		return memset(data, 0, 1), 1;
	if (!strcmp(kind, "numbernul"))
		return memcpy(data, "1\0001", 3), 3;
	if (!strcmp(kind, "junk")) {
		for (i = 0; i < 4096; i++)
			data[i] = 1 + (i * 7919 + i / 13) % 255;
		return 4096;
	}
	return 0; /* empty */
}

static void print_errno(void)
{
	switch (errno) {
#define E(x) case x: puts(#x); break
	E(EINVAL); E(ERANGE); E(E2BIG); E(ENOENT); E(ESRCH); E(EEXIST);
	E(EBUSY); E(EPERM); E(ENXIO); E(ENAMETOOLONG); E(ENOMEM); E(EOPNOTSUPP);
	E(EACCES); E(ENOSPC);
	default: printf("%d\n", errno);
	}
}

static void poke(int fd, const char *kind)
{
	char data[8192];

	/* A write of nothing never reaches a sysfs file: try it all the same. */
	if (pwrite(fd, data, make(kind, data), 0) >= 0)
		puts("ok");
	else
		print_errno();
}

int main(int argc, char **argv)
{
	int fd;

	if (argc < 3)
		return 2;
	fd = open(argv[1], O_WRONLY);
	if (fd < 0) {
		print_errno();
		return 3;
	}
	for (argv += 2; *argv; argv++)
		poke(fd, *argv);
	return 0;
}
