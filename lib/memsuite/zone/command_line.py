# SPDX-License-Identifier: GPL-2.0-only
"""The command line of memsuite zone."""

import argparse

from ..arguments import number_argument, placed_argument, policy_word, word_argument
from ..exit_status import NOT_EXECUTABLE, NOT_FOUND
from .banks import cmd_zone_banks
from .ledger import cmd_zone_energy
from .measure import cmd_zone_measure
from .moves import cmd_zone_move
from .policies import POLICY_OPTIONS, cmd_zone_add, cmd_zone_policies, cmd_zone_ps, cmd_zone_remove, cmd_zone_run
from .regions import cmd_zone_define, cmd_zone_list, cmd_zone_profile, cmd_zone_undefine
from .residency import cmd_zone_where
from .weights import cmd_zone_weights


def add_policy_options(command):
    for option, text in POLICY_OPTIONS.items():
        command.add_argument(f"--{option}", action="store_true", help=text)


def add_commands(top):
    zone = top.group("zone", "placement of memory: vipzone and regions",
                     "vipzone", (
        ("memsuite zone list", "which regions there are"),
        ("memsuite zone run --policy segment:heap=node0,*=node1 -- gcc -c file.c",
         "the heap in one region, the rest in another"),
        ("memsuite zone add cgroup:/system.slice/redis.service node1", "place a service")))
    zone.add("list", cmd_zone_list, "regions of physical memory", aliases=["regions"])
    zone.add("policies", cmd_zone_policies, "who gets which pages where, and how that went")
    zone.add("ps", cmd_zone_ps, "processes with a policy of their own")
    command = zone.add("add", cmd_zone_add, "set the policy of a process, a cgroup, a file or the machine", aliases=["policy"])
    command.add_argument("who", metavar="WHO", type=placed_argument,
                         help="a PID, cgroup:/PATH, machine, or file:PATH, for what a file has in memory, whoever uses it; "
                              "the root of a file system stands for all its files")
    command.add_argument("policy", metavar="POLICY", nargs="+", type=policy_word,
                         help="REGION..., the most wanted one first; or region:REGION[+REGION...]; or "
                              "REGION=WEIGHT..., region:REGION=WEIGHT+REGION=WEIGHT[+...], for shares of the pages; or "
                              "segment:SEGMENT=REGION[+REGION...][,...], where * stands for all other segments; or "
                              "segment, with heap and stack in DRAM and the rest in PRAM; or "
                              "bank:percpu=LIST|LIST..., perprocess, percgroup or random; or "
                              "low-power-first:LIST[,KEY=VALUE...]")
    command.add_argument("--children", action="store_true",
                         help="and the processes that it forks")
    command.add_argument("--later", action="store_true", help="the cgroup need not be there yet")
    command.add_argument("--move", action="store_true",
                         help="and move what a process has when it enters the cgroup, and what is there now; or what the file "
                              "has now")
    add_policy_options(command)
    command = zone.add("remove", cmd_zone_remove, "take a policy away")
    command.add_argument("who", metavar="WHO", type=placed_argument,
                         help="a PID, cgroup:/PATH, file:PATH or machine")
    command = zone.add("run", cmd_zone_run, "run a command under a policy, with all that it starts",
                       exits={0: "and others: what the command returns", NOT_EXECUTABLE: "the command is none",
                              NOT_FOUND: "the command is not there"})
    command.add_argument("--policy", required=True, type=policy_word, help="as of zone add")
    add_policy_options(command)
    command.add_argument("command", metavar="COMMAND", nargs=argparse.REMAINDER)
    command = zone.add("where", cmd_zone_where, "where the pages of a process or a file lie, by segment and region")
    command.add_argument("who", metavar="WHO", type=placed_argument, help="a PID or file:PATH")
    command = zone.add("define", cmd_zone_define, "define a region")
    command.add_argument("name", metavar="NAME", type=word_argument)
    command.add_argument("range", metavar="START-END", type=word_argument,
                         help="physical addresses in bytes; K, M, G, T, 0x")
    command.add_argument("key", metavar="KEY=VALUE", nargs="*",
                         type=word_argument)
    command = zone.add("banks", cmd_zone_banks,
                       "find the DRAM's bank mapping by row conflicts, or import one")
    command.add_argument("--name", metavar="NAME", type=word_argument, help="of the map (dram)")
    command.add_argument("--mib", metavar="N", type=int, help="memory to measure (512)")
    command.add_argument("--svg", metavar="FILE", help="a histogram of access times")
    command.add_argument("--import", metavar="FILE", help="what drama or DRAMDig printed, - for standard input")
    command.add_argument("--anyway", action="store_true", help="measure in a virtual machine, too")
    command = zone.add("profile", cmd_zone_profile, "describe regions by a file")
    command.add_argument("file", metavar="FILE",
                         help="lines of NAME [START-END] KEY=VALUE...; with START-END the region is defined")
    command = zone.add("measure", cmd_zone_measure,
                       "measure how long regions take: to read what no cache has, and to write a line back")
    command.add_argument("region", metavar="REGION", nargs="*", type=word_argument, help="(all)")
    command.add_argument("--set", action="store_true", help="and write it to their read_latency_ns and write_latency_ns")
    command.add_argument("--mib", metavar="N", type=number_argument(16, 65536), default=64,
                         help="memory to take, of which the pages that lie there count (64)")
    command = zone.add("weights", cmd_zone_weights,
                       "measure what bandwidth regions have, and print a policy that shares pages in proportion")
    command.add_argument("region", metavar="REGION", nargs="*", type=word_argument, help="(all nodes)")
    command.add_argument("--mib", metavar="N", type=number_argument(2, 1 << 20),
                         help="memory to take of each region (eight times what the caches hold, 128 at least)")
    command = zone.add("energy", cmd_zone_energy, "what regions and processes take, by the ledger of vipzone and by RAPL")
    command.add_argument("--seconds", type=number_argument(1, 86400), default=5, help="how long to look (5)")
    command = zone.add("move", cmd_zone_move, "move the pages that a process or a file has to where its policy wants them")
    command.add_argument("who", metavar="WHO", type=placed_argument, help="a PID or file:PATH")
    command.add_argument("--policy", type=policy_word,
                         help="by this policy, of whole nodes, and from user space: needs no kernel module")
    command = zone.add("undefine", cmd_zone_undefine, "remove a region")
    command.add_argument("name", metavar="NAME", type=word_argument)
