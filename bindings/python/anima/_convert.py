"""Between what a program gives and what the extension takes."""

from __future__ import annotations

import atexit
import inspect
import operator
import os
import weakref
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, Protocol, Union

from . import _anima, _errors
from ._rows import Rows
from ._values import (
    ApprovalRequest,
    Assertion,
    Author,
    AuditRecord,
    CallResult,
    Commit,
    Context,
    Judgement,
    LanguageModel,
    MemoryItem,
    LoadedFacts,
    LoadedTable,
    LoadReport,
    OpenQuestion,
    Parameter,
    Proof,
    ProofStep,
    QuestionAnswer,
    Remembered,
    Response,
    Statement,
    Tier,
    Tool,
    ToolLike,
    Trust,
    trust_of,
)

PathLike = Union[str, "os.PathLike[str]"]
AuthorLike = Union[Author, str]
Names = Union[str, Iterable[str]]
Point = Union[str, int, date]
"""A moment; a datetime is a date, too."""


class _Closable(Protocol):
    def close(self) -> None: ...


# Threads of what is open may want the interpreter: it is closed while there is one.
_open: weakref.WeakSet[Any] = weakref.WeakSet()


def closes_at_exit(opened: _Closable) -> None:
    _open.add(opened)


@atexit.register
def _close_all() -> None:
    _anima.leave()
    for opened in list(_open):
        opened.close()


def path_of(path: PathLike) -> str:
    try:
        given = os.fspath(path)
    except TypeError:
        raise _errors.wrong_type(
            f"a path is no {type(path).__name__}", "a path is a str or a path of str"
        ) from None
    if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _errors.wrong_type("this path is of bytes", "a path is a str or a path of str")
    if "\0" in given:
        raise _errors.InvalidArgument(
            "a path holds a NUL", hint="what stands before it would be another file"
        )
    return given


def names_of(names: Names) -> list[str]:
    if isinstance(names, str):
        return [names]
    if not isinstance(names, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _errors.wrong_type(f"these names are of the type {type(names).__name__}", "a str, or several")
    return list(names)


def number_of(value: int, name: str) -> int:
    """A whole number, 0 or more."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise _errors.wrong_type(f"{name} is of the type {type(value).__name__}", f"{name} is an int")
    number = operator.index(value)
    if not 0 <= number < 1 << 63:
        raise _errors.InvalidArgument(f"{name} is {number}", hint=f"{name} is 0 or more")
    return number


def whole_author(author: AuthorLike | None, otherwise: Author) -> Author:
    """A name alone has the source and the trust of who writes otherwise."""
    if author is None:
        return otherwise
    if isinstance(author, str):
        return Author(author, otherwise.source, otherwise.trust)
    return author


def author_of(author: AuthorLike | None, otherwise: Author) -> tuple[str, str, int]:
    whole = whole_author(author, otherwise)
    return whole.name, whole.source, int(trust_of(whole.trust))


def point_of(point: Point) -> str:
    """An entry, a time or words ("2 hours ago"). A time without a zone is local time, as datetime has it;
    a date is its end, UTC."""
    if isinstance(point, bool) or not isinstance(point, (str, int, date)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _errors.wrong_type(f"a point in time is no {type(point).__name__}", "an entry's number, a datetime, a date, or a str")
    if isinstance(point, datetime):
        try:
            return point.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        except (ValueError, OverflowError):
            raise _errors.InvalidArgument(f"{point.isoformat()} is no time here", hint="a year of 1 to 9999 in UTC") from None
    return str(point)


def commit_of(given: dict[str, Any]) -> Commit:
    given["trust"] = Trust(given["trust"])
    for name in ("added", "removed"):
        given[name] = tuple(Statement(*each) for each in given[name])
    return Commit(**given)


def _step_of(given: dict[str, Any]) -> ProofStep:
    asserted = given["asserted"]
    for one in asserted:
        one["trust"] = Trust(one["trust"])
    given["asserted"] = tuple(Assertion(**one) for one in asserted)
    given["contradictions"] = tuple(given["contradictions"])
    return ProofStep(**given)


def proof_of(given: dict[str, Any]) -> Proof:
    given["trust"] = Trust(given["trust"])
    given["steps"] = tuple(_step_of(step) for step in given["steps"])
    return Proof(**given)


def question_answer_of(given: dict[str, Any]) -> QuestionAnswer:
    given["rows"] = Rows(given["rows"])
    given["unknown"] = tuple(given["unknown"])
    return QuestionAnswer(**given)


def response_of(given: dict[str, Any]) -> Response:
    for name in ("missing", "options", "approval_ids"):
        given[name] = tuple(given[name])
    return Response(**given)


def load_report_of(given: dict[str, Any]) -> LoadReport:
    given["tables"] = tuple(LoadedTable(**each) for each in given["tables"])
    given["facts"] = tuple(LoadedFacts(**each) for each in given["facts"])
    given["notes"] = tuple(given["notes"])
    return LoadReport(**given)


def context_of(given: dict[str, Any]) -> Context:
    given["label"] = Trust(given["label"])
    return Context(**given)


def memory_of(given: dict[str, Any]) -> MemoryItem:
    return MemoryItem(
        id=given["id"],
        text=given["content"],
        speaker=given["speaker"],
        trust=Trust(given["trust"]),
        author=given["author"],
        source=given["source"],
        created=given["created"],
    )


def open_question_of(given: dict[str, Any]) -> OpenQuestion:
    given["trust"] = Trust(given["trust"])
    given["choices"] = tuple(given["choices"])
    return OpenQuestion(**given)


def remembered_of(given: Mapping[str, Any]) -> Remembered:
    """From what the library gives, or what a server tells."""
    told = Remembered(given.get("id") or "")
    told.known_before = bool(given.get("known_before", given.get("unchanged", False)))
    for name in ("stated", "corrected", "left_over", "asks", "question", "proposes"):
        setattr(told, name, given.get(name) or "")
    for name in ("taken_back", "choices"):
        setattr(told, name, tuple(given.get(name, ())))
    told.entry = int(given.get("entry", 0))
    return told


def call_result_of(given: dict[str, Any]) -> CallResult:
    given["trust"] = Trust(given["trust"])
    given["missing"] = tuple(given["missing"])
    return CallResult(**given)


def approval_of(given: dict[str, Any]) -> ApprovalRequest:
    given["trust"] = Trust(given["trust"])
    return ApprovalRequest(**given)


def judgement_of(given: dict[str, Any]) -> Judgement:
    given["trust"] = Trust(given["trust"])
    for name in ("missing", "because"):
        given[name] = tuple(given[name])
    return Judgement(**given)


def audit_record_of(given: dict[str, Any]) -> AuditRecord:
    given["trust"] = Trust(given["trust"])
    return AuditRecord(**given)


def is_async(function: object) -> bool:
    called = getattr(function, "__call__", None)  # of an object that is called
    return any(map(inspect.iscoroutinefunction, (function, called)))


def _check_function(tool: Tool) -> None:
    """A tool that cannot be run is refused where it is declared, not where a model calls it."""
    if tool.run is None:
        return
    if not callable(tool.run):  # pyright: ignore[reportUnnecessaryComparison]
        raise _errors.wrong_type(
            f"what runs the tool {tool.name!r} is of the type {type(tool.run).__name__}", "run= is a function"
        )
    if is_async(tool.run):
        raise _errors.wrong_type(
            f"what runs the tool {tool.name!r} is a coroutine function, and nobody would await it",
            "a function that calls asyncio.run_coroutine_threadsafe(work(), loop).result()",
        )


def tool_of(tool: ToolLike) -> dict[str, Any]:
    if not isinstance(tool, Tool):
        tool = Tool(declaration=tool)
    run = tool.run
    _check_function(tool)
    if isinstance(tool.parameters, str):
        raise _errors.wrong_type("the parameters of a tool are one str", f"parameters=[{tool.parameters!r}]")
    parameters = [Parameter(each) if isinstance(each, str) else each for each in tool.parameters]
    return {
        "name": tool.name,
        "run": None if run is None else lambda arguments: run(**arguments),  # pyright: ignore[reportUnknownLambdaType]
        "description": tool.description,
        "tier": int(Tier(tool.tier)),
        "parameters": [tuple(each) for each in parameters],
        "carried": names_of(tool.carried),
        "output_trust": int(trust_of(tool.output_trust)),
        "declaration": None if tool.declaration is None else dict(tool.declaration),
    }


def tools_of(tools: Sequence[ToolLike]) -> list[dict[str, Any]]:
    if isinstance(tools, (Tool, str, Mapping)):
        raise _errors.wrong_type(f"tools= is of the type {type(tools).__name__}", "it is a list of tools")
    return [tool_of(tool) for tool in tools]


def object_of(given: Mapping[str, Any], what: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _errors.wrong_type(f"{what} is of the type {given.__class__.__name__}", f"{what} is a dict")
    return dict(given)


def arguments_of(arguments: Mapping[str, Any] | None) -> dict[str, Any]:
    return {} if arguments is None else object_of(arguments, "what a tool is called with")


def model_of(model: LanguageModel | None) -> dict[str, Any] | None:
    if model is None:
        return None
    if not isinstance(model, LanguageModel):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _errors.wrong_type(
            f"model= is of the type {model.__class__.__name__}", 'anima.LanguageModel(url="..", model="..")'
        )
    return dict(vars(model))


def fetcher() -> str:
    """The program that fetches pages, of this package; "" where it was built without."""
    path = Path(__file__).parent / "bin" / "anima-fetch"
    return str(path) if path.exists() else ""
