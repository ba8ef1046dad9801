#!/usr/bin/env python3
"""Counts the tests that the last run of ctest skipped, and says what each group of them needs.

A test that lacks something of its machine says "needs NAME: REMEDY" (tests/support/needs.h). Other reasons are of tests
that do not apply to one of their parameters; they are counted, not listed.

Usage: test_skips.py LOG [ALLOWED]     LOG: Testing/Temporary/LastTest.log of a build
With ALLOWED, a file with a NAME a line, skips for the lack of anything else are faults.
exit 0: good, 1: skips that are not allowed (told on standard error), 2: usage
"""
import re
import sys

TEST = re.compile(r"^\d+/\d+ Test(?:ing)?: (.+)$")
REASON = re.compile(r"^\S+:\d+: Skipped$")
NEED = re.compile(r"^needs ([^:]+): (.+)$")


def skipped(log):
    """Pairs of a test's name and the first line of its reason."""
    test, expect = "?", False
    for line in log:
        line = line.rstrip("\n")
        if match := TEST.match(line):
            test = match.group(1)
        elif REASON.match(line):
            expect = True
        elif expect:
            expect = False
            yield test, line.strip()


def allowed_names(path):
    with open(path, encoding="utf-8") as file:
        return {line.strip() for line in file if line.strip() and not line.startswith("#")}


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    needs, others = {}, 0
    try:
        with open(arguments[0], encoding="utf-8", errors="replace") as log:
            for test, reason in skipped(log):
                if match := NEED.match(reason):
                    needs.setdefault(match.groups(), []).append(test)
                else:
                    others += 1
    except FileNotFoundError:
        return 0
    for (name, remedy), tests in sorted(needs.items()):
        print(f"{len(tests)} skipped: no {name} here ({remedy})")
    if others:
        print(f"{others} skipped: they do not apply to their parameter")
    if len(arguments) == 1:
        return 0
    allowed = allowed_names(arguments[1])
    bad = [(name, tests) for (name, _), tests in sorted(needs.items()) if name not in allowed]
    for name, tests in bad:
        print(f"this machine should have {name}: {', '.join(tests[:5])}"
              f"{' ...' if len(tests) > 5 else ''}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
