"""Anima: a memory that can be asked, explained and undone, and agents whose every act is judged.

>>> import anima
>>> memory = anima.Memory.in_memory(author=anima.Author("ada", trust=anima.Trust.OPERATOR))
>>> memory.import_rdf('<urn:db> <urn:runs_on> <urn:borea> .', format="turtle")
1
>>> [row["where"].text for row in memory.sparql("SELECT ?where { <urn:db> <urn:runs_on> ?where }")]
['urn:borea']

docs/python.md says what each call does; `anima.aio` has the same for asyncio. `anima.connect()` gives
a memory behind `anima serve` the same calls.
"""

from ._agent import Agent, GuardedSession, Subscription
from ._anima import Stop
from ._anima import version as __version__
from ._errors import (
    AlreadyExists,
    Busy,
    Cancelled,
    Conflict,
    Corrupt,
    Denied,
    DiskFull,
    Error,
    InputOutputError,
    Internal,
    InvalidArgument,
    LimitExceeded,
    NoSandbox,
    NotFound,
    OutrankedWarning,
    SyntaxError_,
    Timeout,
    Unsupported,
    VersionMismatch,
    Waiting,
    WrongType,
)
from ._memory import Memory
from ._remote import Connection, RemoteView, connect
from ._remote_feed import RemoteFeed
from ._remote_values import Caller, Fact, Pages, Recalled, RemoteCommit, Thing
from ._rows import Row, Rows, Solution, SparqlAnswer, Term
from ._values import (
    ApprovalRequest,
    Assertion,
    AuditRecord,
    Author,
    CallResult,
    Commit,
    Context,
    Hit,
    Json,
    Judgement,
    LanguageModel,
    LoadedFacts,
    LoadedTable,
    LoadReport,
    MemoryItem,
    OpenQuestion,
    Parameter,
    Proof,
    ProofStep,
    QuestionAnswer,
    Remembered,
    Response,
    SparqlChange,
    Statement,
    Tier,
    Tool,
    Trust,
)
from ._view import ChangeFeed, Rules, View

__all__ = [
    "Agent", "AlreadyExists", "ApprovalRequest", "Assertion", "AuditRecord", "Author", "Busy",
    "Caller", "CallResult", "Cancelled", "ChangeFeed", "Commit", "Conflict", "connect",
    "Connection", "Context", "Corrupt", "Denied", "DiskFull", "Error", "Fact", "GuardedSession",
    "Hit", "InputOutputError", "Internal", "InvalidArgument", "Json", "Judgement", "LanguageModel",
    "LimitExceeded", "LoadedFacts", "LoadedTable", "LoadReport", "Memory", "MemoryItem",
    "NoSandbox", "NotFound", "OpenQuestion", "OutrankedWarning", "Pages", "Parameter", "Proof",
    "ProofStep", "QuestionAnswer", "Recalled", "Remembered", "RemoteCommit", "RemoteFeed",
    "RemoteView", "Response", "Row", "Rows", "Rules", "Solution", "SparqlAnswer", "SparqlChange",
    "Statement", "Stop", "Subscription", "SyntaxError_", "Term", "Thing", "Tier", "Timeout",
    "Tool", "Trust", "Unsupported", "VersionMismatch", "View", "Waiting", "WrongType",
    "__version__",
]  # fmt: skip
