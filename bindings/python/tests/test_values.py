"""What goes in and comes out, and what is refused: nothing is changed on the way."""

import datetime
import enum
import math
import types
from collections import OrderedDict

import pytest

import anima

TELL = 'UPSERT { CONCEPT { {type: "Person", name: "Ada"} SET ATTRIBUTES {kept: :value} } }'
ASK = 'FIND(?p.attributes.kept) WHERE { ?p {type: "Person", name: "Ada"} }'


def round_trip(memory, value):
    memory.kip(TELL, {"value": value})
    return memory.find(ASK).one()[0]


@pytest.mark.parametrize(
    "value",
    [
        True, False, 0, -1, 2**63 - 1, -(2**63), 1.5, -0.0, 1e308, 5e-324, "", "a\0b", "naïve 日本 🜁",
        [], [1, [2, [3]]], {}, {"a": {"b": [None, "c"]}}, "x" * 100_000,
    ],
)  # fmt: skip
def test_json_comes_back_as_it_was(memory, value):
    back = round_trip(memory, value)
    assert back == value and type(back) is type(value)
    assert not isinstance(value, float) or math.copysign(1, back) == math.copysign(1, value)


def test_digits_beyond_64_bits_come_back_as_int(memory):
    memory.kip(TELL.replace(":value", "12345678901234567893"))
    rows = memory.find(ASK)
    assert rows.one()[0] == 12345678901234567893
    assert list(rows)[0][0] == 12345678901234567893


class Colour(str, enum.Enum):
    RED = "red"


class Index:
    def __index__(self):
        return 7


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ((1, 2), [1, 2]),
        (OrderedDict(a=1), {"a": 1}),
        (types.MappingProxyType({"a": 1}), {"a": 1}),
        (Colour.RED, "red"),
        (Index(), 7),
    ],
)
def test_what_is_like_json_is_taken(memory, value, read):
    assert round_trip(memory, value) == read


def cyclic_dict():
    value = {}
    value["self"] = value
    return value


def cyclic_list():
    value = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (2**63, ValueError), (-(2**63) - 1, ValueError), (10**400, ValueError),
        (math.nan, ValueError), (math.inf, ValueError), ("\ud800", ValueError), ({"\udfff": 1}, ValueError),
        ({1: 2}, TypeError), ({None: 2}, TypeError), ({(1,): 2}, TypeError), (object(), TypeError),
        (b"bytes", TypeError), ({1, 2}, TypeError), (1j, TypeError), (iter([1]), TypeError), (print, TypeError),
    ],
)  # fmt: skip
def test_what_json_cannot_say_is_refused(memory, value, kind):
    entry = memory.newest_entry
    for wrapped in (value, [value], {"a": value}, [{"a": [value]}]):
        with pytest.raises(kind):
            memory.kip(TELL, {"value": wrapped})
    assert memory.newest_entry == entry


@pytest.mark.parametrize("value", [cyclic_dict(), cyclic_list()])
def test_what_holds_itself_is_refused(memory, value):
    with pytest.raises(anima.LimitExceeded, match="64"):
        memory.kip(TELL, {"value": value})


def test_what_changes_while_it_is_read(memory):
    class Changing:
        def __init__(self, target):
            self.target = target

        def __index__(self):
            self.target.clear()
            return 1

    items = []
    items.extend([Changing(items), 2, 3])
    memory.kip(TELL, {"value": items})
    members = {}
    members.update(a=Changing(members), b=2)
    memory.kip(TELL, {"value": members})

    class Raising:
        def __index__(self):
            raise RuntimeError("not now")

    with pytest.raises(RuntimeError, match="not now"):
        memory.kip(TELL, {"value": [Raising()]})


@pytest.mark.parametrize("text", [None, 5, b"x", ["x"]])
def test_texts_are_str(memory, text):
    for call in (memory.kip, memory.find, memory.sparql, memory.ask, memory.search, memory.history, memory.why):
        with pytest.raises(TypeError):
            call(text)


def test_lone_surrogates_are_no_text(memory, tmp_path):
    for call in (memory.kip, memory.find, memory.sparql, memory.ask, memory.search, memory.why_not):
        with pytest.raises(anima.InvalidArgument, match="surrogate"):
            call("a \ud800 b")
    with pytest.raises(anima.InvalidArgument):
        anima.Memory.open("\udc80", create=True)
    with pytest.raises(TypeError):
        anima.Memory.open(b"space")
    with pytest.raises(anima.InvalidArgument):
        anima.Memory.open("")


def test_options_are_checked(memory):
    with pytest.raises(anima.InvalidArgument, match="trust"):
        memory.kip(TELL, {"value": 1}, author=anima.Author("x", trust="almighty"))
    with pytest.raises(ValueError):
        memory.kip(TELL, {"value": 1}, author=anima.Author("x", trust=9))
    with pytest.raises(TypeError):
        memory.kip(TELL, {"value": 1}, "ada")
    with pytest.raises(TypeError):
        memory.search("x", limit="many")
    with pytest.raises(TypeError):
        memory.find(ASK, stop="now")
    with pytest.raises(TypeError):
        memory.find(ASK, timeout="soon")
    with pytest.raises(TypeError):
        memory.load("a.csv", key=[1])


def test_numbers_and_arrays_of_numpy_are_values(memory):
    numpy = pytest.importorskip("numpy")
    given = {
        "an int": numpy.int32(-7),
        "a float": numpy.float32(0.5),
        "yes": numpy.bool_(True),
        "an array": numpy.array([[1, 2], [3, 4]], dtype=numpy.uint8),
        "a text": numpy.str_("Ada"),
    }
    plain = {"an int": -7, "a float": 0.5, "yes": True, "an array": [[1, 2], [3, 4]], "a text": "Ada"}
    assert anima._wire.json_value(given) == plain
    for name, value in given.items():
        back = round_trip(memory, value)
        assert back == plain[name] and type(back) is type(plain[name])
    for value in (numpy.float64("nan"), numpy.array([numpy.inf])):
        with pytest.raises(anima.InvalidArgument):
            anima._wire.json_value({"x": value})
        with pytest.raises(anima.InvalidArgument):
            memory.kip(TELL, {"value": value})
    with pytest.raises(anima.WrongType):
        memory.kip(TELL, {"value": numpy.datetime64("2026-01-01")})


def test_changes_behind_the_newest_entry_are_refused(memory):
    with pytest.raises(anima.InvalidArgument, match="there is no entry 99999 yet"):
        memory.changes(after=99999)


def test_a_wrong_type_is_an_error_of_anima_with_a_hint(memory):
    for call, hint in (
        (lambda: memory.ask(5), "a question is a str"),
        (lambda: memory.changes(after="first"), "after is the number of an entry, 0 or more"),
        (lambda: memory.search("x", limit="many"), "limit is an int"),
        (lambda: memory.find(ASK, timeout="soon"), "seconds, or None for no limit"),
        (lambda: memory.load("a.csv", key=5), "a str, or several"),
        (lambda: anima.Memory.open(5), "a path is a str or a path of str"),
    ):
        with pytest.raises(anima.WrongType) as raised:
            call()
        assert isinstance(raised.value, TypeError) and isinstance(raised.value, anima.InvalidArgument)
        assert raised.value.code == "invalid_argument" and raised.value.hint == hint
    for call in (
        lambda: memory.changes(after=-1),
        lambda: memory.changes(after=1 << 70),
        lambda: memory.search("x", limit=-1),
        lambda: memory.undo(-3),
        lambda: anima.Memory.open("a\0b"),
    ):
        with pytest.raises(anima.InvalidArgument) as raised:
            call()
        assert raised.value.hint


def test_hints_name_what_there_is_in_python(memory):
    memory.kip('UPSERT { CONCEPT { {type: "$ConceptType", name: "Note"} } }')
    first = memory.newest_entry
    memory.kip('UPSERT { CONCEPT { {type: "Note", name: "a"} } }')
    with pytest.raises(anima.Conflict) as raised:
        memory.undo(first)
    assert raised.value.hint.startswith("cascade=True")
    with pytest.raises(anima.Error) as raised:
        memory.load("a.csv", mapping={"columns": []})
    assert "--" not in str(raised.value)


def test_a_literal_that_is_not_written_as_its_type_says_stays_a_text():
    def value(text, name):
        return anima.Term("literal", text, "http://www.w3.org/2001/XMLSchema#" + name).value

    for text, name in (("1_000", "integer"), (" 5", "integer"), ("\u0665", "integer"), ("300", "byte"),
                       ("-1", "nonNegativeInteger"), ("Infinity", "double"), ("1_0", "float"),
                       ("NaN", "decimal"), ("1e5", "decimal"), ("yes", "boolean")):  # fmt: skip
        assert value(text, name) == text
    assert value("+5", "integer") == 5 and value("-128", "byte") == -128
    assert value("INF", "double") == math.inf and value(".5", "decimal") == 0.5


# Each call with a text, given what is no text: the class of the error says what was wanted, as it does for 3 and b"x".
TEXTS = {
    "ask": lambda memory, agent, wrong: memory.ask(wrong),
    "find": lambda memory, agent, wrong: memory.find(wrong),
    "kip": lambda memory, agent, wrong: memory.kip(wrong),
    "sparql": lambda memory, agent, wrong: memory.sparql(wrong),
    "search": lambda memory, agent, wrong: memory.search(wrong),
    "why": lambda memory, agent, wrong: memory.why(wrong),
    "why_not": lambda memory, agent, wrong: memory.why_not(wrong),
    "import_rdf": lambda memory, agent, wrong: memory.import_rdf(wrong, format="turtle"),
    "export": lambda memory, agent, wrong: memory.export(wrong),
    "remember": lambda memory, agent, wrong: agent.remember(wrong),
    "speaker": lambda memory, agent, wrong: agent.remember("x", speaker=wrong),
    "recall": lambda memory, agent, wrong: agent.recall(wrong),
    "update": lambda memory, agent, wrong: agent.update_memory(wrong, "x"),
    "forget": lambda memory, agent, wrong: agent.forget_memory(wrong),
    "agent ask": lambda memory, agent, wrong: agent.ask(wrong),
    "chat": lambda memory, agent, wrong: agent.chat(wrong),
    "run": lambda memory, agent, wrong: agent.run(wrong),
    "grant": lambda memory, agent, wrong: agent.grant(wrong),
    "author": lambda memory, agent, wrong: anima.Author(wrong),
}


def test_what_is_no_text_is_a_wrong_type(folder):
    with anima.Agent.open(folder) as agent:
        for name, call in TEXTS.items():
            for wrong in (None, 3, b"x", ["x"]):
                if wrong is None and "speaker" in name:
                    continue  # nobody in particular
                try:
                    call(agent.memory, agent, wrong)
                except anima.WrongType as refused:
                    assert "arg0" not in str(refused), name
                else:
                    pytest.fail(f"{name} takes {wrong!r}")


def test_an_author_is_checked_where_it_is_made():
    assert anima.Author("ada", trust="operator").trust is anima.Trust.OPERATOR
    assert anima.Author("ada", trust=4) == anima.Author("ada", trust=anima.Trust.OPERATOR)
    with pytest.raises(anima.InvalidArgument, match="oprator"):
        anima.Author("ada", trust="oprator")


def test_an_address_is_no_folder():
    with pytest.raises(anima.InvalidArgument, match="connect"):
        anima.Memory.open("http://127.0.0.1:7411", create=True)


def test_a_time_that_utc_does_not_have_is_refused(memory):
    with pytest.raises(anima.InvalidArgument):
        memory.as_of(datetime.datetime(1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=5))))
