/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* Of 128 MiB, as on x86-64. */
#define PAGES_PER_SECTION	(1UL << 15)
