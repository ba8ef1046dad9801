"""LangGraph's store: values under keys in namespaces."""

from __future__ import annotations

import json
import operator
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from .. import _errors
from .._aio_calls import run_call
from .._convert import AuthorLike
from .._memory import Memory
from .._values import Json
from ._records import (
    Command,
    Place,
    Record,
    Records,
    Schema,
    Space,
    data_of,
    exact_text,
    place_of,
    sealed_data_of,
    value_of,
)

Namespace = tuple[str, ...]

_ITEM, _NAMESPACE = "LangGraphItem", "LangGraphNamespace"
_IN, _WITHIN = "in_langgraph_namespace", "within_langgraph_namespace"

_SCHEMA = Schema(
    {
        _ITEM: "An item of a LangGraph store: a value under a key of a namespace",
        _NAMESPACE: "A namespace of a LangGraph store",
    },
    {
        _IN: "The item is in exactly this namespace",
        _WITHIN: "The namespace is one level below this one",
    },
)

_FIND = (
    "FIND(?i.id, ?i.name, ?i.metadata._version, ?n.attributes.path, ?i.attributes.key, ?i.attributes.data, "
    "?i.metadata._created_at, ?i.metadata._updated_at)"
)
_ANY = f'?i {{type: "{_ITEM}"}} (?i, "{_IN}", ?n)'
_BELOW = f'{_ANY} (?n, "{_WITHIN}"{{0,}}, {{type: "{_NAMESPACE}", name: :prefix}})'
_SECONDS_A_MINUTE = 60.0
_HITS = (64, 1_000, 10_000)  # asked for until enough are in the namespace; a search gives no more


class _Stored(NamedTuple):
    """An item as it stands in the memory."""

    id: str
    name: str
    version: int
    path: str
    key: str
    data: dict[str, Any]
    created: str
    updated: str

    @property
    def namespace(self) -> Namespace:
        return tuple(json.loads(self.path))

    @property
    def expired(self) -> bool:
        return "expires" in self.data and self.data["expires"] <= time.time()

    @property
    def value(self) -> dict[str, Any]:
        return value_of(self.data)

    @property
    def searched(self) -> bool:
        """Whether a query may find it."""
        return "base64" not in self.data or "texts" in self.data

    def item(self) -> Item:
        return Item(
            value=self.value,
            key=json.loads(self.key),
            namespace=self.namespace,
            created_at=datetime.fromisoformat(self.created),
            updated_at=datetime.fromisoformat(self.updated),
        )

    def found(self, score: float | None) -> SearchItem:
        item = self.item()
        return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)


_Scored = tuple[_Stored, "float | None"]


class AnimaStore(BaseStore):
    """A LangGraph store over an anima.Memory, or over what anima.connect() gives.

    Each item is a thing of the memory; a put, a batch of puts and a deletion are one entry of the log
    each, with their author, and can be undone. A value comes back the same; what JSON would change
    (a tuple, a datetime, a key that is no str) is a WrongType.

    A `query` is a search by words and forgives typing errors: what has none of its words is not found.
    `index` of put(): False keeps an item from being found by a query, paths say by what; the words of
    its key always count. Over a connection items have no score.

    Who writes is the memory's author, who does not vouch for what models say: it is untrusted unless
    `author` says otherwise. Search and recall of the memory itself see the items of all namespaces.

    `ttl`: LangGraph's TTLConfig. What is expired is never returned; sweep_ttl() deletes it. Neither takes
    it out of the log: `anima forget` does.
    """

    supports_ttl = True

    def __init__(
        self, memory: Space, *, author: AuthorLike | None = None, ttl: TTLConfig | None = None
    ) -> None:
        self.ttl_config = ttl
        self._records = Records(memory, _SCHEMA, author, source="langgraph")

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads first, then all that is written, in one entry or not at all; of several writes of one
        item the last counts."""
        results: list[Result] = []
        writes: dict[tuple[Namespace, str], PutOp] = {}
        for op in ops:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                writes[(op.namespace, op.key)] = op
                results.append(None)
            else:
                results.append(self._read(op))
        self._write(list(writes.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await run_call(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Deletes what is expired; gives how many items that were."""
        expired = [one for one in self._rows(_ANY, {}) if one.expired]
        return sum(self._records.change((), [_deletion_of(one)]) for one in expired)

    # -- reading

    def _read(self, op: GetOp | SearchOp | ListNamespacesOp) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):  # pyright: ignore[reportUnnecessaryIsInstance]
            return self._namespaces(op)
        raise _errors.wrong_type(f"an operation is no {type(op).__name__}", "GetOp, SearchOp, PutOp, ..")

    def _rows(self, where: str, parameters: dict[str, Any]) -> Iterator[_Stored]:
        query = f"{_FIND} WHERE {{ {where} }} ORDER BY ?i.metadata._updated_at DESC"
        for row in self._records.rows(query, parameters):
            yield _Stored(*row)

    def _get(self, op: GetOp) -> Item | None:
        where = f'?i {{type: "{_ITEM}", name: :name}} (?i, "{_IN}", ?n)'
        name = _item_place(op.namespace, op.key).name
        stored = next((one for one in self._rows(where, {"name": name}) if not one.expired), None)
        if stored is None:
            return None
        self._refresh([stored], op.refresh_ttl)
        return stored.item()

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = op.offset + op.limit
        found = self._by_words(op, wanted) if op.query else self._newest(op, wanted)
        found = found[op.offset : wanted]
        self._refresh([one for one, _ in found], op.refresh_ttl)
        return [one.found(score) for one, score in found]

    def _newest(self, op: SearchOp, wanted: int) -> list[_Scored]:
        where, parameters = _below(op.namespace_prefix)
        rows = self._rows(where, parameters)
        return [(one, None) for one in islice((one for one in rows if _passes(one, op.filter)), wanted)]

    def _by_words(self, op: SearchOp, wanted: int) -> list[_Scored]:
        """What the words find and is in the namespace, the best first."""
        least = _HITS if isinstance(self._records.space, Memory) else _HITS[:-1]  # a server gives fewer
        try:
            for most in least:
                hits = self._records.space.search(cast("str", op.query), type=_ITEM, limit=most)
                scores = {hit.id: cast("float | None", getattr(hit, "score", None)) for hit in hits}
                where, parameters = _below(op.namespace_prefix)
                where += " FILTER(IN(?i.id, :ids))"
                rows = self._rows(where, {**parameters, "ids": list(scores)}) if hits else ()
                here = {one.id: one for one in rows if one.searched and _passes(one, op.filter)}
                if len(here) >= wanted or len(hits) < most:
                    return [(here[id], score) for id, score in scores.items() if id in here]
        except _errors.NotFound:  # nothing was ever put
            return []
        return self._by_words_apart(op, wanted)

    def _by_words_apart(self, op: SearchOp, wanted: int) -> list[_Scored]:
        """The same of the namespace alone, where too many items of others match better."""
        where, parameters = _below(op.namespace_prefix)
        rows = self._rows(where, parameters)
        here = {one.name: one for one in rows if one.searched and _passes(one, op.filter)}
        with Memory.in_memory() as apart:
            copies = [Record(Place(_ITEM, one.name), {"key": one.key}, one.data) for one in here.values()]
            Records(apart, _SCHEMA, None, source="").change(copies)
            most = min(wanted, len(here))
            hits = apart.search(cast("str", op.query), type=_ITEM, limit=most) if here else []
            return [(here[hit.name], hit.score) for hit in hits]

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        query = f"FIND(?n.attributes.path, ?i.attributes.data.expires) WHERE {{ {_ANY} }}"
        now = time.time()
        rows = self._records.rows(query, {})
        paths = {path for path, expires in rows if expires is None or expires > now}
        there = {cast("Namespace", tuple(json.loads(path))) for path in paths}
        matched = {each for each in there if all(_matches(one, each) for one in op.match_conditions or ())}
        cut = sorted(each[: op.max_depth] for each in matched)
        return list(dict.fromkeys(cut))[op.offset : op.offset + op.limit]

    # -- writing

    def _write(self, ops: list[PutOp]) -> None:
        records = [record for op in ops if op.value is not None for record in _records_of(op)]
        names = [_item_place(op.namespace, op.key).name for op in ops if op.value is None]
        self._records.change(records, [(_DELETE, {"names": names})] if names else [])

    def _refresh(self, items: list[_Stored], refresh: bool) -> None:
        """Who reads an item lets it live longer, where it has a time and the reader may write it."""
        for one in items if refresh else ():
            if "ttl" in one.data:
                data = _timed(one.data, one.data["ttl"])
                # What somebody wrote meanwhile counts; who may not write it reads it all the same.
                with suppress(_errors.Conflict, _errors.Denied):
                    self._records.change([Record(Place(_ITEM, one.name), {}, data, version=one.version)])


_DELETE = f'DELETE CONCEPT ?i DETACH WHERE {{ ?i {{type: "{_ITEM}"}} FILTER(IN(?i.name, :names)) }}'


def _deletion_of(one: _Stored) -> Command:
    """Of what it is now: what was written meanwhile stays."""
    same = f'?i {{type: "{_ITEM}"}} FILTER(?i.name == :name && ?i.metadata._version == :version)'
    return f"DELETE CONCEPT ?i DETACH WHERE {{ {same} }}", {"name": one.name, "version": one.version}


def _item_place(namespace: Namespace, key: str) -> Place:
    return place_of(_ITEM, list(namespace), key)


def _namespace_place(namespace: Namespace) -> Place:
    return place_of(_NAMESPACE, *namespace)


def _namespace_records(namespace: Namespace) -> list[Record]:
    """It and those above it."""
    records: list[Record] = []
    for depth in range(1, len(namespace) + 1):
        path = namespace[:depth]
        above = [(_WITHIN, _namespace_place(path[:-1]))] if depth > 1 else []
        records.append(Record(_namespace_place(path), {"path": exact_text(list(path))}, None, above))
    return records


def _below(prefix: Namespace) -> tuple[str, dict[str, Any]]:
    return (_BELOW, {"prefix": _namespace_place(prefix).name}) if prefix else (_ANY, {})


def _records_of(op: PutOp) -> list[Record]:
    what = f"the value of {op.key!r}"
    value = op.value
    if type(value) is not dict:
        raise _errors.wrong_type(f"{what} is of the type {type(value).__name__}", "a value is a dict")
    data = data_of(value, what) if op.index is None else sealed_data_of(value, what)
    if op.index:
        paths = [tokenize_path(path) for path in op.index]
        data["texts"] = [each for path in paths for each in get_text_at_path(cast("Json", value), path)]
    labels = {"key": exact_text(op.key)}
    links = [(_IN, _namespace_place(op.namespace))]
    item = Record(_item_place(op.namespace, op.key), labels, _timed(data, op.ttl), links)
    return [*_namespace_records(op.namespace), item]


def _timed(data: dict[str, Any], minutes: float | None) -> dict[str, Any]:
    if minutes is None:
        return data
    return {**data, "ttl": minutes, "expires": time.time() + minutes * _SECONDS_A_MINUTE}


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    begin = 0 if condition.match_type == "prefix" else len(namespace) - len(path)
    part = namespace[begin : begin + len(path)]
    return all(wanted in ("*", label) for wanted, label in zip(path, part))


def _passes(one: _Stored, wanted: dict[str, Any] | None) -> bool:
    if one.expired or not wanted:
        return not one.expired
    value = one.value
    return all(_compares(value.get(key), each) for key, each in wanted.items())


def _compares(value: Any, wanted: Any) -> bool:
    """As LangGraph's own stores compare; numbers with numbers and texts with texts."""
    if isinstance(wanted, dict):
        members = cast("dict[str, Any]", wanted)
        if any(key.startswith("$") for key in members):
            return all(_holds(value, sign, limit) for sign, limit in members.items())
        if not isinstance(value, dict):
            return False
        held = cast("dict[str, Any]", value)
        return all(_compares(held.get(key), each) for key, each in members.items())
    if isinstance(wanted, (list, tuple)):
        several = cast("list[Any]", wanted)
        return (
            isinstance(value, list)
            and len(cast("list[Any]", value)) == len(several)
            and all(_compares(*pair) for pair in zip(cast("list[Any]", value), several))
        )
    return value == wanted


def _holds(value: Any, sign: str, limit: Any) -> bool:
    if sign == "$eq":
        return value == limit
    if sign == "$ne":
        return value != limit
    if sign not in _ORDERED:
        signs = "$eq, $ne, $gt, $gte, $lt and $lte"
        raise _errors.InvalidArgument(f"there is no operator {sign}", hint=signs)
    if _ordered_kind(value) is None or _ordered_kind(value) is not _ordered_kind(limit):
        return False
    return _ORDERED[sign](value, limit)


_ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def _ordered_kind(value: Any) -> type | None:
    if isinstance(value, bool):
        return None
    return float if isinstance(value, (int, float)) else str if isinstance(value, str) else None
