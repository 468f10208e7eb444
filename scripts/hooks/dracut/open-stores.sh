#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each time that there is no more news of devices, until the root file system is there.
memsuite-open-stores
