"""The algebra of SPARQL 1.1, section 18, as its definitions say it: nothing is reordered, nothing is clever.

Each operator has `rows(scope)`, a list of rows (a row is a dict from names to terms), and `names()`, the variables
that are in scope after it (section 18.2.1). The work is counted, and TooMuchWork ends what would take too long.
"""
from dataclasses import dataclass, field, replace

from expressions import ExpressionError, View, has_aggregate, holds
from terms import Blank, Iri, Literal, Variable, number_of


class TooMuchWork(Exception):
    """The query needs more steps than the judge may spend on it."""


class Steps:
    def __init__(self, most):
        self.left = most

    def spend(self, count):
        self.left -= count
        if self.left < 0:
            raise TooMuchWork


@dataclass(frozen=True)
class Scope:
    """What patterns are evaluated over: the active graph, the named ones, and the values that EXISTS puts in place of
    variables."""
    graph: frozenset
    named: dict
    steps: Steps
    outer: dict = field(default_factory=dict)

    def with_graph(self, graph):
        return replace(self, graph=graph)

    def with_outer(self, outer):
        return replace(self, outer=outer)


def joined(one, two):
    """Section 18.3, compatible mappings: what both rows say together, or None when they contradict."""
    for name, term in two.items():
        if one.get(name, term) != term:
            return None
    return {**one, **two}


def unique(names):
    return list(dict.fromkeys(names))


def variables_of(parts):
    return unique(part.name for part in parts if isinstance(part, Variable))


# --- what matches the graph


def bound_row(pattern, terms, scope):
    """The row that makes the pattern these terms, or None."""
    row = {}
    for part, term in zip(pattern, terms):
        if isinstance(part, Variable):
            part = scope.outer.get(part.name, row.setdefault(part.name, term))
        if part != term:
            return None
    return {name: term for name, term in row.items() if name not in scope.outer}


@dataclass(frozen=True)
class Triples:
    """Section 18.3.1, a basic graph pattern without blank nodes."""
    patterns: tuple

    def rows(self, scope):
        found = [{}]
        for pattern in self.patterns:
            scope.steps.spend(len(scope.graph))
            matches = [row for triple in scope.graph if (row := bound_row(pattern, triple, scope)) is not None]
            found = join(found, matches, scope)
        return found

    def names(self):
        return variables_of(part for pattern in self.patterns for part in pattern)


@dataclass(frozen=True)
class PathPattern:
    """Section 18.4."""
    start: object
    path: object
    end: object

    def rows(self, scope):
        pairs = self.path.pairs(scope.graph, self.known(self.start, scope), self.known(self.end, scope))
        scope.steps.spend(len(pairs))
        found = [bound_row((self.start, self.end), pair, scope) for pair in pairs]
        return [row for row in found if row is not None]

    @staticmethod
    def known(part, scope):
        return scope.outer.get(part.name) if isinstance(part, Variable) else part

    def names(self):
        return variables_of((self.start, self.end))


@dataclass(frozen=True)
class GraphPattern:
    """Section 18.6, Graph: once for each named graph, joined with its name."""
    graph: object
    pattern: object

    def rows(self, scope):
        graph = self.graph
        if isinstance(graph, Variable):
            graph = scope.outer.get(graph.name, graph)
        if not isinstance(graph, Variable):
            return self.pattern.rows(scope.with_graph(scope.named[graph])) if graph in scope.named else []
        found = []
        for name, triples in scope.named.items():
            found += join(self.pattern.rows(scope.with_graph(triples)), [{graph.name: name}], scope)
        return found

    def names(self):
        return unique(self.pattern.names() + variables_of((self.graph,)))


# --- what combines patterns (section 18.5)


def join(left, right, scope):
    scope.steps.spend(len(left) * len(right))
    return [row for one in left for two in right if (row := joined(one, two)) is not None]


@dataclass(frozen=True)
class Unit:
    """The group without patterns: one row that says nothing."""

    def rows(self, scope):
        return [{}]

    def names(self):
        return []


@dataclass(frozen=True)
class Join:
    left: object
    right: object

    def rows(self, scope):
        return join(self.left.rows(scope), self.right.rows(scope), scope)

    def names(self):
        return unique(self.left.names() + self.right.names())


@dataclass(frozen=True)
class Union:
    left: object
    right: object

    def rows(self, scope):
        return self.left.rows(scope) + self.right.rows(scope)

    def names(self):
        return unique(self.left.names() + self.right.names())


@dataclass(frozen=True)
class LeftJoin:
    """The filters of an OPTIONAL's own group see both sides."""
    left: object
    right: object
    conditions: tuple

    def rows(self, scope):
        found, right = [], self.right.rows(scope)
        for one in self.left.rows(scope):
            both = [row for row in join([one], right, scope)
                    if all(holds(condition, View(row, scope)) for condition in self.conditions)]
            found += both or [one]
        return found

    def names(self):
        return unique(self.left.names() + self.right.names())


@dataclass(frozen=True)
class Minus:
    """A row goes where a row of the right side is compatible with it and shares a variable."""
    left: object
    right: object

    def rows(self, scope):
        left, right = self.left.rows(scope), self.right.rows(scope)
        scope.steps.spend(len(left) * len(right))
        return [one for one in left
                if not any(one.keys() & two.keys() and joined(one, two) is not None for two in right)]

    def names(self):
        return self.left.names()


@dataclass(frozen=True)
class Filter:
    conditions: tuple
    pattern: object

    def rows(self, scope):
        return [row for row in self.pattern.rows(scope)
                if all(holds(condition, View(row, scope)) for condition in self.conditions)]

    def names(self):
        return self.pattern.names()


def extended(row, name, expression, view):
    """Section 18.5, Extend: an error leaves the variable unbound."""
    try:
        return {**row, name: expression.value(view)}
    except ExpressionError:
        return row


@dataclass(frozen=True)
class Extend:
    pattern: object
    name: str
    expression: object

    def rows(self, scope):
        return [extended(row, self.name, self.expression, View(row, scope)) for row in self.pattern.rows(scope)]

    def names(self):
        return unique(self.pattern.names() + [self.name])


@dataclass(frozen=True)
class Values:
    """Section 18.2.2.7: rows that the query has written out, as (name, term) pairs."""
    variables: tuple
    data: tuple

    def rows(self, scope):
        rows = [dict(pairs) for pairs in self.data]
        return [{name: term for name, term in row.items() if name not in scope.outer}
                for row in rows if joined(scope.outer, row) is not None]

    def names(self):
        return list(self.variables)


# --- queries (sections 18.2.4 and 18.2.5)


@dataclass(frozen=True)
class Select:
    """`items` are (name, expression or None); no items is `*`. `groups` is None without GROUP BY. `order` are
    expressions of numbers, each downwards."""
    pattern: object
    items: tuple
    groups: tuple = None
    having: tuple = ()
    distinct: bool = False
    order: tuple = ()
    limit: int = None

    def names(self):
        return [name for name, _ in self.items] if self.items else self.pattern.names()

    def rows(self, scope):
        # A sub-select is evaluated with the values of EXISTS for what it names; the rest is hidden in it.
        names = self.names()
        scope = scope.with_outer({name: term for name, term in scope.outer.items() if name in names})
        found = self.computed(scope)
        for expression in reversed(self.order):
            found.sort(key=lambda row: order_number(expression, View(row, scope)), reverse=True)
        found = [{name: row[name] for name in names if name in row} for row in found]
        if self.distinct:
            found = list({frozenset(row.items()): row for row in found}.values())
        return found[:self.limit]

    def computed(self, scope):
        rows = self.pattern.rows(scope)
        if self.groups is not None or any(expression and has_aggregate(expression) for _, expression in self.items):
            return [row for key, group in self.grouped(rows) for row in self.group_row(key, group, scope)]
        for name, expression in self.items:
            if expression:
                rows = [extended(row, name, expression, View(row, scope)) for row in rows]
        return rows

    def grouped(self, rows):
        """Section 18.5.1: the rows by their keys; without GROUP BY all rows are one group, also when there are none."""
        names = self.groups or ()
        groups = {} if self.groups is not None else {(): []}
        for row in rows:
            groups.setdefault(tuple(row.get(name) for name in names), []).append(row)
        return [({name: term for name, term in zip(names, key) if term is not None}, group)
                for key, group in groups.items()]

    def group_row(self, key, group, scope):
        view = View(key, scope, group)
        if not all(holds(condition, view) for condition in self.having):
            return []
        row = key
        for name, expression in self.items:
            if expression:
                row = extended(row, name, expression, view)
        return [row]


def order_number(expression, view):
    """Section 15.1: what has no value comes before what has one."""
    try:
        return (1, number_of(expression.value(view)))
    except ExpressionError:
        return (0, 0)


@dataclass(frozen=True)
class Query:
    """`form` is SELECT, ASK or CONSTRUCT; `default` and `named` are what FROM and FROM NAMED list, or both None."""
    form: str
    select: Select
    template: tuple = ()
    default: tuple = None
    named: tuple = None

    def answer(self, statements, most_steps):
        """Rows, a truth value, or a set of triples. `statements` are triples and quads."""
        rows = self.select.rows(self.scope(statements, Steps(most_steps)))
        if self.form == "SELECT":
            return rows
        if self.form == "ASK":
            return bool(rows)
        made = {tuple(row.get(part.name) if isinstance(part, Variable) else part for part in pattern)
                for row in rows for pattern in self.template}
        return {triple for triple in made if is_triple(*triple)}

    def scope(self, statements, steps):
        """Section 13.2: the dataset that the query describes, or else the whole one."""
        graphs = {}
        for statement in statements:
            graphs.setdefault(statement[3] if len(statement) == 4 else None, set()).add(tuple(statement[:3]))
        default = graphs.pop(None, set())
        if self.default is not None or self.named is not None:
            default = set().union(*[graphs.get(name, set()) for name in self.default or ()])
            graphs = {name: graphs[name] for name in self.named or () if name in graphs}
        return Scope(frozenset(default), {name: frozenset(triples) for name, triples in graphs.items()}, steps)


def is_triple(subject, predicate, term):
    """Section 16.2: what a template makes of a row counts only when it is a triple."""
    return isinstance(subject, (Iri, Blank)) and isinstance(predicate, Iri) and isinstance(term, (Iri, Blank, Literal))
