#!/usr/bin/env python3
"""The texts of the guardian's model are what tools/guard_texts.py promises, and the shipped model is made from them."""
import collections
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
    return [json.loads(line) for line in lines.decode().split("\n") if line]


class GuardModel(unittest.TestCase):
    def test_the_same_seed_gives_the_same_texts(self):
        self.assertEqual(texts(), texts())
        self.assertNotEqual(texts(), texts("--seed", "4"))

    def test_no_slot_and_no_choice_is_left_open(self):
        for text in objects(texts()):
            if "author" not in text:
                self.assertNotRegex(
                    text["text"],
                    r"«[^«»]*\||\{(file|mail|url|name|secret|cmd|shell|day|hour|thing|num|act|x)\}")

    def test_each_author_wrote_both_kinds_and_none_wrote_a_text_of_another(self):
        writers = {}
        counts = collections.Counter()
        for text in objects(texts()):
            author = text.get("author", "")
            self.assertEqual(writers.setdefault(text["text"], author), author, text["id"])
            counts[author, text["attack"]] += 1
        self.assertEqual(sorted({author for author, _ in counts}), ["", "1", "2", "3", "4", "5"])
        self.assertGreater(min(counts.values()), 190)

    def test_held_out_authors_wrote_both_kinds_and_nothing_that_is_taught(self):
        writers = {text["text"]: "taught" for text in objects(texts())}
        for author in ("6", "7", "8"):
            held_out = objects(texts("--held-out", author))
            for text in held_out:
                self.assertEqual(writers.setdefault(text["text"], author), author, text["id"])
            attacks = sum(text["attack"] for text in held_out)
            self.assertGreater(attacks, 450)
            self.assertEqual(attacks * 2, len(held_out))

    def test_the_shipped_model_is_made_from_them_and_tells_what_it_was_not_taught(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model.bin"
            trained = subprocess.run([os.environ["ANIMA"], "guard", "train", "-", "-o", str(model), "--json"],
                                     input=texts(), check=True, stdout=subprocess.PIPE)
            self.assertEqual(model.read_bytes(), (ROOT / "packs" / "guardian" / "model.bin").read_bytes())
        unseen = json.loads(trained.stdout)["unseen"]
        self.assertEqual([estimate["author"] for estimate in unseen], ["1", "2", "3", "4", "5"])
        for estimate in unseen:
            self.assertGreater(estimate["auc"], 0.8, estimate)


if __name__ == "__main__":
    unittest.main()
