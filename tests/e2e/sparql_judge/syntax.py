"""Reads a query into the algebra, as SPARQL 1.1, section 18.2, translates it.

It knows what tests/support/sparql_generator.h writes, by the recommendation's grammar (section 19.8), and refuses
the rest: an unknown word is a SyntaxFault, never a guess.
"""
import re

import algebra
import expressions
import paths
from terms import BOOLEAN, DECIMAL, INTEGER, LANGUAGE_STRING, Iri, Literal, Variable

TOKEN = re.compile(r'''\s*(?:(?P<iri><[^<>\s]*>)|(?P<string>"[^"]*")|(?P<language>@[a-zA-Z-]+)
    |(?P<variable>\?[A-Za-z]\w*)|(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z]*:\w*)
    |(?P<sign>\^\^|&&|\|\||!=|<=|>=|[{}()/|^!*+?.;,=<>])|(?P<word>[A-Za-z_]+))''', re.VERBOSE)


class SyntaxFault(Exception):
    """The text is no query of the subset that the judge knows."""


def tokens_of(text):
    found, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if match is None:
            raise SyntaxFault(f"no token at {text[at:at + 30]!r}")
        found.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return found + [("end", "")]


class Tokens:
    """The tokens of a query, and the terms that they stand for. Keywords and functions are told in upper case."""

    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.at = 0
        self.prefixes = {}

    def kind(self):
        return self.tokens[self.at][0]

    def peek(self, ahead=0):
        kind, text = self.tokens[min(self.at + ahead, len(self.tokens) - 1)]
        return text.upper() if kind == "word" else text

    def take(self):
        text = self.tokens[self.at][1]
        self.at += 1
        return text

    def accept(self, *texts):
        if all(self.peek(ahead) == text for ahead, text in enumerate(texts)):
            self.at += len(texts)
            return True
        return False

    def expect(self, text):
        if not self.accept(text):
            raise SyntaxFault(f"{text!r} was expected, and {self.peek()!r} is there")

    def name(self):
        """A variable's name."""
        if self.kind() != "variable":
            raise SyntaxFault(f"a variable was expected, and {self.peek()!r} is there")
        return self.take()[1:]

    def term(self):
        """A variable, an IRI or a literal."""
        kind, text = self.kind(), self.take()
        if kind == "variable":
            return Variable(text[1:])
        if kind == "iri":
            return Iri(text[1:-1])
        if kind == "name":
            prefix, _, rest = text.partition(":")
            return Iri(self.prefixes[prefix] + rest)
        if kind == "number":
            return Literal(text, DECIMAL if "." in text else INTEGER)
        if kind == "word" and text in ("true", "false"):
            return Literal(text, BOOLEAN)
        if kind == "string":
            return self.string(text[1:-1])
        raise SyntaxFault(f"a term was expected, and {text!r} is there")

    def string(self, text):
        if self.kind() == "language":
            return Literal(text, LANGUAGE_STRING, self.take()[1:])
        return Literal(text, self.term().text) if self.accept("^^") else Literal(text)


class Parser(Tokens):
    # --- queries

    def query(self):
        while self.accept("PREFIX"):
            prefix = self.take().rstrip(":")
            self.prefixes[prefix] = self.take()[1:-1]
        form, template = self.peek(), ()
        distinct, items = False, ()
        if self.accept("CONSTRUCT"):
            self.expect("{")
            template = self.template()
        elif self.accept("SELECT"):
            distinct, items = self.select_clause()
        else:
            self.expect("ASK")
        default, named = self.dataset_clauses()
        self.accept("WHERE")
        select = self.solution(distinct, items)
        if self.kind() != "end":
            raise SyntaxFault(f"the query goes on at {self.peek()!r}")
        return algebra.Query(form, select, template, default, named)

    def template(self):
        patterns = []
        while not self.accept("}"):
            patterns.append((self.term(), self.term(), self.term()))
            self.accept(".")
        return tuple(patterns)

    def select_clause(self):
        distinct, items = self.accept("DISTINCT"), []
        if self.accept("*"):
            return distinct, ()
        while self.kind() == "variable" or self.peek() == "(":
            if self.accept("("):
                expression = self.expression()
                self.expect("AS")
                items.append((self.name(), expression))
                self.expect(")")
            else:
                items.append((self.name(), None))
        return distinct, tuple(items)

    def dataset_clauses(self):
        default, named = [], []
        while self.accept("FROM"):
            (named if self.accept("NAMED") else default).append(self.term())
        return (tuple(default), tuple(named)) if default or named else (None, None)

    def solution(self, distinct, items):
        """The pattern of a SELECT, and its modifiers."""
        pattern = self.braced()
        groups, having, order, limit = None, [], [], None
        if self.accept("GROUP", "BY"):
            groups = []
            while self.kind() == "variable":
                groups.append(self.name())
        if self.accept("HAVING"):
            having.append(self.constraint())
        if self.accept("ORDER", "BY"):
            self.expect("DESC")
            order.append(self.constraint())
        if self.accept("LIMIT"):
            limit = int(self.take())
        return algebra.Select(pattern, items, None if groups is None else tuple(groups), tuple(having), distinct,
                              tuple(order), limit)

    # --- patterns (section 18.2.2)

    def braced(self):
        self.expect("{")
        if self.accept("SELECT"):
            pattern = self.solution(*self.select_head())
        else:
            pattern = self.group()
        self.expect("}")
        return pattern

    def select_head(self):
        clause = self.select_clause()
        self.accept("WHERE")
        return clause

    def group(self):
        """Section 18.2.2.6: the parts from left to right; the filters see the whole group."""
        pattern, filters = algebra.Unit(), []
        while self.peek() != "}":
            if self.accept("FILTER"):
                filters.append(self.constraint())
            elif not self.accept("."):
                pattern = self.part(pattern)
        return algebra.Filter(tuple(filters), pattern) if filters else pattern

    def part(self, before):
        if self.accept("OPTIONAL"):
            right = self.braced()
            if isinstance(right, algebra.Filter):
                return algebra.LeftJoin(before, right.pattern, right.conditions)
            return algebra.LeftJoin(before, right, ())
        if self.accept("MINUS"):
            return algebra.Minus(before, self.braced())
        if self.accept("BIND"):
            self.expect("(")
            expression = self.expression()
            self.expect("AS")
            name = self.name()
            self.expect(")")
            return algebra.Extend(before, name, expression)
        return algebra.Join(before, self.joined_part())

    def joined_part(self):
        if self.accept("GRAPH"):
            return algebra.GraphPattern(self.term(), self.braced())
        if self.accept("VALUES"):
            return self.values()
        if self.peek() == "{":
            pattern = self.braced()
            while self.accept("UNION"):
                pattern = algebra.Union(pattern, self.braced())
            # A group of its own, so that the filters in it are not those of an OPTIONAL around it.
            return algebra.Join(algebra.Unit(), pattern)
        return self.triples()

    def values(self):
        self.expect("(")
        names, rows = [], []
        while not self.accept(")"):
            names.append(self.name())
        self.expect("{")
        while not self.accept("}"):
            self.expect("(")
            cells = [(name, None if self.accept("UNDEF") else self.term()) for name in names]
            rows.append(tuple((name, term) for name, term in cells if term is not None))
            self.expect(")")
        return algebra.Values(tuple(names), tuple(rows))

    def triples(self):
        """Section 18.2.2.5: the triples up to the next other part are one basic graph pattern, paths stand beside."""
        patterns, beside = [], []
        while self.kind() in ("variable", "iri", "name", "number", "string"):
            start = self.term()
            verb = self.term() if self.kind() == "variable" else self.path()
            end = self.term()
            if isinstance(verb, paths.Link):
                verb = verb.predicate
            if isinstance(verb, (Variable, Iri)):
                patterns.append((start, verb, end))
            else:
                beside.append(algebra.PathPattern(start, verb, end))
            self.accept(".")
        if not patterns and not beside:
            raise SyntaxFault(f"a pattern was expected, and {self.peek()!r} is there")
        pattern = algebra.Triples(tuple(patterns))
        for path in beside:
            pattern = algebra.Join(pattern, path)
        return pattern

    # --- paths (section 9.1)

    def path(self):
        path = self.path_sequence()
        while self.accept("|"):
            path = paths.Alternative(path, self.path_sequence())
        return path

    def path_sequence(self):
        path = self.path_step()
        while self.accept("/"):
            path = paths.Sequence(path, self.path_step())
        return path

    def path_step(self):
        if self.accept("^"):
            return paths.Inverse(self.path_step())
        if self.accept("!"):
            return self.negated_set()
        if self.accept("("):
            path = self.path()
            self.expect(")")
        else:
            path = paths.Link(self.term())
        if self.accept("?"):
            return paths.ZeroOrOne(path)
        if self.peek() in ("*", "+"):
            return paths.Repeat(path, one_step_at_least=self.take() == "+")
        return path

    def negated_set(self):
        forward, backward = [], []
        grouped = self.accept("(")
        while True:
            (backward if self.accept("^") else forward).append(self.term())
            if not grouped or self.accept(")"):
                break
            self.expect("|")
        return paths.NegatedSet(tuple(forward) if forward else None, tuple(backward) if backward else None)

    # --- expressions

    def constraint(self):
        if self.peek() in ("EXISTS", "NOT"):
            return self.primary()
        self.expect("(")
        expression = self.expression()
        self.expect(")")
        return expression

    def expression(self):
        one = self.conjunction()
        while self.accept("||"):
            one = expressions.Logical(one, self.conjunction(), decides=True)
        return one

    def conjunction(self):
        one = self.relation()
        while self.accept("&&"):
            one = expressions.Logical(one, self.relation(), decides=False)
        return one

    def relation(self):
        one = self.addition()
        if self.peek() in ("=", "!=", "<", "<=", ">", ">="):
            return expressions.Comparison(self.take(), one, self.addition())
        if self.accept("NOT", "IN"):
            return expressions.Not(expressions.In(one, self.list()))
        return expressions.In(one, self.list()) if self.accept("IN") else one

    def list(self):
        self.expect("(")
        items = []
        while not self.accept(")"):
            items.append(self.expression())
            self.accept(",")
        return tuple(items)

    def addition(self):
        one = self.multiplication()
        while self.accept("+"):
            one = expressions.Arithmetic("+", one, self.multiplication())
        return one

    def multiplication(self):
        one = self.unary()
        while self.accept("*"):
            one = expressions.Arithmetic("*", one, self.unary())
        return one

    def unary(self):
        return expressions.Not(self.unary()) if self.accept("!") else self.primary()

    def primary(self):
        if self.accept("("):
            expression = self.expression()
            self.expect(")")
            return expression
        if self.accept("NOT", "EXISTS"):
            return expressions.Not(expressions.Exists(self.braced()))
        if self.accept("EXISTS"):
            return expressions.Exists(self.braced())
        if self.kind() == "variable":
            return expressions.VariableValue(self.name())
        if self.kind() == "word" and self.peek() not in ("TRUE", "FALSE"):
            return self.call()
        return expressions.Constant(self.term())

    def call(self):
        name = self.peek()
        self.take()
        if name in expressions.AGGREGATES:
            return self.aggregate(name)
        if name in expressions.FORMS:
            return expressions.FORMS[name](self.list())
        if name in expressions.FUNCTIONS:
            return expressions.Call(name, self.list())
        raise SyntaxFault(f"the judge does not know {name}")

    def aggregate(self, name):
        self.expect("(")
        distinct, separator = self.accept("DISTINCT"), " "
        operand = None if self.accept("*") else self.expression()
        if self.accept(";"):
            self.expect("SEPARATOR")
            self.expect("=")
            separator = self.take()[1:-1]
        self.expect(")")
        return expressions.Aggregate(name, operand, distinct, separator)


def parse(text):
    return Parser(text).query()
