/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What administrators write: numbers, ranges of addresses, lines and their words.
 * Pure logic: also built in user space. May be called in any context.
 */
#ifndef MEMSUITE_PARSE_H
#define MEMSUITE_PARSE_H

#include <linux/string.h>
#include <linux/types.h>

/**
 * memsuite_parse_word() - cut the next word off a line
 * @line: what is left of the line, is overwritten; NULL after the last word
 *
 * Words lie between blanks and tabs, any number of them.
 *
 * Return: the word, or NULL at the end of the line.
 */
static inline char *memsuite_parse_word(char **line)
{
	char *word;

	do {
		word = strsep(line, " \t");
	} while (word && !*word);
	return word;
}

/**
 * memsuite_parse_u64() - parse what was written to a one-number file
 * @buf: as handed to store(), NUL terminated by sysfs
 * @count: length of @buf
 * @min: smallest value allowed
 * @max: largest value allowed
 * @value: result, untouched on error
 *
 * One trailing newline is allowed; decimal, or hexadecimal with 0x.
 *
 * Return: 0, -EINVAL (not a number, NUL bytes, trailing text) or -ERANGE.
 */
int memsuite_parse_u64(const char *buf, size_t count, u64 min, u64 max, u64 *value);

/**
 * memsuite_parse_bool() - parse "0" or "1"
 * @buf: as handed to store(), NUL terminated by sysfs
 * @count: length of @buf
 * @value: result, untouched on error
 *
 * Return: 0 or -EINVAL.
 */
int memsuite_parse_bool(const char *buf, size_t count, bool *value);

/**
 * memsuite_parse_line() - copy what was written as one trimmed line of text
 * @buf: as handed to store()
 * @count: length of @buf
 * @line: where to
 * @size: size of @line
 *
 * Bytes that are not ASCII stay as they are.
 *
 * Return: 0, -EINVAL (empty, NUL bytes, control characters of ASCII) or -E2BIG.
 */
int memsuite_parse_line(const char *buf, size_t count, char *line, size_t size);

/**
 * memsuite_parse_range() - parse "START-END"
 * @text: addresses in bytes, decimal or 0x, with an optional K, M, G or T;
 *	both are multiples of the page size
 * @start: first byte, untouched on error
 * @end: first byte behind the range, likewise
 *
 * Pure.
 * Return: 0; -EINVAL (malformed, not page aligned); -ERANGE (empty
 * range, number too large).
 */
int memsuite_parse_range(const char *text, u64 *start, u64 *end);

#endif
