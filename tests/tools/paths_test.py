#!/usr/bin/env python3
"""Every path that CONTRIBUTING.md and the pages of the rooms name is there."""
import os
import re
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
# In backticks: a path with a folder in it, or a file of C++. Patterns and commands are none.
PATH = re.compile(r"`([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]*)+|[a-z0-9_]+\.(?:h|cc))`")
TOP = ("src/", "tests/", "docs/", "tools/", "bench/", "packs/", "cmake/", "examples/", "include/")


def pages():
    yield "CONTRIBUTING.md"
    for room in sorted(os.listdir(os.path.join(ROOT, "src"))):
        page = os.path.join("src", room, "README.md")
        if os.path.exists(os.path.join(ROOT, page)):
            yield page


def files_below(folder):
    return {name for _, _, names in os.walk(os.path.join(ROOT, folder)) for name in names}


def is_there(page, path):
    """From the root, from the page's room or from src; a header goes by its stem, a file's name stands for it in its room."""
    if path == "detail/":
        return True
    room = os.path.dirname(page)
    starts = [path] if path.startswith(TOP) else [path, os.path.join(room, path), os.path.join("src", path)]
    for start in starts:
        if any(os.path.exists(os.path.join(ROOT, start + ending)) for ending in ("", ".h", ".cc")):
            return True
    return bool(room) and "/" not in path and path in files_below(room)


class Paths(unittest.TestCase):
    def test_that_pages_name_are_there(self):
        for page in pages():
            with open(os.path.join(ROOT, page), encoding="utf-8") as file:
                text = file.read()
            for path in sorted(set(PATH.findall(text))):
                with self.subTest(page=page, path=path):
                    self.assertTrue(is_there(page, path))


if __name__ == "__main__":
    unittest.main()
