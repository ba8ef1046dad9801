"""The errors of Anima: one class for each code of docs/errors.md."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any, cast


class Error(Exception):
    """Something that could not be done. Each code has a class of its own below this one.

    `code` is stable and one of docs/errors.md ("not_found"), `message` one sentence, `where` its
    place (line and column, a path, the number of an entry) and `hint` what to do about it; the last
    two may be empty. `approval_id` names the approval that a call waits for, `refusal_id` the entry of
    the audit that tells of a server's refusal, where there is one.
    """

    code = "internal"

    def __init__(
        self, message: str, *, where: str = "", hint: str = "", approval_id: str = "", refusal_id: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint
        self.approval_id = approval_id
        self.refusal_id = refusal_id

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text} ({self.hint})" if self.hint else text

    def __reduce__(self) -> tuple[object, tuple[type[Error], str, dict[str, str]]]:
        names = ("where", "hint", "approval_id", "refusal_id")
        return _made_again, (type(self), self.message, {name: getattr(self, name) for name in names})


def _made_again(kind: type[Error], message: str, parts: dict[str, str]) -> Error:
    return kind(message, **parts)


class InvalidArgument(Error, ValueError):
    """A value that cannot be used; a closed memory is one, too."""

    code = "invalid_argument"


class WrongType(InvalidArgument, TypeError):
    """A value of a type that is not taken there; `hint` says which ones are."""


class SyntaxError_(Error, ValueError):
    """Text that does not parse; `where` is its line and column."""

    code = "syntax"


class NotFound(Error, LookupError):
    """It does not exist: a folder, a file, a concept, an entry."""

    code = "not_found"


class AlreadyExists(Error):
    """It exists already."""

    code = "already_exists"


class Conflict(Error):
    """Somebody else changed what this change relies on."""

    code = "conflict"


class LimitExceeded(Error):
    """A limit was reached, which the message names."""

    code = "limit_exceeded"


class Corrupt(Error):
    """Stored bytes are damaged."""

    code = "corrupt"


class VersionMismatch(Error):
    """A stored format of another version."""

    code = "version_mismatch"


class InputOutputError(Error, OSError):
    """The operating system refused; the message holds its words."""

    code = "io"


class DiskFull(InputOutputError):
    """No space is left on the disk; nothing of the transaction was written."""

    code = "disk_full"


class Busy(Error):
    """Temporary: try again."""

    code = "busy"


class Denied(Error, PermissionError):
    """Refused by policy."""

    code = "denied"


class Waiting(Denied):
    """The owner is asked first; `approval_id` names the approval. Once it is given, make the same call
    again."""

    code = "waiting"


class Cancelled(Error):
    """Stopped on request."""

    code = "cancelled"


class Timeout(Error, TimeoutError):
    """The time of the call was over."""

    code = "timeout"


class Unsupported(Error):
    """Known, but not possible here."""

    code = "unsupported"


class Internal(Error):
    """A defect of Anima: please report it."""

    code = "internal"


class NoSandbox(Error):
    """This machine cannot contain a program as tightly as required; nothing was run."""

    code = "no_sandbox"


def _all_kinds(base: type[Error]) -> dict[str, type[Error]]:
    kinds: dict[str, type[Error]] = {}
    for kind in base.__subclasses__():
        kinds.update(_all_kinds(kind))
        kinds[kind.code] = kind
    return kinds


_KINDS = _all_kinds(Error)


# What the program's options are called here.
_OPTIONS = {
    "--as": 'the "type" of a column in mapping=',
    "--base": "base=",
    "--cascade": "cascade=True",
    "--export-mapping": "load(..., dry_run=True).mapping",
    "--format": "export(format)",
    "--key": "key=",
    "--link": "links=",
    "--load-root": "load_root=",
    "--type": "type=",
}
_OPTIONS["{.create = true}"] = "create=True"  # of C++
_OPTION = re.compile(r"--[a-z]+(?:-[a-z]+)*|\{\.create = true\}")


def _in_python(text: str) -> str:
    return _OPTION.sub(lambda option: _OPTIONS.get(option[0], option[0]), text)


_WAITS = re.compile(r"waits for approval ([^:]+):")


def error_of(code: str, message: str, where: str, hint: str, refusal_id: str = "") -> Error:
    """The exception for an error of the library, or of a server."""
    waits = _WAITS.match(message) if code in ("denied", "waiting") else None
    return _KINDS.get("waiting" if waits else code, Error)(
        message,
        where=_in_python(where),
        hint=_in_python(hint),
        approval_id=waits[1] if waits else "",
        refusal_id=refusal_id,
    )


class OutrankedWarning(UserWarning):
    """A value was not written: somebody who is trusted more states another one, which stays."""


def warn_of_outranked(answer: Mapping[str, Any], depth: int) -> None:
    """Says of an answer of KIP which keys stay as they are, at the caller `depth` frames above."""
    told: Any = answer.get("result")
    each = cast("list[Any]", told) if isinstance(told, list) else []
    parts = [answer, *(cast("Mapping[str, Any]", one) for one in each if isinstance(one, dict))]
    kept = [f"{one['id']}.{one['key']}" for part in parts for one in part.get("outranked", ())]
    if kept:
        warnings.warn(
            f"{', '.join(kept)}: not written, for somebody who is trusted more states it",
            OutrankedWarning,
            stacklevel=depth + 1,
        )


def wrong_type(message: str, hint: str) -> WrongType:
    return WrongType(message, hint=hint)
