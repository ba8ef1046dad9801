"""What every adapter is tested with: hostile keys, programs that are killed, and many at once."""

import concurrent.futures
import contextlib
import subprocess
import sys
import textwrap

import pytest
from conftest import OWNER
from serving import serving

import anima

# Each is another one. "é" is written in two ways; the ligature, the wide letter and the sharp s fold to what stands beside them.
KEYS = [
    "", " ", "x", "X", "x ", "\0", "x\0", "..", "../x", "/", "a/b", "a.b", "é", "e\u0301", "ﬁ", "fi", "ｘ", "ß", "ss", "SS",
    "\ud800", "\udfff", "\ufffd", "\u200b", "\u202e", "'", '"', "\\", "\n", ":name", "{", "}", "?x", "日本", "😀", "x" * 100_000,
    "x" * 100_001, "null", "0", "1", "-1", "true", "[]",
]  # fmt: skip


def killed(folder, program):
    """Runs a program over a folder, which kills itself at once at its end: nothing is closed."""
    whole = (
        "import os, signal, anima, asyncio\n"
        f"memory = anima.Memory.open({str(folder)!r}, author=anima.Author('ada', trust=anima.Trust.OPERATOR))\n"
        f"{textwrap.dedent(program)}\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ran = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == -9, ran.stderr


def at_once(work, times, threads=8):
    """work(number) on threads; gives what each gave."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, range(times)))


@pytest.fixture(params=["in the process", "over a server"])
def space(request, folder):
    """A memory of its own by both ways."""
    with contextlib.ExitStack() as open_until_the_end:
        if request.param == "over a server":
            server = open_until_the_end.enter_context(serving(folder))
            yield open_until_the_end.enter_context(anima.connect(server.folder))
        else:
            yield open_until_the_end.enter_context(anima.Memory.open(folder, author=OWNER))
