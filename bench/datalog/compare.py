#!/usr/bin/env python3
"""Our engine beside gringo and SWI-Prolog on the workloads of gen.py, one process at a time, one thread.

usage: compare.py DATALOG_BENCH [--data DIR] [--peers gringo,swi] [--repeat N] [WORKLOAD ...]

Wall time includes loading; memory is the peak of the process, ours also net of an empty program. Every engine that
is installed must count the same rows. Souffle is not in Debian 12: its recorded figures (2-core AMD EPYC, compiled,
one thread) are multiplied by gringo's time here over gringo's time there, workload by workload. Prints Markdown.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
#          souffle compiled s, MiB; gringo s; target s; rows
RECORDED = {
    "tc_rand": (2.07, 76, 8.19, 0.80, {"tc": 3845331}),
    "tc_chain": (0.111, 11, 0.335, 0.05, {"tc": 500500}),
    "sg_tree": (0.150, 29, 1.30, 0.10, {"sg": 1398100}),
    "points_to": (0.725, 12, 6.07, 0.50, {"hpt": 104677, "vpt": 466703}),
    "neg_unreach": (0.257, 27, 3.29, 0.18, {"reach": 506291, "unreach": 1743709}),
    "agg_count": (0.104, 11, 1.63, 0.10, {"per_store": 4072}),
    "triangle": (0.682, 18, 52.1, 0.20, {"tri": 874888}),
}
LIMIT_SECONDS = 600


def once(command):
    """Wall seconds, CPU seconds, peak MiB, output."""
    with tempfile.TemporaryFile() as out:
        start = time.time()
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        while True:
            pid, _, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.time() - start > LIMIT_SECONDS:
                child.kill()
                os.wait4(child.pid, 0)
                return None
            time.sleep(0.001)
        wall = time.time() - start
        out.seek(0)
        text = out.read(20000).decode("utf8", "replace")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def best(command, repeat):
    """Minima over the runs, each of its own: the table says "best of"."""
    runs = []
    for _ in range(repeat):
        run = once(command)
        if run is None:
            return None
        runs.append(run)
        if run[0] > 20:
            break
    return min(r[0] for r in runs), min(r[1] for r in runs), min(r[2] for r in runs), runs[0][3]


def peer_command(peer, data, workload):
    folder = os.path.join(data, workload)
    if peer == "gringo":
        return ["gringo", "-Wnone", "-o", "intermediate", os.path.join(folder, "facts.lp"),
                os.path.join(HERE, "gringo", workload + ".lp")]
    return ["swipl", "-O", "--stack-limit=16g", "--table-space=16g", "-g", "run", "-t", "halt",
            os.path.join(folder, "facts.pl"), os.path.join(HERE, "swi", workload + ".pl")]


def phases(text):
    return {key: float(value) for key, value in re.findall(r"^#(\w+)\t([\d.]+)$", text, re.M)}


def cell(run):
    return "-" if run is None else "%.3f (%.3f) / %.0f" % run[:3]


def main():
    arguments = sys.argv[1:]
    ours = os.path.abspath(arguments.pop(0))
    options = {"--data": "build/bench-data/datalog", "--peers": "gringo,swi", "--repeat": "3"}
    while arguments and arguments[0] in options:
        options[arguments[0]] = arguments[1]
        arguments = arguments[2:]
    data, repeat = options["--data"], int(options["--repeat"])
    programs = {"gringo": "gringo", "swi": "swipl"}
    peers = [p for p in options["--peers"].split(",") if p in programs and shutil.which(programs[p])]
    workloads = arguments or list(RECORDED)
    if not os.path.exists(os.path.join(data, "triangle", "edge.facts")):
        os.makedirs(data, exist_ok=True)
        subprocess.run([sys.executable, os.path.join(HERE, "gen.py"), data], check=True,
                       stdout=subprocess.DEVNULL)
    empty = once([ours, "empty"])[2]
    print("Seconds of wall time (of CPU) / peak MiB; best of %d. Load of the machine when it began: %.1f; an empty"
          " program needs %.0f MiB." % (repeat, os.getloadavg()[0], empty))
    print()
    print("| workload | anima | gringo | SWI | Souffle, rescaled | anima / Souffle | target, rescaled | MiB net, limit |")
    print("|---|---|---|---|---|---|---|---|")
    for workload in workloads:
        souffle, souffle_mib, gringo_there, target, rows = RECORDED[workload]
        own = best([ours, "run", os.path.join(HERE, "mangle", workload + ".mg"),
                    os.path.join(data, workload)], repeat)
        counted = {k: int(v) for k, v in re.findall(r"^([a-z_]+)\t(\d+)$", own[3], re.M)}
        if counted != rows:
            sys.exit("%s: counted %s, expected %s" % (workload, counted, rows))
        others = {p: best(peer_command(p, data, workload), 1) for p in peers}
        gringo = others.get("gringo")
        # CPU time against CPU time where both are known: the machine may be shared.
        scale = gringo[0] / gringo_there if gringo else 1.0
        print("| %s | %s | %s | %s | %.3f | %.2f | %.3f | %.0f, %.0f |" % (
            workload, cell(own), cell(gringo), cell(others.get("swi")), souffle * scale,
            own[0] / (souffle * scale), target * scale, own[2] - empty, max(32, 2 * souffle_mib)), flush=True)
    print()
    update = phases(once([ours, "update", os.path.join(HERE, "mangle", "tc_rand.mg"),
                          os.path.join(data, "tc_rand")])[3])
    print("One-edge updates on tc_rand (%d): mean %.2f ms, median %.2f ms, worst %.1f ms (CPU: mean %.2f ms, worst"
          " %.1f ms); look-ups for the first update are built once in %.0f ms." % (
              update["updates"], update["mean_ms"], update["median_ms"], update["worst_ms"],
              update["cpu_mean_ms"], update["cpu_worst_ms"], update["prepare_ms"]))
    fork = phases(once([ours, "fork"])[3])
    print("Fork of a base of %d rows: %.2f us (median); what-if of ten facts that derive %d rows, query, drop:"
          " %.3f ms (median)." % (fork["rows"], fork["fork_us"], fork["derived"], fork["what_if_ms"]))
    chain = phases(once([ours, "update", os.path.join(HERE, "mangle", "tc_chain.mg"),
                         os.path.join(data, "tc_chain")])[3])
    print("A chain cut and closed again (tc_chain, %d, each up to 250,000 rows): mean %.1f ms, worst %.1f ms." % (
        chain["updates"], chain["mean_ms"], chain["worst_ms"]))
    space = phases(once([ours, "space"])[3])
    print("Rules over a space of 1M links (five rules): evaluated in %.2f s with %.0f MiB more; %d transactions"
          " followed: mean %.2f ms, median %.3f ms, worst %.1f ms (the first builds look-ups: %.0f ms); a proof down to"
          " %d log entries in %.2f ms." % (
              space["create_s"], space["mib_more"], space["updates"], space["update_mean_ms"],
              space["update_median_ms"], space["update_worst_ms"], space["first_update_ms"], space["premises"],
              space["why_ms"]))
    parse = phases(once([ours, "parse"])[3])
    print("Parsing ground facts: %.0f MB/s with 1,000 names, %.0f MB/s with 1,000,000." % (
        parse["parse_1000_names_mb_s"], parse["parse_1000000_names_mb_s"]))


if __name__ == "__main__":
    main()
