"""Every method of Memory, View, Rules and ChangeFeed."""

import json
import pickle
import threading
import warnings
from datetime import datetime, timedelta, timezone

import pytest
from conftest import DATA, HOSTS, OWNER

import anima

DELETE_WIKI = 'DELETE CONCEPT ?s DETACH WHERE { ?s {type: "Service", name: "wiki"} }'
ON_ATLAS = """FIND(?s.name) WHERE {
  ?s {type: "Service"} (?s, "runs_on", {type: "Host", name: "atlas"}) } ORDER BY ?s.name ASC"""


def names(rows):
    return [row[0] for row in rows]


def test_a_typo_makes_no_memory(tmp_path):
    with pytest.raises(anima.NotFound) as missing:
        anima.Memory.open(tmp_path / "spcae")
    assert missing.value.code == "not_found"
    assert "create=True" in missing.value.hint
    assert isinstance(missing.value, LookupError)
    assert list(tmp_path.iterdir()) == []


def test_what_is_written_stays_on_disk(tmp_path):
    path = tmp_path / "space"
    with anima.Memory.open(path, create=True, author="bo") as memory:
        memory.kip('UPSERT { CONCEPT { {type: "Person", name: "Ada"} } }')
        assert not memory.closed
    assert memory.closed
    with pytest.raises(anima.InvalidArgument, match="closed"):
        memory.find(HOSTS)
    memory.close()
    with anima.Memory.open(str(path), read_only=True) as memory:
        assert memory.history("Ada")[0].author == "bo"
        with pytest.raises(anima.Denied):
            memory.sparql_update("INSERT DATA { <urn:a> <urn:b> 1 }")
        assert str(path) in repr(memory)


def test_find_gives_rows_by_place_column_and_name(homelab):
    rows = homelab.find(HOSTS)
    assert rows.columns == ("?h.name", "?h.attributes.ram_gb")
    assert len(rows) == 2
    assert rows[0] == ("atlas", 8)
    assert rows[-1]["?h.attributes.ram_gb"] == 64
    assert rows[1].ram_gb == 64 and rows[1].name == "borea" and rows[1].h_name == "borea"
    assert rows[0].as_dict() == {"?h.name": "atlas", "?h.attributes.ram_gb": 8}
    assert [row.as_dict() for row in rows] == list(rows.dicts())
    assert rows[:1] == [("atlas", 8)] and rows[::-1][0].name == "borea" and rows[1:0] == []
    assert pickle.loads(pickle.dumps(rows[0])) == rows[0]
    assert pickle.loads(pickle.dumps(rows[0])).name == "atlas"
    name, ram = rows[0]
    assert (name, ram) == ("atlas", 8)
    with pytest.raises(IndexError):
        rows[2]
    with pytest.raises(KeyError, match="no column 'x'"):
        rows[0]["x"]
    with pytest.raises(AttributeError, match="no 'x'"):
        rows[0].x
    with pytest.raises(LookupError):
        rows.one()
    assert homelab.find(HOSTS.replace("} ORDER", 'FILTER(?h.name == :name) } ORDER'), {"name": "borea"}).one().name == "borea"
    assert "atlas" in repr(rows)


def test_kip_tells_asks_and_says_what_is_wrong(memory):
    memory.kip('UPSERT { CONCEPT { {type: "Person", name: :name} } }', {"name": "Ada"})
    asked = memory.kip('FIND(?p.name) WHERE { ?p {type: "Person"} FILTER(?p.name == "Ada") }')
    assert asked == [{"?p.name": "Ada"}] or asked == ["Ada"]
    with pytest.raises(anima.SyntaxError_) as wrong:
        memory.kip("FIND(?p WHERE")
    assert wrong.value.where.startswith("1:")
    assert isinstance(wrong.value, ValueError)
    two = memory.kip('FIND(?p.name) WHERE { ?p {type: "Person"} } ' * 2)
    assert len(two) == 2 and "Ada" in two[1]["result"]
    with pytest.raises(anima.InvalidArgument, match="KIP_2001"):
        memory.kip('FIND(?p) WHERE { ?p {type: "Person"} } FIND(?p) WHERE { ?p {type: "Nobody"} }')
    raw = memory.execute_kip({"command": "FIND(?p WHERE"})
    assert raw["error"]["code"].startswith("KIP_")
    refused = memory.execute_kip(
        {"command": 'UPSERT { CONCEPT { {type: "Person", name: "Bo"} } }'}, readonly=True
    )
    assert "error" in refused


def test_a_write_that_is_outranked_says_so(memory):
    tell = 'UPSERT { CONCEPT { {type: "Person", name: "Ada"} SET ATTRIBUTES {phone: :phone} } }'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        memory.kip(tell, {"phone": "111"}, author=anima.Author("ada", trust=anima.Trust.OPERATOR))
    guest = anima.Author("guest", trust=anima.Trust.UNTRUSTED)
    with pytest.warns(anima.OutrankedWarning, match="phone") as told:
        memory.kip(tell, {"phone": "222"}, author=guest)
    assert told[0].filename == __file__
    assert memory.find('FIND(?p.attributes.phone) WHERE { ?p {type: "Person", name: "Ada"} }').one()[0] == "111"


def test_what_if_changes_nothing(homelab):
    before = homelab.newest_entry
    assert names(homelab.what_if(DELETE_WIKI, ON_ATLAS)) == ["web"]
    assert names(homelab.find(ON_ATLAS)) == ["web", "wiki"]
    assert homelab.newest_entry == before


def test_sparql_asks_and_changes(memory):
    assert memory.import_rdf('<urn:a> <urn:p> <urn:b>, 5, 2.5, true, "x"@en .', format="turtle") == 5
    answer = memory.sparql("SELECT ?o ?none { <urn:a> <urn:p> ?o } ORDER BY ?o")
    assert answer.form == "rows" and answer.variables == ("o", "none") and len(answer) == 5
    values = [row["o"].value for row in answer]
    assert {type(value).__name__ for value in values} == {"str", "int", "Decimal", "bool"}
    assert all(row["none"] is None for row in answer)
    assert answer[0]["o"].kind == "iri" and str(answer[0]["o"]) == "urn:b"
    assert answer[0].as_dict() == {"o": "urn:b"}
    assert any(row["o"].language == "en" for row in answer)
    assert len(json.loads(answer.text("json"))["results"]["bindings"]) == 5
    with pytest.raises(anima.InvalidArgument):
        answer.text("turtle")
    assert memory.sparql("ASK { ?s ?p 5 }") and not memory.sparql("ASK { ?s ?p 6 }")
    assert memory.sparql("SELECT * { <urn:a> ?p <urn:zz> }").variables == ("p",)
    change = memory.sparql_update("DELETE WHERE { <urn:a> <urn:p> 5 }")
    assert (change.deleted, change.inserted, change.entry) == (1, 0, memory.newest_entry)
    assert memory.sparql_update("DELETE WHERE { <urn:a> <urn:p> 5 }").entry == 0
    memory.undo(change.entry)
    triples = memory.sparql("CONSTRUCT WHERE { ?s <urn:p> 5 }")
    assert triples.form == "triples" and triples[0]["subject"].text == "urn:a"
    assert "urn:a" in triples.text("ntriples")
    with pytest.raises(anima.SyntaxError_) as wrong:
        memory.sparql("SELECT * { ?s ?p }")
    assert wrong.value.where == "1:18"
    with pytest.raises(anima.Denied):
        memory.sparql_update("LOAD <file:///etc/hostname>")
    with pytest.raises(anima.InvalidArgument):
        memory.import_rdf("", format="csv")


def test_sparql_over_graphs(memory):
    memory.import_rdf("<urn:a> <urn:p> 1 .", format="turtle", graph="urn:g")
    query = "SELECT ?o { <urn:a> <urn:p> ?o }"
    assert len(memory.sparql(query, default_graphs="urn:g")) == 1
    assert len(memory.sparql(query, default_graphs=["urn:h"])) == 0
    assert len(memory.sparql("SELECT ?o { GRAPH ?g { ?s ?p ?o } }", named_graphs=["urn:g"])) == 1


def test_ask(homelab):
    answer = homelab.ask("Which services run on atlas?")
    assert answer and answer.status == "answered"
    assert sorted(names(answer)) == ["web", "wiki"] and len(answer) == 2
    assert str(answer) == answer.text and answer.query and answer.reading
    homelab.ask("Which services depend on db?", session="mine")
    assert homelab.ask("How many?", session="mine").status == "answered"
    lost = homelab.ask("Which zorks run on atlas?")
    assert not lost and lost.status == "not_understood" and "zorks" in lost.unknown
    with pytest.raises(anima.InvalidArgument):
        homelab.ask("Which services run on atlas?", now="the day after")
    assert homelab.ask("Which services run on atlas?", now=datetime.now(timezone.utc))


def test_why_and_why_not(homelab):
    proof = homelab.why("web runs_on")
    assert proof.steps[0].asserted[0].provenance.endswith("row 3)") or proof.steps
    assert proof.trust is anima.Trust.OPERATOR
    assert str(proof) == proof.text and len(list(proof)) == len(proof)
    assert homelab.why_not("web runs_on borea")
    with pytest.raises(anima.NotFound):
        homelab.why("web runs_on borea")


def test_rules_and_packs(homelab):
    rules = homelab.rules('big(H) :- attribute(H, "ram_gb", N), N > 32.')
    assert names(rules.query("big(H)")) == ["borea"]
    assert rules.query("big(H)", limit=1).one()["H"] == "borea"
    assert "big/1" in rules.predicates()
    assert rules.why('big("borea")').fact
    assert rules.why_not('big("atlas")')
    with pytest.raises(anima.Error) as wrong:
        homelab.rules(mine="big(H) :- .")
    assert wrong.value.where.startswith("mine")
    pack = homelab.load_pack(DATA / "pack")
    assert names(homelab.rules().query('goes_down_with(S, "borea")'))
    assert homelab.why('goes_down_with("web", "borea")').text
    homelab.unload_pack(pack)
    with pytest.raises(anima.NotFound):
        homelab.unload_pack(pack)


def test_search_and_history(homelab):
    assert homelab.search("borae")[0].name == "borea"
    assert homelab.search("borae", exact=True) == []
    assert homelab.search("bor", type="Host", limit=1)[0].type == "Host"
    with pytest.raises(anima.NotFound):
        homelab.search("x", type="Nothing")
    homelab.kip(
        'UPDATE ?h SET ATTRIBUTES {ram_gb: 128} WHERE { ?h {type: "Host", name: "borea"} }',
        author=anima.Author("bo", "the workshop", anima.Trust.STANDARD),
    )
    commit = homelab.history("borea")[-1]
    assert (commit.author, commit.source, commit.trust) == ("bo", "the workshop", anima.Trust.STANDARD)
    assert [str(one) for one in commit.added] == ["borea .ram_gb 128"]
    assert len(homelab.history("borea", limit=1)) == 1
    with pytest.raises(anima.NotFound):
        homelab.history("nobody")


def test_the_past(homelab):
    before = homelab.newest_entry
    homelab.kip(DELETE_WIKI)
    then = homelab.as_of(before)
    assert then.entry == before and names(then.find(ON_ATLAS)) == ["web", "wiki"]
    assert names(homelab.view().find(ON_ATLAS)) == ["web"]
    assert then.ask("Which services run on atlas?") and then.search("wiki") and then.history("wiki")
    assert then.why("wiki runs_on") and then.why_not("wiki runs_on borea")
    assert len(then.sparql("SELECT ?s { ?s ?p ?o }")) > len(homelab.sparql("SELECT ?s { ?s ?p ?o }"))
    assert then.rules().predicates() and then.export() != homelab.export()
    assert str(before) in repr(then)
    assert homelab.as_of(datetime.now() + timedelta(seconds=1)).entry == homelab.newest_entry
    with pytest.raises(anima.NotFound):
        homelab.as_of(99999)
    with pytest.raises(anima.InvalidArgument):
        homelab.as_of("the other day or so")


def test_a_view_outlives_its_memory(homelab):
    view = homelab.view()
    homelab.close()
    assert names(view.find(ON_ATLAS)) == ["web", "wiki"]


def test_undo(homelab):
    homelab.kip('UPSERT { CONCEPT { {type: "Host", name: "notos"} } }')
    first = homelab.newest_entry
    homelab.kip('UPDATE ?h SET ATTRIBUTES {ram_gb: 4} WHERE { ?h {type: "Host", name: "notos"} }')
    with pytest.raises(anima.Conflict):
        homelab.undo(first)
    homelab.undo(first, cascade=True)
    assert names(homelab.find(HOSTS)) == ["atlas", "borea"]
    with pytest.raises(anima.InvalidArgument):
        homelab.undo(900, 901)
    homelab.verify()


def test_load(memory):
    dry = memory.load(DATA / "hosts.csv", dry_run=True)
    assert len(memory.find(HOSTS.replace("Host", "Person"))) >= 0 and dry.tables[0].rows == 2
    report = memory.load(DATA / "hosts.csv", type="Machine", key="name")
    assert report.tables[0].type == "Machine" and report.entry == memory.newest_entry
    again = memory.load(DATA / "hosts.csv", mapping=report.mapping)
    assert not again.changed
    with pytest.raises(anima.NotFound):
        memory.load(DATA / "nothing.csv")


def test_export_and_backup(homelab, tmp_path):
    file = tmp_path / "all.nt"
    homelab.export_file(file)
    assert file.read_text() == homelab.export("ntriples")
    with pytest.raises(anima.Error):
        homelab.export("pdf")
    other = anima.Memory.open(tmp_path / "space", create=True, author=OWNER)
    other.load(DATA / "hosts.csv")
    other.backup(tmp_path / "copy.anima")
    with pytest.raises(anima.AlreadyExists):
        other.backup(tmp_path / "copy.anima")
    with pytest.raises(anima.InvalidArgument):
        other.export_file(tmp_path / "space" / "x.nt")
    other.close()


def test_changes_come_in_order(homelab):
    start = homelab.newest_entry
    feed = homelab.changes()
    seen = []
    reader = threading.Thread(target=lambda: seen.extend(feed))
    reader.start()
    for name in ("notos", "zephyr"):
        homelab.kip('UPSERT { CONCEPT { {type: "Host", name: :name} } }', {"name": name})
    while feed.after < start + 2:
        pass
    feed.close()
    reader.join(20)
    assert not reader.is_alive()
    assert [commit.entry for commit in seen] == [start + 1, start + 2]
    assert "notos is a Host" in [str(one) for one in seen[0].added]
    later = list(homelab.changes(after=start, timeout=0.05))
    assert [commit.entry for commit in later] == [start + 1, start + 2]
    with homelab.changes() as none:
        assert none.next(timeout=0.01) is None


ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?a < ?l) }"
ENDLESS_RULES = "n(0). n(M) :- n(N), N < 3000, M = fn:plus(N, 1).\npair(A, B) :- n(A), n(B)."


def test_a_call_ends_in_time_or_when_it_is_told(memory):
    with pytest.raises(anima.Timeout) as late:
        memory.sparql(ENDLESS, timeout=0.02)
    assert isinstance(late.value, TimeoutError) and late.value.code == "timeout"
    with pytest.raises(anima.Timeout):
        memory.rules(ENDLESS_RULES, timeout=0.05)
    stop = anima.Stop()
    timer = threading.Timer(0.05, stop.request)
    timer.start()
    with pytest.raises(anima.Cancelled):
        memory.sparql(ENDLESS, stop=stop)
    with pytest.raises(anima.Cancelled):
        memory.find(HOSTS, stop=stop)
    for seconds in (0, -1, float("nan")):
        with pytest.raises(anima.InvalidArgument):
            memory.find(HOSTS, timeout=seconds)


def test_errors_are_told_apart_and_pickled():
    error = anima.NotFound("no such thing", where="here", hint="look there")
    assert str(error) == "here: no such thing (look there)"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is anima.NotFound and str(again) == str(error)
    codes = set()
    for name in anima.__all__:
        kind = getattr(anima, name)
        if isinstance(kind, type) and issubclass(kind, anima.Error):
            codes.add(kind.code)
            assert str(kind("x")) == "x"
    page = (DATA.parents[2] / "docs" / "errors.md").read_text()
    table = page.split("## Codes")[1].split("##")[0]
    assert codes == {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
