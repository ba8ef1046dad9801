#!/usr/bin/env python3
"""tools/w3c_sparql.py over Anima's own manifests: everything passes, and a wrong expectation is found."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITES = ROOT / "tests" / "conformance" / "data" / "sparql"


def run(folder, *arguments):
    return subprocess.run([sys.executable, str(ROOT / "tools" / "w3c_sparql.py"), str(folder), "--anima",
                           os.environ.get("ANIMA", "anima"), *arguments], capture_output=True, text=True, check=False)


class W3cSparql(unittest.TestCase):
    def test_own_suites_pass(self):
        for suite in ("graphs", "update", "syntax"):
            ran = run(SUITES / suite)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            passed, failed = ran.stdout.splitlines()[-1].split()[1:3]
            self.assertGreater(int(passed), 20, ran.stdout)
            self.assertEqual(failed, "0")

    def test_wrong_expectations_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            suite = pathlib.Path(folder) / "graphs"
            shutil.copytree(SUITES / "graphs", suite)
            for name in ("graph-iri", "graph-variable"):
                expected = suite / f"{name}.srj"
                expected.write_text(expected.read_text(encoding="utf-8").replace("http://", "https://", 1),
                                    encoding="utf-8")
            ran = run(folder, "--only", "graph-")
            self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
            self.assertIn("FAILED graphs/graph-iri", ran.stdout)
            self.assertIn("FAILED graphs/graph-variable (", ran.stdout)
            self.assertNotIn("FAILED graphs/graph-empty-pattern", ran.stdout)

    def test_names_its_tests(self):
        listed = run(SUITES / "graphs", "--list", "--only", "minus").stdout
        self.assertEqual(listed.split(), ["graphs/minus-in-graph"])
        self.assertNotEqual(run(ROOT / "docs").returncode, 0)


if __name__ == "__main__":
    unittest.main()
