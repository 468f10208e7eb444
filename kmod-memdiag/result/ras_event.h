/* SPDX-License-Identifier: GPL-2.0-only */
/* What a test has found, where tools for errors of memory look. */
#ifndef MEMDIAG_RESULT_RAS_EVENT_H
#define MEMDIAG_RESULT_RAS_EVENT_H

struct memdiag_bad_page;

/**
 * memdiag_ras_event() - tell rasdaemon, and who else listens to ras:mc_event, of a bad page
 * @bad_page: it; told only if a test has found it in real memory
 * @dimm: where its DIMM is plugged in, or "-"
 *
 * Context: any.
 */
void memdiag_ras_event(const struct memdiag_bad_page *bad_page, const char *dimm);

#endif
