/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's xxh64(), by libxxhash, which the kernel has it from. */
#ifndef HOST_LINUX_XXHASH_H
#define HOST_LINUX_XXHASH_H

/* The kernel's words of one line are attributes' names there. */
#pragma push_macro("noinline")
#pragma push_macro("fallthrough")
#undef noinline
#undef fallthrough
#define XXH_INLINE_ALL
#include <xxhash.h>
#pragma pop_macro("noinline")
#pragma pop_macro("fallthrough")

struct xxh64_state {
	XXH64_state_t state;
};

static inline uint64_t xxh64(const void *input, size_t length, uint64_t seed)
{
	return XXH64(input, length, seed);
}

static inline void xxh64_reset(struct xxh64_state *state, uint64_t seed)
{
	XXH64_reset(&state->state, seed);
}

static inline int xxh64_update(struct xxh64_state *state, const void *input, size_t length)
{
	return XXH64_update(&state->state, input, length);
}

static inline uint64_t xxh64_digest(const struct xxh64_state *state)
{
	return XXH64_digest(&state->state);
}

#endif
