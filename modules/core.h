/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the core share with one another. */
#ifndef MEMSUITE_CORE_H
#define MEMSUITE_CORE_H

#include <linux/types.h>

int memsuite_control_init(void);
void memsuite_control_exit(void);

int memsuite_kcalls_init(void);

int memsuite_hooks_init(void);
void memsuite_hooks_exit(void);

int memsuite_give_back_init(void);
void memsuite_give_back_exit(void);

int memsuite_pools_init(void);
void memsuite_pools_exit(void);

int memsuite_bank_maps_init(void);
void memsuite_bank_maps_exit(void);

int memsuite_regions_init(void);
void memsuite_regions_exit(void);

int memsuite_alloc_stats_init(void);
void memsuite_alloc_stats_exit(void);

void memsuite_task_works_exit(void);

unsigned long memsuite_symbol_address(const char *name);

#endif
