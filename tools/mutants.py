#!/usr/bin/env python3
"""Asks of the tests of acceptance rows whether they would notice: breaks each row's feature, and expects its test to fail.

  tools/mutants.py draw SPEC_FOLDER [--seed N] [--rows N]   the rows to ask about, drawn by seed from the acceptance tables
  tools/mutants.py check                                    every mutant still finds the one place that it changes
  tools/mutants.py run [ROW ...]                            takes each row (all by default) through its mutant

A mutant is an entry of tools/mutants.json: the row, the file of src/ and the text in it that is replaced (it stands there
once, or is the first of a function behind the text that `within` quotes), what it is replaced by, the test binary and the
filter of the tests that must fail. `run` works in a worktree of its own (build/mutants), so that nothing of the checkout
changes; the filter first has to pass there as the code is.

A mutant with `as` ("statement": both texts are whole statements that declare nothing; "expression": both have one type) is
built together with others of its target behind a switch, the environment's ANIMA_MUTANT: one build serves them all.
Exit: 0 every mutant was noticed, 1 some survived or did not build, 2 usage.
"""
import argparse
import glob
import json
import os
import random
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MUTANTS = os.path.join(ROOT, "tools", "mutants.json")
TREE = os.path.join(ROOT, "build", "mutants")
SWITCH = """#ifndef ANIMA_MUTANT_SWITCH
#define ANIMA_MUTANT_SWITCH
#include <cstdlib>
#include <string_view>
inline bool anima_mutant(std::string_view row) {
  static const char* const on = std::getenv("ANIMA_MUTANT");
  return on != nullptr && row == on;
}
#endif
"""
LETTERED = re.compile(r"^\| *([KPAWFBYZV]\d+) *\|", re.MULTILINE)
NUMBERED = re.compile(r"^\| *(\d+) *\|", re.MULTILINE)
LAST_NUMBER = 97


def acceptance_rows(folder):
    with open(os.path.join(folder, "learning_and_psyche.md"), encoding="utf-8") as stream:
        rows = set(LETTERED.findall(stream.read()))
    with open(os.path.join(folder, "governance_and_runtime.md"), encoding="utf-8") as stream:
        numbers = {int(number) for number in NUMBERED.findall(stream.read())}
    rows.update(str(number) for number in numbers if 1 <= number <= LAST_NUMBER)
    return rows


def order(row):
    letter = row[0] if row[0].isalpha() else "~"
    return letter, int(row.lstrip("KPAWFBYZV"))


def draw(arguments):
    rows = sorted(acceptance_rows(arguments.spec), key=order)
    drawn = random.Random(arguments.seed).sample(rows, arguments.rows)
    have = {mutant["row"] for mutant in load()}
    for row in sorted(drawn, key=order):
        print(row, "" if row in have else "(no mutant yet)")
    return 0


def load():
    with open(MUTANTS, encoding="utf-8") as stream:
        return json.load(stream)


def place(mutant, text):
    """Where the text to be replaced begins; an error when that is not one place."""
    once = mutant.get("within", mutant["find"])
    if text.count(once) != 1:
        raise ValueError(f"{mutant['file']} has {text.count(once)} places of: {once}")
    if "within" not in mutant:
        return text.index(once)
    begin = text.index(once)
    found = text.find(mutant["find"], begin, text.index("\n}\n", begin))
    if found < 0:
        raise ValueError(f"{mutant['file']} has nothing behind {once} of: {mutant['find']}")
    return found


def read_source(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as stream:
        return stream.read()


def write_source(root, name, text):
    with open(os.path.join(root, name), "w", encoding="utf-8") as stream:
        stream.write(text)


def mutate(root, mutant):
    """The file's text, and the same with the mutant in it."""
    text = read_source(root, mutant["file"])
    begin = place(mutant, text)
    return text, text[:begin] + mutant["replace"] + text[begin + len(mutant["find"]):]


def switched(mutant, text):
    """What stands in the place of the text: it, or the mutant when that one is switched on."""
    on = f'anima_mutant("{mutant["row"]}")'
    if mutant["as"] == "expression":
        return f'({on} ? ({mutant["replace"]}) : ({text}))'
    return f'{{ if ({on}) {{ {mutant["replace"]} }} else {{ {text} }} }}'


def switch_all(root, mutants):
    """The files with all mutants behind their switches that do not overlap; also those that are left for another time."""
    texts, left = {}, []
    for name in sorted({mutant["file"] for mutant in mutants}):
        text = read_source(root, name)
        places = {}  # mutants by begin and end
        for mutant in (each for each in mutants if each["file"] == name):
            begin = place(mutant, text)
            places.setdefault((begin, begin + len(mutant["find"])), []).append(mutant)
        out, at = SWITCH, 0
        for (begin, end), here in sorted(places.items(), key=lambda each: each[0]):
            if begin < at:
                left += here
                continue
            changed = text[begin:end]
            for mutant in here:
                changed = switched(mutant, changed)
            out += text[at:begin] + changed
            at = end
        texts[name] = out + text[at:]
    return texts, left


def check_tests(mutant):
    """That the tests are where the mutant says, by the words of its filter."""
    room = mutant["target"].removeprefix("test_")
    folders = [folder for folder in (os.path.join(ROOT, "tests", room), os.path.join(ROOT, "tests", "unit", room))
               if os.path.isdir(folder)]
    if not folders:
        raise ValueError(f"there are no tests for {mutant['target']}")
    texts = []
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "**", "*.cc"), recursive=True)):
            with open(path, encoding="utf-8") as stream:
                texts.append(stream.read())
    for word in re.findall(r"\w+", mutant["tests"]):
        if not any(word in text for text in texts):
            raise ValueError(f"no test of {mutant['target']} is called {word}")


def check(_):
    faults = 0
    for mutant in load():
        try:
            place(mutant, read_source(ROOT, mutant["file"]))
            check_tests(mutant)
        except (OSError, ValueError) as error:
            faults += 1
            print(f"{mutant['row']}: {error}")
    print(f"{len(load())} mutants, {faults} without a place", file=sys.stderr)
    return 1 if faults else 0


def prepare():
    if not os.path.isdir(TREE):
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", TREE, "HEAD"], check=True, capture_output=True)
    else:
        subprocess.run(["git", "-C", TREE, "checkout", "--quiet", "--force", "--detach",
                        subprocess.check_output(["git", "-C", ROOT, "rev-parse", "HEAD"], text=True).strip()], check=True)
    subprocess.run(["cmake", "--preset", "dev", "-Wno-dev"], cwd=TREE, check=True, capture_output=True)


def build(target):
    # The tests of whole programs run the program too.
    targets = [target] if target.startswith("test_") else [target, "anima"]
    return subprocess.run(["cmake", "--build", "--preset", "dev", "--target", *targets], cwd=TREE, capture_output=True,
                          text=True, check=False)


def passes(mutant, switch=""):
    """Whether the row's tests pass; a filter that matches nothing is no test."""
    program = os.path.join(TREE, "build", "dev", mutant["target"])
    try:
        run = subprocess.run([program, "--gtest_filter=" + mutant["tests"]], cwd=os.path.dirname(program), timeout=120,
                             capture_output=True, text=True, check=False, env={**os.environ, "ANIMA_MUTANT": switch})
    except subprocess.TimeoutExpired:
        return False
    if "[==========] 0 tests" in run.stdout or "Running 0 tests" in run.stdout:
        raise ValueError(f"no test is called {mutant['tests']}")
    return run.returncode == 0


def take_through(mutant):
    text, changed = mutate(TREE, mutant)
    try:
        write_source(TREE, mutant["file"], changed)
        built = build(mutant["target"])
        if built.returncode != 0:
            return "does not build:\n" + built.stdout[-2000:]
        return "SURVIVED" if passes(mutant) else "noticed"
    finally:
        write_source(TREE, mutant["file"], text)


def take_together(target, mutants, outcomes):
    """Builds those that have a switch at once, as often as some overlap."""
    while mutants:
        texts, left = switch_all(TREE, mutants)
        before = {name: read_source(TREE, name) for name in texts}
        try:
            for name, text in texts.items():
                write_source(TREE, name, text)
            built = build(target)
            for mutant in mutants:
                if mutant in left:
                    continue
                row = mutant["row"]
                if built.returncode != 0:
                    outcomes[row] = "does not build:\n" + built.stdout[-4000:]
                elif not passes(mutant):
                    outcomes[row] = "fails without a mutant"
                else:
                    outcomes[row] = "SURVIVED" if passes(mutant, row) else "noticed"
                print(f"{row:5} {outcomes[row]}", flush=True)
        finally:
            for name, text in before.items():
                write_source(TREE, name, text)
        mutants = left


def run(arguments):
    wanted = set(arguments.row)
    mutants = [mutant for mutant in load() if not wanted or mutant["row"] in wanted]
    prepare()
    outcomes = {}
    for target in sorted({mutant["target"] for mutant in mutants if "as" in mutant}):
        take_together(target, [mutant for mutant in mutants if "as" in mutant and mutant["target"] == target], outcomes)
    mutants = [mutant for mutant in mutants if "as" not in mutant]
    for target in sorted({mutant["target"] for mutant in mutants}):
        built = build(target)
        if built.returncode != 0:
            print(built.stdout[-4000:])
            return 1
    for mutant in mutants:
        if not passes(mutant):
            outcomes[mutant["row"]] = "fails without a mutant"
            print(f"{mutant['row']:5} fails without a mutant", flush=True)
    for mutant in mutants:
        if mutant["row"] in outcomes:
            continue
        outcomes[mutant["row"]] = take_through(mutant)
        print(f"{mutant['row']:5} {outcomes[mutant['row']]}", flush=True)
    noticed = sum(outcome == "noticed" for outcome in outcomes.values())
    print(f"{len(outcomes)} rows, {noticed} noticed, {len(outcomes) - noticed} not", file=sys.stderr)
    return 0 if noticed == len(outcomes) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("spec")
    drawing.add_argument("--seed", type=int, default=20261122)
    drawing.add_argument("--rows", type=int, default=60)
    drawing.set_defaults(call=draw)
    commands.add_parser("check").set_defaults(call=check)
    running = commands.add_parser("run")
    running.add_argument("row", nargs="*")
    running.set_defaults(call=run)
    arguments = parser.parse_args()
    return arguments.call(arguments)


if __name__ == "__main__":
    sys.exit(main())
