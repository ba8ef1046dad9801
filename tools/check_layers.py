#!/usr/bin/env python3
"""Checks that the house is built as it is drawn: reads the include graph of src/ and include/ and fails when an
include goes up, sideways to a room of the same floor, into a folder inside another room, round in a circle of files or
of the folders inside a room, or brings a third-party header where it has no home.

Usage: check_layers.py [ROOT]      exit 0: good, 1: faults (one a line on standard output), 2: usage
"""
import os
import re
import sys

# The floors of docs/architecture.md, from the ground up.
FLOORS = [
    ["base"],
    ["language"],
    ["store"],
    ["bus", "query", "datalog", "llm"],
    ["kip", "sparql"],
    ["govern", "learn"],
    ["memory", "tools", "guard", "train"],
    ["ask", "load", "sleep"],
    ["forge"],
    ["agent"],
    ["world"],
    ["serve"],
    ["cli", "library"],
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

# Rooms inside a room, with doors of their own: other rooms see the headers directly in them, too.
INNER_ROOMS = {
    "agent": ["mind", "plans", "findings", "learnings", "loop", "telling", "house", "conversation"],
    "base": ["text", "files", "json", "postgres", "trace"],
    "govern": ["ledger", "detect", "rules", "approve", "council", "decide"],
    "language": ["text", "names", "times", "numbers", "statements", "frames"],
    "memory": ["recall", "compartments", "formats"],
    "store": ["verify"],
    "tools": ["sandbox", "mcp"],
    "world": ["outside"],
}

# Where a third-party header may be included: the beginning of its name, and the rooms that are its home.
HOMES = [
    ("sqlite3", ["store", "load", "learn", "world"]),
    ("expat", ["sparql"]),
    ("boost/beast", ["serve"]),
    ("boost/asio", ["serve"]),
    ("curl/", ["llm", "tools"]),
    ("clang-c/", ["forge"]),
    ("CLI/", ["cli"]),
    ("postgresql/", ["base"]),
    ("nats", ["bus"]),
    ("openssl/", ["base", "serve"]),
    ("sodium", ["base"]),
    ("utf8proc", ["base", "language"]),
    ("libstemmer", ["language"]),
    ("unicode/", ["language"]),
    ("hnswlib/", ["memory"]),
    ("toml++", ["base"]),
    ("spdlog", ["base"]),
    ("boost/json", ["base"]),
]
# No door (a header directly in a room) and no public header may show these to its users.
NOT_IN_DOORS = ["boost/", "CLI/", "toml++", "spdlog", "sqlite3", "curl/", "clang-c/", "openssl/", "sodium",
                "utf8proc", "libstemmer", "unicode/", "hnswlib/", "re2/", "expat", "libpq", "postgresql/", "nats", "fmt/"]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)')
# String literals come first, so that a // inside one does not begin a comment.
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def without_comments(text):
    def keep(match):
        token = match.group(0)
        return token if token.startswith('"') else "\n" * token.count("\n")
    return COMMENT.sub(keep, text)


class File:
    def __init__(self, path, name, room, is_door):
        self.path = path        # from the root: src/store/log.h
        self.name = name        # as it is included: store/log.h
        self.room = room        # None for include/
        self.is_door = is_door  # what users of the room see
        self.quoted = []        # (line, name)
        self.angled = []


def read_tree(root):
    files = {}
    for top in ("src", "include"):
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(names):
                if not name.endswith((".h", ".cc", ".inc")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), root)
                included_as = os.path.relpath(path, top)
                room = included_as.split(os.sep)[0] if top == "src" else None
                is_door = name.endswith(".h") and (room is None or in_a_door(included_as))
                files[included_as] = read_file(root, File(path, included_as, room, is_door))
    return files


def in_a_door(name):
    folders = name.split(os.sep)[:-1]
    return len(folders) == 1 or (len(folders) == 2 and folders[1] in INNER_ROOMS.get(folders[0], []))


def read_file(root, file):
    with open(os.path.join(root, file.path), encoding="utf-8") as stream:
        text = without_comments(stream.read())
    for number, line in enumerate(text.split("\n"), 1):
        match = INCLUDE.match(line)
        if match and match.group(1):
            file.quoted.append((number, match.group(1)))
        elif match:
            file.angled.append((number, match.group(2)))
    return file


def check_direction(source, number, target):
    here = f"{source.path}:{number}"
    if target.room is None or source.room == target.room:
        return []
    if source.room is None:
        if target.room == "base" and target.is_door:
            return []
        return [f"{here}: a public header includes {target.name}: it may use public headers and doors of base only"]
    faults = []
    if FLOOR_OF[target.room] > FLOOR_OF[source.room]:
        faults.append(f"{here}: goes up: {source.room} (floor {FLOOR_OF[source.room]}) includes {target.name} of "
                      f"{target.room} (floor {FLOOR_OF[target.room]})")
    elif FLOOR_OF[target.room] == FLOOR_OF[source.room]:
        faults.append(f"{here}: goes sideways: {source.room} includes {target.name}, but rooms of one floor "
                      f"(floor {FLOOR_OF[source.room]}) do not know each other")
    if not in_a_door(target.name):
        faults.append(f"{here}: looks into another room's detail: {source.room} includes {target.name}")
    return faults


def check_third_party(source):
    faults = []
    for number, name in source.angled:
        for start, rooms in HOMES:
            if name.startswith(start) and source.room not in rooms:
                faults.append(f"{source.path}:{number}: <{name}> has its home in {', '.join(rooms)}")
        if source.is_door and any(name.startswith(start) for start in NOT_IN_DOORS):
            faults.append(f"{source.path}:{number}: a door shows the third-party header <{name}> to its users")
    return faults


def find_circles(graph):
    """Each circle once, as the list of files around it. Depth first, without recursion."""
    state = {}
    circles = []
    for start in sorted(graph):
        if start in state:
            continue
        path = [start]
        stack = [iter(graph[start])]
        state[start] = "open"
        while stack:
            target = next(stack[-1], None)
            if target is None:
                state[path.pop()] = "done"
                stack.pop()
            elif state.get(target) == "open":
                circles.append(path[path.index(target):] + [target])
            elif target not in state:
                state[target] = "open"
                path.append(target)
                stack.append(iter(graph[target]))
    return circles


def note_inner(inner, source, target):
    if source.room is None or source.room != target.room:
        return
    # What lies deeper is a part of the folder that is directly in the room.
    here, there = (os.sep.join(name.split(os.sep)[:-1][:2]) for name in (source.name, target.name))
    # The files of the door stand for the room: they use its folders and are used by them.
    if here == there or os.sep not in here or os.sep not in there:
        return
    inner.setdefault(here, [])
    inner.setdefault(there, [])
    if there not in inner[here]:
        inner[here].append(there)


def check(root):
    files = read_tree(root)
    faults = []
    graph = {}
    inner = {}  # a folder inside a room -> the folders of the same room that its files include
    for file in files.values():
        graph[file.path] = []
        if file.room is not None and file.room not in FLOOR_OF:
            faults.append(f"{file.path}:1: the room {file.room} stands on no floor (tools/check_layers.py)")
            continue
        faults += check_third_party(file)
        for number, name in file.quoted:
            target = files.get(os.path.normpath(name))
            if target is None:
                faults.append(f"{file.path}:{number}: there is no {name} (includes are written from src/)")
            elif target.room is None or target.room in FLOOR_OF:
                graph[file.path].append(target.path)
                faults += check_direction(file, number, target)
                note_inner(inner, file, target)
    for circle in find_circles(graph):
        faults.append(f"{circle[0]}:1: goes round in a circle: {' -> '.join(circle)}")
    for circle in find_circles(inner):
        faults.append(f"src/{circle[0]}:1: the folders go round in a circle: {' -> '.join(circle)}")
    return faults, len(files), sum(len(targets) for targets in graph.values())


def main(arguments):
    if len(arguments) > 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    root = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    if not os.path.isdir(os.path.join(root, "src")):
        print(f"check-layers: there is no src/ in {root}", file=sys.stderr)
        return 2
    faults, files, includes = check(root)
    for fault in faults:
        print(fault)
    verdict = f"{len(faults)} faults" if faults else "good"
    print(f"check-layers: {files} files, {includes} includes between them: {verdict}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
