#!/usr/bin/env python3
"""The judge of SPARQL answers (tests/e2e/sparql_judge) on queries whose answers can be seen in the recommendation."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

JUDGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e", "sparql_judge")
sys.path.insert(0, JUDGE)
sys.dont_write_bytecode = True

from algebra import TooMuchWork  # noqa: E402
from answers import canonical_answer, canonical_result, lines_of  # noqa: E402
from syntax import SyntaxFault, parse  # noqa: E402
from terms import statements_of  # noqa: E402

PREFIX = "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def quads(text):
    """N-Quads from lines such as "a p b g": words are IRIs, numbers are integers, "x" are strings."""
    def term(word):
        if word.isdigit():
            return f'"{word}"^^<{INTEGER}>'
        return word if word[0] in '"_' else f"<http://e/{word}>"
    return "".join(" ".join(map(term, line.split())) + " .\n" for line in text.strip().split("\n"))


CHAIN = quads("a p b\nb p c\nc p a\na q 1\nb q 2\nc q \"x\"")


def answer(query, data=CHAIN, steps=10**6):
    parsed = parse(PREFIX + query)
    return parsed, parsed.answer(statements_of(data), steps)


def rows(query, data=CHAIN):
    """The rows as short texts, sorted: "x=a y=1"."""
    parsed, result = answer(query, data)
    short = [line.replace("<http://e/", "").replace(">", "").replace(" integer", "")
             for line in lines_of(canonical_result(parsed.form, result))]
    return sorted(short)


class Patterns(unittest.TestCase):
    def test_a_join_over_two_triples(self):
        self.assertEqual(rows("SELECT ?x ?n { ?x :p ?y . ?y :q ?n FILTER(?n > 1) }"), ["n=2 x=a"])

    def test_an_optional_in_an_optional_sees_only_its_own_side(self):
        # The inner OPTIONAL has no ?x: its filter is an error there, and nothing is added.
        self.assertEqual(rows("SELECT ?k { :a :q ?n OPTIONAL { :b :q ?m OPTIONAL { :c :q ?k FILTER(?n = 1) } } }"),
                         [""])

    def test_the_filter_of_an_optional_sees_both_sides(self):
        self.assertEqual(rows("SELECT ?m { :a :q ?n OPTIONAL { :b :q ?m FILTER(?m > ?n) } }"), ["m=2"])
        self.assertEqual(rows("SELECT ?m { :a :q ?n OPTIONAL { { :b :q ?m FILTER(?m > ?n) } } }"), [""])

    def test_minus_needs_a_variable_in_common(self):
        self.assertEqual(len(rows("SELECT ?x { ?x :p ?y MINUS { ?u :q ?w } }")), 3)
        self.assertEqual(rows("SELECT ?x { ?x :p ?y MINUS { ?x :q \"x\" } }"), ["x=a", "x=b"])

    def test_values_may_leave_variables_open(self):
        self.assertEqual(rows("SELECT * { ?x :p ?y VALUES (?x ?y) { (:a UNDEF) (UNDEF :c) } }"),
                         ["x=a y=b", "x=b y=c"])

    def test_a_sub_select_hides_what_it_does_not_name(self):
        self.assertEqual(rows("SELECT ?x ?n { :a :q ?n { SELECT ?x { ?x :q ?n } } FILTER(?x = :b) }"), ["n=1 x=b"])

    def test_exists_sees_the_row(self):
        self.assertEqual(rows("SELECT ?x { ?x :p ?y FILTER NOT EXISTS { ?y :q 2 } }"), ["x=b", "x=c"])

    def test_a_graph_is_joined_with_its_name(self):
        data = quads("a p b g1\nb p c g2\ng1 p c g1")
        self.assertEqual(rows("SELECT * { GRAPH ?g { ?x :p ?y } }", data),
                         ["g=g1 x=a y=b", "g=g1 x=g1 y=c", "g=g2 x=b y=c"])
        self.assertEqual(rows("SELECT * { GRAPH ?g { ?g :p ?y } }", data), ["g=g1 y=c"])
        self.assertEqual(rows("SELECT * { GRAPH ?g { } }", data), ["g=g1", "g=g2"])

    def test_from_merges(self):
        data = quads("a p b g1\na p b g2\nb p c")
        self.assertEqual(rows("SELECT * FROM :g1 FROM :g2 { ?x :p ?y }", data), ["x=a y=b"])


class Paths(unittest.TestCase):
    def test_alternatives_and_sequences_count_every_way(self):
        data = quads("a p b\na q b\na p c\nc p d\nb p d")
        self.assertEqual(rows("SELECT * { :a :p|:q ?y }", data), ["2 x y=b", "y=c"])
        self.assertEqual(rows("SELECT * { :a :p/:p ?y }", data), ["2 x y=d"])
        self.assertEqual(rows("SELECT * { :a (:p/:p)? :d }", data), [""])

    def test_repeats_count_nodes(self):
        self.assertEqual(rows("SELECT ?y { :a :p+ ?y }"), ["y=a", "y=b", "y=c"])
        self.assertEqual(len(rows("SELECT * { ?x :p* ?y }")), 9 + 3)

    def test_no_step_stands_at_a_constant_that_the_graph_lacks(self):
        self.assertEqual(rows("SELECT * { :z :p* ?y }"), ["y=z"])
        self.assertEqual(rows("SELECT * { ?x :p? :z }"), ["x=z"])
        self.assertEqual(rows("SELECT * { :z :p+ ?y }"), [])

    def test_negated_sets_go_both_ways(self):
        data = quads("a p b\na q c")
        self.assertEqual(rows("SELECT * { ?x !:p ?y }", data), ["x=a y=c"])
        self.assertEqual(rows("SELECT * { ?x !^:p ?y }", data), ["x=c y=a"])
        self.assertEqual(rows("SELECT * { ?x !(:p|^:q) ?y }", data), ["x=a y=c", "x=b y=a"])


class Expressions(unittest.TestCase):
    def value(self, expression):
        return rows("SELECT ?v { BIND(" + expression + " AS ?v) }", CHAIN)

    def test_errors_are_values(self):
        self.assertEqual(self.value("?none || true"), ['v="true"^^<http://www.w3.org/2001/XMLSchema#boolean'])
        self.assertEqual(self.value("?none && true"), [""])
        self.assertEqual(self.value("COALESCE(?none + 1, 7)"), ["v=7"])
        self.assertEqual(self.value("1 IN (?none, 1)"), self.value("true"))
        self.assertEqual(self.value("1 IN (?none, 2)"), [""])

    def test_iris_have_no_order(self):
        self.assertEqual(self.value(":a >= :a"), [""])
        self.assertEqual(self.value(":a = :a"), self.value("true"))

    def test_numbers_are_exact(self):
        self.assertEqual(self.value("2.5 * 2"), ["v=5 decimal"])
        self.assertEqual(self.value("2 + 1"), ["v=3"])

    def test_other_types_are_other_values(self):
        self.assertEqual(self.value("1 = \"x\""), self.value("false"))
        self.assertEqual(self.value("STRLEN(STR(:a)) = 10"), self.value("true"))

    def test_texts_of_one_language_have_an_order(self):
        self.assertEqual(len(rows('SELECT * { FILTER("a"@en <= "b"@EN) }')), 1)
        self.assertEqual(len(rows('SELECT * { FILTER("a"@en <= "b"@de) }')), 0)
        self.assertEqual(len(rows('SELECT * { FILTER("a"@en <= "b") }')), 0)


class Aggregates(unittest.TestCase):
    def test_all_rows_are_one_group_also_when_there_are_none(self):
        self.assertEqual(rows("SELECT (COUNT(*) AS ?n) (SUM(?x) AS ?s) (MIN(?x) AS ?m) { ?x :none ?y }"), ["n=0 s=0"])
        self.assertEqual(rows("SELECT (COUNT(*) AS ?n) { ?x :none ?y } GROUP BY ?x"), [])

    def test_an_error_spoils_a_sum_and_no_count(self):
        self.assertEqual(rows("SELECT (SUM(?n) AS ?s) (COUNT(?n) AS ?c) { ?x :q ?n }"), ["c=3"])
        self.assertEqual(rows("SELECT (AVG(?n) AS ?s) { ?x :q ?n FILTER(isNumeric(?n)) }"), ["s=1.5 decimal"])

    def test_having(self):
        self.assertEqual(rows("SELECT ?p { ?x ?p ?y } GROUP BY ?p HAVING(COUNT(DISTINCT ?y) > 2)"), ["p=p", "p=q"])


class Forms(unittest.TestCase):
    def test_ask_and_construct(self):
        self.assertTrue(answer("ASK { :a :p :b }")[1])
        # A literal is no subject: that triple is left out.
        self.assertEqual(len(answer("CONSTRUCT { ?n :of ?x . ?x :has ?n } WHERE { ?x :q ?n }")[1]), 3)

    def test_the_greatest_first(self):
        self.assertEqual(rows("SELECT DISTINCT ?n { ?x :q ?n FILTER(isNumeric(?n)) } ORDER BY DESC(?n) LIMIT 1"),
                         ["n=2"])

    def test_what_is_not_known_is_refused(self):
        for query in ("SELECT * { ?x :p ?y", "SELECT * { ?x :p }", "SELECT (RAND() AS ?r) { }", "DESCRIBE :a"):
            with self.assertRaises(SyntaxFault, msg=query):
                answer(query)

    def test_too_much_work_ends(self):
        with self.assertRaises(TooMuchWork):
            answer("SELECT * { ?a :p ?b . ?c :p ?d . ?e :p ?f . ?g :p ?h }", steps=50)


class Answers(unittest.TestCase):
    def test_tsv(self):
        one = canonical_answer("SELECT", "?x\t?y\n<http://e/a>\t2.50\n\t\"x\"@en\n")
        two = canonical_answer("SELECT", "?y\t?x\n\"x\"@en\t\n2.5\t<http://e/a>\n")
        self.assertEqual(one, two)
        self.assertNotEqual(one, canonical_answer("SELECT", "?x\t?y\n<http://e/a>\t2.5\n"))

    def test_an_integer_is_no_decimal(self):
        self.assertNotEqual(canonical_answer("SELECT", "?x\n2\n"), canonical_answer("SELECT", "?x\n2.0\n"))


class Program(unittest.TestCase):
    QUERY = PREFIX + "SELECT ?y { :a :p ?y }"
    RIGHT, WRONG = "?y\n<http://e/b>\n", "?y\n"

    def judge(self, ours, theirs):
        with tempfile.TemporaryDirectory() as folder:
            cases, answers = os.path.join(folder, "cases"), os.path.join(folder, "answers")
            with open(cases, "w", encoding="utf-8") as stream:
                print(json.dumps({"quads": CHAIN, "queries": [self.QUERY], "answers": [ours]}), file=stream)
            with open(answers, "w", encoding="utf-8") as stream:
                print(json.dumps([theirs]), file=stream)
            program = [sys.executable, "-B", os.path.join(JUDGE, "judge.py")]
            ran = subprocess.run([*program, cases, answers, "--every", "1"], capture_output=True, text=True, check=False)
            return ran.returncode, ran.stdout

    def test_who_is_wrong(self):
        code, text = self.judge(self.RIGHT, self.WRONG)
        self.assertEqual(code, 0)
        self.assertIn("wrong: Anima 0, Oxigraph 1;", text)
        code, text = self.judge(self.WRONG, self.RIGHT)
        self.assertEqual(code, 1)
        self.assertIn("y=<http://e/b>\nAnima says\nno rows", text)
        self.assertEqual(self.judge(self.RIGHT, "! a fault")[0], 0)
        self.assertEqual(self.judge("! a fault", self.RIGHT)[0], 1)

    def test_two_that_are_wrong_alike(self):
        code, text = self.judge(self.WRONG, self.WRONG)
        self.assertEqual(code, 1)
        self.assertIn("wrong: Anima 1, Oxigraph 1;", text)


if __name__ == "__main__":
    unittest.main()
