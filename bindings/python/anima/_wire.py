"""Between values of a program and the JSON, SPARQL results and N-Triples of a server."""

from __future__ import annotations

import json
import math
import operator
import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from . import _errors

_MOST_DEEP = 64  # levels of a value of a memory
_MOST_EXACT = 1 << 53  # a float holds every whole number up to it
_OBJECT = "a JSON value is None, bool, int, float, str, list, tuple, a mapping, or of NumPy"

Cells = tuple[Any, ...]
TermParts = tuple[str, str, str, str]  # kind, text, datatype, language


def text_of(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise _errors.wrong_type(f"this is of the type {type(value).__name__}", f"{what} is a str")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _errors.InvalidArgument(
            f"{what} is no Unicode text: it has a lone surrogate",
            hint='decode bytes with errors="replace"',
        ) from None
    return str.__str__(value)


def text_or_none(value: Any, what: str) -> str | None:
    return None if value is None else text_of(value, what)


def _integer_of(value: Any) -> int:
    number = operator.index(value)
    if not -(1 << 63) <= number < 1 << 63:
        raise _errors.InvalidArgument(
            "an integer is beyond 64 bits", hint="a str keeps all of its digits"
        )
    return number


def json_value(value: Any, depth: int = 0) -> Any:
    """What JSON can say, as it is. Errors: InvalidArgument, WrongType, LimitExceeded."""
    if depth > _MOST_DEEP:
        raise _errors.LimitExceeded(
            f"a value nests deeper than {_MOST_DEEP} levels", hint="does it hold itself?"
        )
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return text_of(value, "a text")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _errors.InvalidArgument(
                "JSON has no NaN and no infinity", hint="None says that it is unknown"
            )
        return float(value)
    if isinstance(value, (list, tuple)):
        return [json_value(each, depth + 1) for each in list(cast("Sequence[Any]", value))]
    if isinstance(value, Mapping):
        members = list(cast("Mapping[Any, Any]", value).items())
        return {text_of(key, "a key"): json_value(each, depth + 1) for key, each in members}
    # A number or an array of NumPy, also of a kind that Python has no type for (float32, bool_).
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        return json_value(value.tolist(), depth + 1)
    if hasattr(value, "__index__"):
        return _integer_of(value)
    raise _errors.wrong_type(f"this is of the type {type(value).__name__}", _OBJECT)


def json_body(members: Mapping[str, Any]) -> bytes:
    """A request's body. Members that are None are left out."""
    given = {name: json_value(value) for name, value in members.items() if value is not None}
    return json.dumps(given, ensure_ascii=False).encode()


class JsonRows:
    """A table of JSON, as Rows reads it."""

    def __init__(self, columns: Sequence[str], cells: Sequence[Cells]) -> None:
        self._columns = list(columns)
        self._cells = cells

    def __len__(self) -> int:
        return len(self._cells)

    def columns(self) -> list[str]:
        return self._columns

    def cells(self, first: int, last: int) -> list[Cells]:
        return list(self._cells[first:last])

    def column(self, index: int) -> tuple[str, Any, bytearray | None]:
        """The kind of what is there ("int", "float", "bool", "str", "object"), the values, and which
        are missing."""
        values = [row[index] for row in self._cells]
        kinds: set[type[Any]] = {type(value) for value in values}
        missing = type(None) in kinds
        kinds.discard(type(None))
        if kinds == {str}:
            return "str", values, None
        absent = bytearray(value is None for value in values) if missing else None
        if kinds == {bool}:
            return "bool", bytearray(value or False for value in values), absent
        if kinds == {int}:
            return "int", bytearray(array("q", [value or 0 for value in values])), absent
        exact = all(abs(value) <= _MOST_EXACT for value in values if type(value) is int)
        if kinds and kinds <= {int, float} and exact:
            return "float", bytearray(array("d", [value or 0.0 for value in values])), absent
        return "object", values, None


def rows_of_result(result: Any) -> JsonRows:
    """The rows of a KIP answer in the shape "rows": a member a column; what is no object stands in
    "result"."""
    items: list[Any] = cast("list[Any]", result) if isinstance(result, list) else [result]
    # No row looks like the results of a text of several commands: its members have the names of columns.
    told = [cast("Mapping[str, Any]", each) for each in items if isinstance(each, dict)]
    if len(told) > 1 and len(told) == len(items) and all("result" in each for each in told):
        message = f"the text holds {len(items)} commands, and these are the rows of one"
        raise _errors.InvalidArgument(message, hint="kip() gives the results of several")
    whole: list[Mapping[str, Any]] = [
        cast("Mapping[str, Any]", item) if isinstance(item, dict) else {"result": item} for item in items
    ]
    columns = list(dict.fromkeys(name for item in whole for name in item))
    return JsonRows(columns, [tuple(item.get(name) for name in columns) for item in whole])


class SparqlResult:
    """The answer of /sparql, as SparqlAnswer reads it."""

    def __init__(self, media_type: str, text: str) -> None:
        self._text = text
        self._truth = False
        self._variables: list[str] = []
        self._terms: list[tuple[TermParts | None, ...]] = []
        if "json" in media_type:
            self._form = 0
            self._read_json(json.loads(text))
        else:
            self._form = 2
            self._variables = ["subject", "predicate", "object"]
            self._terms = list(_triples_of(text))

    def _read_json(self, answer: Any) -> None:
        if "boolean" in answer:
            self._form, self._truth = 1, answer["boolean"]
            return
        self._variables = answer["head"]["vars"]
        shared: dict[str, str] = {}
        for binding in answer["results"]["bindings"]:
            self._terms.append(tuple(_term_of(binding.get(name), shared) for name in self._variables))

    def form(self) -> int:
        return self._form

    def truth(self) -> bool:
        return self._truth

    def variables(self) -> list[str]:
        return self._variables

    def __len__(self) -> int:
        return len(self._terms)

    def terms(self, first: int, last: int) -> list[tuple[TermParts | None, ...]]:
        return self._terms[first:last]

    def text(self, format: str) -> str:
        came = "ntriples" if self._form == 2 else "json"
        if format != came:
            raise _errors.Unsupported(
                f"the answer of a server came as {came!r}, and is not written in another format",
                hint="/sparql writes the others, by Accept",
            )
        return self._text


_KINDS = {"uri": "iri", "bnode": "blank", "literal": "literal", "typed-literal": "literal"}
_XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"
_LANGUAGE_TEXT = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"


def _literal(text: str, datatype: str, language: str, shared: dict[str, str]) -> TermParts:
    if not datatype:
        datatype = _LANGUAGE_TEXT if language else _XSD_STRING
    return "literal", text, shared.setdefault(datatype, datatype), shared.setdefault(language, language)


def _term_of(told: Any, shared: dict[str, str]) -> TermParts | None:
    if told is None:
        return None
    kind = _KINDS[told["type"]]
    if kind != "literal":
        return kind, told["value"], "", ""
    return _literal(told["value"], told.get("datatype", ""), told.get("xml:lang", ""), shared)


_TERM = re.compile(
    r'\s*(?:<(?P<iri>[^>]*)>|_:(?P<blank>[^\s]+)|"(?P<text>(?:[^"\\]|\\.)*)"'
    r"(?:\^\^<(?P<type>[^>]*)>|@(?P<language>[A-Za-z0-9-]+))?)"
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SIGNS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def sign(one: re.Match[str]) -> str:
        return chr(int(one[1] or one[2], 16)) if one[3] is None else _SIGNS.get(one[3], one[3])

    return _ESCAPE.sub(sign, text)


def _triples_of(text: str) -> Iterator[tuple[TermParts, ...]]:
    """N-Triples, as a server writes them."""
    shared: dict[str, str] = {}
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        terms: list[TermParts] = []
        place = 0
        for _ in range(3):
            term = _TERM.match(line, place)
            if term is None:
                raise _errors.InputOutputError("the server answers with what is no N-Triples")
            place = term.end()
            if term["iri"] is not None:
                terms.append(("iri", _unescaped(term["iri"]), "", ""))
            elif term["blank"] is not None:
                terms.append(("blank", term["blank"], "", ""))
            else:
                found = term["text"], term["type"] or "", term["language"] or ""
                terms.append(_literal(_unescaped(found[0]), _unescaped(found[1]), found[2], shared))
        yield tuple(terms)


# docs/kip.md, "When it fails".
_KIP_CODES: Mapping[str, str] = {
    "KIP_1001": "syntax", "KIP_1002": "syntax",
    "KIP_2001": "invalid_argument", "KIP_2002": "invalid_argument", "KIP_2003": "invalid_argument",
    "KIP_3001": "invalid_argument", "KIP_3002": "not_found", "KIP_3003": "already_exists",
    "KIP_3004": "denied", "KIP_3005": "conflict", "KIP_4001": "timeout", "KIP_4002": "limit_exceeded",
}  # fmt: skip


def kip_error(fault: Mapping[str, Any]) -> _errors.Error:
    """The exception for what KIP tells under "error"."""
    code = str(fault.get("code", ""))
    data = cast("Mapping[str, Any]", fault.get("data") or {})
    line, column = data.get("line"), data.get("column")
    where = f"{line}:{column}" if isinstance(line, int) and isinstance(column, int) else ""
    message = f"{code}: {fault.get('message', '')}"
    return _errors.error_of(_KIP_CODES.get(code, "internal"), message, where, str(fault.get("hint", "")))


def kip_result(answer: Any, depth: int = 3) -> Any:
    """The result of a KIP answer, as Memory.kip() gives it. What was outranked is a warning at the caller
    `depth` frames above. Errors: the first fault of it."""
    if "error" in answer:
        raise kip_error(answer["error"])
    result: Any = answer.get("result")
    for one in cast("list[Any]", result) if isinstance(result, list) else []:
        told: Any = cast("Mapping[str, Any]", one).get("error") if isinstance(one, dict) else None
        fault: Mapping[str, Any] = cast("Mapping[str, Any]", told if isinstance(told, dict) else {})
        # What was asked for may look like an answer; a fault has a code of KIP.
        if str(fault.get("code", "")).startswith("KIP_"):
            raise kip_error(fault)
    _errors.warn_of_outranked(answer, depth)
    return cast("Any", result)


class EventReader:
    """The events of a stream (server-sent events) out of bytes as they come."""

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._rest = b""

    def next(self) -> tuple[str, str, str] | None:
        """The id, name and data of the next event; None at the end. What read() raises loses nothing."""
        while True:
            end = self._rest.find(b"\n\n")
            if end >= 0:
                block, self._rest = self._rest[:end], self._rest[end + 2 :]
                event = _event_of(block.decode("utf-8", "replace"))
                if event is not None:
                    return event
                continue
            more = self._read()
            if not more:
                return None
            self._rest += more


def _event_of(block: str) -> tuple[str, str, str] | None:
    """None: a comment, or what only says when to come again."""
    fields = {"id": "", "event": "message"}
    data: list[str] = []
    for line in block.split("\n"):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name in fields:
            fields[name] = value
    return (fields["id"], fields["event"], "\n".join(data)) if data else None
