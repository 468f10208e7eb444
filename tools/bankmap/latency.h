/* SPDX-License-Identifier: GPL-2.0-only */
/* How long memory takes for an access. */
#ifndef BANKMAP_LATENCY_H
#define BANKMAP_LATENCY_H

#include "memory.h"

/* Why there is no telling. */
enum doubt {
	TOLD,
	TOO_FEW_FRAMES,
	ALL_AS_CACHED,		/* what was flushed is there as soon as what was not */
	TOO_WIDE,		/* the measurements lie too far apart */
	BELOW_NOTHING,		/* no longer than what is taken off them */
};

extern const char * const doubt_text[];

/**
 * struct duration - of an access
 * @cycles: the median, in the unit of memory->chain
 * @spread_pct: how far apart the quartiles are
 * @doubt: why both are not to be believed
 */
struct duration {
	double cycles;
	unsigned int spread_pct;
	enum doubt doubt;
};

/**
 * measure_latency() - find how long reading and writing takes
 * @memory: of which frames and chain are used
 * @read: result: until a line is there that is in no cache
 * @write: result: how much longer it takes to flush a line that has to be
 *	written to memory than one that has not
 */
void measure_latency(struct memory *memory, struct duration *read,
		     struct duration *write);

#endif
