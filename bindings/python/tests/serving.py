"""A real `anima serve`, and servers that misbehave, for the tests of connections."""

import contextlib
import json
import os
import socket
import socketserver
import subprocess
import threading
import time
from pathlib import Path

import anima

PROGRAM = Path(anima.__file__).parent / "bin" / "anima"


def run_anima(folder, *arguments):
    said = subprocess.run([PROGRAM, "--space", folder, *arguments], capture_output=True, text=True, check=True)
    return said.stdout


class Server:
    """At the socket of the folder, or at an address."""

    def __init__(self, folder, *options):
        self.folder, self.options = folder, options
        self.log = Path(folder).parent / f"serve-{time.monotonic_ns()}.log"
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "--space", self.folder, "serve", "--json", *self.options], stdout=subprocess.PIPE, stderr=log, text=True
            )
        line = self.process.stdout.readline()
        assert line, self.log.read_text()
        self.where = json.loads(line)

    @property
    def url(self):
        return self.where["v1"].removesuffix("/v1")

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.process.stdout.close()


@contextlib.contextmanager
def serving(folder, *options):
    server = Server(folder, *options)
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def answering(handle):
    """A server at a loopback port whose connections are given to `handle(connection, request)`."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            while True:
                request = b""
                while b"\r\n\r\n" not in request:
                    piece = self.request.recv(65536)
                    if not piece:
                        return
                    request += piece
                if handle(self.request, request) is False:
                    return

    class Threads(socketserver.ThreadingMixIn, socketserver.TCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with Threads(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def whole(body, status="200 OK", headers=""):
    data = json.dumps(body).encode()
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}Content-Length: {len(data)}\r\n\r\n".encode() + data


ME = {"name": "http:x", "trust": "standard", "may_write": True, "readonly_server": False, "sees_approvals": "own"}


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def descriptors():
    return len(os.listdir("/proc/self/fd"))
