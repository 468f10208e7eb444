/* SPDX-License-Identifier: GPL-2.0-only */
/* Here there is one thread. */
#ifndef HOST_LINUX_SPINLOCK_H
#define HOST_LINUX_SPINLOCK_H

typedef struct {
	int unused;
} spinlock_t;

#define DEFINE_SPINLOCK(name)	spinlock_t name
#define spin_lock_init(lock)	((void)(lock))
#define spin_lock(lock)		((void)(lock))
#define spin_unlock(lock)	((void)(lock))

#endif
