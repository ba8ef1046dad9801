"""AnimaStore, with the real langgraph."""

import asyncio
import datetime

import pytest
from conftest import OWNER
from keeping import KEYS, at_once, killed, space  # noqa: F401 (a fixture)
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore
from serving import serving

import anima
from anima.adapters import _langgraph_store
from anima.adapters.langgraph import AnimaStore

VALUE = {
    "text": "Ada likes green tea", "whole": 1, "float": 1.0, "tiny": 5e-324, "big": 10**30, "no": None, "yes": True,
    "odd": "\ud800 \0 \u2028 é e\u0301", "deep": {"b": [1, [2.5, {"a": "ä"}]], "a": {}}, "": [], "nothing": float("inf"),
}  # fmt: skip


def places(items):
    return [(item.namespace, item.key) for item in items]


@pytest.fixture
def store(memory):
    return AnimaStore(memory)


def test_a_value_comes_back_the_same(space):  # noqa: F811
    store = AnimaStore(space)
    assert store.get(("users", "ada"), "likes") is None
    store.put(("users", "ada"), "likes", VALUE)
    item = store.get(("users", "ada"), "likes")
    assert repr(item.value) == repr(VALUE) and list(item.value) == list(VALUE)
    assert item.namespace == ("users", "ada") and item.key == "likes"
    assert item.created_at == item.updated_at and item.created_at.tzinfo is not None
    store.put(("users", "ada"), "likes", {"b": 2})
    again = store.get(("users", "ada"), "likes")
    assert again.value == {"b": 2} and again.created_at == item.created_at and again.updated_at > item.updated_at
    store.delete(("users", "ada"), "likes")
    store.delete(("users", "ada"), "likes")
    assert store.get(("users", "ada"), "likes") is None and store.list_namespaces() == []


@pytest.mark.parametrize(
    "value",
    [{"t": (1, 2)}, {"d": datetime.date(2026, 1, 1)}, {"k": {1: 2}}, {"b": b"x"}, {"s": {1}}, {"c": 1j}, {"o": object()}, ["x"]],
)
def test_what_would_come_back_changed_is_refused(store, value):
    with pytest.raises(anima.WrongType) as refused:
        store.put(("a",), "k", value)
    assert refused.value.hint and store.get(("a",), "k") is None


def test_what_holds_itself_is_refused(store):
    value = {"x": []}
    value["x"].append(value)
    with pytest.raises(anima.LimitExceeded) as refused:
        store.put(("a",), "k", value)
    assert refused.value.hint
    value["big"] = 10**30
    with pytest.raises(anima.InvalidArgument) as refused:
        store.put(("a",), "k", value)
    assert refused.value.hint


def test_keys_are_told_apart_by_every_letter(space):  # noqa: F811
    store = AnimaStore(space)
    store.batch([PutOp(("a",), key, {"n": at}) for at, key in enumerate(KEYS)])
    for at, key in enumerate(KEYS):
        item = store.get(("a",), key)
        assert item.value == {"n": at} and item.key == key, key[:20]
    assert len(store.search(("a",), limit=1000)) == len(KEYS)
    for key in KEYS[::2]:
        store.delete(("a",), key)
    assert {item.key for item in store.search(("a",), limit=1000)} == set(KEYS[1::2])


def test_namespaces_are_told_apart_by_every_letter(store):
    labels = [key for key in KEYS if key and "." not in key and "\0" not in key]
    store.batch([PutOp(("a", label), "k", {"text": f"tea {at}"}) for at, label in enumerate(labels)])
    for at, label in enumerate(labels):
        assert [item.value for item in store.search(("a", label))] == [{"text": f"tea {at}"}], label[:20]
        assert places(store.search(("a", label), query="tea")) == [(("a", label), "k")]
    assert len(store.list_namespaces(limit=1000)) == len(labels)


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("",), ("langgraph",), ("a", 1), ("x\0",)])
def test_namespaces_that_langgraph_refuses(store, namespace):
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"a": 1})
    if namespace and namespace != ("langgraph",):
        with pytest.raises(InvalidNamespaceError):
            store.batch([PutOp(namespace, "k", {"a": 1})])


def test_a_search_stays_in_its_namespace(space):  # noqa: F811
    store = AnimaStore(space)
    for person in ("ada", "bo", "ad", "adaa"):
        for number in range(3):
            store.put(("users", person, "notes"), f"n{number}", {"text": f"tea of {person}, number {number}"})
    store.put(("users", "ada"), "top", {"text": "black tea"})
    store.put(("ada",), "n0", {"text": "tea"})
    for query in (None, "tea", "tea ada number"):
        found = store.search(("users", "ada"), query=query, limit=50)
        assert {namespace[:2] for namespace, _ in places(found)} == {("users", "ada")} and len(found) == 4
        assert len(store.search(("users", "ada", "notes"), query=query, limit=50)) == 3
        assert store.search(("users", "nobody"), query=query) == store.search(("use",), query=query) == []
        assert len(store.search((), query=query, limit=50)) == 14
    assert store.search((), query="zorks") == []
    assert places(store.search((), query="blakc"))[0] == (("users", "ada"), "top")  # a typing error


def test_a_search_reads_the_texts_of_a_value(memory, store):
    """Not its keys, and not what JSON writes a line break as; KIP reads the value, too."""
    store.put(("a",), "k", {"title": 'one\nboiler\t"quoted"', "n": 5})
    exact = memory.search("boiler", type="LangGraphItem")[0].score
    assert exact == memory.search("quoted", type="LangGraphItem")[0].score
    assert store.search(("a",), query="title") == []
    assert len(memory.find('FIND(?i) WHERE { ?i {type: "LangGraphItem"} FILTER(?i.attributes.data.value.n == 5) }')) == 1


@pytest.mark.parametrize("depth", [10, 49, 50, 51, 60, 200])
def test_deep_values(store, depth):
    value = {}
    for _ in range(depth):
        value = {"x": [value]}
    store.put(("a",), "k", value)
    assert store.get(("a",), "k").value == value


def test_pages_of_a_search(store):
    for number in range(20):
        store.put(("a",), f"k{number:02}", {"text": "tea " * (number + 1), "n": number})
    newest = store.search(("a",), limit=20)
    assert places(newest) == [(("a",), f"k{number:02}") for number in reversed(range(20))]
    for query in (None, "tea"):
        whole = store.search(("a",), query=query, limit=20)
        paged = [store.search(("a",), query=query, limit=6, offset=at) for at in range(0, 24, 6)]
        assert places(whole) == places(sum(paged, [])) and len(whole) == 20
        kept = store.search(("a",), query=query, filter={"n": {"$gte": 5, "$lt": 9}}, limit=3, offset=1)
        assert len(kept) == 3 and all(5 <= item.value["n"] < 9 for item in kept)
    scores = [item.score for item in store.search(("a",), query="tea", limit=20)]
    assert scores == sorted(scores, reverse=True) and newest[0].score is None


def test_items_of_others_never_hide_those_of_a_namespace(store, monkeypatch):
    """Where more items of others match better than a search gives, the namespace is searched by itself."""
    monkeypatch.setattr(_langgraph_store, "_HITS", (4, 16))
    store.batch([PutOp(("others",), f"k{n}", {"text": "tea tea tea"}) for n in range(100)])
    store.put(("mine",), "a", {"text": "a long text which says something of tea, too"})
    store.put(("mine",), "b", {"text": "tea and nothing"})
    store.put(("mine",), "c", {"text": "coffee"})
    store.put(("mine",), "d", {"text": "tea"}, index=False)
    assert {item.key for item in store.search(("mine",), query="tea")} == {"a", "b"}
    assert len(store.search(("mine",), query="tea", limit=1)) == 1


def test_what_is_not_indexed_is_not_found(store):
    store.put(("a",), "1", {"text": "green tea", "note": "zorks"}, index=["text"])
    store.put(("a",), "2", {"text": "green tea"}, index=False)
    store.put(("a",), "3", {"list": [{"t": "green tea"}, {"t": "mint"}]}, index=["list[*].t"])
    assert {item.key for item in store.search(("a",), query="green tea")} == {"1", "3"}
    assert store.search(("a",), query="zorks") == [] and len(store.search(("a",))) == 3
    assert store.get(("a",), "1").value["note"] == "zorks"


FILTERS = [
    {"a": 1}, {"a": {"$eq": 1}}, {"a": {"$ne": 1}}, {"a": {"$gt": 1}}, {"a": {"$gte": 1.5, "$lt": 3}}, {"d": {"x": 1}},
    {"l": [1, 2]}, {"a": None}, {"b": True}, {"d": {"x": {"$gt": 0}}}, {"missing": {"$ne": 1}},
]  # fmt: skip


@pytest.mark.parametrize("wanted", FILTERS)
def test_filters_are_those_of_langgraph(store, wanted):
    """The same items pass as in LangGraph's own store."""
    own = InMemoryStore()
    for at, value in enumerate([{"a": 1}, {"a": 2, "d": {"x": 1}}, {"a": 1.5, "b": True}, {"l": [1, 2], "a": 3}]):
        value = {"a": 0, "d": {"x": 0}, **value}
        for one in (own, store):
            one.put(("n",), str(at), value)
    assert {item.key for item in store.search(("n",), filter=wanted)} == {item.key for item in own.search(("n",), filter=wanted)}


def test_filters_that_compare_nothing(store):
    store.put(("n",), "k", {"a": "text", "b": 1})
    assert store.search(("n",), filter={"a": {"$gt": 1}}) == [] and len(store.search(("n",), filter={"a": {"$gt": "s"}})) == 1
    with pytest.raises(anima.InvalidArgument):
        store.search(("n",), filter={"a": {"$in": [1]}})


def test_namespaces_are_those_of_langgraph(space):  # noqa: F811
    store, own = AnimaStore(space), InMemoryStore()
    for one in (store, own):
        for path in [("a", "b", "c"), ("a", "b", "d"), ("a", "x"), ("z",), ("a", "b", "c", "e")]:
            one.put(path, "k", {"v": 1})
        one.put(("gone",), "k", {"v": 1})
        one.delete(("gone",), "k")
    own._data.pop(("gone",))  # it goes on to list what is empty
    for asked in (
        {}, {"prefix": ("a",)}, {"prefix": ("a", "*", "c")}, {"suffix": ("c",)}, {"max_depth": 2}, {"prefix": ("a", "b"), "max_depth": 3},
        {"limit": 2}, {"limit": 2, "offset": 1}, {"prefix": ("a",), "suffix": ("*", "d")}, {"prefix": ("q",)},
    ):  # fmt: skip
        assert store.list_namespaces(**asked) == own.list_namespaces(**asked), asked


def test_a_batch_reads_before_it_writes_and_is_one_entry(memory, store):
    store.put(("a",), "k", {"n": 1})
    before = memory.newest_entry
    told = store.batch([
        PutOp(("a",), "k", {"n": 2}), GetOp(("a",), "k"), PutOp(("a",), "k", {"n": 3}), PutOp(("b",), "k", {"n": 4}),
        SearchOp(("a",)), PutOp(("c",), "k", None), ListNamespacesOp(),
    ])  # fmt: skip
    assert told[0] is None and told[1].value == {"n": 1} and len(told[4]) == 1 and told[6] == [("a",)]
    assert memory.newest_entry == before + 1 and store.get(("a",), "k").value == {"n": 3}
    many = [PutOp(("many", str(n % 7)), str(n), {"n": n}) for n in range(350)]
    store.batch([*many, PutOp(("a",), "k", None)])
    assert memory.newest_entry == before + 2 and len(store.search(("many",), limit=1000)) == 350
    memory.undo(memory.newest_entry)
    assert store.search(("many",)) == [] and store.get(("a",), "k").value == {"n": 3}


def test_a_batch_that_cannot_be_kept_whole_is_not_kept(store):
    with pytest.raises(anima.WrongType):
        store.batch([PutOp(("a",), "k", {"n": 1}), PutOp(("a",), "l", {"n": (1,)})])
    assert store.search(()) == []


def test_each_write_has_its_author_and_can_be_undone(memory):
    store = AnimaStore(memory, author=anima.Author("helper", source="a letter", trust=anima.Trust.STANDARD))
    store.put(("a",), "k", {"text": "green tea"})
    store.put(("a",), "k", {"text": "black tea"})
    hit = memory.search("black tea", type="LangGraphItem")[0]
    commit = memory.history(hit.id)[-1]
    assert (commit.author, commit.source, commit.trust) == ("helper", "a letter", anima.Trust.STANDARD)
    memory.undo(memory.newest_entry)
    assert store.get(("a",), "k").value == {"text": "green tea"}
    store.delete(("a",), "k")
    memory.undo(memory.newest_entry)
    assert places(store.search((), query="green")) == [(("a",), "k")]


def test_all_of_it_can_be_undone(memory, store):
    before = memory.newest_entry
    store.put(("a",), "k", {"n": 1})
    memory.undo(before + 1, memory.newest_entry)
    assert store.get(("a",), "k") is None and store.list_namespaces() == [] and store.search((), query="n") == []
    store.delete(("a",), "k")
    store.put(("a",), "k", {"n": 2})
    assert store.get(("a",), "k").value == {"n": 2}


def test_who_is_trusted_less_changes_nothing(memory):
    store, other = AnimaStore(memory, author=OWNER), AnimaStore(memory)
    store.put(("a",), "k", {"n": 1}, ttl=100)
    with pytest.raises(anima.Denied) as refused:
        other.put(("a",), "k", {"n": 2})
    assert refused.value.hint
    with pytest.raises(anima.Denied):
        other.delete(("a",), "k")
    assert store.get(("a",), "k").value == other.get(("a",), "k").value == {"n": 1}
    with pytest.raises(anima.Denied):  # a name alone has no trust
        AnimaStore(memory, author="ada").put(("a",), "k", {"n": 3})
    store.put(("a",), "k", {"n": 3})
    assert other.get(("a",), "k").value == {"n": 3}


def test_nobody_vouches_for_what_a_model_said(folder):
    """Who opened the memory is its author, and it is not trusted as his own word."""
    with anima.Memory.open(folder, author=OWNER) as memory, anima.Agent.open(memory) as agent:
        AnimaStore(memory).put(("a",), "k", {"text": "The attic window is purple."})
        (hit,) = memory.search("attic")
        commit = memory.history(hit.id)[-1]
        assert (commit.author, commit.source, commit.trust) == ("ada", "langgraph", anima.Trust.UNTRUSTED)
        recalled = agent.recall("Which attic window is purple?")
        assert "attic" in recalled.text and recalled.label == anima.Trust.UNTRUSTED


def test_a_connection_writes_as_its_token(folder):
    with serving(folder) as server, anima.connect(server.folder) as connection:
        with pytest.raises(anima.Unsupported):
            AnimaStore(connection, author="me")
        with pytest.raises(anima.WrongType):
            AnimaStore("space")


class Clock:
    """What the store takes for the time, in seconds."""

    now = 1_000_000.0

    def time(self):
        return self.now

    def wait(self, minutes):
        self.now += 60 * minutes


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(_langgraph_store, "time", made)
    return made


def test_what_expires(space, clock):  # noqa: F811
    store = AnimaStore(space, ttl={"default_ttl": 5, "refresh_on_read": False})
    store.put(("a",), "soon", {"text": "tea"})
    store.put(("a",), "later", {"text": "tea"}, ttl=10)
    store.put(("a",), "never", {"text": "tea"}, ttl=None)
    store.put(("b",), "soon", {"text": "tea"})
    clock.wait(4.9)
    assert store.get(("a",), "soon") is not None and len(store.list_namespaces()) == 2
    clock.wait(0.2)
    assert store.get(("a",), "soon") is None and store.list_namespaces() == [("a",)]
    assert {item.key for item in store.search(("a",))} == {"later", "never"}
    assert {item.key for item in store.search((), query="tea")} == {"later", "never"}
    assert store.sweep_ttl() == 2 and store.sweep_ttl() == 0


def test_reading_lets_an_item_live_longer(memory, clock):
    store = AnimaStore(memory)
    store.put(("a",), "k", {"n": 1}, ttl=5)
    before = memory.newest_entry
    for _ in range(6):
        clock.wait(4)
        assert store.get(("a",), "k").value == {"n": 1} and len(store.search(("a",), refresh_ttl=False)) == 1
    assert memory.newest_entry == before + 6
    clock.wait(4)
    assert len(store.search(("a",))) == 1
    assert memory.newest_entry == before + 7
    store.get(("a",), "k", refresh_ttl=False)
    clock.wait(5.1)
    assert store.get(("a",), "k") is None


def test_a_reader_takes_back_nothing_that_was_written_meanwhile(memory, monkeypatch):
    store, other = AnimaStore(memory), AnimaStore(memory)
    store.put(("a",), "k", {"n": 1}, ttl=10)
    refresh = store._refresh

    def late(items, wanted):
        other.put(("a",), "k", {"n": 2}, ttl=10)
        refresh(items, wanted)

    monkeypatch.setattr(store, "_refresh", late)
    assert store.get(("a",), "k").value == {"n": 1}
    assert other.get(("a",), "k").value == {"n": 2}


def test_large_values(store):
    value = {"text": "word " * 1_000_000, "bytes": "QUJD" * 500_000}
    store.put(("a",), "k", value)
    assert store.get(("a",), "k").value == value
    with pytest.raises(anima.LimitExceeded) as refused:
        store.put(("a",), "k", {"text": "x" * (17 << 20)})
    assert refused.value.hint and store.get(("a",), "k").value == value


def test_large_values_over_a_server(folder):
    """What it could not give back is refused; many that are large together come in smaller pages."""
    with serving(folder) as server, anima.connect(server.folder) as connection:
        store = AnimaStore(connection)
        for number in range(12):
            store.put(("a",), str(number), {"n": number, "text": "x" * 300_000})
        assert [item.value["n"] for item in store.search(("a",), limit=100)] == list(reversed(range(12)))
        with pytest.raises(anima.LimitExceeded) as refused:
            store.put(("a",), "0", {"text": "x" * 1_000_000})
        assert refused.value.hint and store.get(("a",), "0").value["n"] == 0


def test_threads(space):  # noqa: F811
    store = AnimaStore(space)

    def work(number):
        store.put(("t", str(number % 4)), str(number), {"n": number})
        store.put(("t", "shared"), "k", {"n": number})
        return store.get(("t", str(number % 4)), str(number)).value["n"]

    assert at_once(work, 80) == list(range(80))
    assert len(store.search(("t",), limit=1000)) == 81
    assert store.get(("t", "shared"), "k").value["n"] in range(80)


def test_asyncio(memory):
    store = AnimaStore(memory)

    async def main():
        await asyncio.gather(*(store.aput(("a", str(n % 3)), str(n), {"text": f"tea {n}"}) for n in range(50)))
        assert (await store.aget(("a", "1"), "1")).value == {"text": "tea 1"}
        assert len(await store.asearch(("a",), query="tea", limit=100)) == 50
        await store.adelete(("a", "1"), "1")
        assert await store.aget(("a", "1"), "1") is None
        assert await store.alist_namespaces() == [("a", "0"), ("a", "1"), ("a", "2")]

    asyncio.run(main())


def test_what_was_acknowledged_outlives_a_kill(folder):
    killed(
        folder,
        """
        from anima.adapters.langgraph import AnimaStore
        store = AnimaStore(memory)
        for number in range(20):
            store.put(("a",), str(number), {"text": f"tea {number}"})
        store.delete(("a",), "7")
        """,
    )
    with anima.Memory.open(folder, author=OWNER) as memory:
        store = AnimaStore(memory)
        assert len(store.search(("a",), limit=100)) == 19 and store.get(("a",), "7") is None
        assert store.search(("a",), query="19")[0].key == "19"
        memory.verify()


def test_a_memory_that_only_reads(folder):
    with anima.Memory.open(folder, read_only=True) as memory:
        store = AnimaStore(memory)
        assert store.get(("a",), "k") is None and store.search((), query="x") == [] and store.list_namespaces() == []
        with pytest.raises(anima.Denied):
            store.put(("a",), "k", {"n": 1})
