#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""bench-ablations.py RUNS: runs `memsuite diag stress` with each list of arguments in RUNS, a JSON object of them by
name. Runs in a guest that has the host's files. Prints a line of JSON for each run: its name, and what was told.
"""
import json
import subprocess
import sys


def run(arguments):
    """With modules that remember nothing of the run before."""
    subprocess.run(["modprobe", "memdiag"], check=True)
    told = subprocess.run(["scripts/memsuite", "diag", "stress", *arguments, "--json"], stdout=subprocess.PIPE)
    subprocess.run(["rmmod", "memdiag", "memsuite"], check=True)
    return json.loads(told.stdout)


def main():
    for name, arguments in json.loads(sys.argv[1]).items():
        print(json.dumps({"run": name, "told": run(arguments)}), flush=True)


if __name__ == "__main__":
    main()
