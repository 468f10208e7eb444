/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What comes into the page cache elsewhere than where its file's policy says is moved there.
 *
 * Where a system call says which file it reads, its pages are placed as they are allocated (see
 * steer/syscall_file.h). This is for the others: page faults, io_uring, and what overlays read. It
 * shares the quota of moves with the audit.
 */
#ifndef VIPZONE_AUDIT_FILE_ARRIVALS_H
#define VIPZONE_AUDIT_FILE_ARRIVALS_H

#include <linux/types.h>

/* Listens, from here on, to what comes. May sleep; any number of times. 0 or an error. */
int vipzone_file_arrivals_start(void);

/* Nobody starts it any more. Policies of files are there still. May sleep. */
void vipzone_file_arrivals_stop(void);

/* Moves what has come, so that policies which are gone are held no more. May sleep. */
void vipzone_file_arrivals_flush(void);

/* Pages that were left where they came: too many came at once, or they stayed busy. Any context. */
u64 vipzone_file_arrivals_lost(void);

#endif
