/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text for the fuzzer, out of templates. In a template,
 *
 *	<A~B~C>	is one of these, which are templates again
 *	%n	a number, often one at an edge; %d one below 100
 *	%a	an address or size, mostly a multiple of a page
 *	%h	a mask
 *	%r	the name of a region; %m of a bank map
 *	%p	a process that is there to be steered; %g a control group
 *	%%	a per cent sign
 *
 * A good text is as the template says; others are damaged, or noise.
 */
#ifndef _FUZZ_TEXT_H
#define _FUZZ_TEXT_H

#include <ctype.h>

#include "fuzz.h"

#define FUZZ_TEXT	2048
#define FUZZ_PROCESSES	"/run/fuzz.processes"

struct fuzz_text {
	char bytes[FUZZ_TEXT];
	size_t length;
};

static inline void text_add(struct fuzz_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static inline void text_add(struct fuzz_text *text, const char *format, ...)
{
	size_t room = sizeof(text->bytes) - text->length;
	va_list arguments;
	size_t length;

	va_start(arguments, format);
	length = vsnprintf(text->bytes + text->length, room, format, arguments);
	va_end(arguments);
	text->length += length < room ? length : room - 1;
}

/* One of the processes, one a line, that fuzz.sh has named. */
static inline long text_process(void)
{
	char list[1024];
	int fd = open(FUZZ_PROCESSES, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, list, sizeof(list) - 1);
	unsigned int which = fuzz_below(16);
	char *at = list;

	if (fd >= 0)
		close(fd);
	if (length <= 0 || fuzz_one_in(16))
		return fuzz_below(400);
	list[length] = 0;
	while (which--) {
		at = strchr(at, '\n');
		if (!at || !*++at)
			at = list;
	}
	return strtol(at, NULL, 10);
}

static inline void text_number(struct fuzz_text *text)
{
	uint64_t number = 1ULL << fuzz_below(64);

	switch (fuzz_below(8)) {
	case 0:
		number += fuzz_below(3) - 1;
		break;
	case 1:
		number = fuzz_mix(&fuzz.chance);
		break;
	case 2:
		number = 0;
		break;
	default:
		number = fuzz_below(fuzz_one_in(2) ? 16 : 4096);
	}
	if (fuzz_one_in(24))
		text_add(text, "-");
	text_add(text, fuzz_one_in(8) ? "0x%llx" : "%llu", (unsigned long long)number);
}

static inline void text_address(struct fuzz_text *text)
{
	unsigned long mib = fuzz_below(fuzz_one_in(8) ? 8192 : 1024);

	switch (fuzz_below(8)) {
	case 0:
		text_number(text);
		break;
	case 1:
		text_add(text, "0x%lx", (mib << 20) + fuzz_below(256) * 4096);
		break;
	case 2:
		text_add(text, "%luK", mib * 1024 + fuzz_below(256) * 4);
		break;
	default:
		text_add(text, "%luM", mib & ~7UL);
	}
}

static inline void text_item(struct fuzz_text *text, char what)
{
	static const char *const nodes[] = { "node0", "node1", "dimm0", "pmem0" };

	switch (what) {
	case 'n':
		text_number(text);
		break;
	case 'd':
		text_add(text, "%u", (unsigned int)fuzz_below(100));
		break;
	case 'a':
		text_address(text);
		break;
	case 'h':
		text_add(text, "0x%llx", 1ULL << fuzz_below(36) |
			 (fuzz_one_in(2) ? 1ULL << (12 + fuzz_below(18)) : 0));
		break;
	case 'r':
		if (fuzz_one_in(3))
			text_add(text, "%s", nodes[fuzz_below(fuzz_one_in(4) ? 4 : 1)]);
		else
			text_add(text, "r%u", (unsigned int)fuzz_below(6));
		break;
	case 'm':
		text_add(text, "m%u", (unsigned int)fuzz_below(4));
		break;
	case 'p':
		text_add(text, "%ld", text_process());
		break;
	case 'g':
		text_add(text, "/f%u", (unsigned int)fuzz_below(4));
		break;
	default:
		text_add(text, "%c", what);
	}
}

/* Behind the alternatives that begin at @at. */
static inline const char *text_close(const char *at)
{
	unsigned int depth = 1;

	for (; *at && depth; at++)
		depth += (*at == '<') - (*at == '>');
	return at;
}

static inline const char *text_expand(struct fuzz_text *text, const char *at);

static inline const char *text_choose(struct fuzz_text *text, const char *at)
{
	const char *begins[32] = { at }, *end = text_close(at);
	unsigned int depth = 0, number = 1;

	for (; at < end && number < 32; at++) {
		depth += (*at == '<') - (*at == '>');
		if (*at == '~' && !depth)
			begins[number++] = at + 1;
	}
	text_expand(text, begins[fuzz_below(number)]);
	return end;
}

/* Up to the end of the template, or of the alternative. */
static inline const char *text_expand(struct fuzz_text *text, const char *at)
{
	while (*at && *at != '>' && *at != '~') {
		if (*at == '<') {
			at = text_choose(text, at + 1);
		} else if (*at == '%' && at[1]) {
			text_item(text, at[1]);
			at += 2;
		} else {
			text_add(text, "%c", *at++);
		}
	}
	return at;
}

static inline void text_noise(struct fuzz_text *text)
{
	text->length = fuzz_below(fuzz_one_in(8) ? FUZZ_TEXT : 40);
	for (size_t i = 0; i < text->length; i++)
		text->bytes[i] = fuzz_below(fuzz_one_in(4) ? 256 : 96) + (fuzz_one_in(8) ? 0 : 32);
}

/* One thing is wrong with it. */
static inline void text_damage(struct fuzz_text *text)
{
	size_t at = fuzz_below(text->length), rest = text->length - at;
	size_t some = fuzz_below(rest < 16 ? rest + 1 : 16);

	switch (fuzz_below(7)) {
	case 0:	/* less */
		text->length = at;
		break;
	case 1:	/* a piece is missing */
		memmove(text->bytes + at, text->bytes + at + some, rest - some);
		text->length -= some;
		break;
	case 2:	/* a piece is there twice */
		if (text->length + some < FUZZ_TEXT) {
			memmove(text->bytes + at + some, text->bytes + at, rest);
			text->length += some;
		}
		break;
	case 3:
		if (text->length)
			text->bytes[at] ^= 1 << fuzz_below(8);
		break;
	case 4:
		text_add(text, "%s", fuzz_one_in(2) ? "\n\n" : " x");
		break;
	case 5:	/* as long as a line can be, and more */
		while (text->length < 200 + fuzz_below(1000))
			text_add(text, "%s", fuzz_one_in(2) ? "+r1" : "1");
		break;
	default:
		text->length = at;
		text_number(text);
	}
}

/* A text by one of @nr templates. */
static inline void fuzz_text(struct fuzz_text *text, const char *const *templates, size_t nr)
{
	text->length = 0;
	if (!nr || fuzz_one_in(32)) {
		text_noise(text);
		return;
	}
	text_expand(text, templates[fuzz_below(nr)]);
	if (fuzz_one_in(6))
		text_damage(text);
	if (fuzz_one_in(2) && text->length < FUZZ_TEXT)
		text->bytes[text->length++] = '\n';
}

#endif
