"""Rows as pandas and Arrow see them, their time, and memory that stays flat."""

import os
import resource
import time

import pytest
from conftest import HOSTS, OWNER

import anima

FULL = os.environ.get("ANIMA_TEST_FULL") == "1"


@pytest.fixture(scope="module")
def table():
    """100,000 rows of a text, a whole number, a number and a truth, some of them missing."""
    opened = anima.Memory.in_memory()
    lines = []
    for i in range(25_000):
        lines.append(f'<urn:s{i}> <urn:n> {i} ; <urn:x> {i}.5e0 ; <urn:t> "text {i}" .')
    opened.import_rdf("\n".join(lines), format="turtle")
    yield opened
    opened.close()


def test_kinds_of_columns(memory):
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    for i, (whole, number, truth, mixed) in enumerate([(1, 1.5, True, 1), (None, None, None, "a"), (-3, 2, False, [1])]):
        memory.kip(
            'UPSERT { CONCEPT { {type: "Person", name: :name} SET ATTRIBUTES {i: :i, w: :w, x: :x, t: :t, m: :m} } }',
            {"name": f"p{i}", "i": i, "w": whole, "x": number, "t": truth, "m": mixed},
        )
    rows = memory.find(
        "FIND(?p.name, ?p.attributes.i, ?p.attributes.w, ?p.attributes.x, ?p.attributes.t, ?p.attributes.m, ?p.attributes.none)"
        ' WHERE { ?p {type: "Person"} FILTER(IS_NOT_NULL(?p.attributes.i)) } ORDER BY ?p.name ASC'
    )
    frame = rows.to_pandas()
    assert list(frame.columns) == list(rows.columns)
    assert [str(kind) for kind in frame.dtypes][1:6] == ["int64", "Int64", "float64", "boolean", "object"]
    assert frame.iloc[0].tolist()[:5] == ["p0", 0, 1, 1.5, True]
    assert frame.isna().iloc[1].tolist() == [False, False, True, True, True, False, True]
    assert frame["?p.attributes.m"].tolist() == [1, "a", [1]]
    arrow = memory.find(
        'FIND(?p.name, ?p.attributes.i, ?p.attributes.w, ?p.attributes.x, ?p.attributes.t) WHERE { ?p {type: "Person"} '
        "FILTER(IS_NOT_NULL(?p.attributes.i)) } ORDER BY ?p.name ASC"
    ).to_arrow()
    assert arrow.schema.types == [
        pyarrow.string(), pyarrow.int64(), pyarrow.int64(), pyarrow.float64(), pyarrow.bool_(),
    ]  # fmt: skip
    assert arrow.column(2).to_pylist() == [1, None, -3] and arrow.column(4).to_pylist() == [True, None, False]
    none = memory.find(HOSTS.replace("Host", "Person").replace("} ORDER", 'FILTER(?h.name == "nobody") } ORDER'))
    assert none.to_pandas().empty and none.to_arrow().num_rows == 0
    terms = memory.sparql("SELECT ?s ?n { ?s ?p 1 OPTIONAL { ?s <urn:none> ?n } }").to_pandas()
    assert list(terms.columns) == ["s", "n"] and terms["n"].isna().all()
    assert isinstance(frame, pandas.DataFrame)


def rss():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_a_hundred_thousand_rows_into_pandas(table):
    pytest.importorskip("pandas")
    rules = table.rules(
        "n(0). n(M) :- n(N), N < 99999, M = fn:plus(N, 1).", timeout=60
    )
    rows = rules.query("n(X)")
    assert len(rows) == 100_000
    rows[:1], rows.to_pandas()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        frame = rows.to_pandas()
        times.append(time.perf_counter() - start)
    assert len(frame) == 100_000
    print(f"100,000 rows into pandas: {min(times) * 1000:.1f} ms")
    assert min(times) < 1, times


def test_memory_stays_flat(memory):
    """Calls of each kind, in rounds: after the first ones nothing grows."""
    memory.kip('UPSERT { CONCEPT { {type: "Person", name: "Ada"} SET ATTRIBUTES {a: [1, {"b": "c"}]} } }')
    find = 'FIND(?p.name, ?p.attributes.a) WHERE { ?p {type: "Person", name: :name} }'
    answer = memory.sparql("SELECT ?s ?p ?o { ?s ?p ?o } LIMIT 20")

    def calls(count):
        for i in range(count):
            rows = memory.find(find, {"name": "Ada", "more": [i, {"x": "y" * 50}]})
            rows[0].as_dict()
            rows._rows.column(1)
            try:
                memory.find("FIND(")
            except anima.SyntaxError_:
                pass
            try:
                memory.find(find, {"name": object()})
            except TypeError:
                pass
            list(answer)
            answer.text("csv")

    each, total = 5, 1_000_000 if FULL else 100_000
    part = total // each // 4
    calls(part)
    before = rss()
    calls(3 * part)
    grown = rss() - before
    print(f"{total} calls: {grown // 1024} kB")
    assert grown < 6 << 20, grown


def test_no_digit_of_a_whole_number_is_lost():
    pd = pytest.importorskip("pandas")
    large = 9007199254740993
    memory = anima.Memory.in_memory(author=OWNER)
    memory.import_rdf(f"<urn:a> <urn:p> {large} . <urn:b> <urn:p> 2.5 . <urn:c> <urn:q> {large} .", format="turtle")
    mixed = memory.sparql("SELECT ?o { ?s <urn:p> ?o } ORDER BY ?s").to_pandas()
    assert list(mixed["o"])[0] == large and isinstance(list(mixed["o"])[0], int)
    gaps = memory.sparql("SELECT ?o { ?s ?p ?x OPTIONAL { ?s <urn:q> ?o } } ORDER BY ?s").to_pandas()
    assert gaps["o"].dtype == pd.Int64Dtype() and gaps["o"].dropna().tolist() == [large]
    memory.kip('UPSERT { CONCEPT { {type: "$ConceptType", name: "Thing"} } }')
    for name, value in (("a", large), ("b", 0.5)):
        memory.kip('UPSERT { CONCEPT { {type: "Thing", name: :name} SET ATTRIBUTES {value: :value} } }',
                   {"name": name, "value": value})
    table = memory.find('FIND(?t.attributes.value) WHERE { ?t {type: "Thing"} } ORDER BY ?t.name ASC').to_pandas()
    assert table.iloc[0, 0] == large
