"""Answers as engines write them, and as the algebra gives them, in one form that can be compared.

Rows are a bag: the order does not count, repetitions do. A cell without a value is left out. Numbers of one datatype
are the same where twelve digits are: engines cut or round what a quotient has beyond.
"""
import re
from collections import Counter

from terms import (BOOLEAN, DECIMAL, INTEGER, LANGUAGE_STRING, TERM, XSD, Blank, Iri, Literal, is_numeric, number_of,
                   statements_of, term_of)

NUMBER = re.compile(r"-?\d+|-?\d*\.\d+")


def text_of(term):
    """A term as a text that is the same for equal terms and for the same numbers of one datatype."""
    if isinstance(term, Iri):
        return f"<{term.text}>"
    if isinstance(term, Blank):
        return f"_:{term.label}"
    if is_numeric(term):
        return f"{float(number_of(term)):.12g} {term.datatype[len(XSD):]}"
    if term.datatype == LANGUAGE_STRING:
        return f'"{term.text}"@{term.language}'
    return f'"{term.text}"^^<{term.datatype}>'


def bag_of(rows):
    return Counter(" ".join(f"{name}={text_of(term)}" for name, term in sorted(row.items())) for row in rows)


def lines_of(bag):
    """The bag as sorted lines, for people."""
    return [f"{count} x {row}" if count > 1 else row for row, count in sorted(bag.items())]


def cell_term(cell):
    """A term as SPARQL's TSV writes it."""
    if cell in ("true", "false"):
        return Literal(cell, BOOLEAN)
    if NUMBER.fullmatch(cell):
        return Literal(cell, DECIMAL if "." in cell else INTEGER)
    return term_of(TERM.fullmatch(cell))


def rows_of_tsv(text):
    """The variables of the header, and the rows."""
    header, *lines = text.split("\n")
    names = [name.removeprefix("?") for name in header.split("\t")]
    cells = [line.split("\t") for line in lines[:-1]]
    return names, [{name: cell_term(cell) for name, cell in zip(names, row) if cell} for row in cells]


def canonical_answer(form, text):
    """What an engine answered: rows as a bag, a truth value as a text, triples as a set. An error is a text."""
    if text.startswith("! ") or form == "ASK":
        return text.strip()
    if form == "CONSTRUCT":
        return frozenset(tuple(map(text_of, triple)) for triple in statements_of(text))
    return bag_of(rows_of_tsv(text)[1])


def canonical_result(form, result):
    """The same of what the algebra gives."""
    if form == "ASK":
        return "true" if result else "false"
    if form == "CONSTRUCT":
        return frozenset(tuple(map(text_of, triple)) for triple in result)
    return bag_of(result)


def description(canonical):
    if isinstance(canonical, str):
        return canonical
    if isinstance(canonical, Counter):
        return "\n".join(lines_of(canonical)) or "no rows"
    return "\n".join(sorted(" ".join(triple) for triple in canonical)) or "no triples"
