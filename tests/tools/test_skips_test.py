#!/usr/bin/env python3
"""Tests of tools/test_skips.py."""
import os
import subprocess
import sys
import tempfile
import unittest

TOOL = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "test_skips.py")

LOG = """\
1/4 Testing: tools.Sandbox.Runs
----------------------------------------------------------
/src/tests/unit/tools/sandbox_test.cc:30: Skipped
needs user namespaces: docs/sandbox.md says how to allow them

[  SKIPPED ] Sandbox.Runs (0 ms)
2/4 Testing: tools.Sandbox.Stops
/src/tests/unit/tools/sandbox_test.cc:40: Skipped
needs user namespaces: docs/sandbox.md says how to allow them
3/4 Testing: store.Log.IsShared/Memory
/src/tests/unit/store/log_test.cc:40: Skipped
one process
4/4 Testing: store.Log.IsWhole
[       OK ] Log.IsWhole (0 ms)
"""


def run(log, allowed=None):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "log")]
        with open(paths[0], "w", encoding="utf-8") as file:
            file.write(log)
        if allowed is not None:
            paths.append(os.path.join(folder, "allowed"))
            with open(paths[1], "w", encoding="utf-8") as file:
                file.write(allowed)
        return subprocess.run([sys.executable, TOOL, *paths], capture_output=True, text=True, check=False)


class Skips(unittest.TestCase):
    def test_are_counted_by_what_they_need(self):
        ran = run(LOG)
        self.assertEqual(ran.returncode, 0)
        self.assertEqual(ran.stdout.splitlines(), [
            "2 skipped: no user namespaces here (docs/sandbox.md says how to allow them)",
            "1 skipped: they do not apply to their parameter"])

    def test_that_a_full_machine_should_not_have_are_faults(self):
        ran = run(LOG, "# of root\nroot\n")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("this machine should have user namespaces: tools.Sandbox.Runs, tools.Sandbox.Stops",
                      ran.stderr)

    def test_that_are_allowed_are_none(self):
        self.assertEqual(run(LOG, "user namespaces\n").returncode, 0)

    def test_no_log_is_no_skip(self):
        ran = subprocess.run([sys.executable, TOOL, "/nowhere/log"], capture_output=True, text=True, check=False)
        self.assertEqual((ran.returncode, ran.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
