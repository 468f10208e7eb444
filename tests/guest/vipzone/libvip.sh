#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# libvip.sh DIRECTORY: libvip with the module, and sqlite3 and redis-server with
# libvip preloaded. Needs scripts/vm --root host, for these. DIRECTORY has what
# tests/lib builds.
. "$(dirname "$0")/ktap.sh"
libvip=$1
zone=$suite/vipzone
preload=$libvip/libvip-preload.so

query() {
	sqlite3 :memory: 'create table t (a integer, b text);
		with recursive c(n) as (select 1 union all select n + 1 from c where n < 20000)
			insert into t select n, hex(n * n) from c;
		create index i on t (b);
		select count(*), sum(length(b)), max(b) from t;'
}
# Tags are inherited: the shell itself has none.
with() { # VARIABLE=VALUE... COMMAND
	env LD_PRELOAD="$preload" "$@"
}
query >/tmp/expected
modprobe vipzone || exit 1
echo "low 256M-384M" >$suite/regions/add || exit 1
echo "high 640M-768M" >$suite/regions/add || exit 1
echo 1 >$zone/enabled || exit 1
echo "machine low-power-first:low+high,write=high+low" >$zone/add || exit 1
sleep 1

"$libvip/vip" placed >/tmp/out
check "libvip with the module" [ $? = 0 ]
sed 's/^/# /' /tmp/out

cat >/tmp/query.sh <<Q
$(command -v sqlite3) :memory: 'create table t (a integer, b text);
	with recursive c(n) as (select 1 union all select n + 1 from c where n < 20000)
		insert into t select n, hex(n * n) from c;
	create index i on t (b);
	select count(*), sum(length(b)), max(b) from t;'
Q
same() { # VARIABLE=VALUE...
	with "$@" sh /tmp/query.sh >/tmp/found && cmp /tmp/expected /tmp/found
}
check_data "sqlite3, all of its memory" same VIP_FLAGS=write,high
check_data "sqlite3, all that it allocates" same VIP_FLAGS=write,high VIP_MIN_BYTES=0
check_data "sqlite3, large pieces" same VIP_FLAGS=write,high VIP_MIN_BYTES=4096
check "a mistake is told" sh -c "VIP_FLAGS=red LD_PRELOAD=$preload /bin/true 2>&1 | grep -q understood"

# redis forks to save, while it goes on. What checks its files is the server, by another name.
redis() { redis-cli -p 6390 "$@"; }
ln -s "$(command -v redis-check-rdb)" /tmp/redis-server
with VIP_FLAGS=write,high VIP_MIN_BYTES=0 /tmp/redis-server --port 6390 --save "" --dir /tmp >/tmp/redis.log &
pid=$!
ip link set lo up
wait_for 30 sh -c "redis-cli -p 6390 ping 2>/dev/null | grep -q PONG"
redis eval 'for i = 1, 20000 do redis.call("set", "key" .. i, string.rep("x", 200)) end' 0 >/tmp/out
redis bgsave >>/tmp/out
check "redis saves from a child" wait_for 30 sh -c "redis-cli -p 6390 info persistence | grep -q 'rdb_last_bgsave_status:ok'"
check "and has all keys" [ "$(redis dbsize)" = 20000 ]
check "it has told" at_least $zone/tagged_processes 1
redis shutdown nosave
wait $pid
check "no tag was lost" equals $zone/lost_tags 0
check "unload" rmmod vipzone memsuite
done_testing
