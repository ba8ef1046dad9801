#!/usr/bin/env python3
"""Runs tests of the package for Python over a build, in the environment that ./dev setup test made of PyPI's packages: those of
the folder adapters/ in one that has the frameworks of others.

Usage: run.py BUILD TEST...
exit 77: skipped, because there is no such environment (the build then has no module either); else pytest's
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]


def main(build, tests):
    adapters = all(pathlib.Path(test).resolve().parent.name == "adapters" for test in tests)
    environment = ROOT / "build" / ("python_adapters" if adapters else "python_bindings")
    python = environment / "bin" / "python"
    package = pathlib.Path(build).resolve() / "python"
    if not (environment / "installed").exists() or not list(package.glob("anima/_anima*.so")):
        # As tools/test_skips.py reads it.
        print("run.py:1: Skipped\nneeds packages from PyPI: ./dev setup test could not reach the registry")
        return 77
    variables = dict(os.environ, PYTHONPATH=str(package), PYTHONDONTWRITEBYTECODE="1")
    # The configuration and the data of whoever runs the tests are none of theirs.
    variables["XDG_CONFIG_HOME"] = variables["XDG_DATA_HOME"] = "/nonexistent"
    command = [python, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "--tb=short", "-rs", *map(os.path.abspath, tests)]
    return subprocess.run(command, env=variables, cwd=ROOT / "bindings" / "python" / "tests", check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
