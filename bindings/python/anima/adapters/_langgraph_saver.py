"""LangGraph's checkpointer: the states of a thread, step by step."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, NamedTuple, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from .. import _errors
from .._aio_calls import run_call
from .._convert import AuthorLike
from ._records import (
    Place,
    Record,
    Records,
    Schema,
    Space,
    bytes_of_text,
    exact_text,
    place_of,
    text_of_bytes,
)

_THREAD, _HISTORY, _CHECKPOINT = "LangGraphThread", "LangGraphHistory", "LangGraphCheckpoint"
_CHANNEL, _WRITE = "LangGraphChannelValue", "LangGraphWrite"
_IN_THREAD, _IN_HISTORY = "in_langgraph_thread", "in_langgraph_history"
_HAS_VALUE, _BEHIND = "has_langgraph_value", "behind_langgraph_checkpoint"

_SCHEMA = Schema(
    {
        _THREAD: "A thread of a LangGraph graph",
        _HISTORY: "The checkpoints of a thread in one namespace: the graph's own, or a subgraph's",
        _CHECKPOINT: "The state of a thread behind one step",
        _CHANNEL: "A value that a channel of a thread had",
        _WRITE: "What a task wrote behind a checkpoint",
    },
    {
        _IN_THREAD: "It is part of the thread",
        _IN_HISTORY: "The checkpoint is in this history",
        _HAS_VALUE: "A channel of the checkpoint has this value",
        _BEHIND: "The task wrote behind this checkpoint",
    },
)

_IN = f'(?c, "{_IN_HISTORY}", ?h) (?h, "{_IN_THREAD}", ?t)'
_OF_THREAD = f'{_IN} ?t {{type: "{_THREAD}", name: :thread}}'
_OF_HISTORY = f'{_OF_THREAD} ?h {{type: "{_HISTORY}", name: :history}}'
# Of a checkpoint that only writes told of there are no data.
_FIND = (
    "FIND(?c.name, ?c.attributes.checkpoint, ?h.attributes.namespace, ?t.attributes.thread, "
    f'?c.attributes.data) WHERE {{ ?c {{type: "{_CHECKPOINT}"}} FILTER(IS_NOT_NULL(?c.attributes.data)) '
)
_NEWEST_FIRST = "} ORDER BY ?c.attributes.checkpoint DESC"
_THIS = f'?c {{type: "{_CHECKPOINT}", name: :name}}'
_VALUES = f'FIND(?v.attributes.data) WHERE {{ (?c, "{_HAS_VALUE}", ?v) {_THIS} }}'
_WRITES = f'FIND(?w.attributes.data) WHERE {{ (?w, "{_BEHIND}", ?c) {_THIS} }}'
_VERSION_DIGITS = 32
_BEHIND_ALL = "\U0010ffff"  # of identifiers of checkpoints, which are ASCII


class _Stored(NamedTuple):
    """A checkpoint as it stands in the memory."""

    name: str
    checkpoint_id: str
    namespace: str
    thread: str
    data: dict[str, Any]

    @property
    def parent(self) -> str | None:
        return json.loads(self.data["parent"])

    def config(self, checkpoint_id: str) -> RunnableConfig:
        return _config(json.loads(self.thread), json.loads(self.namespace), checkpoint_id)


class _Write(NamedTuple):
    """What a task wrote, as it stands in the memory."""

    task: str
    number: int
    path: str
    channel: str
    value: list[str]

    @classmethod
    def of(cls, data: dict[str, Any]) -> _Write:
        task, path, channel = (json.loads(data[name]) for name in ("task", "path", "channel"))
        return cls(task, data["index"], path, channel, data["value"])


def _kept(channel: str, value: list[str]) -> dict[str, Any]:
    return {"channel": exact_text(channel), "value": value}


class _Address(NamedTuple):
    """Where a config points; `checkpoint_id` is None for the newest one."""

    thread: str | int
    namespace: str
    checkpoint_id: str | None

    @classmethod
    def of(cls, config: RunnableConfig) -> _Address:
        given = config.get("configurable") or {}
        thread = given.get("thread_id")
        if type(thread) is not str and type(thread) is not int:
            raise _errors.wrong_type(
                f'"thread_id" is of the type {type(thread).__name__}',
                'a config names its thread: {"configurable": {"thread_id": "1"}}',
            )
        return cls(thread, given.get("checkpoint_ns", ""), get_checkpoint_id(config))

    @property
    def thread_place(self) -> Place:
        return place_of(_THREAD, self.thread)

    @property
    def history_place(self) -> Place:
        return place_of(_HISTORY, self.thread, self.namespace)

    def checkpoint_place(self, checkpoint_id: str) -> Place:
        return place_of(_CHECKPOINT, self.thread, self.namespace, checkpoint_id)

    def records(self) -> list[Record]:
        thread = Record(self.thread_place, {"thread": exact_text(self.thread)})
        labels = {"namespace": exact_text(self.namespace)}
        return [thread, Record(self.history_place, labels, None, [(_IN_THREAD, self.thread_place)])]

    def checkpoint_records(
        self,
        checkpoint_id: str,
        versions: ChannelVersions,
        values: Sequence[dict[str, Any]],
        data: dict[str, Any],
    ) -> list[Record]:
        """`versions` of all its channels, `values` of those that are new, `data` of itself."""
        places = {
            channel: place_of(_CHANNEL, self.thread, self.namespace, channel, version)
            for channel, version in versions.items()
        }
        in_thread = [(_IN_THREAD, self.thread_place)]
        held = [Record(place, {}, None, in_thread) for place in places.values()]
        new = [Record(places[json.loads(one["channel"])], {}, one, in_thread) for one in values]
        links = [(_IN_HISTORY, self.history_place), *((_HAS_VALUE, place) for place in places.values())]
        labels = {"checkpoint": exact_text(checkpoint_id)}
        checkpoint = Record(self.checkpoint_place(checkpoint_id), labels, data, links)
        return [*self.records(), *held, *new, checkpoint]

    def write_records(self, checkpoint_id: str, writes: Sequence[dict[str, Any]]) -> list[Record]:
        if not writes:
            return []
        checkpoint = self.checkpoint_place(checkpoint_id)
        links = [(_BEHIND, checkpoint), (_IN_THREAD, self.thread_place)]
        held = Record(checkpoint, {}, None, [(_IN_HISTORY, self.history_place)])
        told = [
            Record(place_of(_WRITE, checkpoint.name, one["task"], one["index"]), {}, one, links)
            for one in writes
        ]
        return [*self.records(), held, *told]

    @property
    def parameters(self) -> dict[str, Any]:
        return {"thread": self.thread_place.name, "history": self.history_place.name}


class AnimaSaver(BaseCheckpointSaver[str]):
    """A LangGraph checkpointer over an anima.Memory, or over what anima.connect() gives.

    Each checkpoint, each value of a channel and each write of a task is a thing of the memory. A put, the
    writes of a task and a deletion are one entry of the log each, with their author, and can be undone.
    What is kept is what `serde` makes of it, to the byte; no search finds it. It is untrusted unless
    `author` says otherwise.
    """

    def __init__(
        self, memory: Space, *, author: AuthorLike | None = None, serde: SerializerProtocol | None = None
    ) -> None:
        super().__init__(serde=serde)
        self._records = Records(memory, _SCHEMA, author, source="langgraph")

    # -- reading

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        address = _Address.of(config)
        if address.checkpoint_id is None:
            where, parameters = _OF_HISTORY, address.parameters
        else:
            where = f"{_OF_HISTORY} FILTER(?c.name == :name)"
            name = address.checkpoint_place(address.checkpoint_id).name
            parameters = {**address.parameters, "name": name}
        now = self._records.moment
        row = self._records.first(f"{_FIND} {where} {_NEWEST_FIRST}", parameters, now)
        return None if row is None else self._tuple_of(_Stored(*row), now)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """The newest first. `filter`: what their metadata have."""
        left = limit
        end = (get_checkpoint_id(before) if before else None) or _BEHIND_ALL
        now = self._records.moment
        for stored in self._stored(config, now):
            if left is not None and left <= 0:
                return
            if json.loads(stored.checkpoint_id) >= end:
                continue
            metadata = self._loaded(stored.data["metadata"])
            if all(metadata.get(key) == value for key, value in (filter or {}).items()):
                left = None if left is None else left - 1
                yield self._tuple_of(stored, now)

    def _stored(self, config: RunnableConfig | None, moment: int) -> Iterator[_Stored]:
        where, parameters = _IN, cast("dict[str, Any]", {})
        if config is not None:
            address = _Address.of(config)
            everywhere = "checkpoint_ns" not in config.get("configurable", {})
            where, parameters = _OF_THREAD if everywhere else _OF_HISTORY, address.parameters
            if address.checkpoint_id is not None:
                where += " FILTER(?c.attributes.checkpoint == :checkpoint)"
                parameters["checkpoint"] = exact_text(address.checkpoint_id)
        query = f"{_FIND} {where} {_NEWEST_FIRST}"
        return (_Stored(*row) for row in self._records.rows(query, parameters, moment))

    def _tuple_of(self, stored: _Stored, moment: int) -> CheckpointTuple:
        at = {"name": stored.name}
        checkpoint = self._loaded(stored.data["checkpoint"])
        values = {
            json.loads(data["channel"]): self._loaded(data["value"])
            for (data,) in self._records.rows(_VALUES, at, moment)
            if data is not None
        }
        writes = sorted(
            (_Write.of(data) for (data,) in self._records.rows(_WRITES, at, moment)),
            key=lambda write: writes_sort_key(write.path, write.task, write.number),
        )
        parent = stored.parent
        return CheckpointTuple(
            config=stored.config(json.loads(stored.checkpoint_id)),
            checkpoint=cast("Checkpoint", {**checkpoint, "channel_values": values}),
            metadata=self._loaded(stored.data["metadata"]),
            parent_config=stored.config(parent) if parent else None,
            pending_writes=[(write.task, write.channel, self._loaded(write.value)) for write in writes],
        )

    # -- writing

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        address = _Address.of(config)
        state = cast("dict[str, Any]", checkpoint.copy())
        values: dict[str, Any] = state.pop("channel_values")
        versions = checkpoint["channel_versions"]
        kept = [
            _kept(channel, self._dumped(values[channel]))
            for channel in new_versions
            if channel in values and channel in versions
        ]
        data = {
            "checkpoint": self._dumped(state),
            "metadata": self._dumped(get_checkpoint_metadata(config, metadata)),
            "parent": exact_text(address.checkpoint_id),
        }
        self._records.change(address.checkpoint_records(checkpoint["id"], versions, kept, data))
        return _config(address.thread, address.namespace, checkpoint["id"])

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Of a write that is there already the first counts, but of errors, interrupts and resumptions the
        last."""
        address = _Address.of(config)
        if address.checkpoint_id is None:
            raise _errors.InvalidArgument(
                "writes are behind a checkpoint, and this config names none",
                hint='"checkpoint_id", as the config that put() gives has it',
            )
        checkpoint = address.checkpoint_place(address.checkpoint_id)
        there = {
            (json.loads(data["task"]), data["index"])
            for (data,) in self._records.rows(_WRITES, {"name": checkpoint.name})
        }
        told: list[dict[str, Any]] = []
        for at, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, at)
            if index < 0 or (task_id, index) not in there:
                task = {"task": exact_text(task_id), "index": index, "path": exact_text(task_path)}
                told.append({**task, **_kept(channel, self._dumped(value))})
        self._records.change(address.write_records(address.checkpoint_id, told))

    # -- deleting and copying

    def delete_thread(self, thread_id: str) -> None:
        thread = {"thread": place_of(_THREAD, thread_id).name}
        self._records.change((), [(text, thread) for text in _DELETE_THREAD])

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Errors: Unsupported where another run's checkpoint needs those (DeltaChannel)."""
        wanted = set(run_ids)
        gone: list[_Stored] = []
        kept: list[_Stored] = []
        for one in self._stored(None, self._records.moment):
            run = self._loaded(one.data["metadata"]).get("run_id")
            (gone if run in wanted else kept).append(one)
        histories = {(one.thread, one.namespace) for one in gone}
        self._delete(gone, [one for one in kept if (one.thread, one.namespace) in histories])

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Errors: Unsupported where the newest checkpoint needs those before it (DeltaChannel)."""
        if strategy not in ("keep_latest", "delete"):
            raise _errors.InvalidArgument(f"there is no strategy {strategy!r}", hint="keep_latest or delete")
        for thread in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread)
            else:
                newest: dict[str, _Stored] = {}
                every = list(self._stored({"configurable": {"thread_id": thread}}, self._records.moment))
                for one in every:
                    newest.setdefault(one.namespace, one)
                kept = list(newest.values())
                self._delete([one for one in every if one not in kept], kept)

    def _delete(self, gone: Sequence[_Stored], kept: Sequence[_Stored]) -> None:
        """With their writes, and the values that no other checkpoint has."""
        for one in kept if gone else ():
            if self._loaded(one.data["metadata"]).get("counters_since_delta_snapshot"):
                raise _errors.Unsupported(
                    "a checkpoint that is kept needs those before it: its graph has a DeltaChannel",
                    hint="delete_thread() deletes the whole thread",
                )
        names = {"names": [one.name for one in gone]}
        threads = {"threads": sorted({place_of(_THREAD, json.loads(one.thread)).name for one in gone})}
        if gone:
            given = (names, names, threads)
            self._records.change((), list(zip(_DELETE_CHECKPOINTS, given)))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """All checkpoints with their writes, in one entry of the log."""
        if source_thread_id == target_thread_id:
            return
        records: list[Record] = []
        now = self._records.moment
        for stored in self._stored({"configurable": {"thread_id": source_thread_id}}, now):
            address = _Address(target_thread_id, json.loads(stored.namespace), stored.parent)
            versions = self._loaded(stored.data["checkpoint"])["channel_versions"]
            at = {"name": stored.name}
            values = [data for (data,) in self._records.rows(_VALUES, at, now) if data is not None]
            writes = [data for (data,) in self._records.rows(_WRITES, at, now)]
            identifier = json.loads(stored.checkpoint_id)
            records += address.checkpoint_records(identifier, versions, values, stored.data)
            records += address.write_records(identifier, writes)
        self._records.change(records)

    # -- asyncio

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await run_call(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (one := await run_call(_next, found)) is not None:
            yield one

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await run_call(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        await run_call(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await run_call(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await run_call(self.delete_for_runs, run_ids)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await run_call(self.prune, thread_ids, strategy=strategy)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await run_call(self.copy_thread, source_thread_id, target_thread_id)

    # -- values

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Rising, and never the same in two branches of a thread."""
        number = 0 if current is None else int(str(current).split(".")[0])
        return f"{number + 1:0{_VERSION_DIGITS}}.{random.getrandbits(64):016x}"

    def _dumped(self, value: Any) -> list[str]:
        kind, content = self.serde.dumps_typed(value)
        return [kind, text_of_bytes(content)]

    def _loaded(self, dumped: list[str]) -> Any:
        return self.serde.loads_typed((dumped[0], bytes_of_text(dumped[1])))


# A pattern that names what is not there is an error where something is deleted; a filter is none.
_THIS_THREAD = f'?t {{type: "{_THREAD}"}} FILTER(?t.name == :thread)'
_DELETE_THREAD = (
    f"DELETE CONCEPT ?c DETACH WHERE {{ {_IN} {_THIS_THREAD} }}",
    f'DELETE CONCEPT ?x DETACH WHERE {{ (?x, "{_IN_THREAD}", ?t) {_THIS_THREAD} }}',
    f"DELETE CONCEPT ?t DETACH WHERE {{ {_THIS_THREAD} }}",
)
_THESE = f'?c {{type: "{_CHECKPOINT}"}} FILTER(IN(?c.name, :names))'
_DELETE_CHECKPOINTS = (
    f'DELETE CONCEPT ?w DETACH WHERE {{ (?w, "{_BEHIND}", ?c) {_THESE} }}',
    f"DELETE CONCEPT ?c DETACH WHERE {{ {_THESE} }}",
    f'DELETE CONCEPT ?v DETACH WHERE {{ ?v {{type: "{_CHANNEL}"}} (?v, "{_IN_THREAD}", ?t) '
    f'FILTER(IN(?t.name, :threads)) NOT {{ (?c, "{_HAS_VALUE}", ?v) }} }}',
)


def _next(found: Iterator[CheckpointTuple]) -> CheckpointTuple | None:
    return next(found, None)


def _config(thread: Any, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {
        "configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}
    }
