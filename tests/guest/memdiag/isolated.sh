#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# CPUs that the administrator keeps for programs of his own are no tester's, whether or not testers keep to their nodes.
#
# kernels: newest; soak: all
# options: --mem 512M --smp 3 --append isolcpus=1,2
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag

# CPUs that testers may run on.
testers_cpus() {
	for status in /proc/[0-9]*/status; do
		grep -q '^Name:	memdiag/[0-9]' "$status" 2>/dev/null && sed -n 's/^Cpus_allowed_list:	//p' "$status"
	done | sort -u
}
are_on() { [ "$(testers_cpus)" = "$1" ]; }
swept() { at_least $diag/passes $((passes + 1)); }

modprobe memdiag || exit 1
echo fixed >$diag/control/policy
# Each few seconds there is something to test.
echo 8 >$diag/test_lifetime_s
passes=0
check "testers sweep" sh -c "echo 1 >$diag/control/fixed_threads && echo 1 >$diag/enabled"
check "over all memory" wait_for 60 swept
check "on the CPU that is left to the kernel" are_on 0
check "not by nodes" sh -c "echo 0 >$diag/optimisations/node_local"
passes=$(($(cat $diag/passes) + 1))
check "over all memory again" wait_for 60 swept
check "on that CPU only" are_on 0
note "testers: $(testers_cpus)"
check "unload" rmmod memdiag memsuite
done_testing
