"""Calls on threads, for asyncio.

They are threads of this package: the default executor of a loop is the program's own, and calls that
wait long would take all of it. A feed that waits has a thread to itself, however many wait.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, Protocol, TypeVar

from ._anima import Stop

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_MOST_THREADS = 32  # what is called beyond them waits for its turn

_executor: ThreadPoolExecutor | None = None
_making = threading.Lock()


def _threads() -> ThreadPoolExecutor:
    global _executor
    with _making:
        if _executor is None:
            _executor = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="anima")
        return _executor


def _in_forked_child() -> None:
    """The threads of the parent are not there."""
    global _executor, _making
    _executor, _making = None, threading.Lock()


os.register_at_fork(after_in_child=_in_forked_child)


async def run_call(work: Callable[..., T], *given: Any, **named: Any) -> T:
    return await _whole(_threads().submit(copy_context().run, partial(work, *given, **named)))


async def run_stoppable(work: Callable[..., T], *given: Any, **named: Any) -> T:
    stop = Stop()
    work = partial(work, *given, stop=stop, **named)
    return await _whole(_threads().submit(copy_context().run, work), stop)


class Feed(Protocol[T_co]):
    def next(self, *, timeout: float | None = None, stop: Stop | None = None) -> T_co | None: ...


async def each_of(feed: Feed[T], timeout: float | None) -> AsyncIterator[T]:
    """What comes of a feed, until `timeout` passes without."""
    while True:
        stop = Stop()
        work = partial(feed.next, timeout=timeout, stop=stop)
        came = await _whole(_on_thread_of_its_own(work), stop)
        if came is None:
            return
        yield came


def _on_thread_of_its_own(work: Callable[[], T]) -> Future[T]:
    """The program does not wait for the thread when it ends."""
    call: Future[T] = Future()
    context = copy_context()

    def run() -> None:
        if not call.set_running_or_notify_cancel():
            return
        try:
            call.set_result(context.run(work))
        except BaseException as error:
            call.set_exception(error)

    threading.Thread(target=run, name="anima-feed", daemon=True).start()
    return call


async def _whole(call: Future[T], stop: Stop | None = None) -> T:
    """A task that is cancelled is over when its call is, so that nothing is written behind it; a call
    that has no thread yet never begins."""
    working = asyncio.wrap_future(call)
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        if call.cancel():
            raise
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
