#!/usr/bin/env python3
"""What `anima` alone offers to who has no space yet can be typed as it is printed, and shows what it is there to show.
ANIMA: the program."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ANIMA = os.environ["ANIMA"]


class FrontPage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.home = pathlib.Path(self.folder.name) / "home"
        self.home.mkdir()

    def shell(self, line):
        return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False, env={
            "HOME": str(self.home), "PATH": f"{pathlib.Path(ANIMA).parent}:/usr/bin:/bin"})

    def steps(self):
        shown = self.shell("anima")
        page = shown.stdout + shown.stderr
        self.assertIn(f"Space: {self.home}/", page)
        section = re.search(r"\nTry it\n((?:  anima .*\n)+)", page)
        return [] if section is None else section.group(1).splitlines()

    def test_each_step_can_be_typed(self):
        steps = self.steps()
        self.assertEqual(steps[0].strip(), "anima init")
        self.assertEqual(list(self.home.iterdir()), [], "looking makes nothing")
        told = []
        for step in steps:
            done = self.shell(step)
            self.assertEqual((done.returncode, done.stderr), (0, ""), step + done.stdout)
            told.append(done.stdout)
        self.assertTrue(any(text.startswith("Globex\n") for text in told), told)
        self.assertTrue(any("Told(" in text for text in told), told)
        self.assertIn("+ Ada Berg works_at Initech", told[-1])
        self.assertEqual(self.steps(), [], "who has a space knows how to begin")


if __name__ == "__main__":
    unittest.main()
