#!/usr/bin/env python3
"""Writes the labelled texts that the guardian's model is made from, one JSON object a line.

    guard_texts.py [--seed N] [--count N] | anima guard train - -o packs/guardian/model.bin
    guard_texts.py --development > development.jsonl

What is taught is put together here from the lines and phrases in tools/guard_texts/, all of them our own. The texts in
tools/guard_texts/development/ are never taught: they carry "held": true and find the limits of the model. They were
written apart from the lines that are taught, and nothing in either comes from tests/adversarial. The same seed gives the
same bytes. Needs only the standard library.

A file holds one text a line under headings "== family"; \\n is a line break, {name} a slot and «this|that» a choice that is
made by chance. A line with more choices is taken more often.
"""
import argparse
import base64
import codecs
import json
import pathlib
import random
import re

MOST_OFTEN = 4
FOLDER = pathlib.Path(__file__).parent / "guard_texts"


def sections(path):
    found = {}
    for line in (FOLDER / path).read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            section = found.setdefault(line[3:], [])
        elif line:
            section.append(line.replace("\\n", "\n"))
    return found


# Lines, and how often each is taken.
def lines(path):
    every = [line for section in sections(path).values() for line in section]
    return every, [min(MOST_OFTEN, 1 + len(re.findall(r"[«|]", line)) // 3) for line in every]


class Writer:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.phrases = sections("phrases.txt")
        self.attacks = lines("attacks.txt")
        self.foreign_attacks = lines("languages_attacks.txt")
        self.ordinary = lines("ordinary.txt")
        self.foreign_ordinary = lines("languages_ordinary.txt")
        self.carriers = lines("carriers.txt")

    def chance(self, share):
        return self.rng.random() < share

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

    def any(self, weighted):
        return self.fill(self.rng.choices(weighted[0], weights=weighted[1])[0])

    def fill(self, text):
        text = re.sub("«([^«»]*)»", lambda choice: self.rng.choice(choice.group(1).split("|")), text)
        known = r"\{(b64ok|b64|hexok|hex|rot|reverse|num|mail|url|file|secret|cmd|shell|name|day|hour|thing)\}"
        while (slot := re.search(known, text)) is not None:
            text = text[:slot.start()] + self.value(slot.group(1)) + text[slot.end():]
        return text

    def wish(self):
        parts = [self.one("lead") if self.chance(0.7) else "", self.one("act")]
        if self.chance(0.3):
            parts += [self.rng.choice(["and", "then", "and then"]), self.one("act")]
        return " ".join(filter(None, parts)) + self.tail()

    def tail(self):
        if self.chance(0.4):
            return ""
        tail = self.one("tail")
        return tail if tail[0] in ".!,;" else " " + tail

    def order(self):
        kind = self.rng.random()
        if kind < 0.60:
            return self.any(self.attacks)
        if kind < 0.85:
            return self.any(self.foreign_attacks)
        before = {0: "override", 1: "role", 2: "claim"}.get(self.rng.randrange(6))
        if before is None:
            return self.fill(self.wish())
        if before != "claim" and self.chance(0.25):
            return self.fill(self.one(before)) + self.tail()
        return self.fill(self.one(before) + self.rng.choice([" and ", ". ", ", then ", ": ", "; ", ", "]) + self.wish())

    def talk(self):
        kind = self.rng.random()
        if kind < 0.22:
            return self.any(self.foreign_ordinary)
        if kind < 0.25:
            return self.fill(self.one("quoting").replace("{x}", self.fill(self.one(self.rng.choice(["override", "act"])))))
        return self.any(self.ordinary)

    # A text between the sentences of a document, in the frames that documents use for asides.
    def inside(self, text):
        if self.chance(0.4):
            carrier = self.rng.choice([" ", "\n"]).join(self.any(self.ordinary) for _ in range(self.rng.choice([3, 6, 10])))
        else:
            carrier = self.any(self.carriers)
            if self.chance(0.3):
                carrier += "\n\n" + self.any(self.carriers)
        places = [m.end() for m in re.finditer(r"[.?!。？！] |\n|, |。", carrier)] + [len(carrier)]
        place = self.rng.choice(places)
        frame = self.fill(self.one("frame"))
        return carrier[:place] + frame.replace("{x}", text) + " " * (frame[-1] != "\n") + carrier[place:]

    # What people and careless filters do to letters.
    def worn(self, text):
        kind = self.rng.random()
        if kind < 0.04:
            return text.upper()
        if kind < 0.06:
            return text.translate(str.maketrans("aeios", "43105"))
        if kind < 0.08 and len(text) > 8:
            at = self.rng.randrange(len(text) - 1)
            return text[:at] + text[at + 1] + text[at] + text[at + 2:]
        return text

    def text(self, piece):
        text = self.worn(piece())
        kind = self.rng.random()
        if kind < 0.10:
            text += self.rng.choice([" ", "\n"]) + piece()
        if kind < 0.20:
            return text
        if kind < 0.48:
            text = self.inside(text)
        elif kind < 0.60:
            text = self.rng.choice(["{a} {x}", "{x} {a}", "{a}\n{x}", "{a}\n{x}\n{b}"]).replace("{x}", text)
            text = text.replace("{a}", self.talk()).replace("{b}", self.talk())
        if 0.20 <= kind < 0.40 or 0.48 <= kind < 0.56:
            text = self.fill(self.one("asked")) + "\n\n" + text
        return text

    # Documents alone too, so that only what stands in them can make them an attack.
    def ordinary_text(self):
        if self.chance(0.08):
            return self.fill("\n".join(self.rng.sample(self.carriers[0], self.rng.choice([1, 2, 4, 8]))))
        return self.text(self.talk)


def encoded(kind, text):
    raw = text.encode()
    return {"b64": lambda: base64.b64encode(raw).decode(), "hex": raw.hex,
            "rot": lambda: codecs.encode(text, "rot13"), "reverse": lambda: text[::-1]}[kind]()


# The texts as they are, and each fourth in the middle or at the end of a document of some hundred words.
def development():
    for attack, file in ((True, "attacks.txt"), (False, "ordinary.txt")):
        number = 0
        for family, texts in sections("development/" + file).items():
            for text in texts:
                number += 1
                name = f"{'A' if attack else 'O'}-{family}-{number}"
                yield {"id": name, "attack": attack, "text": text}
                if family != "long" and number % 4 == 0:
                    before, after = surroundings(number // 4)
                    yield {"id": name + "-buried", "attack": attack, "text": f"{before}\n{text}\n{after}"}


def surroundings(number):
    documents = sections("development/ordinary.txt")["long"]
    document = documents[number % len(documents)]
    if number % 2 == 0:
        return document, ""
    cut = document.find(" ", len(document) // 2)
    return document[:cut], document[cut + 1:]


def write(**members):
    print(json.dumps(members, ensure_ascii=False))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--count", type=int, default=12000, help="taught texts of each kind")
    parser.add_argument("--development", action="store_true", help="only the texts that are not taught")
    options = parser.parse_args()
    if not options.development:
        writer = Writer(options.seed)
        for number in range(options.count):
            write(id=f"a{number}", attack=True, text=writer.text(writer.order))
            write(id=f"o{number}", attack=False, text=writer.ordinary_text())
    for text in development():
        write(**text, held=True)


if __name__ == "__main__":
    main()
