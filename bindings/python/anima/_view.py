"""The moments of a memory that can be read, rules that are run over them, and commits as they come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from types import TracebackType

from . import _anima
from ._convert import (
    Names,
    PathLike,
    commit_of,
    names_of,
    number_of,
    path_of,
    point_of,
    proof_of,
    question_answer_of,
)
from ._rows import Rows, SparqlAnswer
from ._values import Commit, Hit, Json, Proof, QuestionAnswer

Parameters = Mapping[str, Json]


def graph_settings(
    base: str, pack: str, default_graphs: Names, named_graphs: Names, load_root: str = ""
) -> tuple[str, str, list[str], list[str], str]:
    return base, pack, names_of(default_graphs), names_of(named_graphs), load_root


class Rules:
    """Rules that were run to their end over a View; they do not change.

    A fact is Datalog, `runs_on("db", X)`, or plain words, `db runs_on`.
    """

    def __init__(self, rules: _anima.Rules) -> None:
        self._rules = rules

    def query(self, goal: str, *, limit: int = 0) -> Rows:
        """What matches: a column for each variable, cells of text, sorted; all of it with limit 0."""
        return Rows(self._rules.query(goal, number_of(limit, "limit")))

    def why(self, fact: str) -> Proof:
        """The derivation of the first fact that matches. Errors: NotFound (none does)."""
        return proof_of(self._rules.why(fact))

    def why_not(self, fact: str) -> str:
        """Where each rule stops, in words."""
        return self._rules.why_not(fact)

    def predicates(self) -> list[str]:
        """ "goes_down_with/2", sorted."""
        return self._rules.predicates()


class View:
    """What a memory says at one moment, now or earlier. It never changes and waits for no writer.

    Every `timeout` is in seconds; a call that it ends raises Timeout. `stop` is a Stop that another
    thread may raise; then it is Cancelled.
    """

    def __init__(self, view: _anima.View) -> None:
        self._view = view

    @property
    def entry(self) -> int:
        """The number of the log entry whose state this is."""
        return self._view.entry()

    def find(
        self,
        query: str,
        parameters: Parameters | None = None,
        *,
        timeout: float | None = None,
        stop: _anima.Stop | None = None,
    ) -> Rows:
        """A KIP query: a column for each expression, a row for each match. See Memory.find()."""
        return Rows(self._view.find(query, parameters, stop, timeout))

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
        """A SPARQL 1.1 query. See Memory.sparql()."""
        settings = graph_settings(base, pack, default_graphs, named_graphs)
        return SparqlAnswer(self._view.sparql(query, settings, stop, timeout))

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
        """A question in plain words about this moment. See Memory.ask()."""
        settings = (session, language, point_of(now), bool(all), speaker)
        return question_answer_of(self._view.ask(question, settings, stop, timeout))

    def search(
        self, text: str, *, type: str = "", limit: int = 10, links: bool = False, exact: bool = False
    ) -> list[Hit]:
        """Concepts, or links, by their words, the best first. `exact`: no starts of words, no typos."""
        most = number_of(limit, "limit")
        return [Hit(**hit) for hit in self._view.search(text, type, most, bool(links), bool(exact))]

    def history(self, thing: str, *, limit: int = 100) -> list[Commit]:
        """What changed about a thing ("Ada", "C:12"): the newest `limit` commits, the oldest first.

        Errors: NotFound; InvalidArgument (a name of several, with their ids).
        """
        most = number_of(limit, "limit")
        return [commit_of(commit) for commit in self._view.history(thing, most)]

    def why(
        self, fact: str, *, timeout: float | None = None, stop: _anima.Stop | None = None
    ) -> Proof:
        """Why a fact holds, down to the log. Errors: NotFound (it does not: why_not())."""
        return proof_of(self._view.why(fact, stop, timeout))

    def why_not(
        self, fact: str, *, timeout: float | None = None, stop: _anima.Stop | None = None
    ) -> str:
        """Where each rule that could derive a fact stops, in words."""
        return self._view.why_not(fact, stop, timeout)

    def rules(
        self,
        *texts: str,
        timeout: float | None = None,
        stop: _anima.Stop | None = None,
        **named: str,
    ) -> Rules:
        """Runs the rules of the loaded packs and these beside them (docs/rules.md).

        Messages call the texts "rules:1", "rules:2", or by the name that they are given by. Errors:
        those of the language with their place; Timeout (60 seconds unless said otherwise).
        """
        beside = [(f"rules:{number}", text) for number, text in enumerate(texts, 1)]
        return Rules(self._view.rules([*beside, *named.items()], stop, timeout))

    def export(self, format: str = "ntriples", *, pack: str = "") -> str:
        """Everything as a text that reads back: equal knowledge gives equal texts.

        `format`: "ntriples", "nquads", "turtle", "trig", "rdfxml", "jsonld", "triples.json",
        "mcp-memory"; `pack`: what that one says alone.
        """
        return self._view.export_text(format, pack)

    def export_file(self, path: PathLike, *, pack: str = "") -> None:
        """The same into a file, replaced whole or not at all; its ending says the format (.nt, .nq,
        .ttl, .trig, .rdf, .jsonld, .json, .jsonl)."""
        self._view.export_file(path_of(path), pack)

    def __repr__(self) -> str:
        return f"<anima.View of entry {self.entry}>"


class ChangeFeed(Iterator[Commit]):
    """The commits of a memory as they come, of whichever process; each once, in order.

    Iterating waits for the next one and ends after close() of another thread, or when a `timeout` in
    seconds passes without one. A reader that remembers `after` can go on from there.
    """

    def __init__(self, feed: _anima.ChangeFeed, timeout: float | None) -> None:
        self._feed = feed
        self._timeout = timeout
        self._stop = _anima.Stop()

    @property
    def after(self) -> int:
        """The last entry that was handed out."""
        return self._feed.after()

    def next(
        self, *, timeout: float | None = None, stop: _anima.Stop | None = None
    ) -> Commit | None:
        """Waits for the next commit; None when `timeout` or `stop` ends the waiting."""
        commit = self._feed.next(self._stop if stop is None else stop, timeout)
        return None if commit is None else commit_of(commit)

    def __iter__(self) -> ChangeFeed:
        return self

    def __next__(self) -> Commit:
        commit = None if self._stop.requested() else self.next(timeout=self._timeout)
        if commit is None:
            raise StopIteration
        return commit

    def close(self) -> None:
        """Ends the waiting, from any thread."""
        self._stop.request()

    def __enter__(self) -> ChangeFeed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
