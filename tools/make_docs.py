#!/usr/bin/env python3
"""Writes the reference of the verbs from what the program says of itself: FOLDER/cli.md.
Usage: make_docs.py PROGRAM FOLDER"""
import os
import re
import subprocess
import sys


def ask(program, *arguments):
    environment = {**os.environ, "NO_COLOR": "1"}
    run = subprocess.run([program, *arguments], capture_output=True, text=True, check=True, env=environment)
    return run.stdout


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    program, folder = arguments
    overview = ask(program, "help")
    verbs = re.findall(r"^  (\S+(?: \S+)?)  +\S", overview, re.MULTILINE)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "cli.md")
    with open(path, "w", encoding="utf-8") as page:
        page.write(f"# The verbs of anima\n\n```\n{overview}```\n")
        for verb in verbs:
            page.write(f"\n## anima {verb}\n\n```\n{ask(program, 'help', *verb.split())}```\n")
    print(f"{path}: {len(verbs)} verbs", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
