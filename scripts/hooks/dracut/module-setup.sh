#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For dracut: what opens the stores of /etc/memsuite/stores before a file system on one is mounted.

check() {
	[[ -s /etc/memsuite/stores ]] || return 255
	require_binaries dmsetup od tr readlink
}

depends() {
	echo dm
}

installkernel() {
	hostonly='' instmods dm-vstore nd_pmem nd_e820 nfit
}

install() {
	inst_multiple dmsetup od tr readlink cat
	inst_simple /etc/memsuite/stores
	inst_simple @open-stores@ /bin/memsuite-open-stores
	inst_rules 60-memsuite-stores.rules
	# shellcheck disable=SC2154	# dracut's
	inst_hook initqueue/settled 40 "$moddir/open-stores.sh"
}
