/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints memsuite:memdiag_*. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM memsuite

#if !defined(MEMDIAG_RESULT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MEMDIAG_RESULT_TRACE_H

#include <linux/tracepoint.h>

#include <memsuite/region.h>

#include "result/bad_pages.h"

TRACE_EVENT(memdiag_bad_page,
	TP_PROTO(const struct memdiag_bad_page *bad_page, int nid, const char *region,
		 const char *dimm),

	TP_ARGS(bad_page, nid, region, dimm),

	TP_STRUCT__entry(
		__field(unsigned long, pfn)
		__field(u64, address)
		__field(u64, mask)
		__field(u64, rising)
		__field(u64, background)
		__field(unsigned int, element)
		__field(unsigned int, class)
		__field(unsigned int, origin)
		__field(int, nid)
		__array(char, region, MEMSUITE_REGION_NAME)
		__array(char, dimm, MEMSUITE_REGION_TEXT)
	),

	TP_fast_assign(
		__entry->pfn = bad_page->pfn;
		__entry->address = bad_page->address;
		__entry->mask = bad_page->mask;
		__entry->rising = bad_page->rising;
		__entry->background = bad_page->background;
		__entry->element = bad_page->element;
		__entry->class = bad_page->class;
		__entry->origin = bad_page->origin;
		__entry->nid = nid;
		strscpy(__entry->region, region, MEMSUITE_REGION_NAME);
		strscpy(__entry->dimm, dimm, MEMSUITE_REGION_TEXT);
	),

	TP_printk("pfn=0x%lx address=0x%llx mask=0x%016llx rising=0x%016llx element=%u background=0x%016llx class=%s origin=%s node=%d region=%s dimm=%s",
		  __entry->pfn, __entry->address, __entry->mask,
		  __entry->rising, __entry->element, __entry->background,
		  __print_symbolic(__entry->class,
				   { 0, "unknown" },
				   { 1, "read-path" },
				   { 2, "transient" },
				   { 3, "intermittent" },
				   { 4, "hard" },
				   { 5, "uncorrectable" }),
		  __print_symbolic(__entry->origin,
				   { 0, "test" },
				   { 1, "hand" },
				   { 2, "restored" },
				   { 3, "emulated" },
				   { 4, "ecc" }),
		  __entry->nid, __entry->region, __entry->dimm)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH result
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
