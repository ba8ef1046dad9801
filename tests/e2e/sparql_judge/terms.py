"""RDF terms, and what SPARQL needs to know of their values: numbers, equality, order.

Terms are as RDF 1.1 Concepts, section 3, has them. Numbers are exact: integers and decimals, no doubles.
"""
import re
from dataclasses import dataclass
from fractions import Fraction

XSD = "http://www.w3.org/2001/XMLSchema#"
INTEGER = XSD + "integer"
DECIMAL = XSD + "decimal"
BOOLEAN = XSD + "boolean"
STRING = XSD + "string"
DATE = XSD + "date"
LANGUAGE_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"

# A quotient of decimals has this many digits behind the point here. Comparing answers looks at fewer.
DECIMAL_DIGITS = 18


@dataclass(frozen=True)
class Iri:
    text: str


@dataclass(frozen=True)
class Blank:
    label: str


@dataclass(frozen=True)
class Literal:
    text: str
    datatype: str = STRING
    language: str = ""


@dataclass(frozen=True)
class Variable:
    name: str


class ExpressionError(Exception):
    """The error of SPARQL 1.1, section 17.2: a value of expressions, not a fault of the query."""


# --- numbers


def is_numeric(term):
    return isinstance(term, Literal) and term.datatype in (INTEGER, DECIMAL)


def number_of(term):
    if not is_numeric(term):
        raise ExpressionError
    return Fraction(term.text)


def number_literal(value, datatype):
    if datatype == INTEGER:
        return Literal(str(int(value)), INTEGER)
    whole, rest = divmod(int(abs(value) * 10**DECIMAL_DIGITS), 10**DECIMAL_DIGITS)
    digits = f"{rest:0{DECIMAL_DIGITS}d}".rstrip("0")
    return Literal(("-" if value < 0 else "") + str(whole) + ("." + digits if digits else ""), DECIMAL)


def common_type(one, two):
    """Section 17.3: arithmetic with a decimal gives a decimal."""
    return DECIMAL if DECIMAL in (one.datatype, two.datatype) else INTEGER


# --- truth, equality, order


def boolean(value):
    return Literal("true" if value else "false", BOOLEAN)


def is_true(term):
    """Section 17.2.2, the effective boolean value."""
    if isinstance(term, Literal):
        if term.datatype == BOOLEAN:
            return term.text in ("true", "1")
        if is_numeric(term):
            return number_of(term) != 0
        if term.datatype in (STRING, LANGUAGE_STRING):
            return term.text != ""
    raise ExpressionError


# Types whose values are known to be no values of the others. Section 17.3.1 lets an engine know that, and every
# engine here does: 1 = "x" is false, where RDFterm-equal alone would be an error.
KNOWN_TYPES = {INTEGER, DECIMAL, BOOLEAN, STRING, DATE, LANGUAGE_STRING}


def equal(one, two):
    """Sections 17.3 and 17.4.1.7: by value where the types have one, else RDFterm-equal."""
    if one == two:
        return True
    if not isinstance(one, Literal) or not isinstance(two, Literal):
        return False
    if is_numeric(one) and is_numeric(two):
        return number_of(one) == number_of(two)
    if one.datatype in KNOWN_TYPES and two.datatype in KNOWN_TYPES:
        return False
    raise ExpressionError


def order_keys(one, two):
    """Section 17.3: numbers, strings, booleans and dates have an order among themselves. Texts of one language have one
    in Anima, which 17.3.1 allows in the place of an error; nothing else has."""
    if is_numeric(one) and is_numeric(two):
        return number_of(one), number_of(two)
    if isinstance(one, Literal) and isinstance(two, Literal) and one.datatype == two.datatype:
        same_language = one.datatype == LANGUAGE_STRING and one.language.lower() == two.language.lower()
        if one.datatype in (STRING, BOOLEAN, DATE) or same_language:
            return one.text, two.text
    raise ExpressionError


# --- texts


TERM = re.compile(r'<(?P<iri>[^<>\s]*)>|_:(?P<blank>\w+)'
                  r'|"(?P<text>[^"]*)"(?:@(?P<language>[a-zA-Z-]+)|\^\^<(?P<datatype>[^<>\s]*)>)?')


def term_of(match):
    """The term that TERM found. Literals here have no escapes."""
    if match["iri"] is not None:
        return Iri(match["iri"])
    if match["blank"] is not None:
        return Blank(match["blank"])
    if match["language"] is not None:
        return Literal(match["text"], LANGUAGE_STRING, match["language"])
    return Literal(match["text"], match["datatype"] or STRING)


def statements_of(text):
    """N-Triples or N-Quads: a list of terms for each line."""
    return [[term_of(match) for match in TERM.finditer(line)] for line in text.split("\n") if line.strip()]
