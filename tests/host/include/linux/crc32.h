/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_LINUX_CRC32_H
#define HOST_LINUX_CRC32_H

#include <linux/kernel.h>
#include <linux/string.h>

/* Eight bytes at a time: tests/store/crash.c has it checked millions of entries. */
static inline u32 crc32_le(u32 crc, const unsigned char *p, size_t len)
{
	static u32 table[8][256];
	u32 i, bit;
	u64 word;

	for (i = 0; !table[7][255] && i < 256; i++) {
		for (table[0][i] = i, bit = 0; bit < 8; bit++)
			table[0][i] = table[0][i] >> 1 ^ (table[0][i] & 1 ? 0xedb88320 : 0);
		for (bit = 1; i == 255 && bit < 8 * 256; bit++)
			if (bit >= 256)
				table[bit / 256][bit % 256] = table[bit / 256 - 1][bit % 256] >> 8 ^
							      table[0][table[bit / 256 - 1][bit % 256] & 0xff];
	}
	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&word, p, 8);
		word ^= crc;
		for (crc = 0, i = 0; i < 8; i++)
			crc ^= table[7 - i][word >> 8 * i & 0xff];
	}
	while (len--)
		crc = crc >> 8 ^ table[0][(crc ^ *p++) & 0xff];
	return crc;
}

#endif
