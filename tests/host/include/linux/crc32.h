/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_LINUX_CRC32_H
#define HOST_LINUX_CRC32_H

#include <linux/kernel.h>

static inline u32 crc32_le(u32 crc, const unsigned char *p, size_t len)
{
	static u32 table[256];
	u32 i, bit;

	for (i = 0; !table[255] && i < 256; i++)
		for (table[i] = i, bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
	return crc;
}

#endif
