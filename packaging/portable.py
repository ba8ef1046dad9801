#!/usr/bin/env python3
"""The installed programs with the libraries that they need beside them, for any Linux with the C library of Debian 12 or a newer one.

Usage: portable.py INSTALLED FOLDER [program]     FOLDER is made anew; `program`: what runs alone, no pages and no library for C
A library is copied into FOLDER/lib/anima under a name of its own (libfmt-1a2b3c4d.so.9.1.0), so that a process that has the machine's
own copy beside it takes each for itself. They are found from where the programs lie, and the folder may be moved. Not copied: what
every Linux with a C++ program has, and what anima-fetch, models and the forge alone need (NOT_COPIED of inside.py).
patchelf is that of build/release_tools. exit 0: good, 1: a fault, told on standard error, 2: usage"""
import hashlib
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys

import inside

PATCHELF = inside.ROOT / "build/release_tools/bin/patchelf"
CUT = inside.ROOT / "build/release/icu"  # what packaging/icu_data.sh made, in the place of Debian's


def patch(path, *options):
    done = subprocess.run([PATCHELF, *options, path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise inside.Fault(f"patchelf {path}: {done.stderr.strip()}")


def needed(path):
    return re.findall(r"NEEDED\s+(\S+)", inside.output("objdump", "-p", str(path)))


def own_name(source):
    """libfmt.so.9 of Debian -> libfmt-1a2b3c4d.so.9, by its content."""
    digest = hashlib.sha256(pathlib.Path(source).read_bytes()).hexdigest()[:8]
    stem, rest = os.path.basename(source).split(".so", 1)
    return f"{stem}-{digest}.so{rest}"


def copy_libraries(programs, to):
    """Copies what the programs load when they start; the new name of each soname."""
    sources = {}
    for program in programs:
        sources |= inside.libraries_of(str(program), inside.NOT_COPIED)
    sources |= {soname: str(CUT / soname) for soname in sources if (CUT / soname).exists()}
    names = {}
    to.mkdir(parents=True)
    for soname, source in sorted(sources.items()):
        names[soname] = own_name(source)
        shutil.copyfile(os.path.realpath(source), to / names[soname])
        (to / names[soname]).chmod(0o755)
    for soname, name in names.items():
        patch(to / name, "--set-soname", name)
        point(to / name, names, "$ORIGIN")
    return names


def point(path, names, where):
    replaced = [part for soname in needed(path) if soname in names for part in ("--replace-needed", soname, names[soname])]
    patch(path, *replaced)
    patch(path, "--force-rpath", "--set-rpath", where)


def copy_programs(installed, folder, alone):
    """bin, libexec and, unless the programs stand alone, what helps who installs them, and the library for C."""
    taken = ["bin", "libexec"] if alone else ["bin", "libexec", "share"]
    for name in taken:
        shutil.copytree(installed / name, folder / name)
    if alone:
        for name in ("LICENSE", "NOTICE", "NOTICES.txt"):
            shutil.copyfile(installed / "share/doc/anima" / name, folder / name)
        return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_mode & stat.S_IXUSR)
    (folder / "lib").mkdir()
    for path in sorted((installed / "lib").glob("libanima.so*")):
        shutil.copy(path, folder / "lib", follow_symlinks=False)
    (folder / "include/anima").mkdir(parents=True)
    shutil.copy(installed / "include/anima/anima.h", folder / "include/anima")
    return sorted(path for path in [*folder.glob("bin/*"), *folder.glob("libexec/anima/*"), *folder.glob("lib/*.so.*.*.*")])


def make(installed, folder, alone):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    programs = [path for path in copy_programs(installed, folder, alone) if needed(path)]  # anima-machine needs none
    libraries = folder / "lib/anima"
    names = copy_libraries(programs, libraries)
    for program in programs:
        point(program, names, "$ORIGIN/" + os.path.relpath(libraries, program.parent))


def main(arguments):
    if len(arguments) not in (2, 3) or arguments[2:] not in ([], ["program"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        make(pathlib.Path(arguments[0]), pathlib.Path(arguments[1]), arguments[2:] == ["program"])
    except (inside.Fault, OSError) as fault:
        print(f"portable.py: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
