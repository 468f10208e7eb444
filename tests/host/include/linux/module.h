/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_LINUX_MODULE_H
#define HOST_LINUX_MODULE_H

#include <linux/kernel.h>

#define MODULE_LICENSE(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_IMPORT_NS(ns)

#endif
