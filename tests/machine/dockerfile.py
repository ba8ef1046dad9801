#!/usr/bin/env python3
"""The steps of a Dockerfile where there is no engine of containers: they are carried out in a folder that has the base image's system,
then its command runs there as a container would run it, on a read-only root with its volume and /tmp, as its account, without new
privileges, until its health check is good; a few commands of a user follow, and it is stopped by SIGTERM.

Usage, as root in mount and pid namespaces of its own: dockerfile.py DOCKERFILE CONTEXT ROOT
An instruction that is not known is a fault, and so is another base than the one that ROOT has. exit 0: good, 1: a fault, told"""
import glob
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

BASE = "debian:12-slim"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Fault(Exception):
    pass


def instructions(text):
    """(word, rest) of each; a line that ends with a backslash goes on."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield word, rest.strip()


class Image:
    def __init__(self, root, context):
        self.root, self.context = root, context
        self.user, self.folder, self.environment, self.volumes = "0:0", "/", {"PATH": PATH}, []
        self.health, self.entry, self.command = [], [], []

    def chroot(self, command, user=None, environment=None):
        inside = f"cd {shlex.quote(self.folder)} && exec \"$@\""
        return ["env", "-i", *(f"{name}={value}" for name, value in (self.environment | (environment or {})).items()),
                "chroot", f"--userspec={user or self.user}", str(self.root),
                "setpriv", "--no-new-privs", "/bin/sh", "-c", inside, "sh", *command]

    def step(self, word, rest):
        method = getattr(self, "do_" + word.lower(), None)
        if method is None:
            raise Fault(f"{word} is not known here")
        print(f"dockerfile: {word} {rest}", flush=True)
        method(rest)

    def do_from(self, rest):
        if rest != BASE:
            raise Fault(f"this system is {BASE}, not {rest}")

    def do_copy(self, rest):
        *sources, to = rest.split()
        found = [path for source in sources for path in glob.glob(str(self.context / source))]
        if len(found) != 1:
            raise Fault(f"COPY takes one file here, and {rest} names {found}")
        shutil.copy(found[0], self.root / to.lstrip("/"))

    def do_run(self, rest):
        # As an engine does, without the limits that the container itself has.
        subprocess.run(["env", "-i", *(f"{name}={value}" for name, value in self.environment.items()), "DEBIAN_FRONTEND=noninteractive",
                        "chroot", f"--userspec={self.user}", str(self.root), "/bin/sh", "-c", f"cd {self.folder} && {rest}"],
                       check=True, stdin=subprocess.DEVNULL)

    def do_user(self, rest):
        self.user = rest

    def do_workdir(self, rest):
        self.folder = rest

    def do_env(self, rest):
        self.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))

    def do_volume(self, rest):
        self.volumes.append(rest)

    def do_healthcheck(self, rest):
        self.health = json.loads(rest[rest.index("CMD") + 3:])

    def do_entrypoint(self, rest):
        self.entry = json.loads(rest)

    def do_cmd(self, rest):
        self.command = json.loads(rest)


def mount(*given):
    subprocess.run(["mount", *given], check=True)


def as_container(image):
    """The root is read-only; written are the volumes, which keep what the image has there, and /tmp."""
    root = image.root
    for volume in image.volumes:
        mount("--bind", str(root / volume.lstrip("/")), str(root / volume.lstrip("/")))
    mount("-o", "remount,bind,ro", str(root))
    mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", str(root / "tmp"))


def expect(image, command, wanted):
    done = subprocess.run(image.chroot(command), capture_output=True, text=True, check=False)
    if done.returncode != 0 or wanted not in done.stdout:
        raise Fault(f"{command}: exit {done.returncode}, {done.stdout}{done.stderr}")


def try_container(image):
    started = time.monotonic()
    server = subprocess.Popen(image.chroot([*image.entry, *image.command]))
    try:
        while subprocess.run(image.chroot(image.health), stdout=subprocess.DEVNULL, check=False).returncode != 0:
            if server.poll() is not None or time.monotonic() > started + 60:
                raise Fault("the health check is not good")
            time.sleep(0.1)
        print(f"dockerfile: healthy after {time.monotonic() - started:.1f} s", flush=True)
        expect(image, ["id", "-u"], image.user.split(":")[0])
        for line, wanted in ((["anima", "remember", "The boiler is serviced by Bo every March."], ""),
                             (["anima", "recall", "Who services the boiler?"], "Bo"),
                             (["anima", "audit", "verify"], "")):
            expect(image, line, wanted)
        written = subprocess.run(image.chroot(["touch", "/usr/x"]), capture_output=True, check=False)
        if written.returncode == 0:
            raise Fault("the root can be written")
        mcp = subprocess.run(image.chroot([*image.entry, "mcp"]), capture_output=True, text=True, check=False, input=json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
             "clientInfo": {"name": "test", "version": "1"}}}) + "\n")
        if json.loads(mcp.stdout.splitlines()[0])["result"]["serverInfo"]["name"] != "anima":
            raise Fault(f"mcp: {mcp.stdout}{mcp.stderr}")
    finally:
        server.send_signal(signal.SIGTERM)
        code = server.wait(30)
    if code != 0:
        raise Fault(f"SIGTERM ends it with {code}")


def main(arguments):
    if len(arguments) != 3 or os.getuid() != 0:
        print(__doc__, file=sys.stderr)
        return 2
    dockerfile, context, root = (pathlib.Path(each).resolve() for each in arguments)
    mount("--bind", str(root), str(root))
    mount("-t", "proc", "proc", str(root / "proc"))
    mount("--rbind", "/dev", str(root / "dev"))
    image = Image(root, context)
    try:
        for word, rest in instructions(dockerfile.read_text(encoding="utf-8")):
            image.step(word, rest)
        as_container(image)
        try_container(image)
    except (Fault, subprocess.CalledProcessError) as fault:
        print(f"dockerfile: {fault}", file=sys.stderr)
        return 1
    print("packages: Dockerfile: good")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
