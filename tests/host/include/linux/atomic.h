/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_LINUX_ATOMIC_H
#define HOST_LINUX_ATOMIC_H

#include <linux/kernel.h>

#define xchg(p, v)	__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define cmpxchg(p, old, new) ({						\
	typeof(*(p)) was_ = (old);					\
									\
	__atomic_compare_exchange_n(p, &was_, new, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	was_;								\
})

#endif
