"""Property paths of SPARQL 1.1, section 18.4, from their definitions: each path gives pairs of ends.

`pairs(graph, start, end)` is a list, since most paths count every way; an end that is None is a variable. A graph is
a set of triples.
"""
from dataclasses import dataclass


def nodes(graph):
    """Section 18.4: what is the subject or the object of a triple."""
    return {triple[0] for triple in graph} | {triple[2] for triple in graph}


def among(pairs, start, end):
    return [(one, two) for one, two in pairs if start in (None, one) and end in (None, two)]


@dataclass(frozen=True)
class Link:
    predicate: object

    def pairs(self, graph, start, end):
        return among([(s, o) for s, p, o in graph if p == self.predicate], start, end)


@dataclass(frozen=True)
class NegatedSet:
    """Forwards over what `forward` does not have, and backwards over what `backward` does not. `!^p` alone has no
    forward part: that part is None."""
    forward: tuple
    backward: tuple

    def pairs(self, graph, start, end):
        found = []
        if self.forward is not None:
            found += [(s, o) for s, p, o in graph if p not in self.forward]
        if self.backward is not None:
            found += [(o, s) for s, p, o in graph if p not in self.backward]
        return among(found, start, end)


@dataclass(frozen=True)
class Inverse:
    path: object

    def pairs(self, graph, start, end):
        return [(one, two) for two, one in self.path.pairs(graph, end, start)]


@dataclass(frozen=True)
class Alternative:
    one: object
    two: object

    def pairs(self, graph, start, end):
        return self.one.pairs(graph, start, end) + self.two.pairs(graph, start, end)


@dataclass(frozen=True)
class Sequence:
    """A join over a variable in the middle, which nothing else names."""
    first: object
    second: object

    def pairs(self, graph, start, end):
        ways = {}
        for middle, two in self.second.pairs(graph, None, end):
            ways.setdefault(middle, []).append(two)
        return [(one, two) for one, middle in self.first.pairs(graph, start, None) for two in ways.get(middle, ())]


def ends_of_no_step(graph, start, end):
    """Section 18.4, ZeroLengthPath: a term of the query stands there also when the graph does not have it."""
    if start is None and end is None:
        return {(node, node) for node in nodes(graph)}
    known = start if start is not None else end
    return {(known, known)} if end in (None, known) else set()


@dataclass(frozen=True)
class ZeroOrOne:
    path: object

    def pairs(self, graph, start, end):
        return list(ends_of_no_step(graph, start, end) | set(self.path.pairs(graph, start, end)))


def reached(path, graph, todo, forwards):
    """Section 18.4, ALP: all nodes from `todo` on by any number of steps, each once."""
    seen = set()
    todo = list(todo)
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += one_step(path, graph, node, forwards)
    return seen


def one_step(path, graph, node, forwards):
    if forwards:
        return [two for _, two in path.pairs(graph, node, None)]
    return [one for one, _ in path.pairs(graph, None, node)]


@dataclass(frozen=True)
class Repeat:
    """`*`, or `+` when there has to be one step."""
    path: object
    one_step_at_least: bool

    def pairs(self, graph, start, end):
        if start is None and end is not None:
            return [(one, end) for one in self.from_node(graph, end, forwards=False)]
        starts = nodes(graph) if start is None else [start]
        found = [(one, two) for one in starts for two in self.from_node(graph, one, forwards=True)]
        return among(found, start, end)

    def from_node(self, graph, node, forwards):
        first = one_step(self.path, graph, node, forwards) if self.one_step_at_least else [node]
        return reached(self.path, graph, first, forwards)
