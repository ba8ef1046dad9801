"""An agent over a folder, and sessions that guard the calls of a model."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from . import _anima
from ._convert import (
    AuthorLike,
    Names,
    PathLike,
    approval_of,
    arguments_of,
    audit_record_of,
    call_result_of,
    closes_at_exit,
    context_of,
    fetcher,
    is_async,
    judgement_of,
    memory_of,
    model_of,
    names_of,
    number_of,
    open_question_of,
    path_of,
    remembered_of,
    response_of,
    tools_of,
)
from ._errors import InvalidArgument, wrong_type
from ._memory import Memory, author_of_memory
from ._values import (
    ApprovalRequest,
    Author,
    AuditRecord,
    CallResult,
    Context,
    Json,
    Judgement,
    LanguageModel,
    MemoryItem,
    OpenQuestion,
    Remembered,
    Response,
    ToolLike,
    Trust,
    TrustLike,
    trust_of,
)


def _opened(
    folder: PathLike | Memory, create: bool, author: AuthorLike | None
) -> tuple[Memory, bool]:
    """The memory, and whether whoever opened it closes it with the rest."""
    if isinstance(folder, Memory):
        return folder, False
    return Memory.open(folder, create=create, author=author), True


def _label_of(argument: str, label: tuple[TrustLike, str]) -> tuple[int, str]:
    if not isinstance(label, (tuple, list)) or len(label) != 2:  # pyright: ignore
        raise wrong_type(f"the label of {argument!r} is no pair", 'labels={"to": (anima.Trust.STANDARD, "a letter")}')
    trust, source = label
    return int(trust_of(trust)), source


def _check_open(memory: Memory) -> None:
    """What works over a memory that was closed is closed with it."""
    if memory.closed:
        raise InvalidArgument("this is closed: the memory that it works over is")


@contextmanager
def _closing(memory: Memory, opened: bool) -> Generator[None]:
    """What was opened for something that then could not be made is closed again."""
    try:
        yield
    except BaseException:
        if opened:
            memory.close()
        raise


_log = logging.getLogger("anima")
_EVENT_TYPE = re.compile(r"\*|[a-z_]+:[a-z_]*")


def _kind_of(value: object) -> str:
    return value.__class__.__name__


def _check_handler(type: str, handler: object) -> None:
    if not isinstance(type, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise wrong_type(f"a type of events is no {_kind_of(type)}", 'it is a str, as "agent:cycle"')
    if not _EVENT_TYPE.fullmatch(type):
        raise InvalidArgument(
            f"{type!r} is no type of events", hint='a whole type ("agent:cycle"), a beginning ("agent:"), or "*"'
        )
    if not callable(handler):
        raise wrong_type(f"a handler is no {_kind_of(handler)}", "it is a function of a type and a payload")
    if is_async(handler):
        raise wrong_type(
            "a handler is no coroutine function: nobody would await it",
            "loop.call_soon_threadsafe() or asyncio.run_coroutine_threadsafe() of a function",
        )


class Subscription:
    """Ends what was subscribed when it is cancelled or goes."""

    def __init__(self, subscription: _anima.Subscription) -> None:
        self._subscription = subscription

    def cancel(self) -> None:
        self._subscription.cancel()


class Agent:
    """Asks, works on goals, talks, and asks you before it does what needs consent.

    It works over one folder with the guardian, policy, approvals and sandbox of `anima run`. Nothing
    needs a language model; run() may have one. The owner speaks here: a line of chat() and a
    remembered text have Trust.OPERATOR unless said otherwise. A refusal is a Response, not an error.

    Calls of several threads take turns; none holds the GIL while it works.
    """

    def __init__(self, agent: _anima.Agent, memory: Memory, *, owns_memory: bool) -> None:
        self._held = agent
        self._memory = memory
        self._owns_memory = owns_memory
        closes_at_exit(self)

    @property
    def _agent(self) -> _anima.Agent:
        _check_open(self._memory)
        return self._held

    @classmethod
    def open(
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
        """Opens a folder, or works over a Memory; where that has none run() and chat() are Unsupported.

        `name`: whose goals and psyche it has. `work_folder`: of its files and commands; FOLDER/work.
        `readable`: folders that it may read beside it, absolute. `rules`: Datalog policy beside the
        shipped and the owner's. `author`: of what is written through `memory`. Errors: NotFound
        where there is no memory, unless `create`.
        """
        options = {
            "name": name,
            "work_folder": path_of(work_folder),
            "readable": [path_of(path) for path in readable],
            "rules": names_of(rules),
            "tools": tools_of(tools),
            "model": model_of(model),
            "fetcher": fetcher(),
        }
        memory, opened = _opened(folder, create, author)
        with _closing(memory, opened):
            return cls(_anima.Agent.over(memory.opened(), options), memory, owns_memory=opened)

    def close(self) -> None:
        """Ends the agent. Its memory stays open when it was given, else it is closed, too."""
        self._held.close()
        if self._owns_memory:
            self._memory.close()

    @property
    def closed(self) -> bool:
        return self._held.closed()

    def __enter__(self) -> Agent:
        if self.closed:
            raise InvalidArgument("this is closed")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def memory(self) -> Memory:
        """The knowledge that it works over."""
        return self._memory

    def ask(self, question: str, *, session: str = "default", speaker: str | None = None) -> Response:
        """A question in plain words, answered at once from what the memory holds.

        `speaker`: who asks, as for Memory.ask().
        """
        return response_of(self._agent.ask(question, session, speaker))

    def run(
        self,
        goal: str,
        *,
        timeout: float | None = None,
        cycles: int = 10,
        stop: _anima.Stop | None = None,
    ) -> Response:
        """Works on a goal until it is reached, fails, waits, or a limit is met; said again it goes on.

        `timeout` in seconds; `cycles` of the loop. What was done stays done.
        """
        return response_of(self._agent.run(goal, stop, timeout, number_of(cycles, "cycles")))

    def chat(
        self,
        line: str,
        *,
        session: str = "default",
        timeout: float | None = None,
        stop: _anima.Stop | None = None,
    ) -> Response:
        """A line of the owner: a task is carried out, a question answered, else what is known is told."""
        return response_of(self._agent.chat(line, session, stop, timeout))

    def remember(
        self,
        text: str,
        *,
        trust: TrustLike = Trust.OPERATOR,
        source: str = "library",
        speaker: str | None = None,
    ) -> Remembered:
        """Keeps a text, and as facts what it states; gives its id, with what was understood.

        `speaker`: the person whose words they are, who says "I"; without one "I work at Initech" is
        asked back. Equal texts of two speakers are two memories. It is kept in the name of the
        memory's author ("library" where open() was told none), with the trust that is said here.
        Errors: Denied when it was quarantined; InvalidArgument where the speaker is no name.
        """
        return remembered_of(
            self._agent.remember(text, int(trust_of(trust)), source, speaker, self._keeper())
        )

    def _keeper(self) -> str:
        """In whose name texts are kept; "": of nobody who was named when the memory was opened."""
        author = author_of_memory(self._memory).name
        return "" if author == Author().name else author

    def memories(
        self, query: str = "", *, limit: int = 20, speaker: str | None = None
    ) -> list[MemoryItem]:
        """What is remembered, the most certain first; or the best that have the words of `query`.

        `speaker`: only what this person said, and what nobody in particular did.
        """
        told = self._agent.memories(query, number_of(limit, "limit"), speaker)
        return [memory_of(each) for each in told]

    def update_memory(self, id: str, text: str, *, speaker: str | None = None) -> Remembered:
        """Puts a text in the place of a memory, and takes back what that stated.

        Whose words it is stays, unless a `speaker` is named. Errors: NotFound; Denied when it was
        quarantined: the memory is as it was.
        """
        return remembered_of(self._agent.update_memory(id, text, speaker, self._keeper()))

    def forget_memory(self, id: str, *, dry_run: bool = False) -> tuple[str, ...]:
        """Withdraws a memory, and gives the facts that hold no more. `dry_run`: tells the facts that
        would go, and withdraws nothing."""
        return tuple(self._agent.forget_memory(id, bool(dry_run)))

    def questions(self) -> list[OpenQuestion]:
        """What was asked back about texts and nobody has answered, the newest first."""
        return [open_question_of(told) for told in self._agent.questions()]

    def answer(self, question: str, answer: str) -> Remembered:
        """Answers a question by its id: "yes", "no", or one of its choices.

        Errors: NotFound (no such question); InvalidArgument (none of its answers).
        """
        return remembered_of(self._agent.answer(question, answer))

    def recall(
        self, question: str, *, budget_tokens: int = 1500, speaker: str | None = None
    ) -> Context:
        """What memory and graph hold on a question, fenced and labelled, for a model's prompt.

        `speaker`: who asks; only what this person said and told, and what nobody in particular did.
        """
        budget = number_of(budget_tokens, "budget_tokens")
        return context_of(self._agent.recall(question, budget, speaker))

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Json] | None = None,
        *,
        caller: TrustLike = Trust.STANDARD,
        label: TrustLike = Trust.UNTRUSTED,
        labels: Mapping[str, tuple[TrustLike, str]] | None = None,
    ) -> CallResult:
        """One tool, judged like all others.

        `caller`: who wants it; a model is no owner. `label`: the least trust of all that the call was
        made from (Context.label); the owner's own words are Trust.OPERATOR. `labels`: the same
        argument by argument, with where each came from.
        """
        each = [(name, *_label_of(name, label)) for name, label in (labels or {}).items()]
        given = arguments_of(arguments)
        return call_result_of(
            self._agent.call(tool, given, int(trust_of(caller)), int(trust_of(label)), each)
        )

    def waiting(self) -> list[ApprovalRequest]:
        """The calls that wait for a person, in the order asked."""
        return [approval_of(request) for request in self._agent.waiting()]

    def grant(self, approval_id: str) -> None:
        """A yes for exactly that call, once. Errors: NotFound; Conflict (answered or expired)."""
        self._agent.grant(approval_id)

    def deny(self, approval_id: str, *, reason: str = "no") -> None:
        """A no, with its reason. Errors: the same."""
        self._agent.deny(approval_id, reason)

    def why(self, refusal_id: str) -> AuditRecord:
        """The rule, pattern or layer behind a refusal, with its evidence."""
        return audit_record_of(self._agent.why(refusal_id))

    def subscribe(self, type: str, handler: Callable[[str, Any], object]) -> Subscription:
        """Calls handler(type, payload) for each event of this agent, after the call that caused it.

        `type`: a whole type ("agent:cycle"), a beginning that ends with ":", or "*". It may run on
        any thread that uses the agent, one event at a time. Keep what this gives: the subscription
        ends with it. What it raises ends no call: it is logged ("anima" of logging), and told as the
        event "system:handler_error".
        """
        _check_handler(type, handler)

        def heard(kind: str, payload: Any) -> None:
            try:
                handler(kind, payload)
            except Exception:
                _log.exception("a handler of the event %r raised", kind)
                raise

        return Subscription(self._agent.subscribe(type, heard))

    def __repr__(self) -> str:
        return f"<anima.Agent over {self._memory!r}{', closed' if self.closed else ''}>"


class GuardedSession:
    """In front of the calls of a model of your own: each is judged by where its values came from and by
    what the message asked for, whatever the model wrote, rewrote or translated.

        guard.begin("Answer Ada's mail")
        guard.plan(["mail:list", "mail:send"])
        read = guard.judge("mail:list", {})
        if read:
            guard.observe(read.call, mailbox.list())        # the program runs its tools itself

    call() runs tools that have a function (Tool.run), and the shipped ones. Messages, results and the
    floor are kept in the log: a restart goes on with them. A refusal is a Judgement, not an error.
    """

    def __init__(
        self, session: _anima.GuardedSession, memory: Memory, *, owns_memory: bool
    ) -> None:
        self._held = session
        self._memory = memory
        self._owns_memory = owns_memory
        closes_at_exit(self)

    @property
    def _session(self) -> _anima.GuardedSession:
        _check_open(self._memory)
        return self._held

    @classmethod
    def open(
        cls,
        folder: PathLike | Memory,
        *,
        session: str = "default",
        tools: Sequence[ToolLike] = (),
        create: bool = False,
        work_folder: PathLike = "",
        readable: Iterable[PathLike] = (),
        rules: Names = (),
    ) -> GuardedSession:
        """Over a folder or a memory. `tools`: declarations of those that can be judged
        (docs/governance_values.md), as dicts or Tools. Errors: NotFound where there is no memory,
        unless `create`; InvalidArgument of a declaration that is none."""
        options = {
            "work_folder": path_of(work_folder),
            "readable": [path_of(path) for path in readable],
            "rules": names_of(rules),
            "tools": tools_of(tools),
            "fetcher": fetcher(),
        }
        memory, opened = _opened(folder, create, None)
        with _closing(memory, opened):
            over = _anima.GuardedSession.over(memory.opened(), session, options)
            return cls(over, memory, owns_memory=opened)

    def close(self) -> None:
        """Ends the session here; as Agent.close()."""
        self._held.close()
        if self._owns_memory:
            self._memory.close()

    @property
    def closed(self) -> bool:
        return self._held.closed()

    def __enter__(self) -> GuardedSession:
        if self.closed:
            raise InvalidArgument("this is closed")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def memory(self) -> Memory:
        return self._memory

    def begin(
        self,
        message: str,
        *,
        channel: str = "terminal",
        trust: TrustLike | None = None,
        sender: str = "local",
    ) -> Response:
        """A new message with the trust of its channel: "terminal" (the owner), "agent_key" (standard),
        "http", "mcp", "email", "file" (untrusted). `trust`: less than the channel has. The plan of
        the message before is over."""
        level = None if trust is None else int(trust_of(trust))
        return response_of(self._session.begin((message, channel, level, sender)))

    def plan(self, calls: Iterable[str | tuple[str, int] | tuple[str, int, Mapping[str, Json]]]) -> None:
        """Which tools the message asks for, before anything is read: a name, with how often at most,
        with what the message itself says for arguments. Errors: NotFound (no such tool)."""
        planned: list[tuple[str, int, Any]] = []
        for call in calls:
            given: tuple[Any, ...] = (call,) if isinstance(call, str) else call
            if not isinstance(given, tuple) or not 1 <= len(given) <= 3:  # pyright: ignore
                raise wrong_type(f"{call!r} is no planned call", '"mail:list", or ("mail:send", 2), or ("mail:send", 1, {"to": ..})')
            unsaid: tuple[Any, ...] = (None, 1, None)
            tool, most, said = (*given, *unsaid[len(given) :])[:3]
            planned.append((tool, most, said))
        self._session.plan(planned)

    def contacts(self, values: Sequence[Json]) -> None:
        """Values that the owner gives to be chosen from: people, accounts, addresses."""
        self._session.contacts(list(values))

    def judge(self, tool: str, arguments: Mapping[str, Json] | None = None) -> Judgement:
        """May this call run? Ask before it does, once for each time. Nothing runs here."""
        return judgement_of(self._session.judge(tool, arguments_of(arguments)))

    def observe(self, call: int, result: Json, *, shown: bool = True) -> None:
        """What came of a call that was judged; `shown`: the model sees it."""
        self._session.observe(call, result, shown)

    def call(
        self, tool: str, arguments: Mapping[str, Json] | None = None, *, shown: bool = True
    ) -> Judgement:
        """Judges, runs and observes."""
        return judgement_of(self._session.call(tool, arguments_of(arguments), shown))

    def told(self, trust: TrustLike) -> None:
        """The model was told something else, which is trusted so far."""
        self._session.told(int(trust_of(trust)))

    def cleared(self) -> None:
        """The model's context was emptied."""
        self._session.cleared()

    def end(self) -> None:
        """The message is done with; what is known of values stays."""
        self._session.end()

    @property
    def floor(self) -> Trust:
        """The least trusted of all that the model was told."""
        return Trust(self._session.floor())

    def waiting(self) -> list[ApprovalRequest]:
        """The calls that wait for a person, in the order asked."""
        return [approval_of(request) for request in self._session.waiting()]

    def grant(self, approval_id: str) -> None:
        """A yes for exactly that call, once: judge it again then."""
        self._session.grant(approval_id)

    def deny(self, approval_id: str, *, reason: str = "no") -> None:
        """A no, with its reason."""
        self._session.deny(approval_id, reason)

    def why(self, refusal_id: str) -> AuditRecord:
        """The rule, pattern or layer behind a refusal, with its evidence."""
        return audit_record_of(self._session.why(refusal_id))

    def __repr__(self) -> str:
        return f"<anima.GuardedSession over {self._memory!r}{', closed' if self.closed else ''}>"
