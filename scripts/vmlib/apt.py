# SPDX-License-Identifier: GPL-2.0-only
"""Debian's archive, read through an apt whose lists, state and cache are its own.

The host's package lists and installed packages are never touched.  Which mirror to ask is taken from the
host's own apt configuration, and signatures are checked against the host's keyrings.
"""
import functools
import json
import os
import re
import subprocess
import time

from . import Failure, cache, locked, temporary_beside, write_whole

SUITES = ("bullseye", "bookworm", "bookworm-backports", "trixie", "trixie-backports", "forky", "sid")
SECURITY = ("bullseye-security", "bookworm-security", "trixie-security")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
LISTS_LIVE = 24 * 3600		# seconds that package lists are taken to be fresh
INDEXED = re.compile(r"linux-[a-z]+-\d")		# the kernel's packages name its series or release


@functools.cache
def mirrors():
    """URIs of the main and of the security archive, as this host reaches them."""
    out = subprocess.run(["apt-get", "indextargets", "--format", "$(ORIGIN)|$(CODENAME)|$(REPO_URI)"],
                         capture_output=True, text=True, check=True).stdout
    main = security = None
    for line in out.splitlines():
        origin, codename, uri = line.split("|")
        if origin != "Debian":
            continue
        if codename.endswith("-security"):
            security = security or uri
        elif "-" not in codename:
            main = main or uri
    if not main:
        raise Failure("the host's apt names no Debian archive: add one to its sources and run apt-get update")
    return main, security


def acquisition():
    """How this host's apt fetches, as lines of an apt.conf."""
    out = subprocess.run(["apt-config", "dump", "Acquire"], capture_output=True, text=True, check=True).stdout
    return [line for line in out.splitlines() if '""' not in line and "IndexTargets" not in line]


def _apt(*command, cwd=None):
    root = cache("apt")
    # On the command line, for there they win over what the host's configuration says.
    options = ("-o", f"Dir::Cache::pkgcache={root}/cache/pkgcache.bin",
               "-o", f"Dir::Cache::srcpkgcache={root}/cache/srcpkgcache.bin", "-o", "APT::Update::Post-Invoke=")
    done = subprocess.run(command[:1] + options + command[1:], cwd=cwd, capture_output=True, text=True,
                          env=dict(os.environ, APT_CONFIG=f"{root}/apt.conf", LC_ALL="C.UTF-8"))
    if done.returncode:
        raise Failure(f"{' '.join(command)}:\n{done.stderr.strip()}")
    return done.stdout


def _configure(root):
    for sub in ("state/lists/partial", "cache/archives/partial"):
        os.makedirs(f"{root}/{sub}", exist_ok=True)
    open(f"{root}/status", "a").close()
    main, security = mirrors()
    signed = f"[arch=amd64 signed-by={KEYRING}]"
    sources = [f"deb {signed} {main} {suite} main" for suite in SUITES]
    if security:
        sources += [f"deb {signed} {security} {suite} main" for suite in SECURITY]
    write_whole(f"{root}/sources.list", "\n".join(sources) + "\n")
    write_whole(f"{root}/apt.conf", f'''Dir::State "{root}/state";
Dir::State::status "{root}/status";
Dir::Cache "{root}/cache";
Dir::Etc::sourcelist "{root}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
''')


def _read_lists():
    """The kernel's packages in the fetched lists: each stanza's fields, and the suites that offer it."""
    found = {}
    targets = _apt("apt-get", "indextargets", "--format", "$(CODENAME)|$(SUITE)|$(FILENAME)", "Created-By: Packages")
    for target in targets.splitlines():
        codename, _, path = target.split("|")
        text = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", path], capture_output=True, text=True).stdout
        for stanza in text.split("\n\n"):
            if not INDEXED.match(stanza, len("Package: ")):
                continue
            fields = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", stanza, re.M))
            entry = found.setdefault(f"{fields['Package']} {fields['Version']}", {"suites": [],
                "name": fields["Package"], "version": fields["Version"], "depends": fields.get("Depends", "")})
            entry["suites"].append(codename)
    return list(found.values())


@functools.cache
def _index():
    root = cache("apt")
    path = f"{root}/index.json"
    with locked("apt"):
        if not os.path.exists(path) or time.time() - os.path.getmtime(path) > LISTS_LIVE:
            _configure(root)
            try:
                _apt("apt-get", "-qq", "update")
            except Failure as failure:
                # A suite that has left the mirror fails here, and a machine may be offline for a day:
                # what matters is whether the packages are found.
                complaint = str(failure)
            else:
                complaint = ""
            entries = _read_lists()
            if not entries:
                raise Failure(f"no package list could be fetched\n{complaint}")
            write_whole(path, json.dumps(entries, indent=1))
        with open(path) as f:
            return json.load(f)


class Package:
    """One version of a binary package."""

    def __init__(self, entry):
        self.name = entry["name"]
        self.version = entry["version"]
        self.suites = entry["suites"]
        self.depends = re.findall(r"([a-z0-9][a-z0-9.+~-]+)(?::\w+)?(?: \([^)]*\))?", entry["depends"])

    def __str__(self):
        return f"{self.name} {self.version}"

    def download(self, into):
        """Downloads this version, checked by apt, into the directory `into`."""
        with locked("apt"):
            _apt("apt-get", "-qq", "download", f"{self.name}={self.version}", cwd=into)

    def unpack(self, into):
        """The same, and unpacks it under `into`."""
        with temporary_beside(cache("apt") + "/deb") as scratch:
            self.download(scratch)
            deb, = os.listdir(scratch)
            subprocess.run(["dpkg-deb", "-x", f"{scratch}/{deb}", into], check=True)


def _compare(a, b):
    def newer(x, y):
        return subprocess.run(["dpkg", "--compare-versions", x.version, "gt", y.version]).returncode == 0
    return 0 if a.version == b.version else 1 if newer(a, b) else -1


def packages(regexp):
    """Every version of every kernel package whose name matches `regexp` whole, oldest first."""
    found = [Package(e) for e in _index() if re.fullmatch(regexp, e["name"])]
    return sorted(found, key=functools.cmp_to_key(_compare))


def package(name, version=None):
    """The package `name` of that version, or the newest."""
    found = [p for p in packages(re.escape(name)) if version in (None, p.version)]
    if not found:
        raise Failure(f"the archive has no {name}{' ' + version if version else ''}")
    return found[-1]


def unpack(packs, directory, finish=lambda path: None):
    """Unpacks packages under `directory`, which exists whole or not at all; `finish` works on them before."""
    if os.path.isdir(directory):
        return directory
    with locked("unpack-" + os.path.basename(directory)):
        if not os.path.isdir(directory):
            with temporary_beside(directory) as scratch:
                for pack in packs:
                    pack.unpack(scratch)
                finish(scratch)
                os.rename(scratch, directory)
    return directory
