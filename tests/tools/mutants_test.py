#!/usr/bin/env python3
"""Every mutant finds the place that it changes and the test that should notice it; many get a switch in one file."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


class Mutants(unittest.TestCase):
    def test_all_have_their_places(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "mutants.py"), "check"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_many_stand_behind_their_switches(self):
        spec = importlib.util.spec_from_file_location("mutants", os.path.join(ROOT, "tools", "mutants.py"))
        mutants = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(mutants)
        source = ("int f(int a) {\n  if (a > 1) return 2;\n  return a + 1;\n}\n"
                  "int g(int a) {\n  if (a > 1) return 2;\n  return 0;\n}\n")
        wanted = [{"row": "1", "as": "statement", "within": "int g(", "find": "if (a > 1) return 2;", "replace": ""},
                  {"row": "2", "as": "expression", "find": "a + 1", "replace": "a"},
                  {"row": "3", "as": "expression", "find": "a + 1", "replace": "7"},
                  {"row": "4", "as": "expression", "find": "+ 1", "replace": "- 1"}]
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "f.cc"), "w", encoding="utf-8") as stream:
                stream.write(source)
            texts, left = mutants.switch_all(folder, [{"file": "f.cc", **mutant} for mutant in wanted])
        self.assertEqual([mutant["row"] for mutant in left], ["4"], "it overlaps: it is built another time")
        self.assertEqual(texts["f.cc"][len(mutants.SWITCH):], source.replace(
            "a + 1", '(anima_mutant("3") ? (7) : ((anima_mutant("2") ? (a) : (a + 1))))').replace(
            "int g(int a) {\n  if (a > 1) return 2;",
            'int g(int a) {\n  { if (anima_mutant("1")) {  } else { if (a > 1) return 2; } }'))


if __name__ == "__main__":
    unittest.main()
