/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_REGION_DMI_DECODE_H
#define MEMSUITE_REGION_DMI_DECODE_H

struct memsuite_dmi;

/* Adds what the tables tell to @dimms, which is all zero. Context: may sleep. */
void memsuite_dmi_read(struct memsuite_dmi *dimms);

#endif
