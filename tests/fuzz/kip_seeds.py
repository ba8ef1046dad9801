#!/usr/bin/env python3
"""Writes the seeds of the KIP fuzzers into a folder: every command of the conformance cases, every
block of the source, every house case, and (for the fuzzer of requests) whole requests as JSON."""

import hashlib
import json
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent


def commands_and_requests(node):
    """Every command text, and every object that is a request, anywhere in the cases."""
    if isinstance(node, list):
        for item in node:
            yield from commands_and_requests(item)
    elif isinstance(node, dict):
        if "command" in node or "commands" in node:
            keys = ("command", "commands", "parameters", "dry_run", "atomic", "shape", "strict")
            yield json.dumps({key: node[key] for key in keys if key in node})
        for value in node.values():
            yield from commands_and_requests(value)
    elif isinstance(node, str) and any(mark in node for mark in "({") or node in ("DESCRIBE PRIMER",):
        yield node


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    seeds = set()
    for path in [TESTS / "conformance/data/kip.json", *sorted(TESTS.glob("cases/kip/*.json"))]:
        seeds.update(commands_and_requests(json.loads(path.read_text(encoding="utf-8"))))
    for path in sorted(TESTS.glob("cases/kip/source/*.kip")):
        seeds.add(path.read_text(encoding="utf-8"))
    for seed in seeds:
        data = seed.encode("utf-8", "surrogatepass")
        (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    print(f"{len(seeds)} seeds in {folder}", file=sys.stderr)


main()
