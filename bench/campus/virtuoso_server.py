"""Virtuoso as a server of one run: its own folder, loopback only, its own password, ended with the program.

Its Debian package is unpacked, not installed (./dev bench graph does it, into build/bench/virtuoso beside the data), so no
service is made or started.
"""
import atexit
import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time

GRAPH = "urn:campus"
PATIENCE_S = 60
INI = """[Database]
DatabaseFile = {db}/virtuoso.db
ErrorLogFile = {db}/virtuoso.log
LockFile = {db}/virtuoso.lck
TransactionFile = {db}/virtuoso.trx
xa_persistent_file = {db}/virtuoso.pxa
[TempDatabase]
DatabaseFile = {db}/temp.db
TransactionFile = {db}/temp.trx
[Parameters]
ServerPort = 127.0.0.1:{port}
DisableUnixSocket = 1
DirsAllowed = {folder}
NumberOfBuffers = 85000
MaxDirtyBuffers = 62500
ThreadsPerQuery = 1
CheckpointInterval = 0
[SPARQL]
ResultSetMaxRows = 10000000
"""


def end_with_parent():
    """The kernel ends the server when this program ends, however it ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Client:
    """isql over a pipe: statements in, rows as CSV out."""

    END = "END-OF-ANSWER"

    def __init__(self, command, environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, env=environment)

    def ask(self, statement):
        self.process.stdin.write(f"{statement};\nECHOLN {self.END};\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith(self.END):
                break
            lines.append(line)
        else:
            raise RuntimeError("the client ended")
        for line in lines:
            if line.startswith("*** Error"):
                raise RuntimeError(line.strip())
        return lines


class VirtuosoServer:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.root = os.path.join(os.path.dirname(self.folder), "virtuoso")
        self.db = os.path.join(self.root, "db")
        shutil.rmtree(self.db, ignore_errors=True)
        os.makedirs(self.db)
        self.environment = dict(os.environ)
        self.password = "p" + secrets.token_hex(6)  # it cuts longer ones
        self.port = free_port()
        with open(self.db + "/virtuoso.ini", "w", encoding="utf-8") as file:
            file.write(INI.format(db=self.db, port=self.port, folder=self.folder))
        # It sets the password and ends; then it is started to serve.
        self.start("+pwdold", "dba", "+pwddba", self.password).wait(PATIENCE_S)
        self.process = self.start()
        atexit.register(self.stop)
        self.wait()

    def start(self, *more):
        return subprocess.Popen(
            [self.root + "/usr/bin/virtuoso-t", "+configfile", self.db + "/virtuoso.ini", "+foreground", *more],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.db, env=self.environment,
            preexec_fn=end_with_parent)  # pylint: disable=subprocess-popen-preexec-fn

    def wait(self):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("Virtuoso does not start")

    def stop(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.db, ignore_errors=True)

    def client(self):
        return Client([self.root + "/usr/bin/isql-vt", f"127.0.0.1:{self.port}", "dba", self.password, "BANNER=OFF",
                       "PROMPT=OFF", "VERBOSE=OFF", "ERRORS=STDOUT", "CSV=ON", "CSV_RFC4180=ON"], self.environment)

    def load(self, name):
        client = self.client()
        for statement in (f"ld_dir('{self.folder}', '{name}', '{GRAPH}')", "rdf_loader_run()", "checkpoint"):
            client.ask(statement)
        client.process.stdin.close()
        client.process.wait(PATIENCE_S)
