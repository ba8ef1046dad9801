#!/usr/bin/env python3
"""One peer on the campus graph: loads it, asks the questions, prints one JSON line a question: the median time in
milliseconds and the rows as sorted text.

usage: peers.py sqlite|kuzu|oxigraph|virtuoso DATADIR [QUESTION...]
"""
import csv
import json
import re
import statistics
import sys
import time
import warnings

from questions import POINT, questions
from virtuoso_server import GRAPH, VirtuosoServer

NS, ID = "http://campus.bench/ns#", "http://campus.bench/id/"
INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
ENOUGH_MS, MOST = 300, 200  # how long, and how often, a question is asked


def now():
    return time.perf_counter() * 1e3


def local(iri):
    return re.split(r"[/#]", iri.strip("<>"))[-1]


class Sqlite:
    """A table of statements with three indexes, in memory; statements are prepared."""

    def __init__(self, folder):
        import sqlite3
        self.db = sqlite3.connect(":memory:")
        self.db.executescript("CREATE TABLE term(id INTEGER PRIMARY KEY, lex TEXT, num INTEGER);"
                              "CREATE TABLE t(s INT, p INT, o INT, PRIMARY KEY(s, p, o)) WITHOUT ROWID;")
        self.ids, self.terms, rows = {}, [None], []
        with open(folder + "/campus.nt", encoding="utf-8") as lines:
            for line in lines:
                rows.append(tuple(self.id_of(x) for x in line.rstrip("\n")[:-2].split(" ", 2)))
        self.db.executemany("INSERT INTO term VALUES(?,?,?)", [(i, *t) for i, t in enumerate(self.terms) if t])
        self.db.executemany("INSERT OR IGNORE INTO t VALUES(?,?,?)", rows)
        self.db.executescript("CREATE INDEX pos ON t(p,o,s); CREATE INDEX osp ON t(o,s,p); ANALYZE;")

    def id_of(self, term):
        known = self.ids.get(term)
        if known is None:
            known = self.ids[term] = len(self.terms)
            if term[0] == '"':
                text = term[1:term.rindex('"')]
                self.terms.append((text, int(text) if term.endswith(INTEGER) else None))
            else:
                self.terms.append((term[1:-1], None))
        return known

    def prepare(self, question):
        def number(match):
            kind, name = match.group(1), match.group(2)
            return str(self.ids[{"p": f"<{NS}{name}>", "iri": f"<{ID}{name}>", "cls": f"<{NS}{name}>",
                                 "int": f'"{name}"{INTEGER}'}[kind]])
        sql = re.sub(r"\{(p|iri|cls|int):([A-Za-z0-9]+)\}", number, question["sql"])
        return sql.replace("{type}", str(self.ids[TYPE]))

    def ask(self, sql):
        return self.db.execute(sql).fetchall()

    def points(self, names):
        ids = [(self.ids[f"<{ID}{name}>"],) for name in names]
        return lambda: sum(len(self.db.execute(POINT["sql"], one).fetchall()) for one in ids)

    def cells(self, question, row):
        if question["columns"] == "v":  # a number, no term
            return [str(row[0])]
        out = []
        for k, (kind, cell) in enumerate(zip(question["columns"], row)):
            counted = question["id"] in ("q05_group", "q14_scan_distinct") and k == 1
            term = str(cell) if counted else "" if cell is None else self.terms[cell][0]
            out.append(local(term) if kind == "i" else term)
        return out


class Kuzu:
    """Typed tables in memory, one thread; statements are prepared."""

    NODES = {"University": "id STRING, name STRING", "Department": "id STRING, name STRING",
             "ResearchGroup": "id STRING",
             "Professor": "id STRING, rank STRING, name STRING, email STRING, interest STRING",
             "Course": "id STRING, name STRING, credits INT64",
             "Student": "id STRING, kind STRING, name STRING, email STRING, birthYear INT64",
             "Publication": "id STRING, title STRING, year INT64"}
    LINKS = {"DeptOf": ("Department", "University", "dept_of"),
             "GroupOf": ("ResearchGroup", "Department", "group_of"),
             "WorksFor": ("Professor", "Department", "works_for"), "ProfUg": ("Professor", "University", "prof_ug"),
             "ProfPhd": ("Professor", "University", "prof_phd"), "TeacherOf": ("Professor", "Course", "teacher_of"),
             "HeadOf": ("Professor", "Department", "head_of"), "MemberOf": ("Student", "Department", "member_of"),
             "TakesCourse": ("Student", "Course", "takes_course"), "Advisor": ("Student", "Professor", "advisor"),
             "StudUg": ("Student", "University", "stud_ug"),
             "ProfAuthor": ("Publication", "Professor", "prof_author"),
             "StudAuthor": ("Publication", "Student", "stud_author"), "Knows": ("Student", "Student", "knows")}

    def __init__(self, folder):
        import kuzu
        warnings.simplefilter("ignore", DeprecationWarning)  # of prepare(), which is what is measured
        self.db = kuzu.Database(":memory:")
        self.connection = kuzu.Connection(self.db, num_threads=1)
        for name, columns in self.NODES.items():
            self.connection.execute(f"CREATE NODE TABLE {name}({columns}, PRIMARY KEY(id))")
            self.connection.execute(f"COPY {name} FROM '{folder}/csv/{name.lower()}.csv' (HEADER=false)")
        for name, (start, end, file) in self.LINKS.items():
            self.connection.execute(f"CREATE REL TABLE {name}(FROM {start} TO {end})")
            self.connection.execute(f"COPY {name} FROM '{folder}/csv/{file}.csv' (HEADER=false)")

    def prepare(self, question):
        return None if question["cypher"] is None else self.connection.prepare(question["cypher"])

    def ask(self, statement):
        return self.connection.execute(statement).get_all()

    def points(self, names):
        statement = self.connection.prepare(POINT["cypher"])
        return lambda: sum(len(self.connection.execute(statement, {"id": one}).get_all()) for one in names)

    def cells(self, _question, row):
        return ["" if cell is None else str(cell) for cell in row]


def sparql_cell(kind, cell):
    if cell is None:
        return ""
    return local(cell) if kind == "i" else str(cell)


class Oxigraph:
    """The store in memory; it has no prepared statements."""

    def __init__(self, folder):
        import pyoxigraph
        self.store = pyoxigraph.Store()
        self.store.bulk_load(path=folder + "/campus.nt", format=pyoxigraph.RdfFormat.N_TRIPLES)

    def prepare(self, question):
        return question["sparql"]

    def ask(self, sparql):
        return [tuple(row) for row in self.store.query(sparql)]

    def points(self, names):
        return lambda: sum(len(list(self.store.query(POINT["sparql"] % one))) for one in names)

    def cells(self, question, row):
        return [sparql_cell(kind, None if cell is None else cell.value)
                for kind, cell in zip(question["columns"], row)]


class Virtuoso:
    """A server on loopback, asked by its own client over one connection that stays; the server keeps compiled
    statements by their text. Its HTTP endpoint takes 0.3 ms longer a question, and up to 50 ms longer for JSON."""

    def __init__(self, folder):
        self.server = VirtuosoServer(folder)
        self.server.load("campus.nt")
        self.client = self.server.client()

    def prepare(self, question):
        return f"SPARQL define input:default-graph-uri <{GRAPH}> " + question.get("virtuoso", question["sparql"])

    def ask(self, statement):
        return list(csv.reader(self.client.ask(statement)))

    def points(self, names):
        asked = [self.prepare({"sparql": POINT["sparql"] % one}) for one in names]
        return lambda: sum(len(self.ask(one)) for one in asked)

    def cells(self, question, row):
        return [sparql_cell(kind, cell) for kind, cell in zip(question["columns"], row)]


def measure(run):
    """The median; the first time does not count unless it takes very long."""
    start = now()
    answer = run()
    first = now() - start
    times = [first] if first > 10_000 else []
    while not times or (first <= 10_000 and len(times) < MOST and (sum(times) < ENOUGH_MS or len(times) < 5)):
        start = now()
        answer = run()
        times.append(now() - start)
    return statistics.median(times), answer


def main():
    name, folder, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(folder + "/params.json", encoding="utf-8") as file:
        params = json.load(file)
    start = now()
    peer = {"sqlite": Sqlite, "kuzu": Kuzu, "oxigraph": Oxigraph, "virtuoso": Virtuoso}[name](folder)
    print(json.dumps({"engine": name, "id": "load", "ms": now() - start}), flush=True)
    if not wanted or "q01_point" in wanted:
        ms, _ = measure(peer.points(params["sample"]))
        print(json.dumps({"engine": name, "id": "q01_point", "ms": ms / len(params["sample"])}), flush=True)
    for question in questions(params):
        if wanted and question["id"] not in wanted:
            continue
        try:
            statement = peer.prepare(question)
            if statement is None:
                continue
            ms, rows = measure(lambda: peer.ask(statement))  # pylint: disable=cell-var-from-loop
        except Exception as error:  # pylint: disable=broad-except
            print(json.dumps({"engine": name, "id": question["id"], "error": str(error)[:120]}), flush=True)
            continue
        text = sorted("|".join(peer.cells(question, row)) for row in rows)
        print(json.dumps({"engine": name, "id": question["id"], "ms": ms, "rows": text}), flush=True)


main()
