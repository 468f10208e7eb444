#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Errors that the machine reports: counted by page, and at the threshold the
# page is tested with its neighbours. If they go on meanwhile it is retired.
#
# kernels: newest; soak: all
# options: --mem 512M
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag
inject=/sys/kernel/debug/mce-inject

# error ADDRESS [uncorrected]: what the memory controller would report.
if grep -q GenuineIntel /proc/cpuinfo; then
	error_bank=7 error_code=0x0c00009f error_misc=0x86
else
	error_bank=4 error_code=0x04080813 error_misc=0
fi
error() {
	high=0x90000000
	[ -z "$2" ] || high=0xb0000000
	printf '0x%x%08x' $((high | (error_code & 0xff000000))) $((error_code & 0xffffff)) >$inject/status
	echo "$1" >$inject/addr
	echo $error_misc >$inject/misc
	echo $error_bank >$inject/bank
}
state_is() { grep -q "^$(printf '0x%x' $(($1 / 4096))) .* $2$" $debug/memdiag/ecc_pages; }

modprobe mce-inject || exit 1
modprobe memdiag || exit 1
# What QEMU has: its firmware tells of ECC, and there are no caches.
check "it is told that there is ECC" equals $diag/effectiveness/ecc multi-bit
check "and a hypervisor" equals $diag/effectiveness/hypervisor 1
check "whether reads reach memory is measured" at_least $diag/effectiveness/memory_read_cycles 1
check "and again" sh -c "echo 1 >$diag/effectiveness/self_test"
note "reads reach memory: $(cat $diag/effectiveness/reads_reach_memory)"
echo sw >$inject/flags
echo 3 >$diag/ecc_threshold
page=$(free_page)	# where the kernel itself lies, nothing is tested
error $page
check "an error is counted while memdiag is off" wait_for 20 at_least $diag/ecc_corrected_errors 1
check "of its page" state_is $page counted
for n in 1 2 3; do error $page; done
check "all are" wait_for 20 at_least $diag/ecc_corrected_errors 4
check "nothing is tested" equals $diag/ecc_tests 0

# A test that an administrator has asked for, which fails.
range_ended() { ! grep -q running $diag/range/status; }
asked=$(free_page 0x8000000)
check "a range with a bad cell" sh -c "echo $asked:3:sa1 >$diag/inject/add && echo $asked-$((asked + 4096)) >$diag/range/run_test"
check "is tested" wait_for 60 range_ended
check "and fails" equals $diag/range/status fail
result() { cat $diag/range/range $diag/range/status $diag/range/tested_pages $diag/range/bad_pages; }
result >/tmp/asked
echo 1 >$diag/inject/clear
check "nothing is retired yet" equals $suite/pages/retired_pages 0

echo 2592000 >$diag/test_lifetime_s
echo 1 >$diag/enabled
check "all memory is tested once" wait_for 120 at_least $diag/passes 1
neighbour=$((page ^ 0x1000))
echo "$neighbour:3:sa1" >$diag/inject/add
error $page
check "at the threshold it is tested" wait_for 60 at_least $diag/ecc_tests 1
check "and passes" wait_for 60 state_is $page passed
check "its neighbours with it" grep -q "^$(printf '0x%x' $((neighbour / 4096))) " $debug/memdiag/bad_pages
echo 1 >$diag/inject/clear
check "nothing is retired" equals $suite/pages/retired_pages 0
result >/tmp/after
check "the administrator's result is as it was" cmp -s /tmp/asked /tmp/after

other=$(free_page)
frame=$(printf '0x%x' $((other / 4096)))
error $other uncorrected
check "uncorrected: counted" wait_for 20 at_least $diag/ecc_uncorrected_errors 1
check "uncorrected: tested at once" wait_for 60 at_least $diag/ecc_tests 2
complains() {
	error $other
	state_is $other retired
}
check "the machine complains during the test: retired" wait_for 20 complains
check "it is on the list" grep -q "^$frame .* hard .* ecc 1$" $debug/memdiag/bad_pages
cat $debug/memdiag/ecc_pages $debug/memdiag/bad_pages | sed 's/^/# /'
check "it is counted" equals $suite/pages/retired_pages 1

echo 0 >$diag/ecc_threshold
third=0xc000000	# with none, nothing is done to it
for n in 1 2 3 4; do error $third; done
check "no threshold: counted" wait_for 20 grep -q "^0xc000 4 0 .* counted$" $debug/memdiag/ecc_pages
check "no threshold: not tested" equals $diag/ecc_tests 2
check "unload" rmmod memdiag memsuite
rmmod mce-inject
done_testing
