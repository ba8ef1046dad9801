#!/usr/bin/env python3
"""Measures small pages whose sentences are counted by hand, and expects the pages of this repository to pass."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SCRIPT = os.path.join(ROOT, "tools", "measure_prose.py")


def run(root):
    done = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()[1:]


def measure(pages):
    with tempfile.TemporaryDirectory() as root:
        for path, text in pages.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as stream:
                stream.write(text)
        return run(root)


def long(count):
    return "Every " + "word " * (count - 2) + "counts."


class MeasureProse(unittest.TestCase):
    def expect_row(self, text, sentences, average, longest, line):
        code, lines = measure({"docs/a.md": text})
        self.assertEqual(code, 0, lines)
        self.assertEqual(lines[0].split(), [str(sentences), average, str(longest), f"docs/a.md:{line}"])

    def expect_fault(self, pages, *words):
        code, lines = measure(pages)
        self.assertEqual(code, 1, lines)
        for word in words:
            self.assertTrue(any(word in line for line in lines), (word, lines))

    def test_counts_sentences_and_words(self):
        self.expect_row("# A title of many words\n\nOne two three. Four five\nsix seven eight! Nine?\n", 3, "3.0", 5, 3)

    def test_finds_the_line_of_the_longest_sentence(self):
        self.expect_row("One two.\nThree\nfour. Five\nsix seven eight.\n", 3, "2.7", 4, 3)

    def test_abbreviations_ellipses_and_numbers_end_no_sentence(self):
        self.expect_row("Take a file, e.g. this one, of 2.5 MB .. and read it.\n", 1, "12.0", 12, 1)

    def test_an_end_in_brackets_or_quotes_is_an_end(self):
        self.expect_row('It says "no." It stops (at once.) Then **it ends.** Well.\n', 4, "2.8", 4, 1)

    def test_code_tables_headings_and_comments_are_left_out(self):
        self.expect_row("\n".join(["## " + long(60), "", "```", long(60), "", long(60), "```", "", "| " + long(60) + " |", "",
                                   "    " + long(60), "", "<!-- " + long(30) + "\n" + long(30) + " -->", "", "Two words."]),
                        1, "2.0", 2, 16)

    def test_inline_code_is_a_word_and_the_target_of_a_link_is_none(self):
        self.expect_row("Run `anima ask --json\nQUESTION` or read [this page](a.md#words).\n", 1, "6.0", 6, 1)

    def test_options_are_left_out_and_items_are_sentences(self):
        self.expect_row("* `--all` " + long(60) + "\n* one two three\n  four\n* five\n\n1. six seven\n", 3, "2.3", 4, 2)

    def test_an_item_of_several_paragraphs_is_prose(self):
        self.expect_row("* One.\n\n    Two three four.\n", 2, "2.0", 3, 3)

    def test_a_sentence_of_45_words_passes_and_one_of_46_fails(self):
        short = "Stop. " * 5
        self.assertEqual(measure({"docs/a.md": short + long(45)})[0], 0)
        self.expect_fault({"docs/a.md": short + "\n\n" + long(46)}, "docs/a.md:3: a sentence of 46 words")

    def test_an_average_above_25_fails(self):
        self.assertEqual(measure({"docs/a.md": long(25)})[0], 0)
        self.expect_fault({"docs/deep/a.md": long(26)}, "docs/deep/a.md: 26.0 words a sentence")

    def test_the_readme_is_measured(self):
        self.expect_fault({"docs/a.md": "Good.", "README.md": long(46)}, "README.md:1: a sentence of 46")

    def test_a_glossary_explains_forty_words_at_most(self):
        entry = "* **word**: what it means.\n"
        self.assertEqual(measure({"docs/glossary.md": entry * 40})[0], 0)
        self.expect_fault({"docs/glossary.md": entry * 41}, "41 words are explained, 40 at most")

    def test_pages_of_nothing_pass(self):
        self.assertEqual(measure({"docs/a.md": "", "docs/b.md": "```\ncode without an end\n"})[0], 0)

    def test_the_pages_of_this_repository_pass(self):
        code, lines = run(ROOT)
        self.assertEqual(code, 0, "\n".join(line for line in lines if ": " in line))
        self.assertIn("docs/glossary.md", "\n".join(lines))


if __name__ == "__main__":
    unittest.main()
