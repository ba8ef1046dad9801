"""The campus questions in the languages of the peers: SPARQL (Oxigraph, Virtuoso), Cypher (Kuzu) and SQL over a table
of statements t(s, p, o) with a dictionary term(id, lex, num) (SQLite). bench/graph_bench.cc has them as plans and KIP.

In SQL {p:x}, {iri:x}, {cls:x}, {int:x} and {type} stand for ids of terms. `columns` says what a cell is: i = a thing,
written by the last part of its name; v = a value.
"""

PREFIXES = ("PREFIX : <http://campus.bench/ns#> PREFIX i: <http://campus.bench/id/> "
            "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ")

POINT = {
    "sparql": "SELECT ?p ?o { <http://campus.bench/id/%s> ?p ?o }",
    "cypher": "MATCH (s:Student {id: $id}) RETURN s.*",
    "sql": "SELECT a.lex, b.lex FROM t JOIN term a ON a.id=p JOIN term b ON b.id=o WHERE s=?",
}


def questions(params):
    department, student = params["dept"], params["student"]
    table = []

    def ask(name, columns, sparql, cypher, sql):
        table.append({"id": name, "columns": columns, "sparql": PREFIXES + sparql, "cypher": cypher, "sql": sql})

    ask("q02_star", "ivvv",
        f"SELECT ?s ?n ?e ?an {{ ?s :memberOf i:{department} ; :name ?n ; :email ?e ; :advisor ?a . ?a :name ?an }}",
        f"MATCH (d:Department {{id:'{department}'}})<-[:MemberOf]-(s:Student)-[:Advisor]->(a:Professor) "
        "RETURN s.id, s.name, s.email, a.name",
        f"""SELECT m.s, n.o, e.o, an.o FROM t m JOIN t n ON n.s=m.s AND n.p={{p:name}}
            JOIN t e ON e.s=m.s AND e.p={{p:email}} JOIN t a ON a.s=m.s AND a.p={{p:advisor}}
            JOIN t an ON an.s=a.o AND an.p={{p:name}} WHERE m.p={{p:memberOf}} AND m.o={{iri:{department}}}""")
    ask("q03_degree_triangle", "v",
        "SELECT (COUNT(*) AS ?n) { ?x a :GraduateStudent ; :memberOf ?d ; :undergraduateDegreeFrom ?u . "
        "?d :subOrganizationOf ?u }",
        "MATCH (x:Student)-[:MemberOf]->(d:Department)-[:DeptOf]->(u:University), (x)-[:StudUg]->(u) "
        "WHERE x.kind='GraduateStudent' RETURN count(*) AS n",
        """SELECT count(*) FROM t k JOIN t m ON m.s=k.s AND m.p={p:memberOf}
           JOIN t g ON g.s=k.s AND g.p={p:undergraduateDegreeFrom}
           JOIN t o ON o.s=m.o AND o.p={p:subOrganizationOf} AND o.o=g.o
           WHERE k.p={type} AND k.o={cls:GraduateStudent}""")
    ask("q04_advisor_course", "v",
        "SELECT (COUNT(*) AS ?n) { ?x :advisor ?y . ?y :teacherOf ?c . ?x :takesCourse ?c }",
        "MATCH (x:Student)-[:Advisor]->(y:Professor)-[:TeacherOf]->(c:Course)<-[:TakesCourse]-(x) "
        "RETURN count(*) AS n",
        """SELECT count(*) FROM t a JOIN t b ON b.s=a.o AND b.p={p:teacherOf}
           JOIN t c ON c.s=a.s AND c.p={p:takesCourse} AND c.o=b.o WHERE a.p={p:advisor}""")
    ask("q05_group", "iv",
        "SELECT ?d (COUNT(?b) AS ?n) { ?b :author ?a . ?a :worksFor ?d } GROUP BY ?d ORDER BY DESC(?n) ?d LIMIT 10",
        "MATCH (b:Publication)-[:ProfAuthor]->(a:Professor)-[:WorksFor]->(d:Department) "
        "RETURN d.id, count(b) AS n ORDER BY n DESC, d.id LIMIT 10",
        """SELECT g.d, g.n FROM (SELECT w.o AS d, count(*) AS n FROM t b JOIN t w ON w.s=b.o AND w.p={p:worksFor}
           WHERE b.p={p:author} GROUP BY w.o) g JOIN term x ON x.id=g.d ORDER BY g.n DESC, x.lex LIMIT 10""")
    ask("q06_not_exists", "v",
        "SELECT (COUNT(*) AS ?n) { ?x :worksFor ?d "
        "FILTER NOT EXISTS { ?b :author ?x ; :year ?y FILTER(?y >= 2021) } }",
        "MATCH (x:Professor)-[:WorksFor]->(d:Department) "
        "WHERE NOT EXISTS { MATCH (b:Publication)-[:ProfAuthor]->(x) WHERE b.year >= 2021 } RETURN count(*) AS n",
        """SELECT count(*) FROM t w WHERE w.p={p:worksFor} AND NOT EXISTS (SELECT 1 FROM t b
           JOIN t y ON y.s=b.s AND y.p={p:year} JOIN term v ON v.id=y.o
           WHERE b.p={p:author} AND b.o=w.s AND v.num>=2021)""")
    ask("q07_two_hop", "v",
        f"SELECT (COUNT(DISTINCT ?z) AS ?n) {{ i:{student} :knows ?y . ?y :knows ?z }}",
        f"MATCH (:Student {{id:'{student}'}})-[:Knows]->(:Student)-[:Knows]->(z:Student) "
        "RETURN count(DISTINCT z.id) AS n",
        f"SELECT count(DISTINCT b.o) FROM t a JOIN t b ON b.s=a.o AND b.p={{p:knows}} "
        f"WHERE a.p={{p:knows}} AND a.s={{iri:{student}}}")
    ask("q08_triangles", "v",
        "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?b :knows ?c . ?c :knows ?a }",
        "MATCH (a:Student)-[:Knows]->(b:Student)-[:Knows]->(c:Student)-[:Knows]->(a) RETURN count(*) AS n",
        """SELECT count(*) FROM t a JOIN t b ON b.p={p:knows} AND b.s=a.o
           JOIN t c ON c.p={p:knows} AND c.s=b.o AND c.o=a.s WHERE a.p={p:knows}""")
    ask("q09_reach", "v",
        f"SELECT (COUNT(*) AS ?n) {{ i:{student} :knows+ ?x }}",
        # Shortest paths never come back to where they start: the student is missing, and added here.
        f"MATCH (:Student {{id:'{student}'}})-[:Knows* SHORTEST 1..30]->(x:Student) "
        "RETURN count(DISTINCT x.id) + 1 AS n",
        f"""WITH RECURSIVE r(x) AS (SELECT o FROM t WHERE p={{p:knows}} AND s={{iri:{student}}}
            UNION SELECT t.o FROM r JOIN t ON t.p={{p:knows}} AND t.s=r.x) SELECT count(*) FROM r""")
    # Virtuoso's property paths keep every path and run out of memory; what it has of its own finds each end once, but
    # never comes back to where it starts.
    table[-1]["virtuoso"] = (
        f"{PREFIXES}SELECT (COUNT(*) + 1 AS ?n) {{ {{ SELECT ?s ?o {{ ?s :knows ?o }} }} "
        f"OPTION (TRANSITIVE, T_DISTINCT, T_IN(?s), T_OUT(?o), T_MIN(1)) . FILTER (?s = i:{student}) }}")
    ask("q10_range_topk", "vv",
        "SELECT ?t ?y { ?b :year ?y ; :title ?t FILTER(?y >= 2010 && ?y < 2015) } ORDER BY DESC(?y) ?t LIMIT 20",
        "MATCH (b:Publication) WHERE b.year >= 2010 AND b.year < 2015 "
        "RETURN b.title, b.year ORDER BY b.year DESC, b.title LIMIT 20",
        """SELECT x.o, y.o FROM t y JOIN term v ON v.id=y.o JOIN t x ON x.s=y.s AND x.p={p:title}
           JOIN term tt ON tt.id=x.o WHERE y.p={p:year} AND v.num>=2010 AND v.num<2015
           ORDER BY v.num DESC, tt.lex LIMIT 20""")
    ask("q11_contains", "v",
        'SELECT (COUNT(*) AS ?n) { ?b :title ?t FILTER(CONTAINS(LCASE(?t), "graph")) }',
        "MATCH (b:Publication) WHERE contains(lower(b.title), 'graph') RETURN count(*) AS n",
        "SELECT count(*) FROM t x JOIN term tt ON tt.id=x.o "
        "WHERE x.p={p:title} AND instr(lower(tt.lex),'graph')>0")
    ask("q12_optional", "ii",
        f"SELECT ?s ?a {{ ?s :memberOf i:{department} OPTIONAL {{ ?s :advisor ?a }} }}",
        f"MATCH (d:Department {{id:'{department}'}})<-[:MemberOf]-(s:Student) "
        "OPTIONAL MATCH (s)-[:Advisor]->(a:Professor) RETURN s.id, a.id",
        f"""SELECT m.s, a.o FROM t m LEFT JOIN t a ON a.s=m.s AND a.p={{p:advisor}}
            WHERE m.p={{p:memberOf}} AND m.o={{iri:{department}}}""")
    ask("q13_chain", "v",
        "SELECT (COUNT(*) AS ?n) { ?b :author ?s . ?s :advisor ?p . ?p :worksFor ?d . "
        "?d :subOrganizationOf i:u0 . ?b :year 2020 }",
        "MATCH (b:Publication)-[:StudAuthor]->(s:Student)-[:Advisor]->(p:Professor)-[:WorksFor]->(d:Department)"
        "-[:DeptOf]->(:University {id:'u0'}) WHERE b.year=2020 RETURN count(*) AS n",
        """SELECT count(*) FROM t y JOIN t b ON b.s=y.s AND b.p={p:author} JOIN t a ON a.s=b.o AND a.p={p:advisor}
           JOIN t w ON w.s=a.o AND w.p={p:worksFor}
           JOIN t o ON o.s=w.o AND o.p={p:subOrganizationOf} AND o.o={iri:u0} WHERE y.p={p:year} AND y.o={int:2020}""")
    ask("q14_scan_distinct", "iv",
        "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p",
        None,  # its columns are no data that Cypher could group
        "SELECT p, count(*) FROM t GROUP BY p")
    return table
