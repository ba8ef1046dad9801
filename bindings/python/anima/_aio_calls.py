"""Calls on threads, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ._anima import Stop

T = TypeVar("T")


async def run_call(work: Callable[..., T], *given: Any, **named: Any) -> T:
    return await _whole(asyncio.to_thread(work, *given, **named))


async def run_stoppable(work: Callable[..., T], *given: Any, **named: Any) -> T:
    stop = Stop()
    return await _whole(asyncio.to_thread(work, *given, stop=stop, **named), stop)


async def _whole(call: Coroutine[Any, Any, T], stop: Stop | None = None) -> T:
    """A task that is cancelled is over when its call is, so that nothing is written behind it."""
    working = asyncio.ensure_future(call)
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        if stop is not None:
            stop.request()
        while not working.done():
            try:
                await asyncio.wait([working])
            except asyncio.CancelledError:
                continue  # once more: it is ending already
        if not working.cancelled():
            working.exception()
        raise
