/* SPDX-License-Identifier: GPL-2.0-only */
/* The account of all pages that the suite holds: blocks here, pools beside. */
#ifndef MEMSUITE_HOLDING_H
#define MEMSUITE_HOLDING_H

void ms_holding_add(long pages);
long ms_holding_pages(void);

#endif
