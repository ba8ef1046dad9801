#!/usr/bin/env python3
"""The campus questions as SPARQL text, in one run: sparql_bench (text in, terms out), the prepared plans of graph_bench,
and the peers. Checks that all rows agree and prints a table; fails when an answer differs.

usage: compare_sparql.py SPARQL_BENCH GRAPH_BENCH DATADIR PEER...      PEER: sqlite, oxigraph, virtuoso, kuzu
"""
import json
import os
import platform
import sys

from compare import lines_of, peer_lines, shown
from questions import POINT, questions

WANTED = 1.5  # times the prepared plan, parsing and planning included, where the answer is short
SHORT = 1000  # rows


def write_questions(folder):
    with open(folder + "/params.json", encoding="utf-8") as file:
        params = json.load(file)
    path = folder + "/questions.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump([{"id": "q01_point", "columns": "", "sparql": POINT["sparql"]}] +
                  [{key: it[key] for key in ("id", "columns", "sparql")} for it in questions(params)], file)
    return path


def differences(table, names):
    wrong = []
    for name in names:
        right = table["SPARQL"][name]["rows"]
        for engine, entries in table.items():
            rows = entries.get(name, {}).get("rows")
            if engine != "SPARQL" and rows and right and rows != right:
                wrong.append(f"{engine} answers {name} otherwise: {rows[:3]}, not {right[:3]}")
    return wrong


def main():
    program, graph_bench, folder, peers = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    table = {}
    for command in ([program, folder, write_questions(folder)], [graph_bench, folder]):
        for line in lines_of(command):
            if line["engine"] in ("SPARQL", "anima"):
                table.setdefault(line["engine"], {})[line["id"]] = line
    names = list(table["SPARQL"])
    for peer in peers:
        for line in peer_lines(peer, folder, names):
            table.setdefault(peer, {})[line["id"]] = line
    peers = [peer for peer in peers if peer in table]
    print(f"{platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, medians; SPARQL: text in, "
          f"terms out; its rows: text in, codes out, as the prepared plan; wanted: at most {WANTED} times the plan where "
          f"there are under {SHORT} rows\n")
    titles = ["question", "SPARQL", "its rows", "prepared", "rows / prepared", *peers, "best peer / SPARQL"]
    print("| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
    behind = []
    for name in names:
        mine, prepared = table["SPARQL"][name], table["anima"].get(name)
        others = [table[peer][name]["ms"] for peer in peers if "ms" in table[peer].get(name, {})]
        rows_ms = {"ms": mine["rows_ms"]}
        factor = mine["rows_ms"] / prepared["ms"] if prepared else 0
        lead = min(others) / mine["ms"] if others else 0
        if (others and lead < 1) or (factor > WANTED and len(mine["rows"]) < SHORT):
            behind.append(name)
        print("| " + " | ".join([name, shown(mine), shown(rows_ms), shown(prepared), f"{factor:.2f}",
                                 *(shown(table[peer].get(name)) for peer in peers), f"{lead:.1f}"]) + " |")
    print("\nnot reached: " + (", ".join(behind) or "nothing"))
    wrong = differences(table, names)
    print("\n".join(wrong) or "all answers agree")
    sys.exit(1 if wrong else 0)


main()
