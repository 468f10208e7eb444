/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BANKMAP_IMPORT_H
#define BANKMAP_IMPORT_H

#include <stdio.h>

/**
 * import() - make a bank map of what drama or DRAMDig has printed
 * @from: their output
 * @to: gets the line that /sys/kernel/memsuite/bank_maps/add takes
 * @name: of the map
 *
 * Both print a function as the numbers of its bits, one function a line.
 *
 * Return: how many functions there were.
 */
unsigned int import(FILE *from, FILE *to, const char *name);

#endif
