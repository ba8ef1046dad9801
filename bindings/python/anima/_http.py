"""HTTP to one `anima serve`: at its socket, or at a loopback address with a token.

Connections are kept and used again. Each wait ends by a deadline or a Stop. The token goes to the
address that was given and nowhere else: an answer that sends elsewhere is an error, and no proxy of
the environment is used.
"""

from __future__ import annotations

import errno
import http.client
import ipaddress
import json
import os
import select
import socket
import stat
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urlsplit

from . import _errors
from ._anima import Stop

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

    from ._convert import PathLike

_STEP_SECONDS = 0.05  # between two looks at a Stop
_MOST_KEPT = 8  # idle connections
_LONGEST_TEXT = 300  # of a foreign answer in a message


class Patience:
    """Until when a call waits, and the Stop that ends it before."""

    def __init__(self, seconds: float | None, stop: Stop | None = None) -> None:
        if stop is not None and not isinstance(stop, Stop):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise _errors.wrong_type("this cannot stop a call", "stop is an anima.Stop")
        self._until = None if seconds is None else time.monotonic() + seconds_of(seconds)
        self._stop = stop

    def left(self) -> float | None:
        """Seconds until the next look. Errors: Timeout, Cancelled."""
        if self._stop is not None and self._stop.requested():
            raise _errors.Cancelled("the call was stopped")
        left = None if self._until is None else self._until - time.monotonic()
        if left is not None and left <= 0:
            raise _errors.Timeout(
                "the server did not answer in time",
                hint="what it began it may have done; a longer timeout= waits longer",
            )
        if self._stop is None:
            return left
        return _STEP_SECONDS if left is None else min(left, _STEP_SECONDS)


def seconds_of(timeout: float) -> float:
    """A time limit. Errors: WrongType, InvalidArgument."""
    given: object = timeout
    if isinstance(given, bool) or not isinstance(given, (int, float)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _errors.wrong_type("a timeout is a number", "seconds, or None for no limit")
    if not timeout > 0:
        raise _errors.InvalidArgument("a timeout is more than 0 seconds", hint="None for no limit")
    return min(float(timeout), 1e9)


class _Socket(socket.socket):
    """A socket that never blocks: each wait of a read or a write is that of its patience."""

    patience = Patience(None)

    def _wait(self, event: int) -> None:
        poll = select.poll()
        poll.register(self, event)
        while True:
            left = self.patience.left()
            if poll.poll(None if left is None else max(1, int(left * 1000))):
                return

    def reach(self, address: Any) -> None:
        self.setblocking(False)
        while True:
            code = self.connect_ex(address)
            if code in (errno.EAGAIN, errno.EINTR):  # too many knock at a socket of a folder
                self.patience.left()
                time.sleep(_STEP_SECONDS / 5)
                continue
            if code == errno.EINPROGRESS:
                self._wait(select.POLLOUT)
                code = self.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code != 0:
                raise OSError(code, os.strerror(code))
            return

    def recv_into(self, buffer: WriteableBuffer, nbytes: int = 0, flags: int = 0) -> int:
        while True:
            try:
                return super().recv_into(buffer, nbytes, flags)
            except BlockingIOError:
                self._wait(select.POLLIN)

    def sendall(self, data: ReadableBuffer, flags: int = 0) -> None:
        rest = memoryview(data).cast("B")
        while rest:
            try:
                rest = rest[self.send(rest, flags) :]
            except BlockingIOError:
                self._wait(select.POLLOUT)

    def is_over(self) -> bool:
        """Whether the server closed it while it was idle."""
        poll = select.poll()
        poll.register(self, select.POLLIN)
        return bool(poll.poll(0))


class Address(NamedTuple):
    """Where a server listens: a path, or a host of this machine and its port."""

    path: str
    host: str
    port: int

    def open(self, patience: Patience) -> _Socket:
        family, to = self._place()
        opened = _Socket(family, socket.SOCK_STREAM)
        opened.patience = patience
        try:
            opened.reach(to)
            if family != socket.AF_UNIX:
                opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except BaseException:
            opened.close()
            raise
        return opened

    def _place(self) -> tuple[socket.AddressFamily, Any]:
        if self.path:
            return socket.AF_UNIX, self.path
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        return family, (self.host, self.port)

    def name(self) -> str:
        """As a Host header has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}" if self.port else host

    def __str__(self) -> str:
        return self.path or f"http://{self.name()}"


_FORMS = 'give the folder of a space, "unix:PATH" of a socket, or "http://127.0.0.1:PORT"'


def address_of(url: PathLike) -> Address:
    """What connect() is given. It is never echoed whole, for it may hold a password."""
    try:
        text = os.fspath(url)
    except TypeError:
        raise _errors.wrong_type(f"an address is no {type(url).__name__}", _FORMS) from None
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _errors.wrong_type("this address is of bytes", _FORMS)
    if not text or "\0" in text:
        raise _errors.InvalidArgument("this is no address", hint=_FORMS)
    if text.startswith("unix:"):
        return Address(_bare_path(text[len("unix:") :]), "localhost", 0)
    if "://" in text:
        return _tcp_address(text)
    return Address(_socket_of(text), "localhost", 0)


def _bare_path(path: str) -> str:
    return path[2:] if path.startswith("///") else path


def _socket_of(path: str) -> str:
    """The socket of a folder, or the path itself where it is one."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        message = f"{os.strerror(error.errno or 0)}: no such folder or socket"
        raise _errors.NotFound(message, where=path, hint=_FORMS) from None
    if stat.S_ISSOCK(mode):
        return path
    inside = os.path.join(path, "serve.sock")
    if not os.path.exists(inside):
        raise _errors.NotFound(
            "no server listens in this folder",
            where=path,
            hint="`anima serve` in it makes serve.sock; Memory.open() needs no server",
        )
    return inside


def _tcp_address(url: str) -> Address:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _errors.InvalidArgument("this address does not parse", hint=_FORMS) from None
    if parts.username is not None or parts.password is not None:
        raise _errors.InvalidArgument(
            "the address holds a name or a password", hint="the token is an argument of its own"
        )
    if parts.scheme != "http" or port is None or parts.path.strip("/") or parts.query or parts.fragment:
        raise _errors.InvalidArgument("this is no address of a server of Anima", hint=_FORMS)
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise _errors.Unsupported(
            "`anima serve` is reached on this machine alone, and a token goes nowhere else in the clear",
            hint="ssh -L 7411:127.0.0.1:7411 HOST brings a server of another machine here",
        )
    # A name may be given another address; a number may not.
    return Address("", "127.0.0.1" if host == "localhost" else host, port)


class _Connection(http.client.HTTPConnection):
    def __init__(self, address: Address) -> None:
        super().__init__(address.host, address.port or None)
        self._address = address
        self.patience = Patience(None)
        # Also where `sock` is none any more, because an answer that is its last has it.
        self.opened: _Socket | None = None

    def connect(self) -> None:
        self.sock = self.opened = self._address.open(self.patience)

    def take_up(self, patience: Patience) -> bool:
        """Whether it is open and can be used again."""
        self.patience = patience
        if self.sock is None or self.opened is None or self.opened.is_over():
            self.close()
            return False
        self.opened.patience = patience
        return True


class _EarlierVersion(_Connection):
    """An answer of HTTP/1.0 is not cut into chunks: what has come can be read to the last byte. It
    sends no Host by itself."""

    _http_vsn = 10
    _http_vsn_str = "HTTP/1.0"


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise _errors.InputOutputError(
                "the server answers with what is no JSON", hint="is it `anima serve`?"
            ) from None


class Request(NamedTuple):
    method: str
    target: str
    body: bytes | None = None
    headers: Mapping[str, str] = {}
    repeats: bool = False  # made again it does nothing more


class Stream:
    """An answer that goes on; read() gives what has come."""

    def __init__(
        self, connection: _Connection, response: http.client.HTTPResponse, address: Address
    ) -> None:
        self._connection = connection
        self._response = response
        self._address = address

    def read(self, patience: Patience) -> bytes:
        """b"" at its end. What the patience ends loses nothing. Errors: InputOutputError."""
        if self._connection.opened is not None:
            self._connection.opened.patience = patience
        try:
            return self._response.read1(1 << 16)
        except _errors.Error:
            raise
        except (OSError, http.client.HTTPException) as error:
            raise unreached(self._address, error) from None

    def close(self) -> None:
        self._response.close()
        self._connection.close()


def unreached(address: Address, error: BaseException) -> _errors.Error:
    refused = isinstance(error, (ConnectionRefusedError, FileNotFoundError))
    unsure = "what was sent may have been done; look before you send it again"
    return _errors.InputOutputError(
        f"the server cannot be reached: {error or type(error).__name__}",
        where=str(address),
        hint="is `anima serve` running there?" if refused else unsure,
    )


class _Token:
    """Not shown where locals of a program are."""

    def __init__(self, token: str) -> None:
        self.value = token

    def __repr__(self) -> str:
        return "<a token>"

    def __reduce__(self) -> Any:
        raise TypeError("a token is not pickled")


def _token_of(token: str | None) -> _Token | None:
    if token is None:
        return None
    if not isinstance(token, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        hint = "a token is a str, as `anima serve token add` prints it"
        raise _errors.wrong_type("the token is no str", hint)
    token = token.strip()
    if not token or not all("!" <= sign <= "~" for sign in token):
        raise _errors.InvalidArgument("this is no token", hint="`anima serve token add NAME` prints one")
    return _Token(token)


class Channel:
    """Requests to one server, from any thread. A child of fork opens connections of its own."""

    def __init__(self, address: Address, token: str | None, timeout: float | None) -> None:
        self.address = address
        self._token = _token_of(token)
        self._timeout = None if timeout is None else seconds_of(timeout)
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []
        self._process = os.getpid()
        self.closed = False

    def send(self, request: Request, timeout: float | None = None, stop: Stop | None = None) -> Answer:
        """Errors: those of the answer (docs/errors.md), Timeout, Cancelled, InputOutputError."""
        patience = Patience(self._timeout if timeout is None else timeout, stop)
        connection, used = self._take(patience)
        while True:
            try:
                answer = self._exchange(connection, request)
                break
            except (ConnectionError, http.client.BadStatusLine) as error:
                connection.close()
                # It was idle, and the server closed it as it was taken up.
                if not (used and request.repeats):
                    raise unreached(self.address, error) from None
                connection, used = self._fresh(patience), False
            except _errors.Error:
                connection.close()
                raise
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                raise unreached(self.address, error) from None
            except BaseException:
                connection.close()
                raise
        self._give_back(connection)
        if answer.status >= 300 and answer.status != 304:
            raise problem_of(answer)
        return answer

    def stream(self, request: Request, patience: Patience) -> Stream:
        """The errors of send()."""
        self._check_open()
        connection = _EarlierVersion(self.address)
        connection.patience = patience
        try:
            response = self._ask(connection, request)
            if response.status == 200:
                return Stream(connection, response, self.address)
            answer = Answer(response.status, _headers_of(response), response.read())
        except _errors.Error:
            connection.close()
            raise
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise unreached(self.address, error) from None
        except BaseException:
            connection.close()
            raise
        connection.close()
        raise problem_of(answer)

    def _exchange(self, connection: _Connection, request: Request) -> Answer:
        response = self._ask(connection, request)
        answer = Answer(response.status, _headers_of(response), response.read())
        if response.will_close:
            connection.close()
        return answer

    def _ask(self, connection: _Connection, request: Request) -> http.client.HTTPResponse:
        connection.putrequest(request.method, request.target, skip_accept_encoding=True)
        if isinstance(connection, _EarlierVersion):
            connection.putheader("Host", self.address.name())
        if self._token is not None:
            connection.putheader("Authorization", "Bearer " + self._token.value)
        for name, value in request.headers.items():
            connection.putheader(name, value)
        if request.body is not None:
            connection.putheader("Content-Length", str(len(request.body)))
        connection.endheaders(request.body)
        return connection.getresponse()

    def _check_open(self) -> None:
        if self.closed:
            raise _errors.InvalidArgument("the connection is closed", hint="anima.connect() makes another")

    def _fresh(self, patience: Patience) -> _Connection:
        connection = _Connection(self.address)
        connection.patience = patience
        return connection

    def _take(self, patience: Patience) -> tuple[_Connection, bool]:
        self._check_open()
        while True:
            self._leave_those_of_the_parent()
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._fresh(patience), False
            if connection.take_up(patience):
                return connection, True

    def _give_back(self, connection: _Connection) -> None:
        self._leave_those_of_the_parent()
        with self._lock:
            if connection.sock is not None and not self.closed and len(self._idle) < _MOST_KEPT:
                self._idle.append(connection)
                return
        connection.close()

    def _leave_those_of_the_parent(self) -> None:
        if self._process == os.getpid():
            return
        self._process = os.getpid()
        # A thread that is not here may have held it.
        self._lock = threading.Lock()
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def close(self) -> None:
        with self._lock:
            self.closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


def _headers_of(response: http.client.HTTPResponse) -> Mapping[str, str]:
    return {name.lower(): value for name, value in response.getheaders()}


# What a status says where the code of the answer is only that the request was not taken.
_OF_STATUS: Mapping[int, str] = {
    401: "denied", 403: "denied", 404: "not_found", 409: "conflict", 410: "not_found", 412: "conflict",
    413: "limit_exceeded", 431: "limit_exceeded", 503: "busy",
}  # fmt: skip


def problem_of(answer: Answer) -> _errors.Error:
    """The error that an answer tells (RFC 9457)."""
    if 300 <= answer.status < 400:
        return _errors.InputOutputError(
            f"the server answers with a redirect ({answer.status}), which is not followed",
            hint="`anima serve` sends nobody elsewhere",
        )
    try:
        told: Any = json.loads(answer.body)
    except ValueError:
        told = None
    parts: dict[str, Any] = cast("dict[str, Any]", told) if isinstance(told, dict) else {}
    if not isinstance(parts.get("detail"), str):
        shown = answer.body[:_LONGEST_TEXT].decode("utf-8", "replace").strip()
        message = f"the server answers with {answer.status}: {shown}"
        return _errors.InputOutputError(message, hint="is it `anima serve`?")
    texts = {name: str(value) for name, value in parts.items()}
    hint, message, code = texts.get("hint", ""), texts["detail"], texts.get("code", "")
    # A tool's message ends with its hint.
    message = message.removesuffix(f" ({hint})") if hint else message
    if code in ("", "invalid_argument"):
        code = _OF_STATUS.get(answer.status, code)
    where, refusal = texts.get("where", ""), texts.get("refusal", "")
    return _errors.error_of(code or "internal", message, where, hint, refusal)
