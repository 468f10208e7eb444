// SPDX-License-Identifier: GPL-2.0-only
/* The text form of a target; see target_parse.h. Pure logic: also built in user space. */

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <memsuite/parse.h>

#include "target/target_parse.h"

/* Of any kernel: PID_MAX_LIMIT. */
#define PID_LAST	4194304
/* Far beyond all memory, and far from where sums of them overflow. */
#define BYTES_LAST	BIT_ULL(52)
#define RATE_LAST	1000000000000ULL

static int parse_number(const char *word, u64 first, u64 last, u64 *value)
{
	int err = kstrtou64(word, 0, value);

	/* What does not fit any number is out of range as well. */
	if (err)
		return err == -ERANGE ? -ERANGE : -EINVAL;
	return *value < first || *value > last ? -ERANGE : 0;
}

static int parse_size(const char *word, u64 *bytes)
{
	static const char units[] = "KMGT";
	size_t length = strlen(word);
	const char *unit = length ? strchr(units, word[length - 1]) : NULL;
	unsigned int shift = unit ? 10 * (unit - units + 1) : 0;
	char digits[24];
	int err;

	if (unit)
		length--;
	if (!length || length >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, word, length);
	digits[length] = '\0';
	err = parse_number(digits, 1, BYTES_LAST >> shift, bytes);
	*bytes <<= err ? 0 : shift;
	return err;
}

static int parse_path(const char *path, struct mrc_target_spec *spec)
{
	size_t length = strlen(path);

	if (*path != '/')
		return -EINVAL;
	if (length >= MRC_TARGET_PATH)
		return -ENAMETOOLONG;
	memcpy(spec->cgroup, path, length + 1);
	return 0;
}

int mrc_target_parse(const char *word, struct mrc_target_spec *spec)
{
	static const char cgroup[] = "cgroup:", above[] = "above:";
	u64 pid;
	int err;

	memset(spec, 0, sizeof(*spec));
	if (!strcmp(word, "machine")) {
		spec->type = MRC_TARGET_MACHINE;
		return 0;
	}
	if (!strncmp(word, cgroup, sizeof(cgroup) - 1)) {
		spec->type = MRC_TARGET_CGROUP;
		return parse_path(word + sizeof(cgroup) - 1, spec);
	}
	if (!strncmp(word, above, sizeof(above) - 1)) {
		spec->type = MRC_TARGET_ABOVE;
		return parse_size(word + sizeof(above) - 1, &spec->bytes);
	}
	spec->type = MRC_TARGET_PROCESS;
	err = parse_number(word, 1, PID_LAST, &pid);
	if (!err)
		spec->pid = pid;
	return err;
}

static int parse_first(char **line, struct mrc_target_spec *spec)
{
	char *word = memsuite_parse_word(line);

	return word ? mrc_target_parse(word, spec) : -EINVAL;
}

static int parse_option(const char *word, struct mrc_target_spec *spec)
{
	bool *option = NULL;

	/* Of a cgroup or the machine, they are targets anyway. */
	if (!strcmp(word, "children") && spec->type == MRC_TARGET_PROCESS)
		option = &spec->children;
	else if (!strcmp(word, "later") && spec->type == MRC_TARGET_CGROUP)
		option = &spec->later;
	if (!option || *option)
		return -EINVAL;
	*option = true;
	return 0;
}

int mrc_target_parse_line(char *line, struct mrc_target_spec *spec)
{
	int err = parse_first(&line, spec);
	char *word;

	while (!err && (word = memsuite_parse_word(&line)))
		err = parse_option(word, spec);
	return err;
}

int mrc_target_parse_rate(char *line, struct mrc_target_spec *spec, u64 *rate)
{
	int err = parse_first(&line, spec);
	char *word = memsuite_parse_word(&line);

	if (!err)
		err = word ? parse_number(word, 0, RATE_LAST, rate) : -EINVAL;
	return !err && memsuite_parse_word(&line) ? -EINVAL : err;
}

/* @bytes in the largest unit that leaves no remainder. */
static void format_size(u64 bytes, char *text)
{
	static const char units[] = "\0KMGT";
	unsigned int unit = 0;

	while (unit < 4 && !(bytes & 1023)) {
		bytes >>= 10;
		unit++;
	}
	scnprintf(text, MRC_TARGET_TEXT, "above:%llu%.1s", (unsigned long long)bytes,
		  &units[unit]);
}

void mrc_target_format(const struct mrc_target_spec *spec, char *text)
{
	switch (spec->type) {
	case MRC_TARGET_MACHINE:
		scnprintf(text, MRC_TARGET_TEXT, "machine");
		break;
	case MRC_TARGET_CGROUP:
		scnprintf(text, MRC_TARGET_TEXT, "cgroup:%s", spec->cgroup);
		break;
	case MRC_TARGET_ABOVE:
		format_size(spec->bytes, text);
		break;
	default:
		scnprintf(text, MRC_TARGET_TEXT, "%d%s", spec->pid,
			  spec->children ? " children" : "");
	}
}

/* As in URLs, what stands for something else is told by its code. */
static void append_dirname_char(char *name, size_t *len, char c)
{
	char replaced = c == '/' ? '!' : c == ' ' ? '+' : c;

	*len += scnprintf(name + *len, MRC_TARGET_DIRNAME - *len,
			  strchr("!+%", c) ? "%%%02x" : "%c", replaced);
}

void mrc_target_dirname(const struct mrc_target_spec *spec, char *name)
{
	char text[MRC_TARGET_TEXT], *c;
	size_t len = 0;

	mrc_target_format(spec, text);
	*name = 0;
	for (c = text; *c; c++)
		append_dirname_char(name, &len, *c);
}

bool mrc_target_same(const struct mrc_target_spec *a, const struct mrc_target_spec *b)
{
	return a->type == b->type && a->pid == b->pid &&
	       a->bytes == b->bytes && !strcmp(a->cgroup, b->cgroup);
}
