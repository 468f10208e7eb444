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

static int parse_path(const char *path, struct mrc_who *who)
{
	size_t length = strlen(path);

	if (*path != '/')
		return -EINVAL;
	if (length >= MRC_PATH)
		return -ENAMETOOLONG;
	memcpy(who->cgroup, path, length + 1);
	return 0;
}

int mrc_who_parse(const char *word, struct mrc_who *who)
{
	static const char cgroup[] = "cgroup:", above[] = "above:";
	u64 pid;
	int err;

	memset(who, 0, sizeof(*who));
	if (!strcmp(word, "machine")) {
		who->scope = MRC_MACHINE;
		return 0;
	}
	if (!strncmp(word, cgroup, sizeof(cgroup) - 1)) {
		who->scope = MRC_CGROUP;
		return parse_path(word + sizeof(cgroup) - 1, who);
	}
	if (!strncmp(word, above, sizeof(above) - 1)) {
		who->scope = MRC_ABOVE;
		return parse_size(word + sizeof(above) - 1, &who->bytes);
	}
	who->scope = MRC_PROCESS;
	err = parse_number(word, 1, PID_LAST, &pid);
	if (!err)
		who->pid = pid;
	return err;
}

static int parse_first(char **line, struct mrc_who *who)
{
	char *word = memsuite_parse_word(line);

	return word ? mrc_who_parse(word, who) : -EINVAL;
}

int mrc_who_parse_line(char *line, struct mrc_who *who)
{
	int err = parse_first(&line, who);
	char *word;

	while (!err && (word = memsuite_parse_word(&line))) {
		/* Of a cgroup or the machine, they are targets anyway. */
		if (strcmp(word, "children") || who->scope != MRC_PROCESS ||
		    who->children)
			err = -EINVAL;
		who->children = true;
	}
	return err;
}

int mrc_who_parse_rate(char *line, struct mrc_who *who, u64 *rate)
{
	int err = parse_first(&line, who);
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
	scnprintf(text, MRC_WHO, "above:%llu%.1s", (unsigned long long)bytes,
		  &units[unit]);
}

void mrc_who_format(const struct mrc_who *who, char *text)
{
	switch (who->scope) {
	case MRC_MACHINE:
		scnprintf(text, MRC_WHO, "machine");
		break;
	case MRC_CGROUP:
		scnprintf(text, MRC_WHO, "cgroup:%s", who->cgroup);
		break;
	case MRC_ABOVE:
		format_size(who->bytes, text);
		break;
	default:
		scnprintf(text, MRC_WHO, "%d%s", who->pid,
			  who->children ? " children" : "");
	}
}

void mrc_who_name(const struct mrc_who *who, char *text)
{
	mrc_who_format(who, text);
	for (; *text; text++) {
		if (*text == '/')
			*text = '!';
		else if (*text == ' ')
			*text = '+';
	}
}

bool mrc_who_same(const struct mrc_who *a, const struct mrc_who *b)
{
	return a->scope == b->scope && a->pid == b->pid &&
	       a->bytes == b->bytes && !strcmp(a->cgroup, b->cgroup);
}
