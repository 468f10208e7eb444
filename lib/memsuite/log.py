# SPDX-License-Identifier: GPL-2.0-only
"""What goes wrong where nobody looks: to the system's log."""

import os
import sys
import syslog

KMSG = os.environ.get("MEMSUITE_KMSG", "/dev/kmsg")
DEV_LOG = os.environ.get("MEMSUITE_DEV_LOG", "/dev/log")
USER_ERR = syslog.LOG_USER | syslog.LOG_ERR


def log_line(line):
    """To the journal or syslogd; before one runs, to the kernel's log, which they read later."""
    text = line if line.startswith("memsuite: ") else f"memsuite: {line}"
    if os.path.exists(DEV_LOG):
        syslog.openlog("memsuite", syslog.LOG_PID, syslog.LOG_USER)
        syslog.syslog(syslog.LOG_ERR, text[len("memsuite: "):])
        return
    try:
        with open(KMSG, "w", encoding="utf-8") as file:
            file.write(f"<{USER_ERR}>{text}\n")
    except OSError:
        pass            # the terminal has it


class LoggedErrors:
    """Standard error, of which each line is also logged."""

    def __init__(self, stream):
        self.stream = stream
        self.rest = ""

    def write(self, text):
        *lines, self.rest = (self.rest + text).split("\n")
        for line in filter(str.strip, lines):
            log_line(line)
        return self.stream.write(text)

    def __getattr__(self, name):
        return getattr(self.stream, name)


def log_errors():
    """Of this process, from now on."""
    sys.stderr = LoggedErrors(sys.stderr)
