/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the core share with one another. */
#ifndef MEMSUITE_CORE_H
#define MEMSUITE_CORE_H

#include <linux/types.h>

int ms_control_init(void);
void ms_control_exit(void);

int ms_calls_init(void);

int ms_hooks_init(void);
void ms_hooks_exit(void);

int ms_holding_init(void);
void ms_holding_exit(void);

int ms_pools_init(void);
void ms_pools_exit(void);

int ms_bank_maps_init(void);
void ms_bank_maps_exit(void);

int ms_regions_init(void);
void ms_regions_exit(void);

int ms_demand_init(void);
void ms_demand_exit(void);

void ms_errands_exit(void);

unsigned long ms_symbol_address(const char *name);

#endif
