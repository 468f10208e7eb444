#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# case: memsuite top and report
"""What memsuite top shows, by each key, on a terminal and without one; and the page of memsuite report."""

import os
import pty
import re
import select
import signal
import struct
import fcntl
import sys
import termios
import time
from html.parser import HTMLParser
from xml.etree import ElementTree

import tool
from tool import SYSFS, Tree
from tool_json import a_tree

ENDS = "\x1b[?1049l"        # a terminal of type xterm is as it was


class Terminal:
    """memsuite top on a terminal of 100 by 40."""

    def __init__(self, tree, path):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execve(sys.executable, [sys.executable, tool.TOOL, "top", "--interval", "0.2"], {
                **os.environ, "TERM": "xterm", "LANG": "C.UTF-8", "PYTHONIOENCODING": "utf-8", "PATH": path,
                "MEMSUITE_SYSFS": tree.sysfs, "MEMSUITE_DEBUGFS": tree.debugfs, "MEMSUITE_PROC": tree.proc,
                "MEMSUITE_STATE": tree.state, "MEMSUITE_DMI": tree.dmi})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.text = ""

    def until(self, wanted):
        """Reads until that was shown since it was last asked for."""
        last = time.monotonic() + 30
        while wanted not in self.text:
            assert time.monotonic() < last, (wanted, self.text[-3000:])
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:     # it has ended
                    assert wanted in self.text, (wanted, self.text[-3000:])
        self.text = self.text[self.text.index(wanted) + len(wanted):]

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def status(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def a_frame_has_what_matters(top):
    tree = a_tree(top)
    result = tree.run("top", PATH=f"{top}/bin:{os.environ['PATH']}", COLUMNS="110")
    assert result.returncode == 0 and not result.stderr, result
    for text in ("512 MiB of 1 GiB available, 1 bad pages", "memdiag: bad pages not saved",
                 "93% of 3.9 MiB tested in time", "0x1234568", "node0", "machine  region:node0", "vs ", "cgroup:/a/b", "miss ratio by memory:"):
        assert text in result.stdout, (text, result.stdout)
    assert max(map(len, result.stdout.splitlines())) <= 110
    nothing = Tree(os.path.join(top, "nothing")).run("top", "--once")
    assert nothing.returncode == 0 and "memdiag: not loaded" in nothing.stdout, nothing


def what_cannot_be_read_is_told(top):
    tree = Tree(top, SYSFS)     # without debugfs
    result = tree.run("top", "--once")
    assert result.returncode == 0 and "! " in result.stdout and "mount -t debugfs" in result.stdout, result


def keys_lead_to_more(top):
    tree = a_tree(top)
    terminal = Terminal(tree, f"{top}/bin:{os.environ['PATH']}")
    terminal.until("[1]OVERVIEW")
    terminal.until("q quit")
    for key, view, what in (("2", "[2]BAD PAGES", "0x1234568"), ("3", "[3]REGIONS", "node0"),
                            ("5", "[5]TARGETS", "above:64M"), ("6", "[6]STORES", "vs")):
        terminal.press(key)
        terminal.until(view.split("]")[1])
        terminal.until(what)
    terminal.press("\r")
    terminal.until("write_pram 3")
    terminal.press("q5j\r")
    terminal.until("└")      # the axes of a curve
    terminal.press("qq")
    terminal.until(ENDS)
    assert terminal.status() == 0


def a_signal_leaves_the_terminal_as_it_was(top):
    tree = a_tree(top)
    terminal = Terminal(tree, f"{top}/bin:{os.environ['PATH']}")
    terminal.until("q quit")
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.until(ENDS)
    assert "Traceback" not in terminal.text and terminal.status() == 0


class Reader(HTMLParser):
    """What is open, and what was said."""

    def __init__(self):
        super().__init__()
        self.open, self.said, self.tags = [], "", []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in ("meta", "rect", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.open)

    def handle_data(self, data):
        self.said += data


def the_report_is_a_page(top):
    tree = a_tree(top)
    tree.fill(tree.sysfs, {"regions/node0/technology": "<b>"})
    path = os.path.join(top, "page.html")
    result = tree.run("report", "-o", path, "--record", os.path.join(top, "record"),
                      PATH=f"{top}/bin:{os.environ['PATH']}")
    assert result.returncode == 0, result
    with open(path, encoding="utf-8") as file:
        text = file.read()
    reader = Reader()
    reader.feed(text)
    assert not reader.open, reader.open
    for said in ("0x1234568", "Memory tested in time", "93% of 3.9 MiB", "region:node0", "Miss ratio of",
                 "Working set of", "Touched pages of"):
        assert said in reader.said, said
    charts = re.findall(r"<svg.*?</svg>", text, re.S)
    assert len(charts) == 8, len(charts)
    for chart in charts:
        ElementTree.fromstring(chart)
    # All is in the file: nothing is asked of a network.
    assert not re.search(r"(src|href)=", text)
    assert tree.run("report", "-o", "-").stdout.startswith("<!DOCTYPE html>")
    assert "No such file" in tree.run("report", "-o", os.path.join(top, "no", "page")).stderr


TESTS = (
    a_frame_has_what_matters,
    what_cannot_be_read_is_told,
    keys_lead_to_more,
    a_signal_leaves_the_terminal_as_it_was,
    the_report_is_a_page,
)

if __name__ == "__main__":
    sys.exit(tool.main(TESTS))
