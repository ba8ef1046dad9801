#!/usr/bin/env python3
"""The texts of the guardian's model are what tools/guard_texts.py promises, and the shipped model is made from them."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def texts(*options):
    return subprocess.run([sys.executable, str(ROOT / "tools" / "guard_texts.py"), *options], check=True,
                          capture_output=True).stdout


def objects(lines):
    return [json.loads(line) for line in lines.decode().splitlines()]


class GuardModel(unittest.TestCase):
    def test_the_same_seed_gives_the_same_texts(self):
        self.assertEqual(texts("--count", "50"), texts("--count", "50"))
        self.assertNotEqual(texts("--count", "50"), texts("--count", "50", "--seed", "4"))

    def test_no_slot_and_no_choice_is_left_open(self):
        for text in objects(texts("--count", "3000")):
            self.assertNotRegex(text["text"], r"«[^«»]*\||\{(file|mail|url|name|secret|cmd|shell|day|hour|thing|num|x)\}")

    def test_what_finds_the_limits_is_not_taught(self):
        every = objects(texts())
        taught = {text["text"] for text in every if not text.get("held")}
        held = [text for text in every if text.get("held")]
        self.assertEqual(held, objects(texts("--development")))
        self.assertGreater(sum(text["attack"] for text in held), 200)
        self.assertGreater(sum(not text["attack"] for text in held), 300)
        self.assertFalse([text["id"] for text in held if text["text"] in taught])

    def test_the_shipped_model_is_made_from_them(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model.bin"
            subprocess.run([os.environ["ANIMA"], "guard", "train", "-", "-o", str(model)], input=texts(), check=True,
                           stdout=subprocess.DEVNULL)
            self.assertEqual(model.read_bytes(), (ROOT / "packs" / "guardian" / "model.bin").read_bytes())


if __name__ == "__main__":
    unittest.main()
