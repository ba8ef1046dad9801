"""A memory: one folder that can be told, asked, undone, proved and copied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any

from . import _anima
from ._convert import (
    AuthorLike,
    Names,
    PathLike,
    Point,
    author_of,
    closes_at_exit,
    load_report_of,
    names_of,
    object_of,
    path_of,
    point_of,
    question_answer_of,
    whole_author,
)
from ._errors import InvalidArgument
from ._rows import Rows, SparqlAnswer
from ._values import (
    Author,
    CallResult,
    Commit,
    Hit,
    Json,
    LoadReport,
    Proof,
    QuestionAnswer,
    Remembered,
    Response,
    SparqlChange,
)
from ._view import ChangeFeed, Parameters, Rules, View, graph_settings

_OWN = Author()

Written = Remembered | Response | CallResult | LoadReport | SparqlChange | Commit
"""What a call gives that writes; its `entry` is the first of the log."""


def _entry_of(first: int | str | Written) -> int | str:
    """The number of an entry, or words."""
    if not isinstance(first, (Remembered, Response, CallResult, LoadReport, SparqlChange, Commit)):
        return first
    if not first.entry:
        raise InvalidArgument("this call wrote nothing, so there is nothing to undo")
    return first.entry


class Memory:
    """One folder that can be told, asked, undone, proved and copied; or a memory without one.

    Several processes may open the same folder: writers take turns, readers see each commit. What a
    write acknowledged is on disk. Every method may be called from any thread, and none holds the
    GIL while it works. Ctrl-C ends the calls that take a `timeout`.

    Who writes is `author`, for one call or, at open(), for all of them.

    >>> import anima
    >>> with anima.Memory.in_memory() as memory:
    ...     told = memory.kip('UPSERT { CONCEPT { {type: "Person", name: :name} } }', {"name": "Ada"})
    ...     [row.name for row in memory.find('FIND(?p.name) WHERE { ?p {type: "Person"} } ORDER BY ?p.name ASC')]
    ['$self', '$system', 'Ada']
    """

    def __init__(self, memory: _anima.Memory, author: Author, name: str) -> None:
        self._memory = memory
        self._author = author
        self._name = name
        closes_at_exit(self)

    @classmethod
    def open(
        cls,
        folder: PathLike,
        *,
        create: bool = False,
        read_only: bool = False,
        author: AuthorLike | None = None,
    ) -> Memory:
        """Opens a folder, or the address of a PostgreSQL database (docs/postgres.md).

        Errors: NotFound where there is no memory, unless `create`; what would write into one that
        is `read_only` is Denied.
        """
        path = path_of(folder)
        if path.startswith(("http://", "https://")):
            raise InvalidArgument("a folder is no address of a server", where=path, hint="anima.connect() opens a memory behind a server")
        opened = _anima.Memory.open(path, bool(create), bool(read_only))
        return cls(opened, whole_author(author, _OWN), path)

    @classmethod
    def in_memory(cls, *, author: AuthorLike | None = None) -> Memory:
        """Nothing on disk; gone when it is closed."""
        return cls(_anima.Memory.in_memory(), whole_author(author, _OWN), "")

    def opened(self) -> _anima.Memory:
        """What agents work over."""
        return self._memory

    def close(self) -> None:
        """Lets go of the folder. Views and feeds that were given out stay usable."""
        self._memory.close()

    @property
    def closed(self) -> bool:
        return self._memory.closed()

    def __enter__(self) -> Memory:
        if self.closed:
            raise InvalidArgument("this is closed")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def kip(
        self,
        command: str,
        parameters: Parameters | None = None,
        *,
        author: AuthorLike | None = None,
        timeout: float | None = None,
        stop: _anima.Stop | None = None,
    ) -> Any:
        """Runs KIP that tells or asks, and gives its result; of several statements a list of answers, each
        with its "result".

        `parameters` replace placeholders (`:name`). Errors: SyntaxError_ with line and column, and
        what docs/kip.md says; the first of several statements that fails is raised, and what ran
        before it stays.
        """
        return self._memory.kip(command, parameters, author_of(author, self._author), stop, timeout)

    def execute_kip(
        self, request: Mapping[str, Json], *, readonly: bool = False, author: AuthorLike | None = None
    ) -> Any:
        """A whole execute_kip request, as a model's function call carries it. What is wrong stands in
        its answer, under "error"; with `readonly` whatever would write is refused."""
        return self._memory.execute_kip(object_of(request, "a request"), author_of(author, self._author), readonly)

    def find(
        self,
        query: str,
        parameters: Parameters | None = None,
        *,
        timeout: float | None = None,
        stop: _anima.Stop | None = None,
    ) -> Rows:
        """A KIP query over the newest state: a column for each expression, a row for each match.

        Errors: SyntaxError_ and InvalidArgument with KIP's code, Timeout (30 seconds unless said
        otherwise), LimitExceeded.
        """
        return Rows(self._memory.find(query, parameters, stop, timeout))

    def what_if(
        self,
        change: str,
        query: str,
        parameters: Parameters | None = None,
        *,
        timeout: float | None = None,
        stop: _anima.Stop | None = None,
    ) -> Rows:
        """What a query would answer if a change were made, which it is not."""
        return Rows(self._memory.what_if(change, query, parameters, stop, timeout))

    def sparql(
        self,
        query: str,
        *,
        base: str = "",
        pack: str = "",
        default_graphs: Names = (),
        named_graphs: Names = (),
        timeout: float | None = None,
        stop: _anima.Stop | None = None,
    ) -> SparqlAnswer:
        """A SPARQL 1.1 query, with what the loaded packs' rules derive.

        `base`: what relative IRIs are relative to. `pack`: what that pack says alone. The graphs are
        IRIs and stand in place of FROM and FROM NAMED.
        """
        settings = graph_settings(base, pack, default_graphs, named_graphs)
        return SparqlAnswer(self._memory.sparql(query, settings, stop, timeout))

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
        stop: _anima.Stop | None = None,
    ) -> SparqlChange:
        """A SPARQL 1.1 update: all of its operations in one log entry, or none. LOAD reads below
        `load_root` alone, and is Denied without one."""
        settings = graph_settings(base, "", default_graphs, named_graphs, path_of(load_root))
        who = author_of(author, self._author)
        return SparqlChange(**self._memory.sparql_update(update, who, settings, stop, timeout))

    def import_rdf(
        self,
        text: str,
        *,
        format: str,
        base: str = "",
        graph: str = "",
        author: AuthorLike | None = None,
    ) -> int:
        """Takes RDF in, in one log entry or not at all; gives how many statements it read.

        `format`: "ntriples", "nquads", "turtle", "trig", "rdfxml" or "jsonld". `graph`: the IRI of
        the graph of what names none.
        """
        return self._memory.import_rdf(text, format, base, graph, author_of(author, self._author))

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
        stop: _anima.Stop | None = None,
    ) -> QuestionAnswer:
        """Answers a question in plain words, exactly and without a model; nothing is written.

        Not to be understood is an answer, not an error. Questions of one `session` are one
        conversation. `speaker`: who asks, "I" and "my"; texts of others about themselves are no answer
        then, and facts are everybody's.
        Without one, what somebody said is told as his words. `now`: what "today" is told from.
        `all`: more than 200 rows.
        """
        settings = (session, language, point_of(now), bool(all), speaker)
        return question_answer_of(self._memory.ask(question, settings, stop, timeout))

    def view(self) -> View:
        """All that can be read of this moment."""
        return View(self._memory.view())

    def as_of(self, point: Point) -> View:
        """The same of an earlier one: the number of an entry, a datetime, an ISO 8601 time, a date (its
        end, UTC), "yesterday", "2 hours ago"."""
        return View(self._memory.as_of(point_of(point)))

    def search(
        self, text: str, *, type: str = "", limit: int = 10, links: bool = False, exact: bool = False
    ) -> list[Hit]:
        """View.search() of this moment."""
        return self.view().search(text, type=type, limit=limit, links=links, exact=exact)

    def history(self, thing: str, *, limit: int = 100) -> list[Commit]:
        """View.history() of this moment."""
        return self.view().history(thing, limit=limit)

    def why(
        self, fact: str, *, timeout: float | None = None, stop: _anima.Stop | None = None
    ) -> Proof:
        """View.why() of this moment."""
        return self.view().why(fact, timeout=timeout, stop=stop)

    def why_not(
        self, fact: str, *, timeout: float | None = None, stop: _anima.Stop | None = None
    ) -> str:
        """View.why_not() of this moment."""
        return self.view().why_not(fact, timeout=timeout, stop=stop)

    def rules(
        self,
        *texts: str,
        timeout: float | None = None,
        stop: _anima.Stop | None = None,
        **named: str,
    ) -> Rules:
        """View.rules() of this moment."""
        return self.view().rules(*texts, timeout=timeout, stop=stop, **named)

    def export(self, format: str = "ntriples", *, pack: str = "") -> str:
        """View.export() of this moment."""
        return self.view().export(format, pack=pack)

    def export_file(self, path: PathLike, *, pack: str = "") -> None:
        """View.export_file() of this moment."""
        self.view().export_file(path, pack=pack)

    def changes(self, *, after: int | None = None, timeout: float | None = None) -> ChangeFeed:
        """The commits behind an entry, as they come; without `after` those that come from now on."""
        return ChangeFeed(self._memory.changes(after), timeout)

    def load(
        self,
        *files: PathLike,
        type: str = "",
        key: Names = (),
        links: Names = (),
        mapping: Mapping[str, Json] | None = None,
        dry_run: bool = False,
        author: AuthorLike | None = None,
    ) -> LoadReport:
        """Loads CSV, TSV, JSON, JSON Lines, SQLite and files of facts, in one entry or not at all.

        What is not said is found out: `type` of what the rows are, `key` columns, `links`
        ("COLUMN=TYPE.PREDICATE"); or give the `mapping` of an earlier report. The same files again
        change nothing.
        """
        if not files:
            raise InvalidArgument("load() was given no file")
        paths: Iterable[str] = [path_of(file) for file in files]
        who = author_of(author, self._author)
        given = None if mapping is None else object_of(mapping, "mapping=")
        key_names, link_names = names_of(key), names_of(links)
        told = self._memory.load(list(paths), type, key_names, link_names, given, bool(dry_run), who)
        return load_report_of(told)

    def load_pack(self, folder: PathLike, *, author: AuthorLike | None = None) -> str:
        """Takes in the folder of a compartment (docs/rules.md) and gives its id."""
        return self._memory.load_pack(path_of(folder), author_of(author, self._author))

    def unload_pack(self, pack: str, *, author: AuthorLike | None = None) -> None:
        """Takes everything that a pack said out again."""
        self._memory.unload_pack(pack, author_of(author, self._author))

    @property
    def newest_entry(self) -> int:
        """The number of the newest log entry; it grows by one with each transaction."""
        return self._memory.newest_entry()

    def undo(
        self,
        first: int | str | Written,
        last: int | None = None,
        *,
        cascade: bool = False,
        author: AuthorLike | None = None,
    ) -> None:
        """Puts back what one entry, or those from first to last, changed, as a new entry; of an act,
        such as a remembered text, all that it wrote, whichever of its entries is named.

        `first` may be what a call gave that wrote (`told = agent.remember(..)`, a Response, a
        LoadReport, a Commit ..), or "last": the newest act that is not undone yet and left something.
        Errors: Conflict when later entries depend on them, unless `cascade` takes those back, too;
        NotFound (nothing is left for "last").
        """
        who = author_of(author, self._author)
        begin = _entry_of(first)
        if isinstance(begin, str):
            if last is not None:
                raise InvalidArgument('undo() takes numbers, or "last" alone')
            self._memory.undo_words(begin, bool(cascade), who)
            return
        until = begin if last is None else last
        if isinstance(until, int) and until < begin:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidArgument(
                f"undo({begin}, {until}) names no entry", hint=f"from first to last: undo({until}, {begin})"
            )
        self._memory.undo(begin, until, bool(cascade), who)

    def verify(self) -> None:
        """Checks every entry's hash and place. Errors: Corrupt with the place of the first damage."""
        self._memory.verify()

    def backup(self, path: PathLike) -> None:
        """A copy as of now in one file, verified, while the memory is in use."""
        self._memory.backup(path_of(path))

    def __repr__(self) -> str:
        where = self._name or "in memory"
        return f"<anima.Memory {where}{', closed' if self.closed else ''}>"


def author_of_memory(memory: Memory) -> Author:
    """Who writes, unless a call says otherwise."""
    return memory._author  # pyright: ignore[reportPrivateUsage]
