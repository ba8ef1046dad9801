"""What adapters keep: things with exact keys, each with one attribute of data and links to what it is of.

A thing's name is a digest of its key, so that keys that look alike are different things. All that may
change of a thing is one attribute, so that it is replaced whole or not at all.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union, cast

from .. import _errors
from .._convert import AuthorLike, whole_author
from .._memory import Memory, author_of_memory
from .._remote import Connection
from .._values import Author, Json, Trust
from .._wire import kip_error, kip_result

Space = Union[Memory, Connection]

_MOST_AT_ONCE = 100  # things in one command, whose text is limited
_PAGE = 500  # rows
_PAUSES = (0.001, 0.01, 0.1)  # seconds
_MOST_SERVED = 900_000  # bytes of a thing that a server gives, in an answer of at most one MiB
_MOST_DEEP = 50  # of what a thing holds as it is; a memory takes 64 levels of all


def exact_text(value: Json) -> str:
    """JSON that reads back as the very same, also where a text is no Unicode."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def data_of(value: Json, what: str) -> dict[str, Json]:
    """A value that comes back the same from value_of(), with its texts as a search reads them. Errors:
    WrongType of what JSON would change."""
    _check_same_in_json(value, what)
    return {"value": value} if _fits(value) else {"json": _dumped(value, what)}


def sealed_data_of(value: Json, what: str) -> dict[str, Json]:
    """The same, with nothing that a search finds."""
    _check_same_in_json(value, what)
    return {"base64": text_of_bytes(_dumped(value, what).encode())}


def value_of(data: Mapping[str, Json]) -> Any:
    if "value" in data:
        return data["value"]
    return json.loads(data["json"] if "json" in data else bytes_of_text(data["base64"]))


def _dumped(value: Json, what: str) -> str:
    try:
        return exact_text(value)
    except (ValueError, RecursionError) as error:
        raise _errors.InvalidArgument(
            f"{what} is nothing that JSON can say: {error}", hint="does it hold itself?"
        ) from None


def _check_same_in_json(value: Json, what: str) -> None:
    for one, _ in _parts_of(value):
        if type(one) is dict:
            for key in cast("dict[Any, Any]", one):
                if type(key) is not str:
                    raise _unlike(f"a key of the type {type(key).__name__}", what)
        elif one is not None and type(one) not in (str, int, float, bool, list):
            raise _unlike(f"a value of the type {type(one).__name__}", what)


def _fits(value: Json) -> bool:
    """Whether it is a value of the memory, too: no integer beyond 64 bits, no NaN, no lone surrogate."""
    for one, depth in _parts_of(value):
        if depth > _MOST_DEEP:
            return False
        if type(one) is int and not -(1 << 63) <= one < 1 << 63:
            return False
        if type(one) is float and not math.isfinite(one):
            return False
        texts = (one,) if type(one) is str else cast("Iterable[str]", one) if type(one) is dict else ()
        if any(any("\ud800" <= sign <= "\udfff" for sign in text) for text in texts if not text.isascii()):
            return False
    return True


def _parts_of(value: Any) -> Iterator[tuple[Any, int]]:
    """It, and all that it holds, each with its depth; what is held twice comes once."""
    waiting: list[tuple[Any, int]] = [(value, 0)]
    seen: set[int] = set()
    while waiting:
        one, depth = waiting.pop()
        held = _held_of(one)
        if held is not None:
            if id(cast("object", one)) in seen:
                continue
            seen.add(id(cast("object", one)))
            waiting.extend((each, depth + 1) for each in held)
        yield one, depth


def _held_of(one: Any) -> Iterable[Any] | None:
    if type(one) is dict:
        return cast("dict[Any, Any]", one).values()
    return cast("list[Any]", one) if type(one) is list else None


def _unlike(found: str, what: str) -> _errors.WrongType:
    hint = "what is kept comes back the same: None, bool, int, float, str, list, and dict with str keys"
    return _errors.wrong_type(f"{what} has {found}", hint)


def text_of_bytes(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def bytes_of_text(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


@dataclass(frozen=True)
class Schema:
    """Types and predicates, with what each says."""

    types: Mapping[str, str]
    predicates: Mapping[str, str]


@dataclass(frozen=True)
class Place:
    """Which thing: its type and its name."""

    type: str
    name: str


def place_of(type: str, *key: Json) -> Place:
    """The thing of a key, which is told apart by every letter."""
    return Place(type, hashlib.sha256(json.dumps([type, *key]).encode("ascii")).hexdigest())


@dataclass(frozen=True)
class Record:
    """A thing as it is to be. `labels` follow from its key and never change; without `data` it is only
    there, and keeps what it has. `version`: what it has to be of before, or it is a Conflict."""

    place: Place
    labels: Mapping[str, Json] = field(default_factory=dict[str, Json])
    data: Json = None
    links: Sequence[tuple[str, Place]] = ()
    version: int | None = None


Command = tuple[str, Mapping[str, Json]]


class Records:
    """Reads and writes records. Any thread may call it.

    What a framework keeps is what models, tools and strangers said: whoever opened the memory does not
    vouch for it. Who writes is `author`, and by itself the memory's author without his trust, from
    `source`; of a connection it is its token.
    """

    def __init__(
        self, space: Space, schema: Schema, author: AuthorLike | None, *, source: str
    ) -> None:
        if not isinstance(space, (Memory, Connection)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise _errors.wrong_type(
                f"a memory is no {type(space).__module__}.{type(space).__name__}",
                "anima.Memory.open() and anima.connect() give one, and .sync of what anima.aio has",
            )
        if isinstance(space, Connection) and author is not None:
            raise _errors.Unsupported(
                "a connection writes as whose token it is", hint="leave author= out: see me()"
            )
        self.space = space
        self._schema = schema
        self._author: Author | None = None
        if isinstance(space, Memory):
            self._author = whole_author(author, Author(author_of_memory(space).name, source, Trust.UNTRUSTED))
        self._defined = False
        self._defining = threading.Lock()

    # -- reading

    @property
    def moment(self) -> int:
        """The newest entry that can be read: what several queries have to be of, to belong together."""
        return self.space.view().entry

    def rows(
        self, query: str, parameters: Mapping[str, Json], moment: int | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """All rows of a query without LIMIT, page by page, all of one moment; by itself that is now."""
        at = self.moment if moment is None else moment
        size, cursor = _PAGE, ""
        while True:
            more = " CURSOR :cursor" if cursor else ""
            given = {**parameters, "cursor": cursor} if cursor else parameters
            try:
                page, cursor = self._page(f"{query} LIMIT {size}{more}", given, at)
            except _errors.LimitExceeded:
                if size == 1:
                    raise
                size = max(1, size // 8)  # a server answers with one MiB at most
                continue
            yield from page
            if not cursor:
                return

    def first(
        self, query: str, parameters: Mapping[str, Json], moment: int | None = None
    ) -> tuple[Any, ...] | None:
        """The first row."""
        page, _ = self._page(f"{query} LIMIT 1", parameters, moment)
        return page[0] if page else None

    def _page(
        self, query: str, parameters: Mapping[str, Json], moment: int | None
    ) -> tuple[list[tuple[Any, ...]], str]:
        request = {
            "command": query,
            "parameters": dict(parameters),
            "shape": "rows",
            "strict": False,  # what is not defined yet matches nothing
            "as_of": moment,
        }
        answer = self._read(request)
        if "error" in answer:
            raise kip_error(answer["error"])
        rows: list[dict[str, Any]] = answer["result"]
        return [tuple(row.values()) for row in rows], answer.get("next_cursor", "")

    def _read(self, request: Mapping[str, Json]) -> Any:
        """A server counts an entry a little before it can be read."""
        for pause in _PAUSES:
            answer = self.space.execute_kip(request, readonly=True)
            if "error" not in answer or answer["error"].get("code") != "KIP_3002":
                return answer
            time.sleep(pause)
        return self.space.execute_kip(request, readonly=True)

    # -- writing

    def change(self, records: Sequence[Record], deletions: Sequence[Command] = ()) -> int:
        """Writes and deletes, in one entry of the log or not at all; gives how many things went.

        Errors: Denied where somebody who is trusted more wrote one of them: that one stays as it is, and
        the others are written; Conflict where one is of another version.
        """
        if not records and not deletions:
            return 0
        if isinstance(self.space, Connection):
            _check_served(records)
        commands = [_upsert(records[at : at + _MOST_AT_ONCE]) for at in range(0, len(records), _MOST_AT_ONCE)]
        answers = self._execute_defined([*commands, *deletions])
        outranked = sum(len(answer.get("outranked", ())) for answer in answers)
        if outranked:
            raise _errors.Denied(
                f"somebody who is trusted more wrote {outranked} of {len(records)}, which stay as they are",
                hint="an author= who is trusted as far may write them",
            )
        return sum(answer["result"].get("deleted_concepts", 0) for answer in answers)

    def _execute_defined(self, commands: Sequence[Command]) -> list[dict[str, Any]]:
        self._define()
        try:
            return self._execute(commands)
        except _errors.LimitExceeded as error:
            hint = error.hint or "a value has at most 16 MiB: a file keeps what is larger, and a value its path"
            raise _errors.LimitExceeded(error.message, where=error.where, hint=hint) from None
        except _errors.InvalidArgument as error:
            if _NOT_DEFINED not in error.message:
                raise
        self._defined = False  # somebody took the definitions back
        self._define()
        return self._execute(commands)

    def _execute(self, commands: Sequence[Command]) -> list[dict[str, Any]]:
        """The answer of each, all of them in one entry."""
        named: dict[str, Any] = {} if self._author is None else {"author": self._author}
        request = {
            "commands": [{"command": text, "parameters": dict(given)} for text, given in commands],
            "atomic": True,
        }
        return kip_result(self.space.execute_kip(request, **named))

    def _define(self) -> None:
        """Defines what is not there yet; what is there stays as it was defined."""
        with self._defining:
            if self._defined:
                return
            wanted = [("$ConceptType", *one) for one in self._schema.types.items()]
            wanted += [("$PropositionType", *one) for one in self._schema.predicates.items()]
            missing = [
                one for one in wanted if self.first(_DEFINED, {"type": one[0], "name": one[1]}) is None
            ]
            if missing:
                items = [
                    f'CONCEPT {{ {{type: "{kind}", name: "{name}"}} SET ATTRIBUTES {{description: :d{at}}} }}'
                    for at, (kind, name, _) in enumerate(missing)
                ]
                described = {f"d{at}": one[2] for at, one in enumerate(missing)}
                self._execute([(f"UPSERT {{ {' '.join(items)} }}", described)])
            self._defined = True


_NOT_DEFINED = "KIP_2001"
_DEFINED = "FIND(?t.name) WHERE { ?t {type: :type, name: :name} }"


def _check_served(records: Sequence[Record]) -> None:
    for record in records:
        size = len(json.dumps(record.data, ensure_ascii=False).encode("utf-8", "replace"))
        if size > _MOST_SERVED:
            raise _errors.LimitExceeded(
                f"a server could not give back what has {size} bytes: {_MOST_SERVED} are the most",
                hint="anima.Memory.open() in the process keeps 16 MiB",
            )


def _upsert(records: Sequence[Record]) -> Command:
    """One command; what is linked to and not written itself is made, too."""
    whole: dict[Place, Record] = {}
    for record in records:
        for _, end in record.links:
            whole.setdefault(end, Record(end))
        before = whole.get(record.place)
        whole[record.place] = record if before is None else _joined(before, record)
    return _command(_ends_first(whole))


def _joined(before: Record, record: Record) -> Record:
    """What both say of one thing; the later counts."""
    return Record(
        record.place,
        {**before.labels, **record.labels},
        before.data if record.data is None else record.data,
        tuple(dict.fromkeys([*before.links, *record.links])),
        before.version if record.version is None else record.version,
    )


def _ends_first(records: Mapping[Place, Record]) -> list[Record]:
    """A handle works from its item on, so what is linked to stands before what links to it."""
    ordered: dict[Place, Record] = {}

    def take(place: Place) -> None:
        if place not in ordered:
            for _, end in records[place].links:
                take(end)
            ordered[place] = records[place]

    for place in records:
        take(place)
    return list(ordered.values())


def _command(records: Sequence[Record]) -> Command:
    handles = {record.place: f"?r{at}" for at, record in enumerate(records)}
    parameters: dict[str, Json] = {}
    items: list[str] = []
    for at, record in enumerate(records):
        parameters[f"n{at}"] = record.place.name
        item = f'CONCEPT ?r{at} {{ {{type: "{record.place.type}", name: :n{at}}}'
        if record.version is not None:
            item += f" EXPECT VERSION {record.version}"
        values = dict(record.labels) if record.data is None else {**record.labels, "data": record.data}
        if values:
            item += f" SET ATTRIBUTES {{ {', '.join(f'{key}: :v{at}_{key}' for key in values)} }}"
            parameters.update({f"v{at}_{key}": value for key, value in values.items()})
        if record.links:
            links = " ".join(f'("{predicate}", {handles[end]})' for predicate, end in record.links)
            item += f" SET PROPOSITIONS {{ {links} }}"
        items.append(item + " }")
    return f"UPSERT {{ {' '.join(items)} }}", parameters
