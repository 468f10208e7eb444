// SPDX-License-Identifier: GPL-2.0-only
/* The text form of a policy. Pure logic: also built in user space. */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <memsuite/parse.h>

#include "parse/bank.h"
#include "parse/command.h"

/* What a policy may name: the wider it is, the later, and what is narrower goes before it. */
static const struct {
	const char *name;
	unsigned int segments;
} segment_names[] = {
	{ "text", 1U << VIPZONE_SEGMENT_TEXT },
	{ "data", 1U << VIPZONE_SEGMENT_DATA },
	{ "bss", 1U << VIPZONE_SEGMENT_BSS },
	{ "brk", 1U << VIPZONE_SEGMENT_BRK },
	{ "stack", 1U << VIPZONE_SEGMENT_STACK },
	{ "mmap", 1U << VIPZONE_SEGMENT_MMAP },
	{ "shared", 1U << VIPZONE_SEGMENT_SHARED },
	{ "file", 1U << VIPZONE_SEGMENT_FILE },
	{ "cache", 1U << VIPZONE_SEGMENT_CACHE },
	{ "heap", VIPZONE_HEAP_SEGMENTS },
	{ "*", VIPZONE_ALL_SEGMENTS },
};

/* What follows @prefix in @text, or NULL. */
static char *text_behind(char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) ? NULL : text + length;
}

static int segment_name_find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(segment_names); i++)
		if (!strcmp(segment_names[i].name, name))
			return i;
	return -EINVAL;
}

static int parse_segments(char *list, struct vipzone_command *command)
{
	struct vipzone_order orders[ARRAY_SIZE(segment_names)] = {};
	unsigned int named = 0;
	char *item, *name;
	int i, err;

	while ((item = strsep(&list, ","))) {
		name = strsep(&item, "=");
		i = segment_name_find(name);
		if (!item || i < 0 || named & 1U << i)
			return -EINVAL;
		err = vipzone_order_parse_weighted(item, command, &orders[i]);
		if (err)
			return err;
		named |= 1U << i;
	}
	for (i = ARRAY_SIZE(segment_names) - 1; i >= 0; i--)
		if (named & 1U << i)
			vipzone_order_set(command, segment_names[i].segments, &orders[i]);
	return 0;
}

static int parse_policy(char *text, struct vipzone_command *command)
{
	struct vipzone_order order;
	char *list;
	int err;

	if (strlen(text) >= VIPZONE_POLICY_SIZE)
		return -E2BIG;
	strscpy(command->policy, text, VIPZONE_POLICY_SIZE);
	command->by_technology = !strcmp(text, "segment");
	if (command->by_technology)
		return 0;
	list = text_behind(text, "segment:");
	if (list)
		return parse_segments(list, command);
	list = text_behind(text, "low-power-first:");
	if (list)
		return vipzone_low_power_parse(list, command);
	list = text_behind(text, "bank:");
	if (list)
		return vipzone_banks_parse(list, command);
	list = text_behind(text, "region:");
	if (!list)
		return -EINVAL;
	err = vipzone_order_parse_weighted(list, command, &order);
	if (!err)
		vipzone_order_set(command, VIPZONE_ALL_SEGMENTS, &order);
	return err;
}

static int parse_path(const char *path, enum vipzone_scope scope, struct vipzone_command *command)
{
	command->scope = scope;
	if (*path != '/')
		return -EINVAL;
	return strscpy(command->path, path, VIPZONE_PATH_SIZE) < 0 ? -ENAMETOOLONG : 0;
}

int vipzone_command_parse_scope(char *word, struct vipzone_command *command)
{
	char *path = text_behind(word, "cgroup:");

	if (!strcmp(word, "machine")) {
		command->scope = VIPZONE_SCOPE_MACHINE;
		return 0;
	}
	if (path)
		return parse_path(path, VIPZONE_SCOPE_CGROUP, command);
	path = text_behind(word, "file:");
	if (path)
		return parse_path(path, VIPZONE_SCOPE_FILE, command);
	command->scope = VIPZONE_SCOPE_PROCESS;
	if (kstrtoint(word, 10, &command->pid) || command->pid <= 0)
		return -EINVAL;
	return 0;
}

static int set_option(bool *option)
{
	if (*option)
		return -EINVAL;
	*option = true;
	return 0;
}

static int parse_option(const char *word, struct vipzone_command *command)
{
	if (command->scope == VIPZONE_SCOPE_FILE)
		return -EINVAL;
	if (!strcmp(word, "heat"))
		return set_option(&command->heat);
	if (!strcmp(word, "wear"))
		return set_option(&command->wear);
	/* Elsewhere programs say how memory is used, or are kept apart. */
	if (!strcmp(word, "programs") && !command->low_power.set &&
	    !command->banks.nr)
		return set_option(&command->programs);
	/* Of a cgroup or the machine, they are steered anyway. */
	if (!strcmp(word, "children") && command->scope == VIPZONE_SCOPE_PROCESS)
		return set_option(&command->children);
	if (!strcmp(word, "later") && command->scope == VIPZONE_SCOPE_CGROUP)
		return set_option(&command->later);
	/* Nobody enters another one later: who has a policy was there when it was set. */
	if (!strcmp(word, "move") && command->scope == VIPZONE_SCOPE_CGROUP)
		return set_option(&command->move);
	return -EINVAL;
}

/* Heat and wear move pages by how they are used, whatever that makes of the shares. */
static bool options_agree(const struct vipzone_command *command)
{
	unsigned int i;

	if (!command->heat && !command->wear)
		return true;
	for (i = 0; i < VIPZONE_NR_SEGMENTS; i++)
		if (vipzone_order_is_weighted(&command->orders[i]))
			return false;
	return true;
}

int vipzone_command_parse(char *line, struct vipzone_command *command)
{
	char *word = strsep(&line, " \t");
	int err;

	memset(command, 0, sizeof(*command));
	err = vipzone_command_parse_scope(word, command);
	if (err)
		return err;
	word = memsuite_parse_word(&line);
	if (!word)
		return -EINVAL;
	err = parse_policy(word, command);
	/* Banks are dealt out by who uses them, which of a file many do; the kernel has none. */
	if (!err && command->scope == VIPZONE_SCOPE_FILE &&
	    (command->banks.nr || command->low_power.kernel))
		err = -EINVAL;
	while (!err && (word = memsuite_parse_word(&line)))
		err = parse_option(word, command);
	return !err && !options_agree(command) ? -EINVAL : err;
}

int vipzone_command_fill(const char *name, enum memsuite_technology kind,
			 struct vipzone_command *command)
{
	const unsigned int dram = VIPZONE_HEAP_SEGMENTS | 1U << VIPZONE_SEGMENT_STACK;
	unsigned int segments = kind == MEMSUITE_TECHNOLOGY_DRAM ? dram :
		kind == MEMSUITE_TECHNOLOGY_PRAM ? VIPZONE_ALL_SEGMENTS & ~dram : 0;
	unsigned int i;
	int nr;

	if (!segments)
		return 0;
	nr = vipzone_order_number(name, command);
	if (nr < 0)
		return nr;
	for (i = 0; i < VIPZONE_NR_SEGMENTS; i++) {
		struct vipzone_order *order = &command->orders[i];

		if (segments & (1U << i))
			order->region[order->nr++] = nr;
	}
	return 0;
}

int vipzone_command_choose(const struct vipzone_command *base, char *list,
			   struct vipzone_command *command)
{
	int err, i;

	if (!base->programs)
		return -EPERM;
	memset(command, 0, sizeof(*command));
	command->scope = VIPZONE_SCOPE_PROCESS;
	command->children = true;
	command->heat = base->heat;
	command->wear = base->wear;
	if (scnprintf(command->policy, VIPZONE_POLICY_SIZE, "segment:%s", list) ==
	    VIPZONE_POLICY_SIZE - 1)
		return -E2BIG;
	command->nr_regions = base->nr_regions;
	memcpy(command->regions, base->regions, sizeof(command->regions));
	err = parse_segments(list, command);
	if (err)
		return err;
	if (command->nr_regions > base->nr_regions)
		return -EPERM;
	for (i = 0; i < VIPZONE_NR_SEGMENTS; i++)
		if (!command->orders[i].nr)
			command->orders[i] = base->orders[i];
	return options_agree(command) ? 0 : -EINVAL;
}
