/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace of what reaches memory, in the order in which it does: records of 64 bits, the last one TRACE_END, whose time
 * is when the count ended.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdint.h>

enum trace_kind { TRACE_READ, TRACE_WRITE, TRACE_END };

#define TRACE_FRAME_BITS	24
#define TRACE_KIND_BITS		2

/* @time: instructions that the CPU has run. */
static inline uint64_t trace_record(uint64_t time, enum trace_kind kind, uint64_t frame)
{
	return time << (TRACE_FRAME_BITS + TRACE_KIND_BITS) | (uint64_t)kind << TRACE_FRAME_BITS | frame;
}

static inline uint64_t trace_time(uint64_t record)
{
	return record >> (TRACE_FRAME_BITS + TRACE_KIND_BITS);
}

static inline enum trace_kind trace_kind(uint64_t record)
{
	return record >> TRACE_FRAME_BITS & ((1u << TRACE_KIND_BITS) - 1);
}

static inline uint64_t trace_frame(uint64_t record)
{
	return record & ((1u << TRACE_FRAME_BITS) - 1);
}

#endif
