#!/usr/bin/env python3
"""Runs the W3C's SPARQL test suites through the program `anima`.

    python3 tools/w3c_sparql.py SUITES [--anima PROGRAM] [--only TEXT] [--list] [-v]

SUITES is a folder with manifest.ttl files below it, such as data-sparql11 and data-r2 of
https://www.w3.org/2009/sparql/docs/tests/ (docs/sparql_conformance.md says how to get them). Nothing else is
needed: `anima sparql` reads the manifests, the expected graphs and the data, as it answers the tests.

Of each test it prints what failed, then a table by suite. Exit code 1 when a test failed that is not known to be
outdated.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as xml
from collections import Counter, defaultdict
from decimal import Decimal, InvalidOperation

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
DAWG = "http://www.w3.org/2001/sw/DataAccess/tests/test-dawg#"
QT = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
UT = "http://www.w3.org/2009/sparql/tests/test-update#"
RS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
XSD = "http://www.w3.org/2001/XMLSchema#"

# Suites of other things than the query and update languages, or that need a server of others.
OTHER_SUITES = {"service", "service-description", "protocol", "http-rdf-update", "entailment"}

# Tests that contradict the recommendations of today, by the end of their folder and name.
OUTDATED = {
    # RDF 1.1 has one type of plain strings: STRLANG, STRDT and CONCAT take xsd:string, and "a" is "a"^^xsd:string.
    "functions/strdt01": "RDF 1.1", "functions/strdt03": "RDF 1.1", "functions/strlang01": "RDF 1.1",
    "functions/strlang03": "RDF 1.1", "functions/concat02": "RDF 1.1",
}


class Broken(Exception):
    """What the program said instead of an answer."""


class Anima:
    def __init__(self, program):
        self.program = program
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("ANIMA_")}

    def sparql(self, *arguments):
        ran = subprocess.run([self.program, "sparql", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, timeout=120, env=self.environment, check=False)
        if ran.returncode != 0:
            raise Broken(ran.stderr.strip() or f"exit code {ran.returncode}")
        return ran.stdout

    def graph(self, file, base=None):
        """The triples of a file, as lists of terms as SPARQL's JSON results write them."""
        answer = json.loads(self.sparql("SELECT ?s ?p ?o { ?s ?p ?o }", "--default-graph",
                                        f"{file}={base or iri_of(file)}", "--format", "json"))
        return [[row["s"], row["p"], row["o"]] for row in answer["results"]["bindings"]]


def iri_of(file):
    return pathlib.Path(file).resolve().as_uri()


def path_of(iri):
    return urllib.parse.unquote(urllib.parse.urlparse(iri).path)


# --- manifests


class Things:
    """The triples of a manifest, by subject and predicate."""

    def __init__(self, triples):
        self.said = defaultdict(list)
        self.subjects = []
        for subject, predicate, obj in triples:
            key = self.key(subject)
            if key not in self.said:
                self.subjects.append(subject)
            self.said[key].append((predicate["value"], obj))

    @staticmethod
    def key(term):
        return (term["type"], term["value"])

    def all(self, subject, predicate):
        return [obj for name, obj in self.said.get(self.key(subject), []) if name == predicate]

    def one(self, subject, predicate):
        found = self.all(subject, predicate)
        return found[0] if found else None


class Test:
    def __init__(self, things, subject, manifest):
        self.suite = manifest.parent.name
        kinds = [term["value"].split("#")[-1] for term in things.all(subject, RDF + "type")]
        self.kind = next((kind for kind in kinds if kind.endswith(("Test", "Test11"))), "QueryEvaluationTest")
        action = things.one(subject, MF + "action")
        result = things.one(subject, MF + "result")
        self.withdrawn = any(term["value"].endswith(("NotClassified", "Withdrawn", "Obsoleted"))
                             for term in things.all(subject, DAWG + "approval"))
        about = UT if self.is_update() else QT
        request = things.one(action, about + "request") or things.one(action, about + "query")
        self.request = path_of((request or action)["value"])
        self.default_graphs = [path_of(term["value"]) for term in things.all(action, about + "data")]
        self.named_graphs = self.graphs_of(things, action, about)
        self.result = path_of(result["value"]) if result and result["type"] == "uri" else None
        self.result_graphs = {}
        if self.is_update() and result:
            files = [path_of(term["value"]) for term in things.all(result, UT + "data")]
            self.result_graphs = {"": files} if files else {}
            for file, name in self.graphs_of(things, result, UT):
                self.result_graphs.setdefault(name, []).append(file)
        label = things.one(subject, MF + "name")
        name = subject["value"].split("#")[-1] if subject["type"] == "uri" else ""
        self.name = f"{self.suite}/{name or (label or {}).get('value', pathlib.Path(self.request).stem)}"

    def is_update(self):
        return "Update" in self.kind

    def is_syntax(self):
        return "Syntax" in self.kind

    @staticmethod
    def graphs_of(things, subject, about):
        graphs = []
        for term in things.all(subject, about + "graphData"):
            file = things.one(term, about + "graph")
            if file is None:
                graphs.append((path_of(term["value"]), term["value"]))
            else:
                label = things.one(term, RDFS + "label")
                graphs.append((path_of(file["value"]), (label or file)["value"]))
        return graphs


def tests_of(anima, folder):
    for manifest in sorted(folder.rglob("manifest.ttl")):
        if manifest.parent.name in OTHER_SUITES:
            continue
        things = Things(anima.graph(manifest))
        for subject in things.subjects:
            if things.one(subject, MF + "action") is not None:
                yield Test(things, subject, manifest)


# --- comparing


def number_key(text, datatype):
    """One text for each value of a number, as the suites compare them."""
    kind = datatype[len(XSD):] if datatype.startswith(XSD) else ""
    try:
        if kind in ("double", "float"):
            return repr(float(text.replace("INF", "inf")))
        if kind == "decimal":
            return str(Decimal(text).normalize() + 0)
        if kind == "integer":
            return str(int(text))
    except (ValueError, InvalidOperation):
        pass
    return None


def term_key(term):
    """What two equal terms have in common; a blank node stays its label."""
    if term is None:
        return None
    if term["type"] == "bnode":
        return ("bnode", term["value"])
    if term["type"] == "uri":
        return ("uri", term["value"])
    datatype = term.get("datatype", "")
    if datatype in (XSD + "string", RDF + "langString"):
        datatype = ""
    number = number_key(term["value"], datatype)
    return ("literal", number or term["value"], datatype, (term.get("xml:lang") or "").lower())


def is_blank(key):
    return isinstance(key, tuple) and key[0] == "bnode"


def same_bag(some, others):
    """Equal as bags of rows, but for the names of blank nodes."""
    if len(some) != len(others):
        return False
    shape = lambda row: tuple("blank" if is_blank(key) else key for key in row)
    if Counter(map(shape, some)) != Counter(map(shape, others)):
        return False
    by_shape = defaultdict(list)
    for place, row in enumerate(others):
        by_shape[shape(row)].append(place)
    # Rows with few candidates and many blank nodes first: what they settle rules out most of the rest.
    order = sorted((row for row in some if any(map(is_blank, row))),
                   key=lambda row: (len(by_shape[shape(row)]), -sum(map(is_blank, row))))
    used, forth, back = set(), {}, {}
    steps = 0

    def settle(at):
        nonlocal steps
        if at == len(order):
            return True
        for place in by_shape[shape(order[at])]:
            steps += 1
            if place in used or steps > 1_000_000:
                continue
            made = []
            for mine, theirs in zip(order[at], others[place]):
                if not is_blank(mine):
                    continue
                if forth.get(mine, theirs) != theirs or back.get(theirs, mine) != mine:
                    break
                if mine not in forth:
                    forth[mine], back[theirs] = theirs, mine
                    made.append((mine, theirs))
            else:
                used.add(place)
                if settle(at + 1):
                    return True
                used.discard(place)
            for mine, theirs in made:
                del forth[mine], back[theirs]
        return False

    sys.setrecursionlimit(10_000)
    return settle(0)


def graph_rows(triples):
    return list({tuple(term_key(term) for term in triple) for triple in triples})


# --- expected results


def rows_of_xml(file):
    space = "{http://www.w3.org/2005/sparql-results#}"
    root = xml.parse(file).getroot()
    truth = root.find(space + "boolean")
    if truth is not None:
        return {"boolean": truth.text.strip() == "true"}
    rows = []
    for result in root.iter(space + "result"):
        row = {}
        for binding in result.iter(space + "binding"):
            value = binding[0]
            kind = value.tag[len(space):]
            term = {"type": kind, "value": value.text or ""}
            if "datatype" in value.attrib:
                term["datatype"] = value.attrib["datatype"]
            language = value.attrib.get("{http://www.w3.org/XML/1998/namespace}lang")
            if language:
                term["xml:lang"] = language
            row[binding.attrib["name"]] = term
        rows.append(row)
    return {"head": {"vars": [v.attrib["name"] for v in root.iter(space + "variable")]}, "results": {"bindings": rows}}


def rows_of_graph(triples):
    """The result set that a graph describes; None where it describes none."""
    things = Things(triples)
    sets = [subject for subject in things.subjects
            if any(term["value"] == RS + "ResultSet" for term in things.all(subject, RDF + "type"))]
    if not sets:
        return None
    truth = things.one(sets[0], RS + "boolean")
    if truth is not None:
        return {"boolean": truth["value"] == "true"}
    solutions = things.all(sets[0], RS + "solution")
    ordered = any(things.one(solution, RS + "index") for solution in solutions)
    if ordered:
        solutions.sort(key=lambda solution: int(things.one(solution, RS + "index")["value"]))
    rows = [{things.one(binding, RS + "variable")["value"]: things.one(binding, RS + "value")
             for binding in things.all(solution, RS + "binding")} for solution in solutions]
    names = [term["value"] for term in things.all(sets[0], RS + "resultVariable")]
    return {"head": {"vars": names, "ordered": ordered}, "results": {"bindings": rows}}


# --- running


class Runner:
    def __init__(self, anima):
        self.anima = anima

    def dataset(self, test):
        arguments = []
        for file in test.default_graphs:
            arguments += ["--default-graph", f"{file}={iri_of(file)}"]
        named = list(test.named_graphs)
        if not test.default_graphs and not named and not test.is_update():
            # FROM and FROM NAMED name files beside the query.
            text = pathlib.Path(test.request).read_text(encoding="utf-8")
            for name in re.findall(r"FROM\s+(?:NAMED\s+)?<([^>]*)>", text, re.IGNORECASE):
                file = pathlib.Path(test.request).parent / name
                if file.exists():
                    named.append((str(file), iri_of(file)))
        for file, name in named:
            arguments += ["--named-graph", f"{file}={name}"]
        if not arguments:  # an empty dataset is one, too
            arguments = ["--default-graph", os.devnull + "=http://example.org/"]
        return arguments

    def run(self, test):
        """None, or why the test failed."""
        try:
            if test.is_syntax():
                return self.syntax(test)
            if test.is_update():
                return self.update(test)
            return self.query(test)
        except Broken as broken:
            return str(broken)
        except subprocess.TimeoutExpired:
            return "no answer within two minutes"
        except (OSError, ValueError, xml.ParseError) as error:
            return f"a file of the test cannot be read: {error}"

    def syntax(self, test):
        arguments = ["-f", test.request, "--check", "--base", iri_of(test.request)]
        if test.is_update():
            arguments.append("--update")
        try:
            self.anima.sparql(*arguments)
        except Broken as broken:
            return None if "Negative" in test.kind else str(broken)
        return "a faulty text is taken" if "Negative" in test.kind else None

    def update(self, test):
        written = self.anima.sparql("-f", test.request, "--update", "--base", iri_of(test.request), "--load-root",
                                    str(pathlib.Path(test.request).parent), *self.dataset(test))
        got = self.quads(written)
        want = {name: [triple for file in files for triple in self.anima.graph(file)]
                for name, files in test.result_graphs.items()}
        for name in sorted(set(got) | set(want)):
            if not same_bag(graph_rows(got.get(name, [])), graph_rows(want.get(name, []))):
                return f"the graph {name or 'by default'} differs: {got.get(name)}"
        return None

    def quads(self, text):
        """N-Quads that the program printed, read by it."""
        graphs = defaultdict(list)
        query = "SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"
        with tempfile.NamedTemporaryFile("w", suffix=".nq", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            answer = json.loads(self.anima.sparql(query, "--default-graph", file.name, "--format", "json"))
        for row in answer["results"]["bindings"]:
            graphs[row["g"]["value"] if "g" in row else ""].append([row["s"], row["p"], row["o"]])
        return graphs

    def query(self, test):
        arguments = ["-f", test.request, "--base", iri_of(test.request), *self.dataset(test)]
        if test.result is None:  # it only has to be answered
            self.anima.sparql(*arguments)
            return None
        ending = pathlib.Path(test.result).suffix
        if ending in (".csv", ".tsv"):
            return self.texts(self.anima.sparql(*arguments, "--format", ending[1:]), test)
        if ending in (".srj", ".srx"):
            want = rows_of_xml(test.result) if ending == ".srx" else json.loads(
                pathlib.Path(test.result).read_text(encoding="utf-8"))
            return self.rows(json.loads(self.anima.sparql(*arguments, "--format", "json")), want, test)
        triples = self.anima.graph(test.result)
        want = rows_of_graph(triples)
        if want is not None:
            return self.rows(json.loads(self.anima.sparql(*arguments, "--format", "json")), want, test)
        got = self.quads(self.anima.sparql(*arguments, "--format", "nquads")).get("", [])
        return None if same_bag(graph_rows(got), graph_rows(triples)) else f"another graph: {got}"

    @staticmethod
    def texts(got, test):
        want = pathlib.Path(test.result).read_text(encoding="utf-8")
        # Labels of blank nodes are free, and a plain string may say its type.
        got, want = ([re.sub(r"_:\w+", "_:b", line).replace(f"^^<{XSD}string>", "") for line in text.splitlines()]
                     for text in (got, want))
        numbers = lambda line: re.sub(r"(?<![\w.])([+-]?\d+\.\d+|[+-]?\d+(?:\.\d*)?[eE][+-]?\d+)(?![\w.])",
                                      lambda found: repr(float(found.group())), line)
        if [got[0]] + sorted(map(numbers, got[1:])) == [want[0]] + sorted(map(numbers, want[1:])):
            return None
        return f"another text: {got}"

    @staticmethod
    def rows(got, want, test):
        if "boolean" in want or "boolean" in got:
            return None if got.get("boolean") == want.get("boolean") else f"the answer is {got.get('boolean')}"
        names = sorted(want["head"]["vars"])
        if sorted(got["head"]["vars"]) != names:
            return f"the variables are {got['head']['vars']}"
        mine, theirs = ([tuple(term_key(row.get(name)) for name in names) for row in answer["results"]["bindings"]]
                        for answer in (got, want))
        if test.suite == "reduced" and set(mine) == set(theirs):
            return None
        if want["head"].get("ordered"):
            same = len(mine) == len(theirs) and all(same_bag([one], [two]) for one, two in zip(mine, theirs))
            return None if same else f"another order: {mine}"
        return None if same_bag(mine, theirs) else f"other rows: {mine}"


def outdated(test):
    return OUTDATED.get(test.name)


def report(results, verbose):
    by_suite = defaultdict(Counter)
    failed = 0
    for test, why in results:
        state = "passed" if why is None else "outdated" if outdated(test) or test.withdrawn else "failed"
        by_suite[test.suite][state] += 1
        if state == "failed":
            failed += 1
            print(f"FAILED {test.name} ({pathlib.Path(test.request).name}): {why[:2000]}")
        elif verbose:
            print(f"{state} {test.name}")
    print(f"{'suite':28}{'passed':>8}{'failed':>8}{'outdated':>10}")
    total = Counter()
    for suite in sorted(by_suite):
        total += by_suite[suite]
        line = by_suite[suite]
        print(f"{suite:28}{line['passed']:8}{line['failed']:8}{line['outdated']:10}")
    print(f"{'all':28}{total['passed']:8}{total['failed']:8}{total['outdated']:10}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", type=pathlib.Path)
    parser.add_argument("--anima", default=os.environ.get("ANIMA", "anima"), help="the program (default: anima)")
    parser.add_argument("--only", default="", help="only tests with this in their name")
    parser.add_argument("--list", action="store_true", help="only name the tests")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the tests that passed, too")
    arguments = parser.parse_args()
    anima = Anima(arguments.anima)
    tests = [test for test in tests_of(anima, arguments.suites) if arguments.only in test.name]
    if not tests:
        sys.exit(f"no tests below {arguments.suites}")
    if arguments.list:
        print("\n".join(test.name for test in tests))
        return
    runner = Runner(anima)
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = list(zip(tests, pool.map(runner.run, tests)))
    sys.exit(1 if report(results, arguments.verbose) else 0)


if __name__ == "__main__":
    main()
