/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_REGION_SPEC_H
#define MEMSUITE_REGION_SPEC_H

#include <memsuite/region.h>

/**
 * ms_region_parse() - parse "NAME START-END [key=value ...]"
 * @line: what the administrator wrote; is cut up
 * @spec: result
 *
 * Addresses are bytes, decimal or 0x, with an optional K, M, G or T; both are
 * multiples of the page size. Keys: technology, locator (text),
 * read_latency_ns, write_latency_ns (numbers).
 *
 * Pure: no kernel state.
 * Return: 0; -EINVAL (malformed, not page aligned, unknown key); -ERANGE
 * (empty range, number too large); -ENAMETOOLONG.
 */
int ms_region_parse(char *line, struct ms_region_spec *spec);

#endif
