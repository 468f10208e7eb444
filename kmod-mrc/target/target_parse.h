/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be tracked, as text: the words of vipzone. Pure logic. */
#ifndef MRC_TARGET_TARGET_PARSE_H
#define MRC_TARGET_TARGET_PARSE_H

#include <linux/types.h>

/* With what stands before it, a path is the name of a directory in debugfs. */
#define MRC_TARGET_PATH	240
/* The longest of mrc_target_format(). */
#define MRC_TARGET_TEXT		(MRC_TARGET_PATH + 16)
/* The longest name that a file may have, and its end. */
#define MRC_TARGET_DIRNAME	256

enum mrc_target_type {
	MRC_TARGET_PROCESS,
	MRC_TARGET_CGROUP,
	MRC_TARGET_ABOVE,
	MRC_TARGET_MACHINE,
};

/**
 * struct mrc_target_spec - a target
 * @type: what it is:
 * @pid: that process; with @children, all that it forks as well
 * @cgroup: all processes of the cgroup with this path, and of those below it
 * @bytes: all processes with at least so much memory
 * @children: see @pid
 * @later: the cgroup need not be there yet
 */
struct mrc_target_spec {
	enum mrc_target_type type;
	int pid;
	char cgroup[MRC_TARGET_PATH];
	u64 bytes;
	bool children;
	bool later;
};

/**
 * mrc_target_parse() - parse "PID", "cgroup:PATH", "above:SIZE" or "machine"
 * @word: as written; SIZE may end with K, M, G or T
 * @spec: result
 *
 * Return: 0, -EINVAL, -ERANGE (PID or size out of range) or -ENAMETOOLONG.
 */
int mrc_target_parse(const char *word, struct mrc_target_spec *spec);

/**
 * mrc_target_parse_line() - parse "WHO [children|later]", what is written to mrc/add
 * @line: is cut up
 * @spec: result
 *
 * Return: as mrc_target_parse().
 */
int mrc_target_parse_line(char *line, struct mrc_target_spec *spec);

/**
 * mrc_target_parse_rate() - parse "WHO NUMBER", what is written to accesses_per_s
 * @line: is cut up
 * @spec: result
 * @rate: result
 *
 * Return: as mrc_target_parse().
 */
int mrc_target_parse_rate(char *line, struct mrc_target_spec *spec, u64 *rate);

/**
 * mrc_target_format() - a target as it would be written to mrc/add
 * @spec: the target
 * @text: result, of MRC_TARGET_TEXT
 */
void mrc_target_format(const struct mrc_target_spec *spec, char *text);

/**
 * mrc_target_dirname() - the name of its directory in debugfs
 * @spec: the target
 * @name: result, of MRC_TARGET_DIRNAME: with "!" for "/", "+" for a blank, and "%" with their codes
 *	for these three themselves; cut off where that is too long
 */
void mrc_target_dirname(const struct mrc_target_spec *spec, char *name);

/* Whether they are the same target; one has or has not children. */
bool mrc_target_same(const struct mrc_target_spec *a, const struct mrc_target_spec *b);

#endif
