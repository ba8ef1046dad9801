"""What to install for an adapter."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Generator[None]:
    """Around imports of packages of others: an ImportError that says what to install, where one is not
    there."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] == "anima":
            raise
        raise ModuleNotFoundError(
            f"anima.adapters.{extra} needs {error.name.split('.')[0]}:"
            f' pip install "anima-memory[{extra.replace("_", "-")}]"',
            name=error.name,
        ) from None
