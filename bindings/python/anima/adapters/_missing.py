"""What to install for an adapter."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def needs(extra: str, module: str) -> Generator[None]:
    """Around imports of a package of others: an ImportError that says what to install, where `module` is
    not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ModuleNotFoundError(
            f"anima.adapters.{extra} needs the package of {module.split('.')[0]}:"
            f' pip install "anima-memory[{extra.replace("_", "-")}]"',
            name=error.name,
        ) from None
