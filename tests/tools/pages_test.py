#!/usr/bin/env python3
"""What the pages print is what the program does: commands that it has, with options that they have, and the answers of the
pages that are walked through. ANIMA names the program. README.md is walked by e2e.Homelab."""
import functools
import glob
import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ANIMA = os.environ["ANIMA"]
# In blocks of code, and inline.
CODE = re.compile(r"```[^\n]*\n(.*?)```|`([^`\n]+(?:\n[^`\n]+)?)`", re.S)
COMMAND = re.compile(r"(?:^|\s|/)anima (?!anima\b)(?:--space \S+ )?([a-z].*)")
# In formats.md, `anima log address 1` is the first line of a file.
MAGIC = "docs/formats.md"
# What differs from run to run.
CHANGING = (
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "<time>"),
    (re.compile(r"\b\d\d:\d\d\b"), "<time>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<hash>"),
    (re.compile(r"made a space in \S+"), "made a space in <folder>"),
)
# Pages that begin with a fresh space and are walked from top to bottom.
WALKED = ("docs/tour.md", "docs/learning_from_talk.md")


def text_of(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def pages():
    found = ["README.md"]
    for folder in ("docs", "examples"):
        found += glob.glob(os.path.join(folder, "**", "*.md"), root_dir=ROOT, recursive=True)
    return sorted(found)


def commands(page):
    for code in CODE.finditer(text_of(page)):
        block = code[1] is not None
        if page == MAGIC and not block:
            continue
        text = code[1].replace("\\\n", " ") if block else code[2].replace("\n", " ")
        for line in text.split("\n"):
            for part in re.split(r"\s\|\s|&&|;", line):
                found = COMMAND.search(re.sub(r"\s#.*", "", part.strip().removeprefix("$ ")))
                if found and (block or part.strip().startswith("anima")):
                    yield found[1]


def fresh(folder):
    return dict(os.environ, HOME=folder, USER="ada", LOGNAME="ada", ANIMA_SPACE=os.path.join(folder, "space"))


@functools.cache
def help_of(*verb):
    with tempfile.TemporaryDirectory() as home:
        run = subprocess.run([ANIMA, *verb, "--help"], capture_output=True, text=True, env=fresh(home), stdin=subprocess.DEVNULL, check=False)
    return run.stdout if run.returncode == 0 and "anima " + " ".join(verb) in run.stdout else None


def verb_of(command):
    words = re.match(r"[a-z][a-z-]*(?: [a-z][a-z-]*){0,2}(?![\w.:/])", command)
    words = words[0].split() if words else []
    for count in range(len(words), 0, -1):
        if help_of(*words[:count]):
            return tuple(words[:count])
    return None


def masked(lines):
    text = "\n".join(line.rstrip() for line in lines)
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return text.strip()


def blocks(page):
    """Commands with what they print."""
    for block in re.findall(r"```\n(\$ .*?)```", text_of(page), re.S):
        for one in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = one.partition("\n")
            yield command, printed.splitlines()


class Pages(unittest.TestCase):
    def test_that_have_a_command_name_one_with_options_of_its_own(self):
        seen = 0
        for page in pages():
            for command in commands(page):
                with self.subTest(page=page, command=command):
                    verb = verb_of(command)
                    self.assertIsNotNone(verb, "there is no such verb")
                    for option in re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", command):
                        self.assertRegex(help_of(*verb), re.escape(option) + r"(?![\w-])")
                seen += 1
        self.assertGreater(seen, 500)

    def test_that_are_walked_print_what_the_program_prints(self):
        for page in WALKED:
            with self.subTest(page=page), tempfile.TemporaryDirectory() as home:
                self.walk(page, home)

    def walk(self, page, home):
        environment = fresh(home)
        environment["PATH"] = os.path.dirname(ANIMA) + os.pathsep + environment["PATH"]
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(home, "examples"))
        if not any(command == "anima init" for command, _ in blocks(page)):
            subprocess.run([ANIMA, "init"], env=environment, cwd=home, check=True, capture_output=True)
        for command, printed in blocks(page):
            if command.startswith("export ANIMA_SPACE="):
                continue
            run = subprocess.run(["bash", "-c", command], env=environment, cwd=home, text=True, capture_output=True, stdin=subprocess.DEVNULL, check=False)
            with self.subTest(command=command):
                if printed:
                    self.assertEqual(masked(printed), masked(run.stdout.splitlines()), run.stderr)
                else:
                    self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
