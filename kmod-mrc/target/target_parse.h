/* SPDX-License-Identifier: GPL-2.0-only */
/* Who is tracked, as text: the words of vipzone. Pure logic. */
#ifndef MRC_TARGET_TARGET_PARSE_H
#define MRC_TARGET_TARGET_PARSE_H

#include <linux/types.h>

/* With what stands before it, a path is the name of a directory in debugfs. */
#define MRC_PATH	240
/* The longest of mrc_who_format(). */
#define MRC_WHO		(MRC_PATH + 16)

enum mrc_scope {
	MRC_PROCESS,
	MRC_CGROUP,
	MRC_ABOVE,
	MRC_MACHINE,
};

/**
 * struct mrc_who - a target
 * @scope: what it is:
 * @pid: that process; with @children, all that it forks as well
 * @cgroup: all processes of the cgroup with this path, and of those below it
 * @bytes: all processes with so much memory
 * @children: see @pid
 */
struct mrc_who {
	enum mrc_scope scope;
	int pid;
	char cgroup[MRC_PATH];
	u64 bytes;
	bool children;
};

/**
 * mrc_who_parse() - parse "PID", "cgroup:PATH", "above:SIZE" or "machine"
 * @word: as written; SIZE may end with K, M, G or T
 * @who: result
 *
 * Return: 0, -EINVAL, -ERANGE (no PID or size is such) or -ENAMETOOLONG.
 */
int mrc_who_parse(const char *word, struct mrc_who *who);

/**
 * mrc_who_parse_line() - parse "WHO [children]", what is written to mrc/add
 * @line: is cut up
 * @who: result
 *
 * Return: as mrc_who_parse().
 */
int mrc_who_parse_line(char *line, struct mrc_who *who);

/**
 * mrc_who_parse_rate() - parse "WHO NUMBER", what is written to accesses_per_s
 * @line: is cut up
 * @who: result
 * @rate: result
 *
 * Return: as mrc_who_parse().
 */
int mrc_who_parse_rate(char *line, struct mrc_who *who, u64 *rate);

/**
 * mrc_who_format() - a target as it would be written to mrc/add
 * @who: the target
 * @text: result, of MRC_WHO
 */
void mrc_who_format(const struct mrc_who *who, char *text);

/**
 * mrc_who_name() - the name of its directory in debugfs
 * @who: the target
 * @text: result, of MRC_WHO: in one word, and with "!" for "/"
 */
void mrc_who_name(const struct mrc_who *who, char *text);

/* Whether they are the same target; one has or has not children. */
bool mrc_who_same(const struct mrc_who *a, const struct mrc_who *b);

#endif
