/* SPDX-License-Identifier: GPL-2.0-only */
/* The DMI tables are the fuzzer's input; it is walked over as drivers/firmware/dmi_scan.c does it. */
#ifndef FUZZERS_LINUX_DMI_H
#define FUZZERS_LINUX_DMI_H

#include <linux/kernel.h>

struct dmi_header {
	u8 type;
	u8 length;
	u16 handle;
} __packed;

extern const u8 *dmi_table;
extern size_t dmi_length;

/* Kernels up to 6.12 go on after an entry that is shorter than its header. */
static inline int dmi_walk(void (*decode)(const struct dmi_header *header, void *context), void *context)
{
	const u8 *data = dmi_table;

	while (data - dmi_table + sizeof(struct dmi_header) <= dmi_length) {
		const struct dmi_header *header = (const void *)data;

		data += header->length;
		while (data - dmi_table < (ptrdiff_t)dmi_length - 1 && (data[0] || data[1]))
			data++;
		if (data - dmi_table < (ptrdiff_t)dmi_length - 1)
			decode(header, context);
		data += 2;
	}
	return 0;
}

#endif
