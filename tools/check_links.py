#!/usr/bin/env python3
"""Checks that every relative link of every Markdown page of the repository leads to a file, and every #anchor to a
heading. Usage: check_links.py [ROOT]      exit 0: good, 1: broken links, one a line"""
import os
import re
import subprocess
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.MULTILINE)


def pages(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            capture_output=True, text=True, check=True)
    return [path for path in listed.stdout.splitlines() if os.path.exists(os.path.join(root, path))]


def anchors(text):
    names = set()
    for heading in HEADING.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        names.add(name)
    return names


def broken_links(root, page):
    with open(os.path.join(root, page), encoding="utf-8") as stream:
        text = stream.read()
    for link in LINK.findall(CODE.sub("", text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(root, os.path.dirname(page), path)) if path else os.path.join(root, page)
        if not os.path.exists(target):
            yield f"{page}: there is no {link}"
        elif anchor and target.endswith(".md"):
            with open(target, encoding="utf-8") as stream:
                if anchor not in anchors(stream.read()):
                    yield f"{page}: {path or page} has no heading #{anchor}"


def main(arguments):
    root = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    found = pages(root)
    faults = [fault for page in found for fault in broken_links(root, page)]
    for fault in faults:
        print(fault)
    print(f"check-links: {len(found)} pages: {len(faults) or 'no'} broken links", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
