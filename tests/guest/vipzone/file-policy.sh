#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# file-policy.sh [PAGES]: a policy of a file places its pages, whoever uses it: 99.9% of them, as the pagemap tells from
# outside. tmpfs, by processes without a policy and under others; a memfd and hugetlbfs through /proc; all files of a file
# system; page cache that is read by system calls, and by page faults, which is moved. What is there already moves when
# that is asked. A file that is removed, or another that has got its name, is nobody's.
#
# kernels: oldest newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
# arguments: 4096; debug: 2048
. "$(dirname "$0")/ktap.sh"
pages=${1:-4096}
zone=$suite/vipzone

modprobe vipzone || exit 1
[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing
# Linux 7.2 makes huge pages of page cache, too, which takes them out of page tables.
echo never >$thp/enabled
mkdir -p /dev/shm /other /huge /disk
mount -t tmpfs shm /dev/shm && mount -t tmpfs other /other || exit 1
mount -t hugetlbfs huge /huge || exit 1
echo "range 256M-384M" >$suite/regions/add || exit 1
echo 1 >$zone/enabled || exit 1

policy_of() { # WHO: its directory
	grep -lxF "$1" $zone/policies/*/who 2>/dev/null | sed 's,/who,,'
}
count() { # WHO FILE
	cat "$(policy_of "$1")/$2"
}
begin() { # KIND [POLICY]: a process that has it, under a policy, in the end; sets pid
	rm -f /tmp/go /tmp/at
	"$here/kinds" "$1" "$pages" /tmp/go >/tmp/at &
	pid=$!
	[ -z "$2" ] || echo "$pid $2" >$zone/add
	: >/tmp/go
	wait_for 60 [ -s /tmp/at ]
}
end() {
	kill $pid
	wait $pid 2>/dev/null
}
look() { # REGION: sets found, how many of its pages lie there
	case $1 in
	range) set -- 0x10000000 0x18000000 ;;
	node1) set -- 0x20000000 0x40000000 ;;
	*) set -- 0 0x20000000 ;;
	esac
	# shellcheck disable=SC2046
	set -- $("$here/placement" where $pid "$(cat /tmp/at)" "$pages" "$1" "$2")
	found=$4
	[ "$2" = "$pages" ]
}
all_in() { look "$1" && note "$found of $pages in $1" && [ $((found * 1000)) -ge $((pages * 999)) ]; }
none_in() { look "$1" && note "$found of $pages in $1" && [ $((found * 100)) -le "$pages" ]; }
answers() { # TEXT ERRNO [FILE]
	answer=$("$here/poke" $zone/"${3:-add}" "literal:$1")
	[ "$answer" = "$2" ] || { note "$1: $answer"; false; }
}

: >/dev/shm/a
check "no path" answers "file:dev region:range" EINVAL
check "no file" answers "file:/dev/shm/none region:range" ENOENT
check "a directory" answers "file:/sys/kernel region:range" EINVAL
check "a device" answers "file:/dev/null region:range" EINVAL
check "no region" answers "file:/dev/shm/a region:none" ENOENT
check "hugetlbfs and no node" answers "file:/huge region:range" EOPNOTSUPP
for option in children later move heat wear programs; do
	check "$option is not for files" answers "file:/dev/shm/a region:range $option" EINVAL
done
check "banks are not for files" answers "file:/dev/shm/a bank:percpu=range|node1" EINVAL
check "under no policy: not moved" answers file:/dev/shm/a ENOENT move
check "under no policy: not removed" answers file:/dev/shm/a ENOENT remove
check "a cgroup is not moved" answers cgroup:/ EINVAL move
check "nothing was set" [ -z "$(ls $zone/policies)" ]

# By whoever uses it.
echo "file:/dev/shm/a region:range" >$zone/add || exit 1
begin touch:/dev/shm/a
check "tmpfs, by a process without a policy" all_in range
check "it is counted" [ "$(count file:/dev/shm/a shared_pages)" -ge $((pages * 999 / 1000)) ]
end
before=$(count file:/dev/shm/a shared_pages)
begin touch:/dev/shm/b
check "another file is left alone" equals "$(policy_of file:/dev/shm/a)/shared_pages" "$before"
end
rm /dev/shm/b
: >/dev/shm/a
begin touch:/dev/shm/a region:node1
check "a process under another policy" all_in range
echo "$pid" >$zone/move
check "a move of the process leaves it there" all_in range
echo 100 >$zone/audit/interval_ms
sleep 1
check "and so does the audit" all_in range
echo 0 >$zone/audit/interval_ms
end
: >/dev/shm/a
dd if=/dev/zero of=/dev/shm/a bs=4096 count="$pages" 2>/dev/null
begin read:/dev/shm/a
check "written by write()" all_in range
end

# Another region: what is there moves when that is asked.
echo "file:/dev/shm/a region:node1" >$zone/add
check "a new policy takes the place of the old one" equals "$(policy_of file:/dev/shm/a)/policy" region:node1
"$here/cached" /dev/shm/a --fill "$pages" >/dev/null
begin read:/dev/shm/a
check "what was there has stayed" all_in range
check "a move" answers file:/dev/shm/a ok move
check "has brought it over" all_in node1
# shellcheck disable=SC2046
set -- $("$here/cached" /dev/shm/a)
check "and it is what it was" [ "$*" = "pages $pages resident $pages errors 0" ]
check "it is counted as moved" [ "$(count file:/dev/shm/a moved_pages)" -ge $((pages * 999 / 1000)) ]
end

# A name is no file.
mv /dev/shm/a /dev/shm/c
: >/dev/shm/a
begin touch:/dev/shm/a
check "another file of that name is nobody's" none_in node1
end
check "under no policy: not moved" answers file:/dev/shm/a ENOENT move
check "by another name" answers file:/dev/shm/c ok move
echo "file:/dev/shm/a region:range" >$zone/add
check "a name has one policy" [ "$(cat $zone/policies/*/policy)" = region:range ]
rm /dev/shm/a /dev/shm/c
check "a file that is gone: removed by its name" answers file:/dev/shm/a ok remove
check "once" answers file:/dev/shm/a ENOENT remove

# Without a name.
for kind in memfd hugetlb-memfd; do
	[ $kind = memfd ] || echo $((pages / 512)) >/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages
	rm -f /tmp/go /tmp/at
	"$here/kinds" $kind-later "$pages" /tmp/go >/tmp/at &
	pid=$!
	wait_for 10 sh -c "ls -l /proc/$pid/fd | grep -q memfd"
	path=/proc/$pid/fd/$(ls -l /proc/$pid/fd | awk '/memfd/ { print $(NF - 3) }' | head -1)
	check "$kind: $path" answers "file:$path region:node1" ok
	: >/tmp/go
	wait_for 60 [ -s /tmp/at ]
	check "$kind: in node1" all_in node1
	end
	check "$kind: removed, once it is gone" answers "file:$path" ok remove
done
echo 0 >/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages

# All files of a file system, but for one.
: >/other/own
echo "file:/other region:range" >$zone/add || exit 1
echo "file:/other/own region:node1" >$zone/add || exit 1
begin touch:/other/new
check "a file system: a new file" all_in range
end
begin touch:/other/own
check "a file of its own policy" all_in node1
end
begin touch:/other/own
check "a file system moves" answers file:/other ok move
check "but for that file" all_in node1
end
begin read:/other/new
check "a file moves by its file system's policy" answers file:/other/new ok move
end
rm /other/new /other/own
umount /other
check "a file system is unmounted" [ -z "$(grep " /other " /proc/mounts)" ]
check "its policy is removed by its name" answers file:/other ok remove
check "its file's, too" answers file:/other/own ok remove
check "no policy is left" [ -z "$(ls $zone/policies)" ]

# A device's number is used again by the next file system.
mount -t tmpfs other /other
echo "file:/other region:range" >$zone/add
device=$(cut -d ' ' -f 1 "$(policy_of file:/other)/file")
umount /other && mount -t tmpfs other /other
begin touch:/other/a
check "another file system: it has the number of the device" grep -q " $device " /proc/self/mountinfo
check "and not the policy" equals "$(policy_of file:/other)/shared_pages" 0
end
umount /other
echo file:/other >$zone/remove

# Page cache.
dd if=/dev/zero of=/tmp/image bs=1M count=$((pages * 4096 / 1048576 + 24)) 2>/dev/null
modprobe loop 2>/dev/null
disk=/dev/loop0
losetup "$disk" /tmp/image && mke2fs "$disk" >/dev/null && modprobe ext4 && mount -t ext2 "$disk" /disk || exit 1
"$here/cached" /disk/f --fill "$pages" >/dev/null
drop() { sync && echo 1 >/proc/sys/vm/drop_caches; }
echo "file:/disk/f region:range" >$zone/add || exit 1
drop
dd if=/disk/f of=/dev/null bs=4096 2>/dev/null
check "page cache, by read(): as it is allocated" [ "$(count file:/disk/f cache_pages)" -ge $((pages * 999 / 1000)) ]
begin fault:/disk/f
check "it is there" all_in range
check "nothing was moved" equals "$(policy_of file:/disk/f)/moved_pages" 0
end
drop
begin fault:/disk/f
check "page cache, by page faults: it is moved" wait_for 20 all_in range
note "$(count file:/disk/f repaired_pages) moved, $(cat $zone/lost_arrival_pages) lost"
end
# shellcheck disable=SC2046
set -- $("$here/cached" /disk/f)
check "it is what it was" [ "$5 $6" = "errors 0" ]
echo "file:/disk/f region:node1" >$zone/add
check "page cache that is there is moved" answers file:/disk/f ok move
begin fault:/disk/f
check "to where it is to be" all_in node1
end
umount /disk
check "under a policy it is unmounted" [ -z "$(grep " /disk " /proc/mounts)" ]
losetup -d "$disk"

echo "file:/dev/shm region:range" >$zone/add
begin touch:/dev/shm/last
check "unload with policies of files" rmmod vipzone
end
done_testing
