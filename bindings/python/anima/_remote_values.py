"""What a server answers with where it tells other things than a memory of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from . import _errors
from ._values import ApprovalRequest, Assertion, Json, MemoryItem, OpenQuestion, Proof, ProofStep, Trust

T = TypeVar("T")


@dataclass(frozen=True)
class RemoteCommit:
    """One entry of the log as a server tells it: a Commit whose statements are sentences.

    A sentence ("borea runs_on rack2") is what str() of a Statement is. A server tells at most 1,000
    of those that came and of those that went; `more` counts the rest. `readable` is False where the
    key of the entry is not there.
    """

    entry: int
    time: str
    author: str
    source: str
    trust: Trust
    added: tuple[str, ...]
    removed: tuple[str, ...]
    readable: bool
    more: int = 0


@dataclass(frozen=True)
class Thing:
    """A thing of the graph: its id ("C:12"), its type and its name."""

    id: str
    type: str
    name: str


@dataclass(frozen=True)
class Fact:
    """What is stated of a thing, with who states it best. A value has no `object_id`; `rule_text` is
    the fact as rules write it. `details` has all that was told."""

    subject: str
    predicate: str
    object: str
    subject_id: str
    object_id: str
    rule_text: str
    author: str
    source: str
    trust: Trust
    confidence: float
    time: str
    entry: int
    details: Json = field(repr=False)

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


@dataclass(frozen=True)
class Recalled:
    """What memory and graph hold on a question, fenced and labelled, for a model's prompt: a Context
    without the counts that a server does not tell. `ids` are the memories that went in."""

    text: str
    label: Trust
    items: int
    left_out: int
    ids: tuple[str, ...]
    details: Json = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Caller:
    """Who a connection is for the server, and what it may."""

    name: str
    trust: Trust
    may_write: bool
    readonly_server: bool
    sees_approvals: str


class Pages(Iterator[T], Generic[T]):
    """A list of a server, which comes page by page as it is read."""

    def __init__(self, page: Callable[[str], tuple[Sequence[T], str]], cursor: str | None) -> None:
        self._page = page
        self._come: list[T] = []
        self._next = cursor  # None: there is no page behind it

    @property
    def cursor(self) -> str | None:
        """Where the next page begins, "" before the first and None at the end: a later program goes on
        with it. Errors: InvalidArgument in the middle of a page, for a server goes on behind whole ones."""
        if self._come:
            raise _errors.InvalidArgument(
                f"{len(self._come)} of this page are not handed out yet; a cursor goes on behind whole pages",
                hint="take the rest of it, or ask for smaller ones with page=",
            )
        return self._next

    def __next__(self) -> T:
        while not self._come:
            if self._next is None:
                raise StopIteration
            came, following = self._page(self._next)
            self._come, self._next = list(reversed(came)), following or None
        return self._come.pop()


def trust_named(name: str) -> Trust:
    try:
        return Trust[name.upper()]
    except KeyError:
        raise _errors.VersionMismatch(
            f"the server tells of a trust {name!r}", hint="it is newer than this package"
        ) from None


def commit_told(told: Mapping[str, Any]) -> RemoteCommit:
    return RemoteCommit(
        entry=told["sequence"],
        time=told["time"],
        author=told["author"],
        source=told["source"],
        trust=trust_named(told["trust"]),
        added=tuple(told["added"]),
        removed=tuple(told["removed"]),
        readable=True,
        more=told.get("more", 0),
    )


def commit_unread(entry: int) -> RemoteCommit:
    return RemoteCommit(entry, "", "", "", Trust.HOSTILE, (), (), False)


def fact_told(told: Mapping[str, Any]) -> Fact:
    def text(name: str) -> str:
        return str(told.get(name, ""))

    return Fact(
        subject=told["subject"],
        predicate=told["predicate"],
        object=told["object"],
        subject_id=told["subject_id"],
        object_id=text("object_id"),
        rule_text=text("rule_text"),
        author=text("author"),
        source=text("source"),
        trust=trust_named(told.get("trust", "hostile")),
        confidence=told.get("confidence", 0.0),
        time=text("time"),
        entry=told.get("entry", 0),
        details=told,
    )


def memory_told(told: Mapping[str, Any], etag: str = "") -> MemoryItem:
    return MemoryItem(
        id=told["id"],
        text=told["text"],
        trust=trust_named(told["trust"]),
        author=told["author"],
        source=told["source"],
        created=told["created"],
        changeable=told["changeable"],
        etag=etag,
        speaker=told.get("speaker", ""),
    )


def open_question_told(told: Mapping[str, Any]) -> OpenQuestion:
    return OpenQuestion(
        id=told["id"],
        text=told["words"],
        asks=told["question"],
        proposes=told["proposes"],
        choices=tuple(told["choices"]),
        memory=told.get("memory", ""),
        author=told["author"],
        source=told["source"],
        said=told["said"],
        trust=trust_named(told["trust"]),
        speaker=told.get("speaker", ""),
    )


def recalled_told(told: Mapping[str, Any]) -> Recalled:
    return Recalled(
        text=told["text"],
        label=trust_named(told["label"]),
        items=told["items"],
        left_out=told["left_out"],
        ids=tuple(told.get("ids", ())),
        details=told,
    )


def approval_told(told: Mapping[str, Any]) -> ApprovalRequest:
    return ApprovalRequest(
        id=told["id"],
        tool=told["tool"],
        agent=told["agent"],
        arguments=told["arguments"],
        trust=trust_named(told["trust"]),
        reason=told["reason"],
        evidence=told.get("evidence"),
        status=told["status"],
        decided_by=told["decided_by"],
        asked=told["asked"],
        expires=told["expires"],
    )


def _dispute_told(told: Mapping[str, Any]) -> str:
    if told["even"]:
        words = f"contradicted by {told['other']}"
    elif told["superseded"]:
        words = f"superseded by {told['effective']}"
    else:
        words = f"effective over {told['other']}"
    return f"{words}: {told['reason']}"


def _assertion_told(told: Mapping[str, Any]) -> Assertion:
    return Assertion(
        entry=told["entry"],
        time=told["time"],
        author=told["author"],
        source=told["source"],
        provenance=told.get("provenance") or "",
        trust=trust_named(told["trust"]),
        confidence=told["confidence"],
    )


def _step_told(told: Mapping[str, Any]) -> ProofStep:
    disputes = cast("Sequence[Mapping[str, Any]]", told.get("contradictions", ()))
    return ProofStep(
        depth=told["depth"],
        fact=told["fact"],
        because=told["because"],
        where=told["where"],
        given=told["given"],
        asserted=tuple(_assertion_told(each) for each in told.get("asserted", ())),
        contradictions=(*told.get("out_of_time", ()), *map(_dispute_told, disputes)),
    )


def proof_told(told: Mapping[str, Any]) -> Proof:
    steps = tuple(_step_told(each) for each in told["proof"])
    text = "".join(line + "\n" for step in steps for line in _step_lines(step))
    trust = trust_named(told["trust"])
    return Proof(told["fact"], steps, told["confidence"], trust, told["superseded"], text)


def _step_lines(step: ProofStep) -> Iterator[str]:
    """As the library prints a step (anima/answers.h)."""
    indent = "  " * step.depth
    yield f"{indent}{step.fact}  ({f'rule at {step.where}' if step.where else step.because})"
    for one in step.asserted:
        source = f" (source given: {one.source})" if one.source else ""
        provenance = f", {one.provenance}" if one.provenance else ""
        trust = one.trust.name.lower()
        who = f"by {one.author}{source}, trust {trust}{provenance}"
        yield f"{indent}    entry {one.entry} of {one.time}, {who}"
    for one in step.contradictions:
        yield f"{indent}    {one}"
