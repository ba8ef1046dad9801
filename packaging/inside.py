#!/usr/bin/env python3
"""What of others is inside the files of a release, from the programs themselves, dpkg and docs/DEPENDENCIES.md, whose rows say the
licence and the reason of each package. A library without a row there is a fault.

Usage: inside.py notices PROGRAM...                    the copyright files of Debian of what is compiled or copied into them
       inside.py sbom VERSION COMMIT INSTALLED DIST    a document in SPDX 2.3 (JSON) of the files in DIST
PROGRAM and what is below INSTALLED are read with ldd. Dates are those of SOURCE_DATE_EPOCH.
exit 0: good, 1: a fault, told on standard error, 2: usage"""
import datetime
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of every Linux: the wheel's platform tag promises them, and Debian's dpkg-shlibdeps declares them.
OF_THE_SYSTEM = {"libc6", "libstdc++6", "libgcc-s1"}
# What no file with its libraries holds: needed by helpers alone (./dev excludes them from auditwheel). And what no wheel holds, for it
# is on every Linux as the wheel's platform tag has it.
NOT_COPIED = re.compile(r"lib(curl|clang-\d+)\.so")
NOT_IN_WHEELS = re.compile(r"lib(curl|clang-\d+|expat)\.so")


class Fault(Exception):
    pass


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Fault(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


@functools.lru_cache(None)
def query(package, field):
    return output("dpkg-query", "-W", f"-f=${{{field}}}\n", package).splitlines()[0]


class Row:
    """A row of docs/DEPENDENCIES.md of something that becomes part of the release."""

    def __init__(self, cells):
        self.name, self.package, self.licence, self.why = cells[0], cells[1], cells[2], cells[-1]
        self.loaded = re.search(r"`anima` loads `lib", self.why) is not None
        # In a program beside `anima` alone, and linked when that starts; or run as a program of its own.
        self.apart = re.search(r"(in the|as a) program", cells[3]) is not None and "linked statically" not in self.why


def tables():
    """The rows of the sections that say what is in the program and in a wheel, by section."""
    found, section = {}, ""
    for line in (ROOT / "docs/DEPENDENCIES.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("|") and section in ("In the program and the library", "In the wheel for Python"):
            cells = [cell.strip().replace("`", "") if place < 3 else cell.strip()
                     for place, cell in enumerate(line.strip("|").split("|"))]
            if cells[0] not in ("library", "---"):
                found.setdefault(section, []).append(Row(cells))
    return found


@functools.lru_cache(None)
def package_of(path):
    """The Debian package of a library; the merged /usr has two names for a file."""
    real = os.path.realpath(path)
    for name in (real, real.removeprefix("/usr"), "/usr" + real):
        done = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    raise Fault(f"{path} is of no Debian package")


def libraries_of(program, skip=None):
    """Where the libraries lie that a program loads when it starts, by their names; behind `skip` nothing is followed."""
    found, waiting, seen = {}, [program], set()
    while waiting:
        each = waiting.pop()
        done = subprocess.run(["ldd", each], capture_output=True, text=True, check=False)
        where = dict(re.findall(r"^\s*(\S+) => (/\S+)", done.stdout, re.MULTILINE))
        needed = re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", each)) if done.returncode == 0 else []
        for soname in needed:
            if soname in seen or soname not in where or (skip and skip.match(soname)):
                continue
            seen.add(soname)
            if package_of(where[soname]) not in OF_THE_SYSTEM:
                found[soname] = where[soname]
                waiting.append(where[soname])
    return found


def linked(program, skip=None):
    """The Debian packages of these libraries."""
    return {soname: package_of(path) for soname, path in libraries_of(program, skip).items()}


def source_of(package):
    return query(package, "source:Package")


class Knowledge:
    """Rows by the source package of Debian, of which a library and its headers are both made."""

    def __init__(self):
        self.by_section = tables()
        self.rows = {}
        for rows in self.by_section.values():
            for row in rows:
                for package in re.split(r",\s*", row.package):
                    if row.why and not package.endswith("(PyPI)") and not package.endswith("(npm)"):
                        self.rows.setdefault(source_of(package), row)

    def row(self, package):
        source = source_of(package)
        if source not in self.rows:
            raise Fault(f"docs/DEPENDENCIES.md has no row for {package} (source {source})")
        return self.rows[source]

    def compiled_in(self):
        """The packages whose headers are used, so that code of them is in the programs and the library."""
        return [row.package for row in self.by_section["In the program and the library"]
                if not row.loaded and not row.apart]


def without_files(text):
    """A copyright file in Debian's machine-readable form without the names of source files: what then reads the same is told once.
    That of Boost has 2 MB of them."""
    if not text.startswith("Format:"):
        return text
    told = {}
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        fields = re.split(r"\n(?=\S)", paragraph)
        told["\n".join(field for field in fields if not field.startswith("Files:"))] = None
    return "\n\n".join(told)


def notices(programs):
    knowledge = Knowledge()
    packages = set(knowledge.compiled_in())
    for program in programs:
        packages |= set(linked(program, NOT_IN_WHEELS).values())
    by_source = {}
    for package in sorted(packages):
        by_source.setdefault(source_of(package), package)
    print("Anima is made with the works of others. These are their notices, as Debian 12 has them, without the names of source files.")
    for source, package in sorted(by_source.items()):
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(encoding="utf-8", errors="replace")
        print(f"\n{'=' * 78}\n{source} {query(package, 'Version')}\n{'=' * 78}\n\n{without_files(text).strip()}")
    print(f"\n{'=' * 78}\npreact, in the page of anima serve\n{'=' * 78}\n\n{(ROOT / 'web/src/licence.txt').read_text().strip()}")


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


class Document:
    def __init__(self, version, commit):
        self.packages, self.relations = {}, set()
        self.version, self.commit = version, commit

    def add(self, name, version, licence, **more):
        key = identifier(f"{name}-{version}")
        self.packages[key] = {"SPDXID": key, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
                              "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
                              "copyrightText": "NOASSERTION", **more}
        return key

    def add_debian(self, package, knowledge):
        row, version = knowledge.row(package), query(package, "Version")
        purl = f"pkg:deb/debian/{package}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={query(package, 'Architecture')}&distro=bookworm"
        return self.add(package, version, row.licence, supplier="Organization: Debian", comment=row.why,
                        externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}])

    def add_row(self, row, kind):
        """Of a registry: `nanobind 3.1` of PyPI, `preact 11.2` of npm."""
        name, version = row.name.rsplit(" ", 1)
        return self.add(name, version, row.licence, supplier="NOASSERTION", comment=row.why, externalRefs=[
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:{kind}/{name}@{version}"}])

    def add_file(self, path):
        checksum = hashlib.sha256(path.read_bytes()).hexdigest()
        return self.add(path.name, self.version, "Apache-2.0", packageFileName=path.name, supplier="Organization: The Anima authors",
                        sourceInfo=f"made from commit {self.commit}" if self.commit else "made from a working tree",
                        checksums=[{"algorithm": "SHA256", "checksumValue": checksum}])

    def relate(self, one, how, other):
        self.relations.add((one, how, other))

    def text(self, files):
        epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
        created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        digest = hashlib.sha256("".join(self.packages[key]["checksums"][0]["checksumValue"] for key in files).encode()).hexdigest()
        return json.dumps({
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"anima-{self.version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/anima-{self.version}-{digest}",
            "creationInfo": {"created": created, "creators": ["Tool: anima-packaging-inside", "Organization: The Anima authors"]},
            "documentDescribes": sorted(files), "packages": [self.packages[key] for key in sorted(self.packages)],
            "relationships": [{"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other}
                              for one, how, other in sorted(self.relations)]}, indent=1) + "\n"


def programs_of(path, installed):
    """The programs in a file of a release, by its name, as they are below the installed tree."""
    name = path.name
    helpers = installed / "libexec/anima"
    if name.startswith("anima-forge_"):
        return [helpers / "anima-inspect"]
    if name.startswith("anima_memory-"):
        return [installed / "bin/anima", helpers / "anima-fetch", helpers / "anima-inspect", helpers / "anima-machine"]
    if name.startswith("libanima0_"):
        return [installed / "lib/libanima.so.0"]
    if name.endswith((".gz", ".tgz")):
        return [installed / "bin/anima", helpers / "anima-fetch", helpers / "anima-inspect", helpers / "anima-machine"]
    if name.startswith("libanima-dev_"):
        return []  # headers alone
    return [installed / "bin/anima", helpers / "anima-fetch", helpers / "anima-machine"]


def copied_into(path):
    """The libraries that auditwheel or portable.py copied: libfmt-1a2b3c4d.so.9.1.0 -> libfmt.so.9.1.0."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            inside = archive.namelist()
    else:
        with tarfile.open(path) as archive:
            inside = archive.getnames()
    names = [pathlib.PurePath(name).name for name in inside if re.search(r"(\.libs|/lib/anima)/.*\.so", name)]
    return sorted(re.sub(r"-[0-9a-f]{8}(?=\.so)", "", name) for name in names)


def sbom(version, commit, installed, dist):
    knowledge = Knowledge()
    document = Document(version, commit)
    files = []
    for path in sorted(pathlib.Path(dist).iterdir()):
        if path.suffix not in (".deb", ".whl", ".gz") and not path.name.startswith("anima-memory-linux-"):
            continue
        # A checker that links libclang alone, and headers: nothing of the library is in these.
        wheel, apart = path.suffix == ".whl", path.name.startswith(("anima-forge", "libanima-dev"))
        whole = wheel or path.suffix != ".deb"
        key = document.add_file(path)
        files.append(key)
        document.relate("SPDXRef-DOCUMENT", "DESCRIBES", key)
        libraries = {}
        for program in programs_of(path, pathlib.Path(installed)):
            skip = NOT_IN_WHEELS if wheel else NOT_COPIED
            libraries |= linked(str(program), skip) if whole else direct(str(program))
        for package in sorted(set(libraries.values())):
            document.relate(key, "CONTAINS" if whole else "DYNAMIC_LINK", document.add_debian(package, knowledge))
        if whole:
            check_copied(path, libraries)
        for package in [] if apart else knowledge.compiled_in():
            if source_of(package) not in map(source_of, libraries.values()):
                document.relate(key, "STATIC_LINK", document.add_debian(package, knowledge))
        for row in knowledge.by_section["In the wheel for Python"]:
            if (row.package == "(npm)" and not apart) or (wheel and row.package == "(PyPI)"):
                document.relate(key, "STATIC_LINK", document.add_row(row, row.package.strip("()").lower()))
    (pathlib.Path(dist) / f"anima-{version}.spdx.json").write_text(document.text(files), encoding="utf-8")


def direct(program):
    """The libraries that a program names itself; what those need is Debian's affair."""
    named = set(re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", program)))
    return {soname: package for soname, package in linked(program).items() if soname in named}


def check_copied(path, libraries):
    known = {soname.split(".so")[0] for soname in libraries}
    copied = {name.split(".so")[0] for name in copied_into(path)}
    if known != copied:
        raise Fault(f"{path.name} holds other libraries than its programs link: {sorted(known ^ copied)}")


def main(arguments):
    try:
        if len(arguments) >= 2 and arguments[0] == "notices":
            notices(arguments[1:])
        elif len(arguments) == 5 and arguments[0] == "sbom":
            sbom(*arguments[1:])
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except Fault as fault:
        print(f"inside.py: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
