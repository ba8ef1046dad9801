#!/usr/bin/env python3
"""Writes the labelled texts that the guardian's model is made from, one JSON object a line.

    guard_texts.py | anima guard train - -o packs/guardian/model.bin
    guard_texts.py --held-out 7 | anima guard eval - --model on

All of them are our own, and none comes from tests/adversarial. The texts in tools/guard_texts/by_hand/ were written one
by one by five authors, who did not see each other's; they are written out as they stand, with their author, so that
training can leave each author out in turn. Three more authors wrote those in tools/guard_texts/held_out/, each from
another page of instructions (letters and pages, talk, technical texts): no model is taught them, they tell how it does
on strangers. The lines beside these folders have no author. They hold slots and choices,
which are filled once, by chance: the same seed gives the same bytes. Needs only the standard library.

A file holds one text a line under headings "== family". \\n is a line break, \\t a tabulator, \\\\ a backslash, \\u and
\\U with four and eight hexadecimal digits a character that cannot be seen. In the lines {name} is a slot and «this|that» a
choice.
"""
import argparse
import base64
import codecs
import json
import pathlib
import random
import re

FOLDER = pathlib.Path(__file__).parent / "guard_texts"
AUTHORS = range(1, 6)
HELD_OUT = range(6, 9)


def readable(match):
    escape = match.group(1)
    return {"n": "\n", "t": "\t", "\\": "\\"}.get(escape) or chr(int(escape[1:], 16))


def sections(path):
    found = {}
    for line in (FOLDER / path).read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            section = found.setdefault(line[3:], [])
        elif line:
            section.append(re.sub(r"\\(n|t|\\|u[0-9a-f]{4}|U[0-9a-f]{8})", readable, line))
    return found


# (family, text) of a file.
def texts(path):
    for family, section in sections(path).items():
        for text in section:
            yield family, text


class Slots:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.phrases = sections("phrases.txt")

    def one(self, section):
        return self.rng.choice(self.phrases[section])

    # What stands in a slot says nothing of the text's kind: both kinds draw from the same values.
    def value(self, slot):
        rng = self.rng
        if slot in ("b64", "rot", "hex", "reverse"):
            return encoded(slot, self.fill(self.one("act")))
        if slot in ("b64ok", "hexok"):
            return encoded(slot[:-2], self.fill(self.one("asked")))
        if slot == "num":
            return str(rng.randrange(10, 10 ** rng.randrange(2, 9)))
        if slot == "mail":
            return (self.one("name").lower() + rng.choice(["", ".", "-", "_"]) + rng.choice(["", self.one("word"), "7"]) +
                    "@" + self.host())
        if slot == "url":
            return (rng.choice(["http://", "https://"]) + self.host() + rng.choice(["", "", ":8080"]) +
                    rng.choice(["", "/" + self.one("word"), "/" + self.one("word") + "/" + self.one("word") + ".html",
                                "/?id=" + self.value("num")]))
        if slot == "file":
            return (rng.choice(["", "", self.one("word") + "/", "inbox/", "notes/", "~/"]) + self.one("word") +
                    rng.choice(["", "-2026", "_v2", "1"]) + self.one("ending"))
        return self.one(slot)

    def host(self):
        return (self.one("word") + self.rng.choice(["", "-" + self.one("word")]) +
                self.rng.choice([".test", ".example", ".example.org", ".example.com", ".invalid"]))

    def fill(self, text):
        text = re.sub("«([^«»]*)»", lambda choice: self.rng.choice(choice.group(1).split("|")), text)
        known = r"\{(b64ok|b64|hexok|hex|rot|reverse|num|mail|url|file|secret|cmd|shell|name|day|hour|thing|act)\}"
        while (slot := re.search(known, text)) is not None:
            text = text[:slot.start()] + self.value(slot.group(1)) + text[slot.end():]
        return text


def encoded(kind, text):
    raw = text.encode()
    return {"b64": lambda: base64.b64encode(raw).decode(), "hex": raw.hex,
            "rot": lambda: codecs.encode(text, "rot13"), "reverse": lambda: text[::-1]}[kind]()


def lines(seed):
    slots = Slots(seed)
    for attack, file in ((True, "attacks.txt"), (True, "languages_attacks.txt"), (False, "ordinary.txt"),
                         (False, "languages_ordinary.txt")):
        for family, line in texts(file):
            yield {"attack": attack, "family": family, "text": slots.fill(line)}


def by_hand(folder, authors):
    for author in authors:
        for attack, kind in ((True, "attacks"), (False, "ordinary")):
            for family, text in texts(f"{folder}/{author}_{kind}.txt"):
                yield {"attack": attack, "author": str(author), "family": family, "text": text}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--held-out", type=int, choices=HELD_OUT, metavar="AUTHOR",
                        help="those that no model is taught, of one author: %(choices)s")
    options = parser.parse_args()
    if options.held_out:
        chosen = by_hand("held_out", [options.held_out])
    else:
        chosen = [*lines(options.seed), *by_hand("by_hand", AUTHORS)]
    for number, text in enumerate(chosen):
        print(json.dumps({"id": f"{'A' if text['attack'] else 'O'}-{text['family']}-{number}", **text},
                         ensure_ascii=False))


if __name__ == "__main__":
    main()
