"""The messages of a conversation, in their order.

A transcript is kept, and is no knowledge: neither a search nor recall of the memory finds what somebody said
in one conversation, and tells it in another.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from .._convert import AuthorLike
from .._values import Json
from ._records import (
    Command,
    Place,
    Record,
    Records,
    Schema,
    Space,
    exact_text,
    place_of,
    sealed_data_of,
    value_of,
)

_CONVERSATION, _MESSAGE, _IN = "Conversation", "ConversationMessage", "in_conversation"

_SCHEMA = Schema(
    {
        _CONVERSATION: "A conversation that a program keeps",
        _MESSAGE: "A message of a conversation, as its program wrote it",
    },
    {_IN: "The message is part of the conversation"},
)

_OF = f'?c {{type: "{_CONVERSATION}", name: :conversation}}'
_FIND = (
    "FIND(?m.attributes.position, ?m.name, ?m.attributes.data) "
    f'WHERE {{ (?m, "{_IN}", ?c) ?m {{type: "{_MESSAGE}"}} {_OF} }} ORDER BY ?m.attributes.position'
)
_DELETE = f'DELETE CONCEPT ?m DETACH WHERE {{ ?m {{type: "{_MESSAGE}"}} FILTER(IN(?m.name, :names)) }}'
_DELETE_OTHERS = (
    f'DELETE CONCEPT ?m DETACH WHERE {{ (?m, "{_IN}", ?c) ?c {{type: "{_CONVERSATION}"}} '
    "FILTER(?c.name == :conversation && !STARTS_WITH(?m.attributes.position, :begin)) }"
)


@dataclass(frozen=True)
class Message:
    """`position` sorts as text."""

    position: str
    name: str
    data: dict[str, Json]

    @property
    def value(self) -> Any:
        """What its program wrote."""
        return value_of(self.data)


class Conversations:
    """The conversations of one kind of program ("llama_index"), each under a key."""

    def __init__(self, space: Space, kind: str, author: AuthorLike | None) -> None:
        self._records = Records(space, _SCHEMA, author, source=kind)
        self._kind = kind

    def _place(self, key: str) -> Place:
        return place_of(_CONVERSATION, self._kind, key)

    def _named(self, key: str) -> dict[str, Json]:
        return {"conversation": self._place(key).name}

    def all(self, key: str) -> list[Message]:
        rows = self._records.rows(f"{_FIND} ASC", self._named(key))
        return [Message(*row) for row in rows]

    def newest(self, key: str, limit: int) -> list[Message]:
        """At most `limit`, the oldest of them first."""
        here = self._named(key)
        rows = list(islice(self._records.rows(f"{_FIND} DESC", here), max(0, limit)))
        return [Message(*row) for row in reversed(rows)]

    def add(self, key: str, values: Sequence[Json], *, instead: bool = False) -> None:
        """Behind all that is there, or in its place; in one entry of the log."""
        place = self._place(key)
        labels = {"kind": self._kind, "key": exact_text(key)}
        begin = self._begin(key)
        records = [Record(place, labels)] if values else []
        for number, value in enumerate(values):
            data = sealed_data_of(value, f"message {number}")
            position = f"{begin}-{number:08}"
            message = place_of(_MESSAGE, place.name, position)
            records.append(Record(message, {"position": position}, data, [(_IN, place)]))
        others = (_DELETE_OTHERS, {"conversation": place.name, "begin": begin})
        self._records.change(records, [others] if instead else [])

    def _begin(self, key: str) -> str:
        """Of positions behind the newest message, also where a clock was put back. What others add at the
        same time stands before or behind, never between."""
        newest = self._records.first(f"{_FIND} DESC", self._named(key))
        behind = int(newest[0].split("-")[0]) + 1 if newest else 0
        return f"{max(time.time_ns(), behind):020}-{uuid.uuid4().hex}"

    def delete(self, messages: Sequence[Message]) -> int:
        """Gives how many were still there: of several who delete one, one is told so."""
        return self._records.change((), _deletions(messages))

    def pop(self, key: str) -> Message | None:
        """The newest one, which is gone then; of several who ask at once, each gets another."""
        here = self._named(key)
        while newest := self._records.first(f"{_FIND} DESC", here):
            if self.delete([Message(*newest)]):
                return Message(*newest)
        return None

    def keys(self) -> list[str]:
        """Of all conversations that have a message."""
        query = (
            f'FIND(?c.attributes.key) WHERE {{ ?c {{type: "{_CONVERSATION}"}} (?m, "{_IN}", ?c) '
            "FILTER(?c.attributes.kind == :kind) }"
        )
        found = {key for (key,) in self._records.rows(query, {"kind": self._kind})}
        return sorted(json.loads(key) for key in found)


def _deletions(messages: Sequence[Message]) -> list[Command]:
    return [(_DELETE, {"names": [one.name for one in messages]})] if messages else []
