/* SPDX-License-Identifier: GPL-2.0-only */
/* The host's, without sanitizers: they would take most of the time. */
#ifndef FUZZERS_LINUX_CRC32_H
#define FUZZERS_LINUX_CRC32_H

#pragma clang attribute push(__attribute__((no_sanitize("address", "undefined", "coverage"))), apply_to = function)
#include_next <linux/crc32.h>
#pragma clang attribute pop

#endif
