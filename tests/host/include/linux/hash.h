/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/kernel.h>

#define hash_64(v, bits)	((u64)(v) * 0x61C8864680B583EBULL >> (64 - (bits)))
