#!/usr/bin/env python3
"""Every mutant finds the place that it changes and the test that should notice it."""
import os
import subprocess
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


class Mutants(unittest.TestCase):
    def test_all_have_their_places(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "mutants.py"), "check"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
