// SPDX-License-Identifier: GPL-2.0-only
/* What administrators write; include/memsuite/parse.h. Pure logic: also built in user space. */

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "kernel/parse_private.h"

int memsuite_parse_u64(const char *buf, size_t count, u64 min, u64 max, u64 *value)
{
	u64 v;
	int err;

	if (strnlen(buf, count) != count)
		return -EINVAL;
	err = kstrtou64(buf, 0, &v);
	if (err)
		return err;
	if (v < min || v > max)
		return -ERANGE;
	*value = v;
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_parse_u64);

int memsuite_parse_bool(const char *buf, size_t count, bool *value)
{
	u64 v;

	if (memsuite_parse_u64(buf, count, 0, 1, &v))
		return -EINVAL;
	*value = v;
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_parse_bool);

/*
 * The kernel's ctype.h takes bytes beyond ASCII for Latin-1, of which 0xa0 is a
 * blank and 0x80 to 0x9f are control characters. Here they are part of a name,
 * most often in UTF-8.
 */
static bool char_is_blank(char c)
{
	return isascii(c) && isspace(c);
}

static bool char_is_control(char c)
{
	return isascii(c) && !isprint(c);
}

int memsuite_parse_line(const char *buf, size_t count, char *line, size_t size)
{
	size_t i;

	while (count && char_is_blank(buf[count - 1]))
		count--;
	while (count && char_is_blank(*buf)) {
		buf++;
		count--;
	}
	if (!count)
		return -EINVAL;
	if (count >= size)
		return -E2BIG;
	for (i = 0; i < count; i++)
		if (char_is_control(buf[i]))
			return -EINVAL;
	memcpy(line, buf, count);
	line[count] = '\0';
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_parse_line);

/* memparse() accepts overflow and the absence of digits silently. */
int memsuite_parse_bytes(const char **text, u64 *bytes)
{
	static const char units[] = "KMGT";
	unsigned int base = 10, shift = 0, digit, digits = 0;
	const char *p = *text, *unit;
	u64 value = 0;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	for (; isxdigit(*p); p++, digits++) {
		digit = isdigit(*p) ? *p - '0' : tolower(*p) - 'a' + 10;
		if (digit >= base)
			break;
		if (value > (U64_MAX - digit) / base)
			return -ERANGE;
		value = value * base + digit;
	}
	if (!digits)
		return -EINVAL;
	if (*p) {
		unit = strchr(units, toupper(*p));
		if (unit) {
			shift = 10 * (unit - units + 1);
			p++;
		}
	}
	if (value > U64_MAX >> shift)
		return -ERANGE;
	*bytes = value << shift;
	*text = p;
	return 0;
}

int memsuite_parse_range(const char *text, u64 *start, u64 *end)
{
	u64 from, to;
	int err;

	err = memsuite_parse_bytes(&text, &from);
	if (err)
		return err;
	if (*text++ != '-')
		return -EINVAL;
	err = memsuite_parse_bytes(&text, &to);
	if (err)
		return err;
	if (*text)
		return -EINVAL;
	if ((from | to) & (PAGE_SIZE - 1))
		return -EINVAL;
	if (from >= to)
		return -ERANGE;
	*start = from;
	*end = to;
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_parse_range);

int memsuite_parse_name(const char *text, char *name)
{
	size_t i, length = strlen(text);

	if (length >= MEMSUITE_REGION_NAME)
		return -ENAMETOOLONG;
	if (!length || text[0] == '.')
		return -EINVAL;
	for (i = 0; i < length; i++)
		if (!isascii(text[i]) || (!isalnum(text[i]) && !strchr("_-.", text[i])))
			return -EINVAL;
	memcpy(name, text, length + 1);
	return 0;
}
