// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policies, and what programs choose, which comes behind the first end of a line:
 * kmod-vipzone/parse.
 */
#include "kernel/parse.c"
#include "region/region_parse.c"
#include "parse/command.c"
#include "parse/low_power.c"
#include "parse/bank.c"
#include "parse/order.c"
#include "parse/turns.c"

#include <memsuite/vipzone.h>

#include "input.h"

static void order_check(const struct vipzone_command *command, const struct vipzone_order *order)
{
	u32 seen = 0;
	int i;

	MUST(order->nr <= VIPZONE_MAX_REGIONS);
	for (i = 0; i < order->nr; i++) {
		MUST(order->region[i] < command->nr_regions && !(seen >> order->region[i] & 1));
		seen |= 1u << order->region[i];
	}
}

/* Each region of shares has some, and as many turns of a round as the others by their weights. */
static void weights_check(const struct vipzone_order *order)
{
	unsigned int had[VIPZONE_MAX_REGIONS] = {};
	struct vipzone_turns *turns;
	unsigned int i;

	MUST(order->nr > 1);
	turns = malloc(vipzone_turns_size(order));
	vipzone_turns_init(turns, order);
	for (i = 0; i < turns->nr; i++)
		had[turns->turn[i]]++;
	for (i = 0; i < order->nr; i++)
		MUST(had[i] && had[i] * order->weight[0] == had[0] * order->weight[i]);
	free(turns);
}

static void command_check(const struct vipzone_command *command)
{
	struct vipzone_order order;
	int i;

	MUST(command->nr_regions <= VIPZONE_MAX_REGIONS &&
	     command->banks.nr <= VIPZONE_MAX_REGIONS);
	for (i = 0; i < VIPZONE_NR_SEGMENTS; i++) {
		order_check(command, &command->orders[i]);
		if (!vipzone_order_is_weighted(&command->orders[i]))
			continue;
		MUST(!command->heat && !command->wear && !command->low_power.set && !command->banks.nr);
		weights_check(&command->orders[i]);
	}
	for (i = 0; i < command->banks.nr; i++)
		order_check(command, &command->banks.orders[i]);
	if (!command->low_power.set)
		return;
	order_check(command, &command->low_power.read);
	order_check(command, &command->low_power.write);
	MUST(command->low_power.threshold_pct <= 100);
	for (i = 0; i < 16; i++) {
		vipzone_low_power_order(command, i & 1 ? VIPZONE_HINT_WRITE : 0,
					i & 2 ? 5 : 0xaaaaaaaa, i & 4 ? 31 : 0, &order);
		order_check(command, &order);
	}
}

static bool orders_same(const struct vipzone_order *a, const struct vipzone_order *b)
{
	return a->nr == b->nr && !memcmp(a->region, b->region, a->nr) &&
	       !memcmp(a->weight, b->weight, sizeof(a->weight));
}

static bool commands_same(const struct vipzone_command *a, const struct vipzone_command *b)
{
	int i;

	for (i = 0; i < VIPZONE_NR_SEGMENTS; i++)
		if (!orders_same(&a->orders[i], &b->orders[i]))
			return false;
	return a->scope == b->scope && a->pid == b->pid && !strcmp(a->path, b->path) &&
	       a->children == b->children && a->move == b->move &&
	       a->heat == b->heat && a->wear == b->wear &&
	       a->programs == b->programs && !strcmp(a->policy, b->policy) &&
	       a->nr_regions == b->nr_regions &&
	       !memcmp(a->regions, b->regions, sizeof(a->regions)) &&
	       a->low_power.kernel == b->low_power.kernel && a->banks.nr == b->banks.nr;
}

static void command_print(const struct vipzone_command *command, char *to, size_t size)
{
	size_t at = command->scope == VIPZONE_SCOPE_MACHINE ?
			    scnprintf(to, size, "machine") :
		    command->scope == VIPZONE_SCOPE_CGROUP ?
			    scnprintf(to, size, "cgroup:%s", command->path) :
		    command->scope == VIPZONE_SCOPE_FILE ?
			    scnprintf(to, size, "file:%s", command->path) :
			    scnprintf(to, size, "%d", command->pid);

	scnprintf(to + at, size - at, " \t%s%s%s%s%s%s", command->policy,
		  command->heat ? " heat" : "", command->wear ? " wear" : "",
		  command->programs ? " programs" : "", command->children ? " children" : "",
		  command->move ? " move" : "");
}

static void technologies_fill(struct vipzone_command *command)
{
	char name[8];
	int i;

	for (i = 0; i < VIPZONE_MAX_REGIONS + 2; i++) {
		snprintf(name, sizeof(name), "r%d", i);
		if (vipzone_command_fill(name, i % 3, command))
			MUST(command->nr_regions == VIPZONE_MAX_REGIONS);
	}
	command_check(command);
}

static void program_choose(const struct vipzone_command *base, const char *text)
{
	static struct vipzone_command chosen;
	char *list = strndup(text, VIPZONE_MAX_POLICY - 1);

	if (list && !vipzone_command_choose(base, list, &chosen)) {
		command_check(&chosen);
		MUST(chosen.nr_regions == base->nr_regions);
	}
	free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct vipzone_command command, again;
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	char *line = input_line(data, end ? end - data : size, 640), printed[1024];
	char *choice = end ? input_text(end + 1, data + size - end - 1) : NULL;

	if (line && !vipzone_command_parse(line, &command)) {
		command_check(&command);
		command_print(&command, printed, sizeof(printed));
		MUST(!vipzone_command_parse(printed, &again) && commands_same(&command, &again));
		if (choice)
			program_choose(&command, choice);
		if (command.by_technology)
			technologies_fill(&command);
	}
	free(line);
	free(choice);
	return 0;
}
