"""Expressions of SPARQL 1.1, section 17, and the aggregates of section 18.5.1.

`value(view)` gives a term or raises ExpressionError. A View is what an expression sees: one row, the scope that the
row is of, and in a grouped query the rows of its group.
"""
import re
from dataclasses import dataclass
from fractions import Fraction

from terms import (DECIMAL, INTEGER, LANGUAGE_STRING, STRING, Blank, ExpressionError, Iri, Literal, boolean,
                   common_type, equal, is_numeric, is_true, number_literal, number_of, order_keys)


@dataclass(frozen=True)
class View:
    row: dict
    scope: object
    group: list = None


def holds(expression, view):
    """Section 18.2.5: a FILTER keeps what is true; false and errors go."""
    try:
        return is_true(expression.value(view))
    except ExpressionError:
        return False


@dataclass(frozen=True)
class Constant:
    term: object

    def value(self, view):
        return self.term


@dataclass(frozen=True)
class VariableValue:
    name: str

    def value(self, view):
        if self.name in view.row:
            return view.row[self.name]
        if self.name in view.scope.outer:
            return view.scope.outer[self.name]
        raise ExpressionError


@dataclass(frozen=True)
class Logical:
    """Section 17.2: || and && of a value and an error. `decides` is true for ||, which a true side decides."""
    one: object
    two: object
    decides: bool

    def value(self, view):
        sides = [self.truth(side, view) for side in (self.one, self.two)]
        if self.decides in sides:
            return boolean(self.decides)
        if None in sides:
            raise ExpressionError
        return boolean(not self.decides)

    @staticmethod
    def truth(side, view):
        try:
            return is_true(side.value(view))
        except ExpressionError:
            return None


@dataclass(frozen=True)
class Not:
    operand: object

    def value(self, view):
        return boolean(not is_true(self.operand.value(view)))


COMPARISONS = {"<": lambda one, two: one < two, "<=": lambda one, two: one <= two,
               ">": lambda one, two: one > two, ">=": lambda one, two: one >= two}


@dataclass(frozen=True)
class Comparison:
    operator: str
    one: object
    two: object

    def value(self, view):
        one, two = self.one.value(view), self.two.value(view)
        if self.operator in COMPARISONS:
            return boolean(COMPARISONS[self.operator](*order_keys(one, two)))
        return boolean(equal(one, two) == (self.operator == "="))


@dataclass(frozen=True)
class In:
    """Section 17.4.1.9: as a chain of = with ||."""
    operand: object
    choices: tuple

    def value(self, view):
        sought, error = self.operand.value(view), False
        for choice in self.choices:
            try:
                if equal(sought, choice.value(view)):
                    return boolean(True)
            except ExpressionError:
                error = True
        if error:
            raise ExpressionError
        return boolean(False)


@dataclass(frozen=True)
class Arithmetic:
    operator: str
    one: object
    two: object

    def value(self, view):
        one, two = self.one.value(view), self.two.value(view)
        left, right = number_of(one), number_of(two)
        return number_literal(left + right if self.operator == "+" else left * right, common_type(one, two))


@dataclass(frozen=True)
class Exists:
    """Section 18.6: the pattern, with the values of the row in place of its variables."""
    pattern: object

    def value(self, view):
        return boolean(bool(self.pattern.rows(view.scope.with_outer({**view.scope.outer, **view.row}))))


# --- functions


def text_of(term):
    if isinstance(term, Blank):
        raise ExpressionError
    return term.text


def literal_of(term):
    if not isinstance(term, Literal):
        raise ExpressionError
    return term


def string_of(term):
    if literal_of(term).datatype not in (STRING, LANGUAGE_STRING):
        raise ExpressionError
    return term.text


# Sections 17.4.2 and 17.4.3, of the terms that the arguments are.
FUNCTIONS = {
    "STR": lambda term: Literal(text_of(term)),
    "STRLEN": lambda term: Literal(str(len(string_of(term))), INTEGER),
    "LANG": lambda term: Literal(literal_of(term).language),
    "DATATYPE": lambda term: Iri(literal_of(term).datatype),
    "CONCAT": lambda *terms: Literal("".join(string_of(term) for term in terms)),
    "REGEX": lambda term, pattern: boolean(re.search(pattern.text, string_of(term)) is not None),
    "ISIRI": lambda term: boolean(isinstance(term, Iri)),
    "ISNUMERIC": lambda term: boolean(is_numeric(term)),
    "SAMETERM": lambda one, two: boolean(one == two),
}


@dataclass(frozen=True)
class Call:
    name: str
    arguments: tuple

    def value(self, view):
        return FUNCTIONS[self.name](*[argument.value(view) for argument in self.arguments])


# Section 17.4.1: these do not take the values of all their arguments.


@dataclass(frozen=True)
class Bound:
    arguments: tuple

    def value(self, view):
        name = self.arguments[0].name
        return boolean(name in view.row or name in view.scope.outer)


@dataclass(frozen=True)
class If:
    arguments: tuple

    def value(self, view):
        condition, then, otherwise = self.arguments
        return (then if is_true(condition.value(view)) else otherwise).value(view)


@dataclass(frozen=True)
class Coalesce:
    arguments: tuple

    def value(self, view):
        for argument in self.arguments:
            try:
                return argument.value(view)
            except ExpressionError:
                continue
        raise ExpressionError


FORMS = {"BOUND": Bound, "IF": If, "COALESCE": Coalesce}


# --- aggregates


def sum_of(terms):
    datatype = INTEGER
    for term in terms:
        number_of(term)
        datatype = common_type(term, Literal("", datatype))
    return number_literal(sum((number_of(term) for term in terms), Fraction(0)), datatype)


def average_of(terms):
    if not terms:
        return Literal("0", INTEGER)
    return number_literal(number_of(sum_of(terms)) / len(terms), DECIMAL)


def extreme_of(choose, terms):
    """Least and greatest by ORDER BY's order; the generator only asks for those of plain strings."""
    if not terms:
        raise ExpressionError
    return Literal(choose(string_of(term) for term in terms))


AGGREGATES = {
    "COUNT": lambda terms, separator: Literal(str(len(terms)), INTEGER),
    "SUM": lambda terms, separator: sum_of(terms),
    "AVG": lambda terms, separator: average_of(terms),
    "MIN": lambda terms, separator: extreme_of(min, terms),
    "MAX": lambda terms, separator: extreme_of(max, terms),
    "GROUP_CONCAT": lambda terms, separator: Literal(separator.join(text_of(term) for term in terms)),
}


@dataclass(frozen=True)
class Aggregate:
    """Section 18.5.1. `operand` is None for `*`. COUNT leaves errors out; any other aggregate of an error is one."""
    name: str
    operand: object
    distinct: bool
    separator: str

    def value(self, view):
        if self.operand is None:
            return Literal(str(len(self.kept([frozenset(row.items()) for row in view.group]))), INTEGER)
        terms, errors = [], 0
        for row in view.group:
            try:
                terms.append(self.operand.value(View(row, view.scope)))
            except ExpressionError:
                errors += 1
        if errors and self.name != "COUNT":
            raise ExpressionError
        return AGGREGATES[self.name](self.kept(terms), self.separator)

    def kept(self, values):
        return list(dict.fromkeys(values)) if self.distinct else values


def has_aggregate(expression):
    if isinstance(expression, Aggregate):
        return True
    if isinstance(expression, tuple):
        return any(has_aggregate(part) for part in expression)
    return any(has_aggregate(part) for part in getattr(expression, "__dict__", {}).values())
