/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BANKMAP_PICTURE_H
#define BANKMAP_PICTURE_H

#include <stdio.h>

#include "solver.h"

/* How often each latency was measured: lines of text, each behind a "#". */
void picture_text(FILE *to, const struct histogram *histogram);

/* The same as SVG. */
void picture_svg(FILE *to, const struct histogram *histogram);

#endif
