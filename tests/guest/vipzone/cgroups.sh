#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a fault costs in a cgroup that has a policy, or one above which has, does not grow with how many others have one.
#
# kernels: newest; soak: stock
# options: --icount --smp 1 --numa 512M,cpus=0 --numa 256M
# arguments: 300; soak: 2000
. "$(dirname "$0")/ktap.sh"
nr=${1:-300}
zone=$suite/vipzone
tree=/tmp/tree

modprobe vipzone || exit 1
mkdir $tree && mount -t cgroup2 none $tree || exit 1
echo 1 >$zone/enabled
in_cgroup() { # CGROUP COMMAND...
	sh -c 'echo $$ >'$tree/"$1"'/cgroup.procs; shift; exec "$@"' - "$@"
}
# Of 4,000 faults, in ns of instructions, less what the first time costs.
fault_ns() { # CGROUP
	in_cgroup "$1" "$here/touch" 4000 --rounds 4 >/tmp/cost
	awk '{ for (i = 1; i < NF; i++) if ($i == "ns") print int($(i + 1) / 16000) }' /tmp/cost
}
placed() { # CGROUP: on node 1
	in_cgroup "$1" "$here/touch" 1000 --range 0x20000000 0x40000000 | awk '{ for (i = 1; i < NF; i++) if ($i == "in") exit !($(i + 1) > 900) }'
}
mkdir -p $tree/here/a/b/c $tree/others
echo "cgroup:/here region:node1+node0" >$zone/add || exit 1
check "it is placed" placed here
check "also four levels below" placed here/a/b/c
one=$(fault_ns here) deep_one=$(fault_ns here/a/b/c)
i=0
while [ $i -lt "$nr" ]; do
	i=$((i + 1))
	mkdir $tree/others/$i
	echo "cgroup:/others/$i region:node1+node0" >$zone/add || break
done
check "$nr others" [ $i = "$nr" ]
many=$(fault_ns here) deep_many=$(fault_ns here/a/b/c)
note "a fault takes $one ns with one policy, $many ns with $nr more; four levels below $deep_one and $deep_many ns"
check "a fault costs the same" [ $((many * 100)) -le $((one * 110)) ]
check "also four levels below" [ $((deep_many * 100)) -le $((deep_one * 110)) ]
check "others are placed" placed others/$nr
# As a service is, each time that it starts.
rmdir $tree/others/$nr && mkdir $tree/others/$nr
check "also a cgroup that is made anew" placed others/$nr
echo "cgroup:/others/$nr" >$zone/remove
not_placed() { ! placed "$1"; }
check "not without its policy" not_placed others/$nr
check "unload" rmmod vipzone memsuite
done_testing
