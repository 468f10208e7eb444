# SPDX-License-Identifier: GPL-2.0-only
"""Who gets which pages where."""

import errno
import os
import signal

from .. import Failure
from ..arguments import check_later
from ..exit_status import NOT_EXECUTABLE, NOT_FOUND
from ..output import done, human_pages, print_json, print_table
from ..proc import command_of
from ..sysfs import entries, need, number, numbers, read, read_debugfs, table, those_there, write
from .astray import watch_later
from .files import is_file
from .segments import SEGMENTS


def policy_argument(words):
    """A policy, or regions in the order of preference."""
    if len(words) == 1 and (":" in words[0] or words[0] == "segment"):
        return words[0]
    return "region:" + "+".join(words)


POLICY_OPTIONS = {"heat": "move pages between regions by how they are used",
                  "wear": "spare regions over their wear budget",
                  "programs": "let programs choose among its regions, salloc_policy(3)"}
# Of a policy that is not a process's.
LASTING_OPTIONS = ("move", *POLICY_OPTIONS)
ALL_OPTIONS = ("children", *LASTING_OPTIONS)
NO_CGROUP = "no such cgroup (with --later, it need not be there yet)"
NO_FILE = "no such file"
NO_FILE_POLICY = "neither a file nor the root of a file system, or not a policy for one (heat, wear, programs, banks are not)"


def policy_options(args):
    return [option for option in POLICY_OPTIONS if getattr(args, option)]


def add_policy(who, policy, options):
    no_such = NO_FILE if is_file(who) else NO_CGROUP
    write("vipzone/add", " ".join([str(who), policy, *options]), {
        errno.ESRCH: "no such process",
        errno.ENOENT: f"{no_such}, or no such region; there are " + ", ".join(entries("regions"))
                      if policy != "segment" else
                      f"{no_such}, or no region of DRAM and one of PRAM: see regions/REGION/technology",
        errno.EOPNOTSUPP: "huge pages of hugetlbfs come from whole nodes: name a region that is one",
        errno.EINVAL: NO_FILE_POLICY if is_file(who) else
                      "not a policy, or not a process that can be steered (a kernel thread?); policies are "
                      "region:REGION[+REGION...], segment, segment:SEGMENT=REGION[+REGION...][,...], both also with "
                      "REGION=WEIGHT+REGION=WEIGHT[+...] and then without heat and wear, "
                      "low-power-first:REGION[+REGION...][,KEY=VALUE...] and "
                      "bank:SPREAD=REGION[+REGION...][|...], segments are "
                      + ", ".join(SEGMENTS) + ", heap, for brk and mmap, and *, spreads percpu, perprocess, percgroup and random",
        errno.ERANGE: "not a percentage" if policy.startswith("low-power-first:") else "a weight is a number from 1 to 255",
        errno.E2BIG: "too many regions, 32 at most, or the policy is too long",
        errno.ENAMETOOLONG: "no such region: its name is too long",
    })


def cmd_zone_add(args):
    need("vipzone")
    if args.children and not str(args.who).isdigit():
        raise Failure(f"--children is for a process: of {args.who} all processes are under the policy anyway")
    check_later(args)
    if args.move and not str(args.who).startswith(("cgroup:", "file:")):
        raise Failure("--move is for a cgroup: nobody enters " + ("the machine" if args.who == "machine" else "a process") +
                      "; memsuite zone move PID moves what a process has")
    policy = policy_argument(args.policy)
    moves_file = args.move and is_file(args.who)
    options = ["children"] * args.children + ["later"] * args.later + ["move"] * (args.move and not moves_file)
    add_policy(args.who, policy, options + policy_options(args))
    if moves_file:
        write("vipzone/move", args.who)
    text = f"{args.who} gets its pages by {policy}"
    if not number("vipzone", "enabled"):
        text += " as soon as vipzone is on: memsuite zone enable"
    return done(args, text)


def cmd_zone_remove(args):
    need("vipzone")
    write("vipzone/remove", args.who,
          {errno.ENOENT: f"{args.who} has no policy" if is_file(args.who) else f"{args.who} is not steered"})
    return done(args, f"{args.who} is steered no more")


class NotRun(Failure):
    """The command that is to be run is not there, or is none."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


def cmd_zone_run(args):
    need("vipzone")
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not command:
        raise Failure("no command to run")
    if not number("vipzone", "enabled"):
        raise Failure("vipzone is off; turn it on: memsuite zone enable")
    # Before, so that what looks is not under the policy.
    watch_later()
    add_policy(os.getpid(), policy_argument([args.policy]), ["children", *policy_options(args)])
    try:
        # Python ignores it, and what is run would inherit that.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execvp(command[0], command)
    except OSError as error:
        raise NotRun(f"{command[0]}: {error.strerror}",
                     NOT_FOUND if error.errno == errno.ENOENT else NOT_EXECUTABLE) from None


FALLBACKS = ("empty", "policy", "cpuset", "context", "huge", "wear")
POLICY_COUNTS = (*(f"{segment}_pages" for segment in SEGMENTS), "moved_pages")


def policy_numbers():
    return sorted(entries("vipzone", "policies"), key=int)


def policy_set(directory):
    files = numbers("vipzone", "policies", directory, names=ALL_OPTIONS)
    return (read("vipzone", "policies", directory, "who"),
            (read("vipzone", "policies", directory, "policy"), [option for option in ALL_OPTIONS if files.get(option)]))


def policies():
    """{who: (policy, options)} of all that are set, options as they are written."""
    return dict(those_there(policy_set, policy_numbers))


def policy(directory):
    values = {"number": int(directory), "who": read("vipzone", "policies", directory, "who"),
              "policy": read("vipzone", "policies", directory, "policy"),
              "children": bool(number("vipzone", "policies", directory, "children")),
              "processes": number("vipzone", "policies", directory, "processes")}
    values.update({key: number("vipzone", "policies", directory, key) for key in POLICY_COUNTS})
    values["fallbacks"] = {why: number("vipzone", "policies", directory, f"fallback_{why}") for why in FALLBACKS}
    return values


def cmd_zone_policies(args):
    need("vipzone")
    rows = those_there(policy, policy_numbers)
    if args.json:
        print_json(rows)
    elif not rows:
        print("there is no policy")
    else:
        print_table(["WHO", "POLICY", "PROCESSES", "PLACED", "LEFT", "WHY"],
                    [[row["who"] + (" and children" if row["children"] else ""), row["policy"], row["processes"],
                      human_pages(sum(row[f"{segment}_pages"] for segment in SEGMENTS)),
                      human_pages(sum(row["fallbacks"].values())),
                      ", ".join(f"{why} {count}" for why, count in row["fallbacks"].items() if count)]
                     for row in rows], right=("PROCESSES", "PLACED", "LEFT"))
    return 0


def process_rows():
    """Processes with a policy of their own, or with what they have chosen under another one."""
    rows = table(read_debugfs("vipzone", "processes"))
    of_number = dict(those_there(lambda name: (name, read("vipzone", "policies", name, "policy")), policy_numbers))
    return [{"pid": int(row["pid"]), "command": command_of(row["pid"]), "policy_number": int(row["policy"]),
             "policy": of_number[row["policy"]] if row["choice"] == "-" else row["choice"]}
            for row in rows if row["policy"] in of_number]


def cmd_zone_ps(args):
    need("vipzone")
    rows = process_rows()
    if args.json:
        print_json(rows)
    elif not rows:
        print("no process has a policy of its own")
    else:
        print_table(["PID", "COMMAND", "POLICY"], [[row["pid"], row["command"], row["policy"]] for row in rows],
                    right=("PID",))
    return 0
