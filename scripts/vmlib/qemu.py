# SPDX-License-Identifier: GPL-2.0-only
"""One run of the virtual machine: QEMU's command line, and what goes between the guest and us."""
import contextlib
import functools
import re
import selectors
import shutil
import socket
import subprocess
import sys
import time

from . import Failure

QEMU = "qemu-system-x86_64"
END_OF_LOG = b"vm: end of the log"
GRACE = 90		# seconds that the closer look after the command may take beyond its timeout


class Guest:
    """QEMU, its channels, and their protocol.

    console: the kernel's messages (first serial port), kept as the log
    output:  what the command prints (debug console), copied to our standard output
    control: 'NONCE ready', 'NONCE ended', 'NONCE logged', 'NONCE status N' (second serial port), each but the
             last answered by one byte that lets the guest go on; 'logged' when the log's end has arrived
    faults:  if the guest may ask for faults, these, one a line, and an empty line (third serial port); the answer is
             a line, empty or with what is wrong with them
    """

    def __init__(self, command, nonce, log, timeout, ready=lambda: None, ended=lambda: None, ask=None):
        self.nonce = nonce
        self.timeout = timeout
        self.log = log
        self.status = None		# of the command
        self.timed_out = False
        self.broken = None		# what the guest's own side complained of
        self.booted = False
        self._words = {"ready": ready, "ended": ended}
        self._tail = b""		# of the log
        self._waits_for_log = None	# channel of a guest that does
        self._pending = b""
        self._ask = ask
        self._asked = b""
        self._command = command

    def run(self):
        names = ["console", "output", "control"] + (["faults"] if self._ask else [])
        ends = {name: socket.socketpair() for name in names}
        command = list(self._command)
        for name, (_, theirs) in ends.items():
            command += ["-chardev", f"socket,id={name},fd={theirs.fileno()}"]
        command += ["-serial", "chardev:console", "-serial", "chardev:control",
                    "-device", "isa-debugcon,iobase=0xe9,chardev=output",
                    "-device", "isa-debug-exit,iobase=0x501,iosize=0x02"]
        if self._ask:
            command += ["-serial", "chardev:faults"]
        try:
            # However we end, QEMU does too.
            process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, start_new_session=True,
                                       pass_fds=[theirs.fileno() for _, theirs in ends.values()])
        except OSError as error:
            raise Failure(f"{command[0]}: {error}")
        for _, theirs in ends.values():
            theirs.close()
        try:
            self._attend({name: ours for name, (ours, _) in ends.items()})
        finally:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0 if self.timed_out else 1)
            process.kill()
            self.complaint = complaint = process.stderr.read().decode(errors="replace").strip()
            process.stderr.close()
            self.end = process.wait()
            for ours, _ in ends.values():
                ours.close()
        if complaint and not self.booted and not self.log.tell():
            raise Failure(f"QEMU: {complaint}")

    def _attend(self, channels):
        watch = selectors.DefaultSelector()
        for name, ours in channels.items():
            watch.register(ours, selectors.EVENT_READ, name)
        self._deadline = time.monotonic() + self.timeout
        while watch.get_map():
            left = self._deadline - time.monotonic()
            if left <= 0:
                self.timed_out = self.status is None
                return
            for key, _ in watch.select(left):
                try:
                    data = key.fileobj.recv(1 << 16)
                except ConnectionResetError:
                    data = b""
                if not data:
                    watch.unregister(key.fileobj)
                elif key.data == "console":
                    self.log.write(data)
                    self.log.flush()
                    self._tail = (self._tail + data)[-4096:]
                    self._answer_if_logged()
                elif key.data == "output":
                    self._print(data)
                elif key.data == "faults":
                    self._answer_asked(data, key.fileobj)
                else:
                    self._control(data, key.fileobj)

    @staticmethod
    def _print(data):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def _answer_if_logged(self):
        if self._waits_for_log and END_OF_LOG in self._tail:
            self._waits_for_log.sendall(b"+")
            self._waits_for_log = None

    def _answer_asked(self, data, channel):
        *whole, self._asked = (self._asked + data).split(b"\n\n")
        for faults in whole:
            answer = self._ask(faults.decode(errors="replace").split("\n"))
            channel.sendall(f"{answer}\n".encode())

    def _control(self, data, channel):
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            nonce, _, text = line.decode(errors="replace").strip().partition(" ")
            if nonce != self.nonce:
                continue
            word, _, rest = text.partition(" ")
            if word in self._words:
                self.booted = True
                if word == "ended":
                    self._deadline += GRACE
                self._words[word]()
                channel.sendall(b"+")
            elif word == "logged":
                self._waits_for_log = channel
                self._answer_if_logged()
            elif word == "status":
                self.status = int(rest)
            elif word == "broken":
                self.broken = rest


@functools.cache
def version():
    """(major, minor) of QEMU."""
    out = subprocess.run([binary(), "--version"], capture_output=True, text=True).stdout
    found = re.search(r"version (\d+)\.(\d+)", out)
    if not found:
        raise Failure(f"{QEMU} --version says {out!r}")
    return int(found.group(1)), int(found.group(2))


def binary():
    path = shutil.which(QEMU)
    if not path:
        raise Failure(f"{QEMU} is not installed: run scripts/install-tools")
    return path
