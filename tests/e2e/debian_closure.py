#!/usr/bin/env python3
"""Which installed packages stop working without NAME, computed straight from dpkg-query.

    debian_closure.py NAME...      one JSON object: {name: [packages] or null when unknown}

An independent check of examples/debian: nothing is shared with it. A package needs X when every
installed package that satisfies one of its Depends or Pre-Depends groups is X (or, for a purely
virtual X, provides X); it stops working when it needs X, or needs one that stops working.
Versions are compared by dpkg itself.
"""
import functools
import json
import subprocess
import sys

FIELDS = ["Package", "Architecture", "Version", "Multi-Arch", "db:Status-Status", "Provides",
          "Pre-Depends", "Depends"]


def installed():
    text = subprocess.run(
        ["dpkg-query", "-W", "-f", "\x1f".join("${%s}" % f for f in FIELDS) + "\x1e"],
        capture_output=True, text=True, check=True).stdout
    for record in text.split("\x1e"):
        values = record.split("\x1f")
        if len(values) == len(FIELDS):
            package = dict(zip(FIELDS, values))
            if package["db:Status-Status"] in ("installed", "triggers-pending",
                                               "triggers-awaited"):
                yield package


@functools.lru_cache(maxsize=None)
def version_holds(version, operator, wanted):
    names = {"<<": "lt", "<=": "le", "<": "le", "=": "eq", ">=": "ge", ">": "ge", ">>": "gt"}
    return subprocess.run(["dpkg", "--compare-versions", version, names[operator],
                           wanted]).returncode == 0


def parse(text):
    """'name:qual (>= 1)' -> (name, qualifier, operator, version)."""
    head, _, rest = text.strip().partition("(")
    name, _, qualifier = head.strip().partition(":")
    if not rest:
        return name, qualifier, None, None
    rest = rest.rstrip(") ").strip()
    operator = rest[:len(rest) - len(rest.lstrip("<>="))]
    return name, qualifier, operator, rest[len(operator):].strip()


def parts(text, separator):
    return [part.strip() for part in text.split(separator) if part.strip()]


def main():
    native = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True,
                            check=True).stdout.strip()
    packages = {}
    for package in installed():
        arch = native if package["Architecture"] == "all" else package["Architecture"]
        label = package["Package"] + ("" if arch == native else ":" + package["Architecture"])
        package["arch"] = arch
        packages[label] = package
    by_name, providers = {}, {}
    for label, package in packages.items():
        by_name.setdefault(package["Package"], set()).add(label)
        for offer in parts(package["Provides"], ","):
            name, _, _, version = parse(offer)
            providers.setdefault(name, []).append((label, version))

    def accepted(alternative, arch):
        name, qualifier, operator, wanted = parse(alternative)
        offers = [(label, packages[label]["Version"]) for label in by_name.get(name, ())]
        offers += providers.get(name, [])
        for label, version in offers:
            package = packages[label]
            if qualifier == "any":
                fits = package["arch"] == native or package["Multi-Arch"] == "allowed"
            elif qualifier:
                fits = package["arch"] == (native if qualifier == "native" else qualifier)
            else:
                fits = package["Multi-Arch"] == "foreign" or package["arch"] == arch
            if fits and (operator is None or (version and version_holds(version, operator,
                                                                       wanted))):
                yield label

    groups = []  # (package, the installed packages that satisfy one of its groups)
    for label, package in packages.items():
        for field in ("Pre-Depends", "Depends"):
            for group in parts(package[field], ","):
                choices = set()
                for alternative in parts(group, "|"):
                    choices.update(accepted(alternative, package["arch"]))
                if choices:
                    groups.append((label, choices))

    def gone_with(name):
        if name in packages:
            return {name}
        virtual = {label for label, _ in providers.get(name, [])}
        return virtual or None

    def closure(name):
        gone = gone_with(name)
        if gone is None:
            return None
        stopped = {label for label, choices in groups if choices <= gone} - gone
        while True:
            more = {label for label, choices in groups
                    if label not in stopped and label not in gone and
                    any(choices == {other} for other in stopped)}
            if not more:
                return sorted(stopped)
            stopped |= more

    print(json.dumps({name: closure(name) for name in sys.argv[1:]}))


if __name__ == "__main__":
    main()
