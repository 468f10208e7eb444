# SPDX-License-Identifier: GPL-2.0-only
"""Metrics over HTTP, for a Prometheus that scrapes them: at a socket of systemd's, or at one of its own.

A port is everybody's on the machine. So it tells what everybody may read; what is for root alone it tells who has
the token.
"""

import hmac
import http.server
import os
import socket
import sys
import threading
from http import HTTPStatus

from . import Failure
from .arguments import listen_argument
from .command_line import GOES_ON
from .metrics import ANYBODY, EVERYBODY, metrics, prometheus_lines
from .output import print_json_line

PATH = "/metrics"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
DEFAULT_ADDRESS = ("localhost", 9978)
# What systemd passes, by sd_listen_fds(3).
FIRST_PASSED_FD = 3
CLIENT_TIMEOUT_S = 10


def token_in(path):
    """None if there is none."""
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip() or None
    except FileNotFoundError:
        return None         # nobody has set one
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Failure(f"{path}: a token is of ASCII characters") from None


def listening_socket(address):
    """The socket that systemd has passed, or a new one."""
    if os.environ.get("LISTEN_PID") == str(os.getpid()):
        if os.environ.get("LISTEN_FDS") != "1":
            raise Failure("more than one socket was passed; give memsuite-exporter.socket one ListenStream")
        return socket.socket(fileno=FIRST_PASSED_FD)
    try:
        return socket.create_server(address, family=socket.AF_INET6 if ":" in address[0] else socket.AF_INET)
    except OSError as error:
        raise Failure(f"{address[0]}:{address[1]}: {error.strerror}") from None


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = CLIENT_TIMEOUT_S

    def do_GET(self):  # pylint: disable=invalid-name
        if self.path.partition("?")[0] != PATH:
            self.send_error(HTTPStatus.NOT_FOUND, explain=f"metrics are at {PATH}")
            return
        readers = self.server.readers_of(self.headers.get("Authorization"))
        if not readers:
            self.send_error(HTTPStatus.UNAUTHORIZED, explain="this is not the token that the exporter has")
            return
        try:
            body = self.server.text(readers).encode("utf-8", "replace")
        except Failure as failure:      # the modules go just now
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, explain=str(failure))
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", CONTENT_TYPE)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code="-", size="-"):
        """A scrape is no news; what fails is logged."""


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, listening, token):
        super().__init__(listening.getsockname(), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket, self.token, self.lock = listening, token, threading.Lock()

    def readers_of(self, authorization):
        """Whose files the sender of that header may see; None: it has a wrong token."""
        if authorization is None:
            return EVERYBODY
        sent = authorization.encode("utf-8", "replace")
        right = self.token and hmac.compare_digest(sent, f"Bearer {self.token}".encode())
        return ANYBODY if right else None

    def text(self, readers):
        with self.lock:     # one scrape at a time
            return "\n".join((*prometheus_lines(metrics(readers)), ""))

    def handle_error(self, request, client_address):
        """Whoever goes away meanwhile is no error of ours."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


def cmd_exporter(args):
    token = token_in(args.token_file) if args.token_file else None
    server = Server(listening_socket(args.listen), token)
    host, port = server.socket.getsockname()[:2]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"
    if args.json:
        print_json_line({"url": url})
    else:
        print(url, flush=True)
    # It waits for requests, and does not look every now and then whether it is to end.
    server.serve_forever(poll_interval=None)


def add_commands(top):
    command = top.add("exporter", cmd_exporter, "the same over HTTP, until a signal: for a Prometheus that "
                      "scrapes them", exits=GOES_ON)
    command.add_argument("--listen", metavar="ADDRESS:PORT", type=listen_argument, default=DEFAULT_ADDRESS,
                         help="(%s:%d), unless systemd has passed a socket" % DEFAULT_ADDRESS)
    command.add_argument("--token-file", metavar="FILE", help="who sends the token in it (Authorization: Bearer TOKEN) "
                         "is told what only root may read, too; others what everybody may read")
