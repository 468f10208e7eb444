/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loop of strip.h. The includer defines STRIP, and before that, named after
 * it: vector, the type that a line is handled in; store(), which writes one, and
 * stream(), which writes one past the caches; any_bit(), which tells whether it
 * has a bit set.
 */

#define STRIP_PASTE(name, strip)	name##_##strip
#define STRIP_NAME(name, strip)		STRIP_PASTE(name, strip)
#define vector				STRIP_NAME(vector, STRIP)
#define loose				STRIP_NAME(loose, STRIP)
#define store				STRIP_NAME(store, STRIP)
#define stream				STRIP_NAME(stream, STRIP)
#define any_bit				STRIP_NAME(any_bit, STRIP)
#define line_value			STRIP_NAME(line_value, STRIP)
#define strip_go				STRIP_NAME(strip_go, STRIP)

#define PARTS	(MEMDIAG_LINE_BYTES / sizeof(vector))

/* struct memdiag_strip is on a stack that is aligned to words only. */
typedef vector loose __aligned(8);

/* The value of a line, of backgrounds that change from line to line. */
static __always_inline vector line_value(vector value, bool scatter, u64 flip)
{
	if (scatter)
		MEMDIAG_BACKGROUND_SCATTER(value);
	return value ^ flip;
}

/* Whether to read and write, and what, is known when this is compiled. */
static __always_inline size_t strip_go(struct memdiag_strip *strip, bool constant, bool read,
				       bool write, bool cached)
{
	/* What memory holds may change as far as the compiler knows. */
	const u64 expected = strip->expected, written = strip->written;
	const bool scatter = strip->scatter;
	const unsigned int bit = strip->bit;
	const long stride = strip->stride, up = strip->up;
	const size_t nr = strip->nr;
	vector value[PARTS], step[PARTS], now[PARTS], diff[PARTS], all;
	u64 number = strip->number;
	u64 *line = strip->line, *behind = strip->behind;
	size_t i;
	unsigned int k;

	for (k = 0; k < PARTS; k++) {
		now[k] = ((const loose *)strip->value)[k];
		value[k] = now[k];
		step[k] = ((const loose *)strip->step)[k];
	}
	for (i = 0; i < nr; i++) {
		vector *part = (vector *)line;

		all = now[0] ^ now[0];
		for (k = 0; !constant && k < PARTS; k++) {
			now[k] = line_value(value[k], scatter,
					    -(number >> bit & 1));
			value[k] += step[k];
		}
		if (read && unlikely(!memdiag_mcsafe_read(line))) {
			strip->uncorrectable = true;
			return i;
		}
		for (k = 0; read && k < PARTS; k++) {
			diff[k] = part[k] ^ (now[k] ^ expected);
			all |= diff[k];
		}
		if (read && unlikely(any_bit(all))) {
			for (k = 0; k < PARTS; k++)
				((loose *)strip->diff)[k] = diff[k];
			return i;
		}
		for (k = 0; write && k < PARTS; k++) {
			if (cached)
				store(&part[k], now[k] ^ written);
			else
				stream(&part[k], now[k] ^ written);
		}
		if (cached && behind) {
			clflushopt(behind);
			behind += stride;
		}
		number += up;
		line += stride;
	}
	return i;
}

size_t STRIP_NAME(memdiag_strip, STRIP)(struct memdiag_strip *strip)
{
	bool constant = strip->constant;

	if (!strip->write)
		return constant ? strip_go(strip, true, true, false, false) :
				  strip_go(strip, false, true, false, false);
	if (!strip->read)
		return constant ? strip_go(strip, true, false, true, false) :
				  strip_go(strip, false, false, true, false);
	if (strip->cached)
		return constant ? strip_go(strip, true, true, true, true) :
				  strip_go(strip, false, true, true, true);
	return constant ? strip_go(strip, true, true, true, false) :
			  strip_go(strip, false, true, true, false);
}

#undef STRIP_PASTE
#undef STRIP_NAME
#undef vector
#undef loose
#undef store
#undef stream
#undef any_bit
#undef line_value
#undef strip_go
#undef PARTS
#undef STRIP
