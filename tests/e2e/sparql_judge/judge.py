#!/usr/bin/env python3
"""Judges the answers of two engines to random queries by the recommendation's own algebra.

    python3 judge.py CASES ANSWERS [--every N]

A line of CASES is {"quads": N-Quads, "queries": [..], "answers": [..]} with Anima's answers; the line of ANSWERS is
the list of the other engine's. Answers are texts: TSV, "true" or "false", N-Triples, or "! " with an error.

Where both agree, every tenth is judged too, or every N-th. Exit code 1 when Anima was wrong, with the first few such
queries, or when the judge could not decide enough.
"""
import argparse
import itertools
import json
import sys
from collections import Counter

from algebra import TooMuchWork
from answers import canonical_answer, canonical_result, description
from syntax import parse
from terms import statements_of

MOST_STEPS = 3_000_000
MOST_SHOWN = 5
# Of the queries that are to be judged, this share may take too much work.
MOST_UNDECIDED = 0.05


def reference_answer(query, statements):
    """The algebra's answer, or None when it would take too long."""
    try:
        return canonical_result(query.form, query.answer(statements, MOST_STEPS))
    except TooMuchWork:
        return None


class Verdicts:
    def __init__(self, every):
        self.every = every  # of the queries that both answer alike, one in so many is judged
        self.counts = Counter()
        self.shown = 0

    def judge(self, quads, text, ours, theirs):
        query = parse(text)
        our_answer, their_answer = canonical_answer(query.form, ours), canonical_answer(query.form, theirs)
        agreed = our_answer == their_answer
        self.counts["agreed" if agreed else "disputed"] += 1
        if agreed and self.counts["agreed"] % self.every != 0:
            return
        reference = reference_answer(query, statements_of(quads))
        if reference is None:
            self.counts["undecided"] += 1
            return
        self.counts["judged agreed" if agreed else "judged disputed"] += 1
        self.counts["theirs wrong"] += their_answer != reference
        if our_answer != reference:
            self.counts["ours wrong"] += 1
            self.show(text, quads, reference, our_answer, their_answer)

    def show(self, text, quads, reference, ours, theirs):
        self.shown += 1
        if self.shown <= MOST_SHOWN:
            print(f"{text}\nover\n{quads}the algebra says\n{description(reference)}\nAnima says\n{description(ours)}\n"
                  f"Oxigraph says\n{description(theirs)}\n")

    def summary(self):
        counts = self.counts
        return (f"{counts['agreed'] + counts['disputed']} queries, {counts['agreed']} with one answer, "
                f"{counts['judged agreed']} of these judged; {counts['disputed']} with two, "
                f"{counts['judged disputed']} judged; wrong: Anima {counts['ours wrong']}, "
                f"Oxigraph {counts['theirs wrong']}; {counts['undecided']} undecided")

    def good(self):
        judged = self.counts["judged agreed"] + self.counts["judged disputed"] + self.counts["undecided"]
        return self.counts["ours wrong"] == 0 and self.counts["undecided"] <= MOST_UNDECIDED * judged


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("cases")
    arguments.add_argument("answers")
    arguments.add_argument("--every", type=int, default=10, metavar="N")
    files = arguments.parse_args()
    verdicts = Verdicts(files.every)
    with open(files.cases, encoding="utf-8") as cases, open(files.answers, encoding="utf-8") as answers:
        for case_line, answers_line in itertools.zip_longest(cases, answers, fillvalue="null"):
            case, theirs = json.loads(case_line), json.loads(answers_line)
            if case is None or theirs is None or len(theirs) != len(case["queries"]):
                sys.exit("the two files do not belong together")
            for text, one, two in zip(case["queries"], case["answers"], theirs):
                verdicts.judge(case["quads"], text, one, two)
    print(verdicts.summary())
    sys.exit(0 if verdicts.good() else 1)


if __name__ == "__main__":
    main()
