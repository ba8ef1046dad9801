#!/usr/bin/env python3
"""Turns the package database of this machine into a compartment of Anima.

    import.py OUT_FOLDER [--status /var/lib/dpkg/status] [--architecture amd64]

Writes compartment.toml, triples.json, rules.mg and questions.toml into OUT_FOLDER. Only installed
packages count. The importer says which installed packages satisfy each alternative of a dependency
(name or Provides, version constraint, architecture qualifier); what follows from that is the
rules' work (pack/rules.mg).
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

LONGEST_LABEL = 240  # of a group's name; its number keeps it unique
INSTALLED = {"installed", "triggers-awaited", "triggers-pending"}
ALTERNATIVE = re.compile(
    r"^\s*(?P<name>[A-Za-z0-9][A-Za-z0-9+.\-]*)(?::(?P<qualifier>[a-z0-9\-]+))?"
    r"\s*(?:\(\s*(?P<relation><<|<=|=|>=|>>|<|>)\s*(?P<version>[^\s)]+)\s*\))?\s*$")


def character_order(c):
    """Debian's order: tilde first, then the end, then letters, then everything else."""
    if c == "~":
        return -1
    if c.isalpha():
        return ord(c)
    return ord(c) + 256


def compare_part(a, b):
    """Compares an upstream version or a revision: text and numbers in turn."""
    i = j = 0
    while i < len(a) or j < len(b):
        while (i < len(a) and not a[i].isdigit()) or (j < len(b) and not b[j].isdigit()):
            left = character_order(a[i]) if i < len(a) and not a[i].isdigit() else 0
            right = character_order(b[j]) if j < len(b) and not b[j].isdigit() else 0
            if left != right:
                return -1 if left < right else 1
            i += 1 if i < len(a) and not a[i].isdigit() else 0
            j += 1 if j < len(b) and not b[j].isdigit() else 0
        start_i, start_j = i, j
        while i < len(a) and a[i].isdigit():
            i += 1
        while j < len(b) and b[j].isdigit():
            j += 1
        left, right = int(a[start_i:i] or "0"), int(b[start_j:j] or "0")
        if left != right:
            return -1 if left < right else 1
    return 0


def split_version(text):
    epoch, _, rest = text.partition(":") if ":" in text else ("0", "", text)
    upstream, dash, revision = rest.rpartition("-")
    if not dash:
        upstream, revision = rest, ""
    return int(epoch or "0"), upstream, revision


def compare_versions(a, b):
    """Negative, zero or positive, as `dpkg --compare-versions` orders them (deb-version(7))."""
    left, right = split_version(a), split_version(b)
    if left[0] != right[0]:
        return -1 if left[0] < right[0] else 1
    return compare_part(left[1], right[1]) or compare_part(left[2], right[2])


def version_fits(version, relation, wanted):
    order = compare_versions(version, wanted)
    return {"<<": order < 0, "<=": order <= 0, "<": order <= 0, "=": order == 0,
            ">=": order >= 0, ">": order >= 0, ">>": order > 0}[relation]


def read_paragraphs(path):
    """The paragraphs of a control file as dictionaries of folded fields."""
    fields, last = {}, None
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if not line:
                if fields:
                    yield fields
                fields, last = {}, None
            elif line[0] in " \t":
                if last is not None:
                    fields[last] += "\n" + line.strip()
            else:
                last, _, value = line.partition(":")
                fields[last] = value.strip()
    if fields:
        yield fields


class Package:
    def __init__(self, fields, native):
        self.fields = fields
        self.name = fields["Package"]
        self.architecture = fields.get("Architecture", "all")
        self.version = fields.get("Version", "0")
        self.multi_arch = fields.get("Multi-Arch", "no")
        # A package for all architectures counts as native.
        self.acts_as = native if self.architecture == "all" else self.architecture
        foreign = self.acts_as != native
        self.label = f"{self.name}:{self.architecture}" if foreign else self.name

    def provided(self):
        """(name, version or None) of each of its Provides."""
        for text in split_list(self.fields.get("Provides", "")):
            match = ALTERNATIVE.match(text)
            if match:
                yield match["name"], match["version"]


def split_list(text):
    return [part.strip() for part in text.replace("\n", " ").split(",") if part.strip()]


class Machine:
    """The installed packages, and which of them satisfies what."""

    def __init__(self, packages, native):
        self.packages = packages
        self.native = native
        self.offers = {}  # name -> [(package, version or None)]
        for package in packages:
            self.offers.setdefault(package.name, []).append((package, package.version, True))
            for name, version in package.provided():
                self.offers.setdefault(name, []).append((package, version, False))

    def architecture_fits(self, package, qualifier, wanted):
        if qualifier == "any":
            return package.acts_as == self.native or package.multi_arch == "allowed"
        if qualifier == "native":
            return package.acts_as == self.native
        if qualifier:
            return package.acts_as == qualifier
        return package.multi_arch == "foreign" or package.acts_as == wanted

    def satisfiers(self, text, wanted):
        match = ALTERNATIVE.match(text)
        if not match:
            return []
        found = []
        for package, version, _ in self.offers.get(match["name"], []):
            if not self.architecture_fits(package, match["qualifier"], wanted):
                continue
            # A constraint on a version is met by a package or by a Provides that names one.
            if match["relation"] and (version is None or not version_fits(
                    version, match["relation"], match["version"])):
                continue
            if package.label not in found:
                found.append(package.label)
        return sorted(found)


class Writer:
    """Triples as JSON, one a line, each once."""

    def __init__(self):
        self.triples = {}

    def add(self, subject, predicate, value):
        self.triples[(subject, predicate, value)] = None

    def write(self, path):
        with open(path, "w", encoding="utf-8") as out:
            out.write("[\n")
            out.write(",\n".join(
                json.dumps({"subject": s, "predicate": p, "object": o}, ensure_ascii=False)
                for s, p, o in self.triples))
            out.write("\n]\n")


def add_groups(writer, machine, package, field, relation):
    for number, text in enumerate(split_list(package.fields.get(field, "")), 1):
        group = f"{package.label} {relation} {number}: {text}"[:LONGEST_LABEL]
        writer.add(package.label, relation, group)
        for alternative in (part.strip() for part in text.split("|")):
            foreign = package.acts_as != machine.native
            label = f"{alternative} for {package.acts_as}" if foreign else alternative
            label = f"dependency {label}"[:LONGEST_LABEL]
            writer.add(group, "alternative", label)
            for satisfier in machine.satisfiers(alternative, package.acts_as):
                writer.add(label, "satisfied_by", satisfier)


def add_package(writer, machine, package):
    label, fields = package.label, package.fields
    writer.add(label, "version", f"version {package.version}")
    writer.add(label, "architecture", f"architecture {package.architecture}")
    for field, relation in (("Section", "section"), ("Maintainer", "maintainer"),
                            ("Priority", "priority")):
        if fields.get(field):
            writer.add(label, relation, f"{relation} {fields[field]}")
    if fields.get("Installed-Size"):
        writer.add(label, "installed_size", f"{fields['Installed-Size']} KiB")
    for name, version in package.provided():
        writer.add(label, "provides", name)
        if version:
            writer.add(label, "provides_version", f"{name} (= {version})")
    for field, relation in (("Conflicts", "conflicts"), ("Breaks", "breaks")):
        for text in split_list(fields.get(field, "")):
            writer.add(label, relation, f"package {text}")
    add_groups(writer, machine, package, "Pre-Depends", "pre_depends")
    add_groups(writer, machine, package, "Depends", "depends")
    add_groups(writer, machine, package, "Recommends", "recommends")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--status", default="/var/lib/dpkg/status")
    parser.add_argument("--architecture")
    arguments = parser.parse_args()
    native = arguments.architecture or subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True,
        check=True).stdout.strip()
    packages = [Package(fields, native) for fields in read_paragraphs(arguments.status)
                if fields.get("Status", "").split(" ")[-1] in INSTALLED]
    machine = Machine(packages, native)
    writer = Writer()
    for package in sorted(packages, key=lambda each: each.label):
        add_package(writer, machine, package)
    arguments.out.mkdir(parents=True, exist_ok=True)
    pack = pathlib.Path(__file__).resolve().parent / "pack"
    for name in ("compartment.toml", "rules.mg", "questions.toml"):
        shutil.copyfile(pack / name, arguments.out / name)
    writer.write(arguments.out / "triples.json")
    print(f"{len(packages)} installed packages, {len(writer.triples)} facts", file=sys.stderr)


if __name__ == "__main__":
    main()
