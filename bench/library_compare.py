#!/usr/bin/env python3
"""What a call costs from Python, beside the same call of the C++ library: the processor time of each, and how many times as long.

Usage: PYTHONPATH=BUILD/python library_compare.py BUILD       BUILD holds library_bench (ninja -C BUILD library_bench anima_python)
"""

import statistics
import subprocess
import sys
import tempfile
import time

import anima

RUNS = 200


def median_of(call):
    call()
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times) * 1e6


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([f"{build}/library_bench", folder], capture_output=True, text=True, check=True)
        theirs = {name: float(value) for name, value in (line.split() for line in ran.stdout.splitlines())}
        with anima.Agent.open(folder) as agent:
            memory = agent.memory
            calls = {
                "find_one": lambda: list(
                    memory.find('FIND(?t.name) WHERE { ?t {type: "$ConceptType", name: :name} }', {"name": "Host"})
                ),
                "find_types": lambda: list(
                    memory.find('FIND(?t.name, ?t.metadata) WHERE { ?t {type: "$ConceptType"} }')
                ),
                "sparql_1000": lambda: list(memory.sparql("SELECT ?s ?n { ?s <urn:name> ?n } LIMIT 1000")),
                "recall": lambda: agent.recall("Who changed the fan of host-7?"),
            }
            for name, call in calls.items():
                mine = median_of(call)
                print(f"{name:12} C++ {theirs[name]:9.1f} us   Python {mine:9.1f} us   {mine / theirs[name]:.2f}x")
            rows = memory.rules("n(0). n(M) :- n(N), N < 99999, M = fn:plus(N, 1).").query("n(X)")
        for name, call in (("pandas", rows.to_pandas), ("arrow", rows.to_arrow), ("tuples", lambda: list(rows))):
            call()
            start = time.process_time()
            call()
            print(f"{len(rows)} rows (texts) to {name}: {(time.process_time() - start) * 1000:.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1])
