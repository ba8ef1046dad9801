#!/usr/bin/env python3
"""Two release builds of Anima beside each other: what each row of the engines' benchmarks takes.

  bench/compare_builds.py OLD NEW [--rounds N] [--only kip,graph,datalog,store] [--most RATIO]

OLD and NEW are build folders that hold kip_bench, graph_bench, datalog_bench and store_bench. They run in turn, in
another order each round, and the least of each row counts: what a busy machine adds is no build's doing. Processor
time where a benchmark tells it. The data are those of `./dev bench graph` and `./dev bench datalog`, found in
build/bench/campus and build/bench-data/datalog or where --campus and --datalog say. Ends with 1 when a row is slower
than RATIO times (1.1). Two rounds take about five minutes on a quiet machine.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = ["tc_rand", "sg_tree", "points_to", "neg_unreach", "agg_count", "triangle"]


def output(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def objects(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def kip(build, options):
    rows = {}
    for it in objects(output([build + "/kip_bench"])):
        name = it["measure"]
        if "items_per_cpu_second" in it:
            rows[name + ", us an item"] = 1e6 / it["items_per_cpu_second"]
        elif "cpu_median_us" in it:
            rows[name + ", us"] = it["cpu_median_us"]
    return rows


def graph(build, options):
    return {it["id"] + ", us": it["ms"] * 1e3 for it in objects(output([build + "/graph_bench", options.campus]))
            if it["engine"] == "anima" and it["id"] != "load"}


def datalog(build, options):
    rows = {}
    for name in WORKLOADS:
        program = os.path.join(HERE, "datalog", "mangle", name + ".mg")
        command = [build + "/datalog_bench", "run", program, os.path.join(options.datalog, name)]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            sys.exit("%s failed" % " ".join(command))
        rows[name + ", ms"] = (usage.ru_utime + usage.ru_stime) * 1e3
    return rows


def store(build, options):
    rows, title = {}, ""
    for line in output([build + "/store_bench", "delta"]).splitlines():
        if line.endswith("in the delta") or line.endswith("checkpointed"):
            title = line.split(",")[-1].strip().split(" ")[0]
        found = re.match(r"(\S.*?)\s{2,}[\d.]+ \([^)]*\)\s+([\d.]+) \(", line)
        if found:
            rows["%s, delta of %s, ns" % (found.group(1), title)] = float(found.group(2))
    return rows


BENCHMARKS = {"kip": kip, "graph": graph, "datalog": datalog, "store": store}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default=",".join(BENCHMARKS))
    parser.add_argument("--most", type=float, default=1.1)
    parser.add_argument("--campus", default="build/bench/campus")
    parser.add_argument("--datalog", default="build/bench-data/datalog")
    options = parser.parse_args()
    wanted = options.only.split(",")
    for name in wanted:
        if name not in BENCHMARKS:
            sys.exit("there is no benchmark %s: %s" % (name, ", ".join(BENCHMARKS)))
    builds = [options.old, options.new]
    print("load of the machine when it began: %.1f" % os.getloadavg()[0])
    slower = 0
    for name in wanted:
        least = [{}, {}]
        for number in range(options.rounds):
            for which in (0, 1) if number % 2 == 0 else (1, 0):
                begin = time.time()
                for row, value in BENCHMARKS[name](builds[which], options).items():
                    least[which][row] = min(value, least[which].get(row, value))
                print("# %s, round %d, %s: %.0f s" % (name, number + 1, ("old", "new")[which], time.time() - begin),
                      file=sys.stderr, flush=True)
        print("\n%-58s %12s %12s %7s" % (name, "old", "new", "ratio"))
        for row, old in least[0].items():
            new = least[1].get(row)
            if new is None or old == 0:
                continue
            mark = "  slower" if new > options.most * old else ""
            slower += mark != ""
            print("%-58s %12.2f %12.2f %7.2f%s" % (row, old, new, new / old, mark), flush=True)
    print("\n%d rows are slower than %.2f times" % (slower, options.most))
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
