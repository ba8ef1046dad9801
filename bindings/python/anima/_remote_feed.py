"""The commits of a server's memory as they come, over streams that may be lost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import TracebackType

from . import _errors
from ._anima import Stop
from ._http import Answer, Channel, Patience, Request, Stream, seconds_of
from ._remote_values import RemoteCommit, commit_told, commit_unread
from ._wire import EventReader

_SILENCE_SECONDS = 45.0  # a server says something each 15 s
_AGAIN_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0)  # until a lost stream is opened again
_WANTED = {"Accept": "text/event-stream"}


class RemoteFeed(Iterator[RemoteCommit]):
    """The commits of a server's memory as they come; each once, in order.

    Iterating waits for the next one and ends after close() of another thread, or when a `timeout` in
    seconds passes without one. A stream that is lost is opened again behind `after`. Entries that
    change nothing that is known are passed over.
    """

    def __init__(self, channel: Channel, after: int, timeout: float | None) -> None:
        self._channel = channel
        self._after = after
        self._timeout = timeout
        self._stop = Stop()
        self._stream: Stream | None = None
        self._events: EventReader | None = None
        self._heard = 0.0  # when something came
        self._until: float | None = None  # of the next() that waits
        self._halt = self._stop
        self._losses = 0

    @property
    def after(self) -> int:
        """The last entry that was handed out."""
        return self._after

    def next(self, *, timeout: float | None = None, stop: Stop | None = None) -> RemoteCommit | None:
        """Waits for the next commit; None when `timeout` or `stop` ends the waiting.

        Errors: Denied, NotFound (the entries were compacted), and what else ends it for good.
        """
        self._until = None if timeout is None else time.monotonic() + seconds_of(timeout)
        self._halt = self._stop if stop is None else stop
        while not self._halt.requested() and not self._is_late():
            try:
                event = self._event()
            except _errors.Cancelled:
                return None
            except _errors.Timeout:
                if time.monotonic() - self._heard >= _SILENCE_SECONDS:
                    self._lose()
                continue
            except (_errors.InputOutputError, _errors.Busy):
                self._lose()
                self._pause(_AGAIN_SECONDS[min(self._losses, len(_AGAIN_SECONDS) - 1)])
                self._losses += 1
                continue
            commit = self._commit(event)
            if commit is not None:
                return commit
        return None

    def _is_late(self) -> bool:
        return self._until is not None and time.monotonic() >= self._until

    def _patience(self) -> Patience:
        """Until the time of next() is over, or the stream has been silent for too long."""
        quiet = self._heard + _SILENCE_SECONDS
        end = quiet if self._until is None else min(quiet, self._until)
        return Patience(max(end - time.monotonic(), 0.001), self._halt)

    def _event(self) -> tuple[str, str, str] | None:
        if self._events is None:
            self._heard = time.monotonic()
            request = Request("GET", f"/v1/events?after={self._after}", None, _WANTED, True)
            stream = self._channel.stream(request, self._patience())
            self._stream = stream
            self._events = EventReader(lambda: self._read(stream))
        return self._events.next()

    def _read(self, stream: Stream) -> bytes:
        came = stream.read(self._patience())
        self._heard = time.monotonic()
        return came

    def _commit(self, event: tuple[str, str, str] | None) -> RemoteCommit | None:
        """None: the stream has ended, and goes on behind the last entry."""
        if event is None or event[1] == "end":
            self._lose()
            self._pause(_AGAIN_SECONDS[0])
            return None
        id, name, data = event
        if name not in ("change", "unread"):
            return None
        self._losses = 0
        self._after = int(id)
        told = Answer(200, {}, data.encode()).json()
        return commit_told(told) if name == "change" else commit_unread(told["sequence"])

    def _lose(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._stream = self._events = None

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self._halt.requested() and not self._is_late():
            time.sleep(0.02)

    def __iter__(self) -> RemoteFeed:
        return self

    def __next__(self) -> RemoteCommit:
        commit = None if self._stop.requested() else self.next(timeout=self._timeout)
        if commit is None:
            self._lose()
            raise StopIteration
        return commit

    def close(self) -> None:
        """Ends the waiting, from any thread."""
        self._stop.request()

    def __enter__(self) -> RemoteFeed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        self._lose()
