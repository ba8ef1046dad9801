"""The plain values that Anima answers with. They are frozen; times are ISO 8601 in UTC."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _errors

if TYPE_CHECKING:
    from ._rows import Row, Rows

Json = Any
"""What JSON can say: None, bool, int of 64 bits, finite float, str, list or tuple, dict with str keys."""


class Trust(IntEnum):
    """How far the origin of a text is trusted, rising. Nothing in a text raises it."""

    HOSTILE = 0
    UNTRUSTED = 1
    STANDARD = 2
    VERIFIED = 3
    OPERATOR = 4
    SYSTEM = 5


TrustLike = Union[Trust, str, int]


def trust_of(trust: TrustLike) -> Trust:
    """A level by itself, its number or its name ("operator")."""
    if isinstance(trust, str):
        try:
            return Trust[trust.upper()]
        except KeyError:
            names = ", ".join(level.name.lower() for level in Trust)
            raise _errors.InvalidArgument(f"there is no level of trust {trust!r}", hint=names) from None
    try:
        return Trust(trust)
    except ValueError:
        raise _errors.InvalidArgument(
            f"there is no level of trust {trust!r}", hint="0 (hostile) to 5 (system)"
        ) from None


class Tier(IntEnum):
    """What a tool may do: what it changes says who may call it."""

    READ_ONLY = 0
    WRITE_SAFE = 1
    WRITE_DESTRUCTIVE = 2
    ADMIN = 3


@dataclass(frozen=True, init=False)
class Author:
    """In whose name is written: it stands in the log and in all that history tells.

    `source` says where the knowledge comes from. Who says nothing of `trust` is not trusted; the
    owner's own word is Trust.OPERATOR. A level may be given by its name ("operator").
    """

    name: str = "local"
    source: str = ""
    trust: Trust = Trust.UNTRUSTED

    def __init__(self, name: str = "local", source: str = "", trust: TrustLike = Trust.UNTRUSTED) -> None:
        for member, given in (("name", name), ("source", source)):
            if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise _errors.wrong_type(f"an author's {member} is of the type {type(given).__name__}", "it is a str")
            if "\0" in given:
                raise _errors.InvalidArgument(f"an author's {member} holds a NUL", hint="no text has one")
            object.__setattr__(self, member, given)
        object.__setattr__(self, "trust", trust_of(trust))


class Statement(NamedTuple):
    """ "borea runs_on rack2": str() reads like that."""

    subject: str
    predicate: str
    object: str

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


@dataclass(frozen=True)
class Commit:
    """One entry of the log: who wrote it, when, from where, and what it changed.

    `readable` is False when what it changed was erased, or is sealed under a key that is not here.
    """

    entry: int
    time: str
    author: str
    source: str
    trust: Trust
    added: tuple[Statement, ...]
    removed: tuple[Statement, ...]
    readable: bool


@dataclass(frozen=True)
class Hit:
    """What the words of a search found: a concept ("C:12") or a link ("P:12"), whose type is its
    predicate. `score` is BM25 and compares hits of one search only."""

    id: str
    type: str
    name: str
    score: float


@dataclass(frozen=True)
class Assertion:
    """Who states a fact; `confidence` is 0 to 1."""

    entry: int
    time: str
    author: str
    source: str
    provenance: str
    trust: Trust
    confidence: float


@dataclass(frozen=True)
class ProofStep:
    """One step of a derivation; `depth` is its distance from the fact that is proved."""

    depth: int
    fact: str
    because: str
    where: str
    given: bool
    asserted: tuple[Assertion, ...]
    contradictions: tuple[str, ...]


@dataclass(frozen=True)
class Proof:
    """Why a fact holds; it iterates over its steps, the fact itself first, and str() prints them."""

    fact: str
    steps: tuple[ProofStep, ...]
    confidence: float
    trust: Trust
    superseded: int
    text: str = field(repr=False)

    def __iter__(self) -> Iterator[ProofStep]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class QuestionAnswer:
    """The answer to a question in plain words; it iterates over its rows, and str() is its sentence.

    `status` is "answered", "empty" (understood, and nothing is so), "ambiguous" (`details` has the
    readings) or "not_understood" (`unknown` has the words that nothing here explains). `query` can
    be run by hand. `details` has all of it (docs/ask.md).
    """

    status: str
    text: str
    reading: str
    query: str
    rows: Rows
    unknown: tuple[str, ...]
    details: Json = field(repr=False)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        """Whether it was answered."""
        return self.status == "answered"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class SparqlChange:
    """What an update did; `entry` is for Memory.undo(), and 0 when nothing changed."""

    operations: int
    inserted: int
    deleted: int
    entry: int


@dataclass(frozen=True)
class LoadedTable:
    """What came of the rows of a table that was loaded: things that were `created`, `changed` or stay
    `unchanged`, and `facts` that were stated.

    `withdrawn`: facts no longer stated, of these. `outranked`: that stay beside the new one, as who
    stated them is trusted more. `overruled`: that somebody else had stated. `mentioned`: things that a
    link names and no row describes. `table` of a file with several.
    """

    file: str
    table: str
    type: str
    rows: int
    created: int
    changed: int
    unchanged: int
    facts: int
    withdrawn: int
    outranked: int
    overruled: int
    mentioned: int


@dataclass(frozen=True)
class LoadedFacts:
    """A file of facts that was loaded."""

    file: str
    format: str
    statements: int


@dataclass(frozen=True)
class LoadReport:
    """What a load did. `mapping` is the one that was used, for the next load; `changed` says whether
    there was something to write, `entry` is the newest of the log then."""

    tables: tuple[LoadedTable, ...]
    facts: tuple[LoadedFacts, ...]
    notes: tuple[str, ...]
    mapping: Json = field(repr=False)
    changed: bool
    entry: int


@dataclass(frozen=True)
class Response:
    """What came of a question, a goal, a line or a message.

    `outcome`: "answered", "done", "found" (no exact answer: what is known about what was named),
    "waiting" (for `approval_ids`: the same again after grant() goes on), "denied" (by policy or a
    person) or "blocked" (nothing was read), both with why(`refusal_id`), "clarify" (asked back, with
    `options`), "not_understood" (`missing` has the words), "failed", "open" (the cycles are used up),
    "stopped", "halted" or "busy". True in an `if` when it is one of the first three. `entry` is the
    first log entry of what was written, for Memory.undo(); 0: nothing was, or it was a goal of run(),
    each cycle of which is an act.
    """

    outcome: str
    text: str
    missing: tuple[str, ...]
    options: tuple[str, ...]
    approval_ids: tuple[str, ...]
    refusal_id: str
    plan_id: str
    cycles: int
    entry: int
    details: Json = field(repr=False)

    def __bool__(self) -> bool:
        return self.outcome in ("answered", "done", "found")

    def __str__(self) -> str:
        return self.text


class Remembered(str):
    """The id of the memory that has a text, "" where none has; and what was understood of it.

    `stated`: what was noted as a fact, in the words of the memory. `corrected`: what that took the
    place of. `taken_back`: facts that hold no more. `left_over`: words for which a sentence is a text
    alone. `asks`: what is asked back; answer(`question`, ..) decides it by "yes", which notes
    `proposes`, by "no", or by one of `choices`. `entry` is the first log entry of what was written,
    for Memory.undo(); 0: nothing was, or a server did not tell.

    >>> import anima, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, anima.Agent.open(folder + "/space", create=True) as agent:
    ...     told = agent.remember("I work at Initech", speaker="Ada")
    ...     asked = agent.remember("I work for Free", speaker="Ada")
    ...     print(told.stated, "|", asked.proposes)
    ...     print(agent.answer(asked.question, "yes").corrected)
    Ada works_at Initech | Ada works_at Free
    Ada works_at: Free, was Initech
    """

    known_before: bool
    stated: str
    corrected: str
    taken_back: tuple[str, ...]
    left_over: str
    asks: str
    question: str
    proposes: str
    choices: tuple[str, ...]
    entry: int

    @property
    def id(self) -> str:
        return str(self)


@dataclass(frozen=True)
class OpenQuestion:
    """What was asked back about the text of a memory, and nobody has answered."""

    id: str
    text: str
    asks: str
    proposes: str
    choices: tuple[str, ...]
    memory: str
    author: str
    source: str
    said: str
    trust: Trust
    speaker: str = ""


@dataclass(frozen=True)
class MemoryItem:
    """A text that is remembered. `speaker`: whose words it is; "": nobody's in particular. `etag`
    names the state that was seen, for update_memory() and forget_memory() of a Connection; only its
    memory() tells it."""

    id: str
    text: str
    trust: Trust
    author: str
    source: str
    created: str
    changeable: bool = True
    etag: str = ""
    speaker: str = ""


@dataclass(frozen=True)
class Context:
    """What memory and graph hold on a question, fenced and labelled, for a model's prompt.

    `label` is the least trust of all that went in: give it to call(). `left_out` did not fit,
    `quarantined` and `withheld` are not for this reader.
    """

    text: str
    label: Trust
    items: int
    left_out: int
    quarantined: int
    withheld: int
    details: Json = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class CallResult:
    """What came of a call of a tool. `outcome`: "done" with its `result`, else "waiting", "denied",
    "failed", "halted" or "busy" with a `reason`. `missing` has the grants that it lacks. `entry` is
    the first log entry of what was written, for Memory.undo(); 0: nothing was."""

    outcome: str
    result: Json
    reason: str
    trust: Trust
    approval_id: str
    refusal_id: str
    missing: tuple[str, ...]
    entry: int

    def __bool__(self) -> bool:
        """Whether it was done, or may be."""
        return self.outcome == "done"


@dataclass(frozen=True)
class AuditRecord:
    """A decision as the log keeps it: `action` ("permission_denied" ..) of `actor`, whose trust was
    `trust`. `details` has the rule, pattern or layer behind it, with its evidence; `time` is ISO 8601.
    """

    entry: int
    id: str
    time: str
    action: str
    actor: str
    trust: Trust
    details: Any


@dataclass(frozen=True)
class ApprovalRequest:
    """A call that waits for a person; a yes is for exactly these arguments, once."""

    id: str
    tool: str
    agent: str
    arguments: Json
    trust: Trust
    reason: str
    evidence: Json = field(repr=False)
    status: str
    decided_by: str
    asked: str
    expires: str


@dataclass(frozen=True)
class Judgement(CallResult):
    """Whether a call may run. `outcome`: "done" (it may, or of call(): it did), "waiting" for an
    approval, "denied", or "failed" (the arguments are not the tool's).

    `call` is its number for observe(), `because` says which values are the reason and where each came
    from, `arguments` are those to be used, with the named values put in.
    """

    call: int
    because: tuple[str, ...]
    arguments: Json


@dataclass(frozen=True)
class LanguageModel:
    """A model that the loop of Agent.run() may ask; docs/models.md says what goes to it.

    `provider`: "openai", "openai-responses" or "anthropic". The key is read from the variable
    `key_env` or the file `key_file` (mode 0600), never given here.
    """

    provider: str = "openai"
    url: str = ""
    model: str = ""
    key_env: str = ""
    key_file: str = ""
    context_tokens: int = 32_768
    max_tokens: int = 4096


class Parameter(NamedTuple):
    """An argument that a tool takes."""

    name: str
    required: bool = False
    description: str = ""


@dataclass(frozen=True)
class Tool:
    """A tool of your own: judged, audited and recorded like those that are shipped. No sandbox and no
    time limit holds it.

    `run` is called with the arguments by their names, on the thread of the call and in its turn: it
    asks nothing of the same agent. What it gives is JSON; what it raises is a failed call.
    `parameters` empty: it takes anything. `carried`: arguments that choose nothing, like the text of
    a letter. `output_trust`: the most that its result is trusted. `declaration` says all of that as
    data (docs/governance_values.md); then only `run` counts beside it, and without `run` the program
    runs the tool itself (GuardedSession.judge).
    """

    name: str = ""
    run: Callable[..., Json] | None = None
    description: str = ""
    tier: Tier = Tier.WRITE_SAFE
    parameters: Sequence[Parameter | str] = ()
    carried: Sequence[str] = ()
    output_trust: Trust = Trust.UNTRUSTED
    declaration: Mapping[str, Json] | None = None


ToolLike = Union[Tool, Mapping[str, Json]]
"""A Tool, or the declaration of one that the program runs itself."""
