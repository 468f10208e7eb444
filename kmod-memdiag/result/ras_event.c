// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bad page as an event of the kernel's RAS subsystem, as EDAC's drivers raise
 * for errors that hardware reports. It says "Info": no hardware has reported it, and it
 * must not count as a corrected or an uncorrected error. For that reason the
 * counters of EDAC are left alone: they are what vendors replace DIMMs by.
 */

#include <linux/kernel.h>
#include <linux/string.h>

#include <compat/ras.h>

#include "result/bad_pages.h"
#include "result/classify.h"
#include "result/ras_event.h"

/* No memory controller has seen it, and nobody knows which one it was. */
#define NO_CONTROLLER	0xff
#define NO_LAYER	(-1)
/* A word is what was found to be wrong: the address is known to 8 bytes. */
#define GRAIN_BITS	3

void memdiag_ras_event(const struct memdiag_bad_page *bad_page, const char *dimm)
{
	char message[64];

	/* What ECC found, its own driver has told; what was found before, was told then. */
	if (bad_page->origin != MEMDIAG_FOUND_BY_TEST)
		return;
	snprintf(message, sizeof(message), "%s fault found by a memory test",
		 memdiag_classify_name(bad_page->class));
	trace_mc_event(HW_EVENT_ERR_INFO, message, strcmp(dimm, "-") ? dimm : "unknown memory", 1,
		       NO_CONTROLLER, NO_LAYER, NO_LAYER, NO_LAYER, bad_page->address,
		       GRAIN_BITS, bad_page->mask, "memdiag");
}
