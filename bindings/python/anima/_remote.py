"""A memory that `anima serve` gives to the programs of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, NoReturn, cast
from urllib.parse import quote, urlencode

from . import _errors
from ._anima import Stop
from ._convert import (
    AuthorLike,
    Names,
    PathLike,
    Point,
    names_of,
    number_of,
    object_of,
    point_of,
    remembered_of,
)
from ._http import Answer, Channel, Request, address_of
from ._remote_feed import RemoteFeed
from ._remote_values import (
    Caller,
    Fact,
    Pages,
    Recalled,
    RemoteCommit,
    Thing,
    approval_told,
    commit_told,
    fact_told,
    memory_told,
    open_question_told,
    proof_told,
    recalled_told,
    trust_named,
)
from ._rows import Rows, SparqlAnswer
from ._values import (
    ApprovalRequest,
    Json,
    MemoryItem,
    OpenQuestion,
    Proof,
    QuestionAnswer,
    Remembered,
    SparqlChange,
)
from ._view import Parameters
from ._wire import (
    JsonRows,
    SparqlResult,
    json_body,
    kip_result,
    rows_of_result,
    text_of,
    text_or_none,
)

_MEDIA_TYPES = {
    "ntriples": "application/n-triples",
    "nquads": "application/n-quads",
    "turtle": "text/turtle",
    "trig": "application/trig",
    "rdfxml": "application/rdf+xml",
    "jsonld": "application/ld+json",
}


def connect(
    url: PathLike, token: str | None = None, *, timeout: float | None = 60.0
) -> Connection:
    """A connection to `anima serve`: at the socket of a folder, or at a loopback address with a token.

    `url`: the folder of a space ("space"), "unix:PATH" of its socket, or "http://127.0.0.1:7411".
    `token`: what `anima serve token add` printed; the socket needs none. `timeout`: seconds that each
    call may take, unless it says otherwise; None: no limit.

    Errors: NotFound (no server listens in the folder), InputOutputError (it cannot be reached),
    Denied (the token), Unsupported (another machine: a token goes nowhere in the clear).

    >>> import anima
    >>> try:
    ...     anima.connect("http://example.org:7411", "token")
    ... except anima.Unsupported as error:
    ...     print(error.hint)
    ssh -L 7411:127.0.0.1:7411 HOST brings a server of another machine here
    """
    connection = Connection(Channel(address_of(url), token, timeout))
    try:
        connection.me()
    except BaseException:
        connection.close()
        raise
    return connection


def _missing(call: str, instead: str) -> _errors.Unsupported:
    return _errors.Unsupported(f"`anima serve` has no route for {call}()", hint=instead)


def _no(call: str, option: str, given: object, instead: str) -> None:
    """Refuses an option that a server does not take."""
    if given:
        raise _errors.Unsupported(f"`anima serve` takes no {option}= of {call}()", hint=instead)


def _no_author(call: str, author: AuthorLike | None) -> None:
    _no(call, "author", author is not None, "who writes is whose token it is: see me()")


def _query(**given: Any) -> str:
    # An empty speaker is for the server to refuse: somebody was meant.
    left_out = {name for name, value in given.items() if value is None or (value == "" and name != "speaker")}
    said = {name: value for name, value in given.items() if name not in left_out}
    return "?" + urlencode(said) if said else ""


class RemoteView:
    """What a memory said at one moment. See View; a server looks back in questions, KIP, facts and
    history alone."""

    def __init__(self, connection: Connection, entry: int) -> None:
        self._connection = connection
        self._entry = entry

    @property
    def entry(self) -> int:
        """The number of the log entry whose state this is."""
        return self._entry

    def find(
        self,
        query: str,
        parameters: Parameters | None = None,
        *,
        timeout: float | None = None,
        stop: Stop | None = None,
    ) -> Rows:
        """A KIP query: a column for each expression, a row for each match. See Memory.find()."""
        return self._connection.find_at(query, parameters, timeout, stop, self._entry)

    def ask(
        self,
        question: str,
        *,
        session: str = "",
        language: str = "en",
        speaker: str | None = None,
        now: str | datetime = "",
        all: bool = False,
        timeout: float | None = None,
        stop: Stop | None = None,
    ) -> QuestionAnswer:
        """A question in plain words about this moment. See Connection.ask()."""
        _no("ask", "now", now, "the server's clock counts")
        _no("ask", "all", all, "LIMIT and OFFSET of find() give the rest")
        return self._connection.ask_at(
            question, session, language, speaker, timeout, stop, self._entry
        )

    def history(self, thing: str, *, limit: int = 100) -> list[RemoteCommit]:
        """What changed about a thing until this moment. See Connection.history()."""
        return self._connection.history_at(thing, limit, self._entry)

    def facts(self, about: str, *, limit: int = 200) -> list[Fact]:
        """What was stated of a thing at this moment. See Connection.facts()."""
        return self._connection.facts_at(about, limit, self._entry)

    def sparql(self, *_: Any, **__: Any) -> NoReturn:
        """No route: /sparql answers of this moment."""
        raise _missing("sparql", "find() looks back; Connection.sparql() answers of now")

    def search(self, *_: Any, **__: Any) -> NoReturn:
        """No route: /v1/things answers of this moment."""
        raise _missing("search", "facts() and find() look back")

    def why(self, *_: Any, **__: Any) -> NoReturn:
        """No route: /v1/why answers of this moment."""
        raise _missing("why", "`anima as-of` on the server's machine")

    def why_not(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("why_not", "`anima why-not` on the server's machine")

    def rules(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("rules", "load a pack on the server's machine")

    def export(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("export", "`anima export` on the server's machine")

    def export_file(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("export_file", "`anima export` on the server's machine")

    def __repr__(self) -> str:
        return f"<anima.RemoteView of entry {self._entry}>"


class Connection:
    """A memory behind `anima serve`, with the calls of Memory; connect() makes it.

    Who writes is whose token it is, as far trusted as the token is. What the server has no route for
    raises Unsupported. Every method may be called from any thread; connections are kept, and a forked
    child opens its own. A call that reads is made again when the server closed an idle connection; one
    that writes is not, unless it has an `idempotency_key` (a str of your own, new for each request):
    made again with it, it writes once.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def close(self) -> None:
        """Closes the connections. Feeds that were given out end."""
        self._channel.close()

    @property
    def closed(self) -> bool:
        return self._channel.closed

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a connection is not pickled: it holds a token")

    # -- requests

    def _get(self, target: str, timeout: float | None = None, stop: Stop | None = None) -> Any:
        return self._channel.send(Request("GET", target, repeats=True), timeout, stop).json()

    def _post(
        self,
        target: str,
        members: Mapping[str, Any],
        timeout: float | None = None,
        stop: Stop | None = None,
        *,
        reads: bool = False,
        key: str | None = None,
        method: str = "POST",
        match: str = "",
    ) -> Any:
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = _header_text(key, "an idempotency_key")
        if match:
            headers["If-Match"] = _header_text(match, "an etag")
        request = Request(method, target, json_body(members), headers, reads or key is not None)
        return self._channel.send(request, timeout, stop).json()

    # -- tell and ask

    def kip(
        self,
        command: str,
        parameters: Parameters | None = None,
        *,
        author: AuthorLike | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        stop: Stop | None = None,
    ) -> Any:
        """Runs KIP that tells or asks, and gives its result. See Memory.kip()."""
        _no_author("kip", author)
        members = {"command": text_of(command, "a command"), "parameters": parameters}
        return kip_result(self._post("/v1/kip", members, timeout, stop, key=idempotency_key))

    def execute_kip(
        self,
        request: Mapping[str, Json],
        *,
        readonly: bool = False,
        author: AuthorLike | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """A whole execute_kip request. See Memory.execute_kip()."""
        _no_author("execute_kip", author)
        if readonly:
            return self._post("/v1/kip/readonly", object_of(request, "a request"), reads=True)
        return self._post("/v1/kip", object_of(request, "a request"), key=idempotency_key)

    def find(
        self,
        query: str,
        parameters: Parameters | None = None,
        *,
        timeout: float | None = None,
        stop: Stop | None = None,
    ) -> Rows:
        """A KIP query: a column for each expression, a row for each match. See Memory.find()."""
        return self.find_at(query, parameters, timeout, stop, None)

    def find_at(
        self,
        query: str,
        parameters: Parameters | None,
        timeout: float | None,
        stop: Stop | None,
        entry: int | None,
    ) -> Rows:
        """find() of an earlier moment: RemoteView.find()."""
        if not text_of(query, "a query").strip():
            raise _errors.InvalidArgument("the query is empty")
        members = {"command": query, "parameters": parameters, "shape": "rows"}
        target = "/v1/kip/readonly" + _query(as_of=entry)
        answer = self._post(target, members, timeout, stop, reads=True)
        return Rows(rows_of_result(kip_result(answer)))

    def what_if(
        self,
        change: str,
        query: str,
        parameters: Parameters | None = None,
        *,
        timeout: float | None = None,
        stop: Stop | None = None,
    ) -> Rows:
        """What a query would answer if a change were made, which it is not. It needs a token that may
        write."""
        commands = [text_of(change, "a change"), text_of(query, "a query")]
        members = {"commands": commands, "parameters": parameters, "dry_run": True, "shape": "rows"}
        answer = self._post("/v1/kip", members, timeout, stop, reads=True)
        return Rows(rows_of_result(kip_result(answer)[-1].get("result")))

    def sparql(
        self,
        query: str,
        *,
        base: str = "",
        pack: str = "",
        default_graphs: Names = (),
        named_graphs: Names = (),
        timeout: float | None = None,
        stop: Stop | None = None,
    ) -> SparqlAnswer:
        """A SPARQL 1.1 query. See Memory.sparql(); text() gives "json" of rows and truths, "ntriples"
        of triples."""
        _no("sparql", "base", base, "BASE in the query says it")
        _no("sparql", "pack", pack, "default_graphs names the graph of a pack")
        fields = [("query", text_of(query, "a query"))]
        fields += [("default-graph-uri", text_of(one, "a graph")) for one in names_of(default_graphs)]
        fields += [("named-graph-uri", text_of(one, "a graph")) for one in names_of(named_graphs)]
        accept = "application/sparql-results+json, application/n-triples"
        answer = self._form("/sparql", fields, {"Accept": accept}, timeout, stop, repeats=True)
        text = answer.body.decode("utf-8", "replace")
        return SparqlAnswer(SparqlResult(answer.headers.get("content-type", ""), text))

    def _form(
        self,
        target: str,
        fields: list[tuple[str, str]],
        headers: Mapping[str, str],
        timeout: float | None,
        stop: Stop | None,
        *,
        repeats: bool = False,
    ) -> Answer:
        whole = {"Content-Type": "application/x-www-form-urlencoded", **headers}
        request = Request("POST", target, urlencode(fields).encode(), whole, repeats)
        return self._channel.send(request, timeout, stop)

    def sparql_update(
        self,
        update: str,
        *,
        base: str = "",
        default_graphs: Names = (),
        named_graphs: Names = (),
        load_root: PathLike = "",
        author: AuthorLike | None = None,
        timeout: float | None = None,
        stop: Stop | None = None,
    ) -> SparqlChange:
        """A SPARQL 1.1 update: all of its operations in one log entry, or none. LOAD is Denied."""
        _no("sparql_update", "base", base, "BASE in the update says it")
        _no("sparql_update", "load_root", load_root, "a server loads no files")
        _no_author("sparql_update", author)
        fields = [("update", text_of(update, "an update"))]
        fields += [("using-graph-uri", text_of(one, "a graph")) for one in names_of(default_graphs)]
        fields += [("using-named-graph-uri", text_of(one, "a graph")) for one in names_of(named_graphs)]
        told = self._form("/sparql", fields, {}, timeout, stop).json()
        entry = told["entries"][-1] if told["entries"] else 0
        return SparqlChange(told["operations"], told["inserted"], told["deleted"], entry)

    def import_rdf(
        self,
        text: str,
        *,
        format: str,
        base: str = "",
        graph: str = "",
        author: AuthorLike | None = None,
    ) -> None:
        """Adds RDF to one graph, in one log entry or not at all. The server does not count what it
        read, and takes no text that names graphs itself. `format` and `graph`: see Memory."""
        _no("import_rdf", "base", base, "the text says it itself")
        _no_author("import_rdf", author)
        media_type = _MEDIA_TYPES.get(format)
        if media_type is None:
            hint = "ntriples, nquads, turtle, trig, rdfxml or jsonld"
            raise _errors.InvalidArgument("this is no format of RDF", where=format, hint=hint)
        target = "/data?" + (urlencode({"graph": text_of(graph, "a graph")}) if graph else "default")
        body = text_of(text, "RDF").encode()
        self._channel.send(Request("POST", target, body, {"Content-Type": media_type}))

    def ask(
        self,
        question: str,
        *,
        session: str = "",
        language: str = "en",
        speaker: str | None = None,
        now: str | datetime = "",
        all: bool = False,
        timeout: float | None = None,
        stop: Stop | None = None,
    ) -> QuestionAnswer:
        """Answers a question in plain words, exactly and without a model. See Memory.ask().

        Sessions are the token's own. At most 200 rows come, and the server's clock says what "today"
        is: `all` and `now` are Unsupported.
        """
        _no("ask", "now", now, "the server's clock counts")
        _no("ask", "all", all, "LIMIT and OFFSET of find() give the rest")
        return self.ask_at(question, session, language, speaker, timeout, stop, None)

    def ask_at(
        self,
        question: str,
        session: str,
        language: str,
        speaker: str | None,
        timeout: float | None,
        stop: Stop | None,
        entry: int | None,
    ) -> QuestionAnswer:
        """ask() of an earlier moment: RemoteView.ask()."""
        members = {
            "question": text_of(question, "a question"),
            "session": text_of(session, "a session") or None,
            "language": text_of(language, "a language"),
            "speaker": text_or_none(speaker, "a speaker"),
        }
        told = self._post("/v1/ask" + _query(as_of=entry), members, timeout, stop, reads=True)
        return QuestionAnswer(
            status=told["status"],
            text=told["answer"],
            reading=told["reading"],
            query=told["query"],
            rows=Rows(JsonRows(told["columns"], [tuple(row) for row in told["rows"]])),
            unknown=tuple(told["unknown"]),
            details=told,
        )

    # -- explain, look back, take back

    def why(self, fact: str, *, timeout: float | None = None, stop: Stop | None = None) -> Proof:
        """Why a fact holds, down to the log. See View.why()."""
        members = {"about": text_of(fact, "a fact"), "steps": True}
        return proof_told(self._post("/v1/why", members, timeout, stop, reads=True))

    def why_refused(self, refusal_id: str) -> Any:
        """Why a call was refused, by the id that the refusal told. See Agent.why()."""
        return self._post("/v1/why", {"about": text_of(refusal_id, "an id")}, reads=True)

    def view(self) -> RemoteView:
        """What can be read of this moment."""
        return RemoteView(self, self.newest_entry)

    def as_of(self, point: Point) -> RemoteView:
        """The same of an earlier one. See Memory.as_of()."""
        told = self._get("/v1/changes" + _query(since=point_of(point), limit=1))
        return RemoteView(self, told["since"])

    def search(
        self, text: str, *, type: str = "", limit: int = 10, links: bool = False, exact: bool = False
    ) -> list[Thing]:
        """Things by their words, the best first; the server tells no score. See View.search()."""
        _no("search", "links", links, "sparql() and find() look for links")
        _no("search", "exact", exact, "the server looks for starts of words and typos, too")
        if not text_of(text, "a text").strip():
            raise _errors.InvalidArgument("the text to look for is missing")
        asked = _query(query=text, type=text_of(type, "a type"), limit=number_of(limit, "limit"))
        return [Thing(**told) for told in self._get("/v1/things" + asked)["things"]]

    def things(self, *, type: str = "", page: int = 50, cursor: str | None = "") -> Pages[Thing]:
        """All things, or those of a type, the newest first; `page` of them come at once."""

        def one_page(cursor: str) -> tuple[list[Thing], str]:
            asked = _query(type=text_of(type, "a type"), limit=number_of(page, "page"), cursor=cursor)
            told = self._get("/v1/things" + asked)
            return [Thing(**each) for each in told["things"]], told.get("next_cursor", "")

        return Pages(one_page, cursor)

    def facts(self, about: str, *, limit: int = 200) -> list[Fact]:
        """What is stated of a thing ("Ada", "C:12"), and the links to it: at most `limit`, 1 to 1,000."""
        return self.facts_at(about, limit, None)

    def facts_at(self, about: str, limit: int, entry: int | None) -> list[Fact]:
        """facts() of an earlier moment: RemoteView.facts()."""
        asked = {"about": text_of(about, "a thing"), "limit": number_of(limit, "limit")}
        told = self._get(f"/v1/facts?{urlencode(asked)}" + _query(as_of=entry).replace("?", "&"))
        return [fact_told(each) for each in told["facts"]]

    def history(self, thing: str, *, limit: int = 100) -> list[RemoteCommit]:
        """What changed about a thing: the newest `limit` commits, the oldest first. See View.history()."""
        return self.history_at(thing, limit, None)

    def history_at(self, thing: str, limit: int, entry: int | None) -> list[RemoteCommit]:
        """history() of an earlier moment: RemoteView.history()."""
        asked = {"about": text_of(thing, "a thing"), "limit": number_of(limit, "limit")}
        told = self._get(f"/v1/history?{urlencode(asked)}" + _query(as_of=entry).replace("?", "&"))
        return [commit_told(each) for each in told["entries"]]

    def entry(self, number: int) -> RemoteCommit:
        """What one entry of the log changed, and whose it is. Errors: NotFound (none yet, or compacted)."""
        return commit_told(self._get(f"/v1/entries/{number_of(number, 'an entry')}"))

    @property
    def newest_entry(self) -> int:
        """The number of the newest log entry. It asks the server."""
        return self.statistics()["entries"]

    def changes(self, *, after: int | None = None, timeout: float | None = None) -> RemoteFeed:
        """The commits behind an entry, as they come; without `after` those that come from now on."""
        begin = self.newest_entry if after is None else number_of(after, "after")
        return RemoteFeed(self._channel, begin, timeout)

    def changed_since(self, point: Point, *, limit: int = 100) -> Any:
        """What is known now and was not, and what is known no more: {"since", "now", "added",
        "removed", "added_count", "removed_count", ...}, at most `limit` sentences of each."""
        asked = _query(since=point_of(point), limit=number_of(limit, "limit"))
        return self._get("/v1/changes" + asked)

    def undo(
        self,
        first: int | str,
        last: int | None = None,
        *,
        cascade: bool = False,
        dry_run: bool = False,
        author: AuthorLike | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Takes back the acts that entries are of, or "last", and gives {"acts", "going", "coming", ...}.

        Only what this token did itself. Errors: Denied (an act of somebody else); Conflict when later
        entries depend on them, unless `cascade` takes those back, too.
        """
        _no_author("undo", author)
        if first == "last":
            begin = "last"
        else:
            begin = str(number_of(cast("int", first), "first"))
        entries = begin if last is None else f"{begin}..{number_of(last, 'last')}"
        members = {"entries": entries, "cascade": bool(cascade), "dry_run": bool(dry_run)}
        return self._post("/v1/undo", members, key=idempotency_key)

    # -- what is remembered

    def remember(
        self, text: str, *, speaker: str | None = None, idempotency_key: str | None = None
    ) -> Remembered:
        """Keeps a text, and as facts what it states; gives its id, with what was understood.

        `speaker`: the person whose words they are, who says "I". See Agent.remember(). Errors: Denied
        (it reads like an order).
        """
        members = {"text": text_of(text, "a text"), "speaker": text_or_none(speaker, "a speaker")}
        return remembered_of(self._post("/v1/memories", members, key=idempotency_key))

    def recall(
        self,
        question: str,
        *,
        budget_tokens: int = 1500,
        speaker: str | None = None,
        timeout: float | None = None,
        stop: Stop | None = None,
    ) -> Recalled:
        """What memory and graph hold on a question, in at most `budget_tokens` tokens of four bytes, for
        a model's prompt. `speaker`: only what this person said and told, and what nobody in particular
        did."""
        budget = number_of(budget_tokens, "budget_tokens")
        members = {
            "question": text_of(question, "a question"),
            "budget": budget,
            "speaker": text_or_none(speaker, "a speaker"),
        }
        return recalled_told(self._post("/v1/recall", members, timeout, stop, reads=True))

    def memories(
        self, query: str = "", *, page: int = 20, cursor: str | None = "", speaker: str | None = None
    ) -> Pages[MemoryItem]:
        """What is remembered, the newest first; or the best `page` (at most 100) that have the words of
        `query`. `speaker`: only what this person said, and what nobody in particular did."""

        def one_page(cursor: str) -> tuple[list[MemoryItem], str]:
            asked = _query(
                query=text_of(query, "a query"),
                limit=number_of(page, "page"),
                cursor=cursor,
                speaker=text_or_none(speaker, "a speaker"),
            )
            told = self._get("/v1/memories" + asked)
            return [memory_told(each) for each in told["memories"]], told.get("next_cursor", "")

        return Pages(one_page, cursor)

    def memory(self, id: str) -> MemoryItem:
        """One memory, with its `etag`."""
        answer = self._channel.send(Request("GET", _memory_path(id), repeats=True))
        return memory_told(answer.json(), answer.headers.get("etag", ""))

    def update_memory(
        self,
        id: str,
        text: str,
        *,
        speaker: str | None = None,
        etag: str = "",
        idempotency_key: str | None = None,
    ) -> Remembered:
        """Puts a text in its place, and gives the id of the new one. Whose words it is stays, unless a
        `speaker` is named. Errors: Conflict (with the `etag` of what was seen: it is another by now)."""
        members = {"text": text_of(text, "a text"), "speaker": text_or_none(speaker, "a speaker")}
        path, key = _memory_path(id), idempotency_key
        return remembered_of(self._post(path, members, method="PATCH", key=key, match=etag))

    def forget_memory(
        self, id: str, *, etag: str = "", dry_run: bool = False, idempotency_key: str | None = None
    ) -> Any:
        """Withdraws it, and takes back what it stated; tells what went. `dry_run`: only tells it."""
        path = _memory_path(id) + ("?dry_run=true" if dry_run else "")
        return self._post(path, {}, method="DELETE", key=idempotency_key, match=etag)

    def questions(self) -> list[OpenQuestion]:
        """What was asked back about texts of this connection and nobody has answered, the newest first."""
        return [open_question_told(each) for each in self._get("/v1/questions")["questions"]]

    def answer(
        self, question: str, answer: str, *, idempotency_key: str | None = None
    ) -> Remembered:
        """Answers a question by its id: "yes", "no", or one of its choices. See Agent.answer()."""
        path = "/v1/questions/" + quote(text_of(question, "a question's id"), safe="")
        members = {"answer": text_of(answer, "an answer")}
        return remembered_of({**self._post(path, members, key=idempotency_key), "id": ""})

    # -- the server

    def me(self) -> Caller:
        """Who this connection is for the server, and what it may."""
        told: dict[str, Any] = dict(self._get("/v1/me"))
        told["trust"] = trust_named(told["trust"])
        return Caller(**told)

    def statistics(self) -> dict[str, int]:
        """What the space holds, and its size in bytes."""
        return self._get("/v1/statistics")

    def waiting(self, *, all: bool = False) -> list[ApprovalRequest]:
        """The calls that wait for the owner; `all`: the answered and expired ones, too."""
        told = self._get("/v1/approvals" + ("?all=true" if all else ""))
        return [approval_told(each) for each in told["approvals"]]

    def approval(self, approval_id: str) -> ApprovalRequest:
        """One of them. Errors: NotFound (none that this token sees)."""
        return approval_told(self._get(_approval_path(approval_id)))

    def grant(self, approval_id: str) -> None:
        """Errors: Denied with the owner's command, unless the rules let this token govern."""
        self._post(_approval_path(approval_id) + "/grant", {})

    def deny(self, approval_id: str, *, reason: str = "no") -> None:
        """Errors: Denied with the owner's command, unless the rules let this token govern."""
        self._post(_approval_path(approval_id) + "/deny", {"reason": text_of(reason, "a reason")})

    # -- what a server has no route for

    def why_not(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("why_not", "`anima why-not` on the server's machine")

    def rules(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("rules", "load a pack on the server's machine: ask() and sparql() then know its rules")

    def export(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("export", "`anima export` on the server's machine")

    def export_file(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("export_file", "`anima export` on the server's machine")

    def load(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("load", "`anima load` on the server's machine")

    def load_pack(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("load_pack", "`anima compartment load` on the server's machine")

    def unload_pack(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("unload_pack", "`anima pack unload` on the server's machine")

    def verify(self) -> NoReturn:
        """No route."""
        raise _missing("verify", "`anima audit verify` on the server's machine")

    def backup(self, *_: Any, **__: Any) -> NoReturn:
        """No route."""
        raise _missing("backup", "`anima backup` on the server's machine")

    def __repr__(self) -> str:
        return f"<anima.Connection {self._channel.address}{', closed' if self.closed else ''}>"


def _header_text(text: str, what: str) -> str:
    if not text_of(text, what) or not all(" " <= sign <= "~" for sign in text):
        raise _errors.InvalidArgument(f"{what} is a str of printable ASCII")
    return text


def _memory_path(id: str) -> str:
    return "/v1/memories/" + quote(text_of(id, "an id"), safe="")


def _approval_path(id: str) -> str:
    return "/v1/approvals/" + quote(text_of(id, "an id"), safe="")


