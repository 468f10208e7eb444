/* SPDX-License-Identifier: GPL-2.0-only */
/* What a target gets, as the kernel's functions do, and what must hold of what they make of it. */
#ifndef FUZZERS_INPUT_H
#define FUZZERS_INPUT_H

#include <linux/kernel.h>

#include <memsuite/parse.h>

/* libFuzzer's, and replay.c's: @data is one input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that no input may break. */
#define MUST(condition)                                                                         \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                \
		}                                                                               \
	} while (0)

/*
 * A copy with a NUL behind it, as sysfs hands it out, and nothing behind that: AddressSanitizer
 * sees who reads on.
 */
static inline char *input_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/*
 * The line that a store function with room for @room makes of it, or NULL if it refuses that;
 * also of its own size.
 */
static inline char *input_line(const uint8_t *data, size_t size, size_t room)
{
	char *text = input_text(data, size), *line = malloc(room), *exact = NULL;

	if (!line)
		abort();
	if (!memsuite_parse_line(text, size, line, room))
		exact = input_text((uint8_t *)line, strlen(line));
	free(text);
	free(line);
	return exact;
}

/* An input that is no text: numbers, 0 behind its end. */
struct input_bytes {
	const uint8_t *at;
	size_t left;
};

static inline u8 input_u8(struct input_bytes *bytes)
{
	if (!bytes->left)
		return 0;
	bytes->left--;
	return *bytes->at++;
}

static inline u16 input_u16(struct input_bytes *bytes)
{
	u16 low = input_u8(bytes);

	return low | input_u8(bytes) << 8;
}

static inline u64 input_u64(struct input_bytes *bytes)
{
	u64 value = 0;
	int i;

	for (i = 0; i < 4; i++)
		value |= (u64)input_u16(bytes) << 16 * i;
	return value;
}

#endif
