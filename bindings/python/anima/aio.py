"""The same for asyncio: each method is awaited, and works on a thread meanwhile.

    async with await anima.aio.Memory.open("space") as memory:
        rows = await memory.find(query)

A task that is cancelled ends the call that it waits for, where the call can be ended (those with a
`timeout`) or has not begun. It is over once the call is, whichever it was: nothing is written behind
it. The threads are the package's own: 32 for calls, and one for each feed that waits. Arguments,
answers and errors are those of `anima`; `memory.sync` is the same memory for calls that are not
awaited.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any

from . import _agent, _memory, _view
from ._agent import Subscription
from ._aio_calls import each_of
from ._aio_calls import run_call as _run
from ._aio_calls import run_stoppable as _stoppable
from ._aio_remote import Connection, RemoteView, connect
from ._convert import AuthorLike, Names, PathLike, Point
from ._memory import Written
from ._rows import Rows, SparqlAnswer
from ._values import (
    ApprovalRequest,
    AuditRecord,
    CallResult,
    Commit,
    Context,
    Hit,
    Json,
    LanguageModel,
    LoadReport,
    MemoryItem,
    OpenQuestion,
    Proof,
    QuestionAnswer,
    Remembered,
    Response,
    SparqlChange,
    ToolLike,
    Trust,
    TrustLike,
)
from ._view import Parameters, Rules

__all__ = ["Agent", "Connection", "Memory", "RemoteView", "View", "connect"]

class View:
    """anima.View, awaited."""

    def __init__(self, view: _view.View) -> None:
        self.sync = view

    @property
    def entry(self) -> int:
        return self.sync.entry

    async def find(
        self, query: str, parameters: Parameters | None = None, *, timeout: float | None = None
    ) -> Rows:
        return await _stoppable(self.sync.find, query, parameters, timeout=timeout)

    async def sparql(
        self,
        query: str,
        *,
        base: str = "",
        pack: str = "",
        default_graphs: Names = (),
        named_graphs: Names = (),
        timeout: float | None = None,
    ) -> SparqlAnswer:
        return await _stoppable(
            partial(self.sync.sparql, base=base, pack=pack, default_graphs=default_graphs),
            query,
            named_graphs=named_graphs,
            timeout=timeout,
        )

    async def ask(
        self,
        question: str,
        *,
        session: str = "",
        language: str = "en",
        speaker: str | None = None,
        now: str | datetime = "",
        all: bool = False,
        timeout: float | None = None,
    ) -> QuestionAnswer:
        asking = partial(
            self.sync.ask, session=session, language=language, speaker=speaker, now=now, all=all
        )
        return await _stoppable(asking, question, timeout=timeout)

    async def search(
        self, text: str, *, type: str = "", limit: int = 10, links: bool = False, exact: bool = False
    ) -> list[Hit]:
        return await _run(self.sync.search, text, type=type, limit=limit, links=links, exact=exact)

    async def history(self, thing: str, *, limit: int = 100) -> list[Commit]:
        return await _run(self.sync.history, thing, limit=limit)

    async def why(self, fact: str, *, timeout: float | None = None) -> Proof:
        return await _stoppable(self.sync.why, fact, timeout=timeout)

    async def why_not(self, fact: str, *, timeout: float | None = None) -> str:
        return await _stoppable(self.sync.why_not, fact, timeout=timeout)

    async def rules(self, *texts: str, timeout: float | None = None, **named: str) -> Rules:
        return await _stoppable(self.sync.rules, *texts, timeout=timeout, **named)

    async def export(self, format: str = "ntriples", *, pack: str = "") -> str:
        return await _run(self.sync.export, format, pack=pack)

    async def export_file(self, path: PathLike, *, pack: str = "") -> None:
        await _run(self.sync.export_file, path, pack=pack)


class Memory:
    """anima.Memory, awaited."""

    def __init__(self, memory: _memory.Memory) -> None:
        self.sync = memory

    @classmethod
    async def open(
        cls,
        folder: PathLike,
        *,
        create: bool = False,
        read_only: bool = False,
        author: AuthorLike | None = None,
    ) -> Memory:
        opening = partial(_memory.Memory.open, create=create, read_only=read_only, author=author)
        return cls(await _run(opening, folder))

    @classmethod
    async def in_memory(cls, *, author: AuthorLike | None = None) -> Memory:
        return cls(await _run(_memory.Memory.in_memory, author=author))

    async def close(self) -> None:
        await _run(self.sync.close)

    @property
    def closed(self) -> bool:
        return self.sync.closed

    async def __aenter__(self) -> Memory:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def kip(
        self,
        command: str,
        parameters: Parameters | None = None,
        *,
        author: AuthorLike | None = None,
        timeout: float | None = None,
    ) -> Any:
        return await _stoppable(
            self.sync.kip, command, parameters, author=author, timeout=timeout
        )

    async def execute_kip(
        self, request: Mapping[str, Json], *, readonly: bool = False, author: AuthorLike | None = None
    ) -> Any:
        return await _run(self.sync.execute_kip, request, readonly=readonly, author=author)

    async def find(
        self, query: str, parameters: Parameters | None = None, *, timeout: float | None = None
    ) -> Rows:
        return await _stoppable(self.sync.find, query, parameters, timeout=timeout)

    async def what_if(
        self,
        change: str,
        query: str,
        parameters: Parameters | None = None,
        *,
        timeout: float | None = None,
    ) -> Rows:
        return await _stoppable(self.sync.what_if, change, query, parameters, timeout=timeout)

    async def sparql(
        self,
        query: str,
        *,
        base: str = "",
        pack: str = "",
        default_graphs: Names = (),
        named_graphs: Names = (),
        timeout: float | None = None,
    ) -> SparqlAnswer:
        return await _stoppable(
            partial(self.sync.sparql, base=base, pack=pack, default_graphs=default_graphs),
            query,
            named_graphs=named_graphs,
            timeout=timeout,
        )

    async def sparql_update(
        self,
        update: str,
        *,
        base: str = "",
        default_graphs: Names = (),
        named_graphs: Names = (),
        load_root: PathLike = "",
        author: AuthorLike | None = None,
        timeout: float | None = None,
    ) -> SparqlChange:
        updating = partial(self.sync.sparql_update, base=base, load_root=load_root, author=author)
        return await _stoppable(
            updating,
            update,
            default_graphs=default_graphs,
            named_graphs=named_graphs,
            timeout=timeout,
        )

    async def import_rdf(
        self,
        text: str,
        *,
        format: str,
        base: str = "",
        graph: str = "",
        author: AuthorLike | None = None,
    ) -> int:
        return await _run(
            self.sync.import_rdf, text, format=format, base=base, graph=graph, author=author
        )

    async def ask(
        self,
        question: str,
        *,
        session: str = "",
        language: str = "en",
        speaker: str | None = None,
        now: str | datetime = "",
        all: bool = False,
        timeout: float | None = None,
    ) -> QuestionAnswer:
        asking = partial(
            self.sync.ask, session=session, language=language, speaker=speaker, now=now, all=all
        )
        return await _stoppable(asking, question, timeout=timeout)

    async def view(self) -> View:
        return View(await _run(self.sync.view))

    async def as_of(self, point: Point) -> View:
        return View(await _run(self.sync.as_of, point))

    async def search(
        self, text: str, *, type: str = "", limit: int = 10, links: bool = False, exact: bool = False
    ) -> list[Hit]:
        return await _run(self.sync.search, text, type=type, limit=limit, links=links, exact=exact)

    async def history(self, thing: str, *, limit: int = 100) -> list[Commit]:
        return await _run(self.sync.history, thing, limit=limit)

    async def why(self, fact: str, *, timeout: float | None = None) -> Proof:
        return await _stoppable(self.sync.why, fact, timeout=timeout)

    async def why_not(self, fact: str, *, timeout: float | None = None) -> str:
        return await _stoppable(self.sync.why_not, fact, timeout=timeout)

    async def rules(self, *texts: str, timeout: float | None = None, **named: str) -> Rules:
        return await _stoppable(self.sync.rules, *texts, timeout=timeout, **named)

    async def export(self, format: str = "ntriples", *, pack: str = "") -> str:
        return await _run(self.sync.export, format, pack=pack)

    async def export_file(self, path: PathLike, *, pack: str = "") -> None:
        await _run(self.sync.export_file, path, pack=pack)

    async def changes(
        self, *, after: int | None = None, timeout: float | None = None
    ) -> AsyncIterator[Commit]:
        """An iterator over the commits as they come: `async for commit in await memory.changes()`. They
        are those from this call on; it ends when `timeout` passes without one."""
        return each_of(await _run(self.sync.changes, after=after), timeout)

    async def load(
        self,
        *files: PathLike,
        type: str = "",
        key: Names = (),
        links: Names = (),
        mapping: Mapping[str, Json] | None = None,
        dry_run: bool = False,
        author: AuthorLike | None = None,
    ) -> LoadReport:
        loading = partial(self.sync.load, type=type, key=key, links=links, mapping=mapping)
        return await _run(loading, *files, dry_run=dry_run, author=author)

    async def load_pack(self, folder: PathLike, *, author: AuthorLike | None = None) -> str:
        return await _run(self.sync.load_pack, folder, author=author)

    async def unload_pack(self, pack: str, *, author: AuthorLike | None = None) -> None:
        await _run(self.sync.unload_pack, pack, author=author)

    async def newest_entry(self) -> int:
        return await _run(lambda: self.sync.newest_entry)

    async def undo(
        self,
        first: int | str | Written,
        last: int | None = None,
        *,
        cascade: bool = False,
        author: AuthorLike | None = None,
    ) -> None:
        await _run(self.sync.undo, first, last, cascade=cascade, author=author)

    async def verify(self) -> None:
        await _run(self.sync.verify)

    async def backup(self, path: PathLike) -> None:
        await _run(self.sync.backup, path)


class Agent:
    """anima.Agent, awaited."""

    def __init__(self, agent: _agent.Agent) -> None:
        self.sync = agent
        self.memory = Memory(agent.memory)

    @classmethod
    async def open(
        cls,
        folder: PathLike | Memory,
        *,
        create: bool = False,
        name: str = "main",
        work_folder: PathLike = "",
        readable: Iterable[PathLike] = (),
        rules: Names = (),
        tools: Sequence[ToolLike] = (),
        model: LanguageModel | None = None,
        author: AuthorLike | None = None,
    ) -> Agent:
        opening = partial(
            _agent.Agent.open,
            create=create,
            name=name,
            work_folder=work_folder,
            readable=readable,
            rules=rules,
            tools=tools,
            model=model,
            author=author,
        )
        return cls(await _run(opening, folder.sync if isinstance(folder, Memory) else folder))

    async def close(self) -> None:
        await _run(self.sync.close)

    @property
    def closed(self) -> bool:
        return self.sync.closed

    async def __aenter__(self) -> Agent:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def ask(
        self, question: str, *, session: str = "default", speaker: str | None = None
    ) -> Response:
        return await _run(self.sync.ask, question, session=session, speaker=speaker)

    async def run(self, goal: str, *, timeout: float | None = None, cycles: int = 10) -> Response:
        return await _stoppable(self.sync.run, goal, timeout=timeout, cycles=cycles)

    async def chat(
        self, line: str, *, session: str = "default", timeout: float | None = None
    ) -> Response:
        return await _stoppable(self.sync.chat, line, session=session, timeout=timeout)

    async def remember(
        self,
        text: str,
        *,
        trust: TrustLike = Trust.OPERATOR,
        source: str = "library",
        speaker: str | None = None,
    ) -> Remembered:
        return await _run(self.sync.remember, text, trust=trust, source=source, speaker=speaker)

    async def memories(
        self, query: str = "", *, limit: int = 20, speaker: str | None = None
    ) -> list[MemoryItem]:
        return await _run(self.sync.memories, query, limit=limit, speaker=speaker)

    async def update_memory(self, id: str, text: str, *, speaker: str | None = None) -> Remembered:
        return await _run(self.sync.update_memory, id, text, speaker=speaker)

    async def forget_memory(self, id: str, *, dry_run: bool = False) -> tuple[str, ...]:
        return await _run(self.sync.forget_memory, id, dry_run=dry_run)

    async def questions(self) -> list[OpenQuestion]:
        return await _run(self.sync.questions)

    async def answer(self, question: str, answer: str) -> Remembered:
        return await _run(self.sync.answer, question, answer)

    async def recall(
        self, question: str, *, budget_tokens: int = 1500, speaker: str | None = None
    ) -> Context:
        return await _run(
            self.sync.recall, question, budget_tokens=budget_tokens, speaker=speaker
        )

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Json] | None = None,
        *,
        caller: TrustLike = Trust.STANDARD,
        label: TrustLike = Trust.UNTRUSTED,
        labels: Mapping[str, tuple[TrustLike, str]] | None = None,
    ) -> CallResult:
        calling = partial(self.sync.call, caller=caller, label=label, labels=labels)
        return await _run(calling, tool, arguments)

    async def waiting(self) -> list[ApprovalRequest]:
        return await _run(self.sync.waiting)

    async def grant(self, approval_id: str) -> None:
        await _run(self.sync.grant, approval_id)

    async def deny(self, approval_id: str, *, reason: str = "no") -> None:
        await _run(self.sync.deny, approval_id, reason=reason)

    async def why(self, refusal_id: str) -> AuditRecord:
        return await _run(self.sync.why, refusal_id)

    def subscribe(self, type: str, handler: Callable[[str, Any], object]) -> Subscription:
        """As Agent.subscribe(): the handler runs on a thread that uses the agent, not in the loop."""
        return self.sync.subscribe(type, handler)
