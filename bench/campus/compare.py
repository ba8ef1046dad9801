#!/usr/bin/env python3
"""The campus questions, every contestant in one run: graph_bench (plans, KIP, the hand-written floor) and the peers.
Checks that all rows agree and prints a table of question by contestant; fails when an answer differs.

usage: compare.py GRAPH_BENCH DATADIR PEER...      PEER: sqlite, kuzu, oxigraph, virtuoso
"""
import json
import os
import platform
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE_S = 60  # for one question of a peer
# How far above the hand-written plans the algebra may be (scans, filters, groups 3; joins and paths 5), or milliseconds.
FACTORS = {"q05_group": 3, "q10_range_topk": 3, "q11_contains": 3, "q14_scan_distinct": 3, "q03_degree_triangle": 5,
           "q04_advisor_course": 5, "q06_not_exists": 5, "q08_triangles": 5, "q09_reach": 5}
MILLISECONDS = {"q01_point": .008, "q07_two_hop": .004, "q02_star": .020, "q12_optional": .020, "q13_chain": .060}


def lines_of(command, needed=True):
    """The program's JSON lines; it is ended when a question takes too long. One that is not needed may fail to start."""
    started = False
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        timer = None
        for line in process.stdout:
            started = True
            if timer:
                timer.cancel()
            if line.startswith("{"):
                yield json.loads(line)
            timer = threading.Timer(PATIENCE_S, process.kill)
            timer.start()
        if timer:
            timer.cancel()
    if process.returncode not in (0, -9) and (started or needed):
        sys.exit(f"compare.py: {' '.join(command[:2])} failed")


def peer_lines(peer, folder, names):
    """A question that takes too long is left out, and the rest asked by a new process."""
    left = list(names)
    while left:
        started = False
        for line in lines_of([sys.executable, HERE + "/peers.py", peer, folder, *left], needed=False):
            started = True
            if line["id"] in left:
                left = left[left.index(line["id"]) + 1:]
            yield line
        if not started:
            print(f"without {peer}: it does not start", file=sys.stderr)
            return
        if left and not (peer == "kuzu" and left == ["q14_scan_distinct"]):
            yield {"engine": peer, "id": left[0], "error": f"over {PATIENCE_S} s"}
        left = left[1:]


def shown(entry):
    if entry is None:
        return ""
    if "error" in entry:
        return entry["error"] if entry["error"].startswith("over") else "error"
    ms = entry["ms"]
    return f"{ms * 1000:.1f} µs" if ms < 0.1 else f"{ms * 1000:.0f} µs" if ms < 1 else f"{ms:.2f} ms"


def check(table, names):
    wrong = []
    for name in names:
        right = table["anima"].get(name, {}).get("rows")
        for engine, entries in table.items():
            rows = entries.get(name, {}).get("rows")
            if rows is None or not right:
                continue
            counted = engine == "limits" and len(right) > 1  # its plans count their rows
            if rows != ([str(len(right))] if counted else right):
                wrong.append(f"{engine} answers {name} otherwise: {rows[:3]}, not {right[:3]}")
        errors = [(e, t[name]["error"]) for e, t in table.items() if "error" in t.get(name, {})]
        for engine, error in errors:
            print(f"{engine} has no answer to {name}: {error}", file=sys.stderr)
    return wrong


def main():
    program, folder, peers = sys.argv[1], sys.argv[2], sys.argv[3:]
    table = {}
    for line in lines_of([program, folder]):
        table.setdefault(line["engine"], {})[line["id"]] = line
    names = [name for name in table["anima"] if name != "load"]
    for peer in peers:
        for line in peer_lines(peer, folder, names):
            table.setdefault(peer, {})[line["id"]] = line
    print(f"{platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, medians; "
          "wanted: at most so much, or so many times `by hand`; best peer / anima\n")
    peers = [peer for peer in peers if peer in table]
    titles = ["question", "anima", "wanted", "by hand", "anima / by hand", "KIP", *peers, "best peer / anima"]
    print("| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
    behind = []
    for name in names:
        mine, floor = table["anima"][name], table["limits"].get(name)
        others = [table[peer][name]["ms"] for peer in peers if "ms" in table[peer].get(name, {})]
        wanted = f"{FACTORS[name]} x" if name in FACTORS else f"{MILLISECONDS[name] * 1000:.0f} µs"
        lead = min(others) / mine["ms"] if others else 0
        factor = mine["ms"] / floor["ms"] if floor else 0
        missed = factor > FACTORS[name] if name in FACTORS else mine["ms"] > MILLISECONDS[name]
        if (others and lead < 1) or missed:
            behind.append(name)
        print("| " + " | ".join([name, shown(mine), wanted, shown(floor), f"{factor:.2f}" if floor else "",
                                 shown(table["KIP"].get(name)),
                                 *(shown(table[peer].get(name)) for peer in peers), f"{lead:.1f}" if others else ""]) + " |")
    print("\nnot reached: " + (", ".join(behind) or "nothing"))
    wrong = check(table, names)
    print("\n".join(wrong) or "all answers agree")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
