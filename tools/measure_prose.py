#!/usr/bin/env python3
"""Measures how long the sentences of README.md and of every page of docs/ are, so that the pages stay easy to read.
A page fails when its sentences have more than 25 words on average, or when one has more than 45. docs/glossary.md fails
when it explains more than 40 words.

Only prose counts. Left out are fenced and indented code, tables, headings, comments, the targets of links, and list items
that describe an option (those that begin with `-`). A piece of inline code counts as one word. A list item ends a sentence.

Usage: measure_prose.py [ROOT]      exit 0: good, 1: faults, one a line, after the table of pages"""
import glob
import os
import re
import sys

MOST_WORDS_ON_AVERAGE = 25
MOST_WORDS = 45
MOST_GLOSSARY_ENTRIES = 40
GLOSSARY = "docs/glossary.md"

FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
HEADING = re.compile(r"^ {0,3}#{1,6}\s")
ITEM = re.compile(r"^(\s*)(?:[*+-]|\d+[.)])\s+")
OPTION = re.compile(r"^`-")
GLOSSARY_ENTRY = re.compile(r"^\s*(?:[*+-]\s+)?\*\*[^*]+\*\*")
SENTENCE_END = re.compile(r"(?<!\.)[.!?][)\"'”*_]*(?=\s)")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|no|fig|approx)|\b[A-Z])\.$", re.IGNORECASE)


def pages(root):
    found = glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True)
    readme = os.path.join(root, "README.md")
    return ([readme] if os.path.exists(readme) else []) + sorted(found)


def without_comments(text):
    return re.sub(r"<!--.*?-->", lambda comment: "\n" * comment.group().count("\n"), text, flags=re.DOTALL)


def blocks(text):
    """Yields (line number, prose) of each paragraph and list item."""
    start, lines, fence, in_list = 0, [], None, False
    for number, line in enumerate(without_comments(text).split("\n"), 1):
        mark = FENCE.match(line)
        if fence or mark:
            if not fence:
                fence = mark.group(1)
            elif mark and mark.group(1).startswith(fence):
                fence = None
            kept, ends = None, True
        elif not line.strip() or HEADING.match(line) or line.lstrip().startswith("|"):
            kept, ends = None, True
            in_list = in_list and not line.strip()
        elif ITEM.match(line):
            kept, ends, in_list = ITEM.sub("", line), True, True
        elif not lines and not in_list and line.startswith(("    ", "\t")):
            kept, ends = None, True
        else:
            kept, ends = line.strip().lstrip("> "), False
            in_list = in_list and (bool(lines) or line.startswith(" "))
        if ends and lines:
            yield start, "\n".join(lines)
            lines = []
        if kept is not None:
            start = start if lines else number
            lines.append(kept)
    if lines:
        yield start, "\n".join(lines)


def plain(prose):
    """Inline code and links as what a reader reads, with the line ends where they were."""
    def one_word(code):
        return "code" + "\n" * code.group().count("\n")

    prose = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", one_word, prose, flags=re.DOTALL)
    return re.sub(r"!?\[([^\]]*)\]\([^)\s]*\)", r"\1", prose)


def words(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def sentences(text):
    """Yields (line number, words) of each sentence."""
    for line, prose in blocks(text):
        if OPTION.match(prose):
            continue
        prose = plain(prose) + "\n"
        begin = 0
        ends = [m.end() for m in SENTENCE_END.finditer(prose) if not ABBREVIATION.search(prose[begin:m.end()])]
        for end in ends + [len(prose)]:
            sentence = prose[begin:end]
            if words(sentence):
                blank = len(sentence) - len(sentence.lstrip())
                yield line + prose[:begin + blank].count("\n"), words(sentence)
            begin = end


def glossary_entries(text):
    return sum(1 for line in text.split("\n") if GLOSSARY_ENTRY.match(line))


def measure(name, text):
    """The row of the table, and the faults of the page."""
    found = list(sentences(text))
    counts = [len(sentence) for _, sentence in found]
    average = sum(counts) / len(counts) if counts else 0
    longest = max(found, key=lambda each: len(each[1]), default=(1, []))
    row = f"{len(found):9} {average:8.1f} {len(longest[1]):8}  {name}:{longest[0]}"
    faults = [f"{name}:{line}: a sentence of {len(sentence)} words: {' '.join(sentence[:8])} .."
              for line, sentence in found if len(sentence) > MOST_WORDS]
    if average > MOST_WORDS_ON_AVERAGE:
        faults.append(f"{name}: {average:.1f} words a sentence on average")
    if name == GLOSSARY and glossary_entries(text) > MOST_GLOSSARY_ENTRIES:
        faults.append(f"{name}: {glossary_entries(text)} words are explained, {MOST_GLOSSARY_ENTRIES} at most")
    return row, faults


def main(arguments):
    root = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    print("sentences  average  longest  where the longest is")
    faults, found = [], pages(root)
    for path in found:
        with open(path, encoding="utf-8") as stream:
            row, more = measure(os.path.relpath(path, root).replace(os.sep, "/"), stream.read())
        print(row)
        faults += more
    for fault in faults:
        print(fault)
    print(f"measure-prose: {len(found)} pages: {len(faults) or 'no'} faults", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
