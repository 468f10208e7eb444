// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/debug/memsuite/vipzone */

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/seq_file.h>

#include <memsuite/control.h>

#include "admin/vipzone_debugfs.h"
#include "policy/process_energy.h"
#include "policy/process_table.h"

static struct dentry *dir;

DEFINE_SHOW_ATTRIBUTE(vipzone_processes);
DEFINE_SHOW_ATTRIBUTE(vipzone_process_energy);

void vipzone_debugfs_init(void)
{
	dir = memsuite_debugfs_add("vipzone");
	debugfs_create_file("processes", 0400, dir, NULL, &vipzone_processes_fops);
	debugfs_create_file("ledger", 0400, dir, NULL, &vipzone_process_energy_fops);
}

void vipzone_debugfs_exit(void)
{
	debugfs_remove_recursive(dir);
}
