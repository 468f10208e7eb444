#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# mrc-regions.sh TOOL: which memory a program needs to be awake, and memory that is idle taken offline with pages in it.
# Boot with movablecore=512M nokaslr and 1 GiB, and with the host's files: the tool is in Python.
#
# kernels: default; soak: stock
# options: --root host --append "movablecore=512M nokaslr"
# arguments: $TOP/scripts/memsuite
. "$(dirname "$0")/ktap.sh"

tool=$1
pages=65536	# 256 MiB: in more than one block of 128 MiB. A tenth is used on and on.
state=/tmp/mrc-regions.$$

number() { sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p" $state | head -n 1; }
# The states of blocks, one a line.
states() { sed -n 's/^ *"state": "\(.*\)".*/\1/p' $state; }
resident() { awk '/^VmRSS:/ { print $2 / 4 }' /proc/$pid/status; }
told() { "$tool" mrc regions "$@" --json >$state; }
# By now the curve has forgotten that each page was used once.
settled() { told $pid && [ "$(number needed_pages)" -le $((pages / 8)) ]; }
# Sums of the column over all blocks.
sum() { sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p" $state | awk '{ n += $1 } END { print n + 0 }'; }
some_left() { states | grep -qx idle && states | grep -qx working; }
same_pages() { between "$(resident)" $((before - before / 50)) $((before + before / 50)); }

modprobe mrc || exit 1
"$here/loop" --pattern cold $pages 3000 >/tmp/loop.$$ &
pid=$!
wait_for 60 grep -q ready /tmp/loop.$$
check "without a curve it says so" sh -c "echo $pid >$suite/mrc/add && ! $tool mrc regions $pid 2>/dev/null"
echo 1 >$suite/mrc/enabled
check "the program is found to need a tenth of its memory" wait_for 80 settled
note "needs $(number needed_pages) of $(number resident_pages) pages"
check "not less than it uses" [ "$(number needed_pages)" -ge $((pages / 11)) ]
check "pages that work are as many" between "$(sum working_pages)" $((pages / 11)) $((pages / 7))
check "and all are in some block" between $(($(sum working_pages) + $(sum other_pages))) $((pages * 95 / 100)) $((pages * 105 / 100))
check "some memory is idle, and some is not" some_left
before=$(resident)
check "a block is taken offline" told $pid --offline 1
check "it is" [ "$(states | grep -cx offline)" = 1 ]
states | sort | uniq -c | while read -r line; do note "$line"; done
check "the program has its memory still" same_pages
"$tool" mrc regions $pid | while read -r line; do note "$line"; done
kill $pid
wait $pid 2>/dev/null
rm -f $state /tmp/loop.$$
check "unload" rmmod mrc
done_testing
