# SPDX-License-Identifier: GPL-2.0-only
"""How testing goes, and how it is configured."""

import errno
import sys

from .. import Failure
from ..exit_status import NOT_LOADED
from ..modules import module_status
from ..output import bad_page_count, done, human_pages, print_json
from ..sysfs import loaded, need, number, numbers, read, write
from .plan import measured_speed, planned
from .ranges import range_line, range_state
from .saved_pages import saved_pages


def cmd_diag_status(args):
    if not loaded("memdiag"):
        return status_without_memdiag(args)
    state = module_status("memdiag")
    state.update(algorithm=read("memdiag", "algorithm"),
                 test_lifetime_s=number("memdiag", "test_lifetime_s"),
                 pass_eta_s=number("memdiag", "pass_eta_s"),
                 coverage=numbers("memdiag", "coverage"),
                 address_bits=address_bits(),
                 effectiveness=effectiveness(),
                 range=range_state(), stored=len(saved_pages().pages))
    if args.json:
        print_json(state)
        return 0
    print("testing" if state["enabled"] else
          "off; to begin: memsuite diag enable")
    print(f"algorithm     {state['algorithm']}\n"
          f"test lifetime {state['test_lifetime_s']} s\n"
          f"passes        {passes_text(state)}\n"
          f"tested        {state['tested_pages']} pages "
          f"({human_pages(state['tested_pages'])})\n"
          f"found         {bad_page_count(state['bad_page_count'])}\n"
          f"stored        {bad_page_count(state['stored'])}")
    for line in coverage_lines(state["coverage"]):
        print(f"coverage      {line}")
    print(f"address bits  {address_bits_line(state['address_bits'])}")
    if state["range"] and state["range"]["status"] != "untested":
        print(f"range         {range_line(state['range'])}")
    for line in effectiveness_lines(state["effectiveness"]):
        print(f"beware        {line}")
    return 0


def passes_text(state):
    eta = f", ready in {state['pass_eta_s']} s" if state["pass_eta_s"] else ""
    return f"{state['passes']}, and {state['pass_progress_pct']}% of the next{eta}"


def address_bits():
    """The test for faults between addresses that are further apart than a block."""
    state = {name: number("memdiag", "address_bits", name)
             for name in ("period_s", "passes", "pass_progress_pct")}
    if state["passes"]:
        state.update({name: number("memdiag", "address_bits", name)
                      for name in ("age_s", "tested_pct")})
    return state


def address_bits_line(state):
    unseen = "faults between blocks of memory are not seen"
    if state["passes"]:
        return (f"tested {state['age_s']} s ago, each with "
                f"{state['tested_pct']}% of memory at least")
    if not state["period_s"]:
        return f"not tested: set memdiag/address_bits/period_s; {unseen}"
    return (f"not tested yet, {state['pass_progress_pct']}% of the first "
            f"pass; {unseen}")


# Memory of a large machine is not counted at each look.
OLD_COUNT_S = 10

EFFECTIVENESS = ("reads_reach_memory", "ecc", "encryption", "scrambling",
                 "hypervisor")


def effectiveness():
    """What stands between the tests and the memory cells."""
    return {name: read("memdiag", "effectiveness", name)
            for name in EFFECTIVENESS}


def effectiveness_lines(flags):
    if flags["hypervisor"] == "1":
        yield ("a virtual machine: what is tested is what the host gives it; "
               "addresses are not those of the DIMMs")
    if flags["reads_reach_memory"] == "no":
        yield "the tests read caches, not memory: they find next to nothing"
    if flags["ecc"] not in (None, "none", "unknown"):
        yield (f"{flags['ecc']} ECC corrects what is weak before a test sees "
               "it: see memdiag/ecc_corrected_errors")
    if flags["encryption"] not in (None, "none", "unknown"):
        yield (f"memory is encrypted ({flags['encryption']}): in the cells, "
               "backgrounds are random, and complements are not")
    if flags["scrambling"] == "likely":
        yield ("memory controllers scramble data: in the cells, backgrounds "
               "are random, complements stay complements")


def coverage_lines(coverage):
    if coverage.get("counted_age_s", 0) > OLD_COUNT_S:
        yield f"as counted {coverage['counted_age_s']} s ago; it is being counted again"
    for name in ("free", "user", "page_cache", "hugetlb", "pinned", "kernel"):
        if f"{name}_pages" in coverage:
            yield (f"{name.replace('_', ' ')}: "
                   f"{coverage[f'{name}_tested_pct']}% of "
                   f"{human_pages(coverage[f'{name}_pages'])} tested in time, "
                   f"the oldest {coverage[f'{name}_oldest_age_s']} s ago")


def status_without_memdiag(args):
    stored = len(saved_pages().pages)
    state = {**module_status("memdiag"), "stored": stored}
    if args.json:
        print_json(state)
    else:
        print(f"{state['reason']}\n"
              f"stored        {bad_page_count(stored)}")
    return NOT_LOADED


def warn_of_lifetime():
    """At once, not when tests have expired."""
    if not measured_speed():
        return
    told = planned()
    if not told["held"]:
        print(f"memsuite: this machine does not hold that: it takes "
              f"{told['shortest_lifetime_s']} s; see memsuite diag plan",
              file=sys.stderr)


def cmd_diag_set(args):
    need("memdiag")
    if args.algorithm is None and args.lifetime is None:
        raise Failure("nothing to set: give --algorithm or --lifetime")
    if args.algorithm is not None:
        names = ", ".join(read("memdiag", "available_algorithms").split())
        write("memdiag/algorithm", args.algorithm,
              {errno.EINVAL: f"no such algorithm; there are {names}"})
    if args.lifetime is not None:
        write("memdiag/test_lifetime_s", str(args.lifetime),
              {errno.ERANGE: "a lifetime is 1 second to 30 days"})
        warn_of_lifetime()
    return done(args, "set; an algorithm takes effect with the next pass")
