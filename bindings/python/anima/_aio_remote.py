"""A memory behind `anima serve`, for asyncio: what anima.aio has of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, NoReturn, TypeVar

from . import _remote
from ._aio_calls import each_of
from ._aio_calls import run_call as _run
from ._aio_calls import run_stoppable as _stoppable
from ._convert import AuthorLike, Names, PathLike, Point
from ._remote_values import Caller, Fact, Pages, Recalled, RemoteCommit, Thing
from ._rows import Rows, SparqlAnswer
from ._values import (
    ApprovalRequest,
    Json,
    MemoryItem,
    OpenQuestion,
    Proof,
    QuestionAnswer,
    Remembered,
    SparqlChange,
)
from ._view import Parameters

T = TypeVar("T")


async def connect(
    url: PathLike, token: str | None = None, *, timeout: float | None = 60.0
) -> Connection:
    """anima.connect(), awaited."""
    return Connection(await _run(_remote.connect, url, token, timeout=timeout))


async def _each(pages: Pages[T]) -> AsyncIterator[T]:
    end = object()
    while (item := await _run(next, pages, end)) is not end:
        yield item  # type: ignore[misc]


class RemoteView:
    """anima.RemoteView, awaited."""

    def __init__(self, view: _remote.RemoteView) -> None:
        self.sync = view

    @property
    def entry(self) -> int:
        return self.sync.entry

    async def find(
        self,
        query: str,
        parameters: Parameters | None = None,
        *,
        timeout: float | None = None,
    ) -> Rows:
        return await _stoppable(self.sync.find, query, parameters, timeout=timeout)

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
        return await _stoppable(
            self.sync.ask,
            question,
            session=session,
            language=language,
            speaker=speaker,
            now=now,
            all=all,
            timeout=timeout,
        )

    async def history(self, thing: str, *, limit: int = 100) -> list[RemoteCommit]:
        return await _run(self.sync.history, thing, limit=limit)

    async def facts(self, about: str, *, limit: int = 200) -> list[Fact]:
        return await _run(self.sync.facts, about, limit=limit)

    async def sparql(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.sparql()

    async def search(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.search()

    async def why(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.why()

    async def why_not(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.why_not()

    async def rules(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.rules()

    async def export(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.export()

    async def export_file(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.export_file()


class Connection:
    """anima.Connection, awaited."""

    def __init__(self, connection: _remote.Connection) -> None:
        self.sync = connection

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def view(self) -> RemoteView:
        return RemoteView(await _run(self.sync.view))

    async def as_of(self, point: Point) -> RemoteView:
        return RemoteView(await _run(self.sync.as_of, point))

    async def changes(
        self, *, after: int | None = None, timeout: float | None = None
    ) -> AsyncIterator[RemoteCommit]:
        """An iterator over the commits as they come. See aio.Memory.changes()."""
        feed = await _run(self.sync.changes, after=after)

        async def commits() -> AsyncIterator[RemoteCommit]:
            with feed:
                async for commit in each_of(feed, timeout):
                    yield commit

        return commits()

    def memories(
        self, query: str = "", *, page: int = 20, cursor: str | None = "", speaker: str | None = None
    ) -> AsyncIterator[MemoryItem]:
        """`async for memory in connection.memories()`."""
        return _each(self.sync.memories(query, page=page, cursor=cursor, speaker=speaker))

    def things(self, *, type: str = "", page: int = 50, cursor: str | None = "") -> AsyncIterator[Thing]:
        """`async for thing in connection.things()`."""
        return _each(self.sync.things(type=type, page=page, cursor=cursor))

    async def close(self) -> None:
        await _run(self.sync.close)

    @property
    def closed(self) -> bool:
        return self.sync.closed

    async def kip(
        self,
        command: str,
        parameters: Parameters | None = None,
        *,
        author: AuthorLike | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        return await _stoppable(
            self.sync.kip,
            command,
            parameters,
            author=author,
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    async def execute_kip(
        self,
        request: Mapping[str, Json],
        *,
        readonly: bool = False,
        author: AuthorLike | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        return await _run(
            self.sync.execute_kip,
            request,
            readonly=readonly,
            author=author,
            idempotency_key=idempotency_key,
        )

    async def find(
        self,
        query: str,
        parameters: Parameters | None = None,
        *,
        timeout: float | None = None,
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
            self.sync.sparql,
            query,
            base=base,
            pack=pack,
            default_graphs=default_graphs,
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
        return await _stoppable(
            self.sync.sparql_update,
            update,
            base=base,
            default_graphs=default_graphs,
            named_graphs=named_graphs,
            load_root=load_root,
            author=author,
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
    ) -> None:
        await _run(self.sync.import_rdf, text, format=format, base=base, graph=graph, author=author)

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
        return await _stoppable(
            self.sync.ask,
            question,
            session=session,
            language=language,
            speaker=speaker,
            now=now,
            all=all,
            timeout=timeout,
        )

    async def why(self, fact: str, *, timeout: float | None = None) -> Proof:
        return await _stoppable(self.sync.why, fact, timeout=timeout)

    async def why_refused(self, refusal_id: str) -> Any:
        return await _run(self.sync.why_refused, refusal_id)

    async def search(
        self,
        text: str,
        *,
        type: str = "",
        limit: int = 10,
        links: bool = False,
        exact: bool = False,
    ) -> list[Thing]:
        return await _run(self.sync.search, text, type=type, limit=limit, links=links, exact=exact)

    async def facts(self, about: str, *, limit: int = 200) -> list[Fact]:
        return await _run(self.sync.facts, about, limit=limit)

    async def history(self, thing: str, *, limit: int = 100) -> list[RemoteCommit]:
        return await _run(self.sync.history, thing, limit=limit)

    async def entry(self, number: int) -> RemoteCommit:
        return await _run(self.sync.entry, number)

    async def newest_entry(self) -> int:
        return await _run(lambda: self.sync.newest_entry)

    async def changed_since(self, point: Point, *, limit: int = 100) -> Any:
        return await _run(self.sync.changed_since, point, limit=limit)

    async def undo(
        self,
        first: int | str,
        last: int | None = None,
        *,
        cascade: bool = False,
        dry_run: bool = False,
        author: AuthorLike | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        return await _run(
            self.sync.undo,
            first,
            last,
            cascade=cascade,
            dry_run=dry_run,
            author=author,
            idempotency_key=idempotency_key,
        )

    async def remember(
        self, text: str, *, speaker: str | None = None, idempotency_key: str | None = None
    ) -> Remembered:
        return await _run(
            self.sync.remember, text, speaker=speaker, idempotency_key=idempotency_key
        )

    async def recall(
        self,
        question: str,
        *,
        budget_tokens: int = 1500,
        speaker: str | None = None,
        timeout: float | None = None,
    ) -> Recalled:
        return await _stoppable(
            self.sync.recall,
            question,
            budget_tokens=budget_tokens,
            speaker=speaker,
            timeout=timeout,
        )

    async def memory(self, id: str) -> MemoryItem:
        return await _run(self.sync.memory, id)

    async def update_memory(
        self,
        id: str,
        text: str,
        *,
        speaker: str | None = None,
        etag: str = "",
        idempotency_key: str | None = None,
    ) -> Remembered:
        return await _run(
            self.sync.update_memory,
            id,
            text,
            speaker=speaker,
            etag=etag,
            idempotency_key=idempotency_key,
        )

    async def forget_memory(
        self,
        id: str,
        *,
        etag: str = "",
        dry_run: bool = False,
        idempotency_key: str | None = None,
    ) -> Any:
        return await _run(
            self.sync.forget_memory,
            id,
            etag=etag,
            dry_run=dry_run,
            idempotency_key=idempotency_key,
        )

    async def questions(self) -> list[OpenQuestion]:
        return await _run(self.sync.questions)

    async def answer(
        self, question: str, answer: str, *, idempotency_key: str | None = None
    ) -> Remembered:
        return await _run(self.sync.answer, question, answer, idempotency_key=idempotency_key)

    async def me(self) -> Caller:
        return await _run(self.sync.me)

    async def statistics(self) -> dict[str, int]:
        return await _run(self.sync.statistics)

    async def waiting(self, *, all: bool = False) -> list[ApprovalRequest]:
        return await _run(self.sync.waiting, all=all)

    async def approval(self, approval_id: str) -> ApprovalRequest:
        return await _run(self.sync.approval, approval_id)

    async def grant(self, approval_id: str) -> None:
        await _run(self.sync.grant, approval_id)

    async def deny(self, approval_id: str, *, reason: str = "no") -> None:
        await _run(self.sync.deny, approval_id, reason=reason)

    async def why_not(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.why_not()

    async def rules(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.rules()

    async def export(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.export()

    async def export_file(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.export_file()

    async def load(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.load()

    async def load_pack(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.load_pack()

    async def unload_pack(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.unload_pack()

    async def verify(self) -> NoReturn:
        """No route."""
        self.sync.verify()

    async def backup(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        self.sync.backup()
