/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling a plugin of QEMU that something begins or ends, see mark.h. */
#ifndef MARKS_H
#define MARKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mark.h"

static void mark(unsigned int what)
{
	static const unsigned char ret = 0xc3;
	static char *page;

	if (!page) {
		page = mmap((void *)MARK_PAGE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (page != (void *)MARK_PAGE) {
			perror("mark");
			exit(1);
		}
		memset(page, ret, 4096);
	}
	((void (*)(void))(page + what))();
}

#endif
