/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VIPZONE_BANKS_H
#define VIPZONE_BANKS_H

struct vipzone_command;

/**
 * vipzone_parse_banks() - parse "SPREAD=LIST[|LIST...]"
 * @text: what follows "bank:"; is cut up
 * @command: @banks is set, and @orders to all regions of it
 *
 * SPREAD is "percpu", "perprocess", "percgroup" or "random"; LIST as for
 * vipzone_parse(). No region may be in two lists.
 *
 * Pure. Return: 0, -EINVAL (malformed), -E2BIG (too many regions),
 * -ENAMETOOLONG.
 */
int vipzone_parse_banks(char *text, struct vipzone_command *command);

#endif
