/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_RETIRE_GIVE_BACK_H
#define MEMSUITE_RETIRE_GIVE_BACK_H

int memsuite_give_back_init(void);
void memsuite_give_back_exit(void);

#endif
