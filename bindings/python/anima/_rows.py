"""Tables of values: what find(), what_if() and rules answer with, and the answers of SPARQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast, overload

from ._errors import NotFound
from ._values import Json

if TYPE_CHECKING:
    import pandas
    import pyarrow

_SLICE = 4096

# Of the tuple, without its type variables.
_cell = cast("Callable[[Any, Any], Any]", tuple[Any, ...].__getitem__)
_made = cast("Callable[[Any, Any], Any]", tuple[Any, ...].__new__)


def _names_of(columns: tuple[str, ...]) -> dict[str, int]:
    """Attributes by which cells are read: "?s.attributes.port" is `port`, "COUNT(?s)" `count_s`."""
    names: dict[str, int] = {}
    twice: set[str] = set()
    for place, column in enumerate(columns):
        whole = re.sub(r"\W+", "_", column).strip("_").lower()
        last = re.sub(r"\W+", "_", column.rsplit(".", 1)[-1]).strip("_").lower()
        for name in {whole, last}:
            if name in names:
                twice.add(name)
            elif name.isidentifier():
                names[name] = place
    return {name: place for name, place in names.items() if name not in twice}


class Row(tuple[Json, ...]):
    """A row of a table: a tuple whose cells are read by place, by column or by name.

    The column "?s.attributes.port" is `row["?s.attributes.port"]`, and where no other column ends
    like it `row.port`.
    """

    __slots__ = ()
    _places: dict[str, int] = {}
    _names: dict[str, int] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._places)

    @overload  # type: ignore[override]
    def __getitem__(self, key: int | str) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Any, ...]: ...
    def __getitem__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, key: int | str | slice
    ) -> Any:
        if isinstance(key, str):
            try:
                return _cell(self, self._places[key])
            except KeyError:
                raise KeyError(f"there is no column {key!r}, but {', '.join(self._places)}") from None
        return _cell(self, key)

    def __getattr__(self, name: str) -> Any:
        place = self._names.get(name)
        if place is None:
            raise AttributeError(f"the row has no {name!r}; it has {', '.join(self._names)}")
        return _cell(self, place)

    def as_dict(self) -> dict[str, Any]:
        """The cells by their columns."""
        return dict(zip(self._places, self))

    def __repr__(self) -> str:
        return f"Row({', '.join(f'{column}={cell!r}' for column, cell in zip(self._places, self))})"

    def __reduce__(self) -> Any:
        return _row_again, (self.columns, tuple(self))


@lru_cache(maxsize=512)
def _row_type(columns: tuple[str, ...]) -> type[Row]:
    places = {column: place for place, column in enumerate(columns)}
    members = {"__slots__": (), "_places": places, "_names": _names_of(columns)}
    return cast("type[Row]", type("Row", (Row,), members))


def _row_again(columns: tuple[str, ...], cells: tuple[Any, ...]) -> Row:
    return _row_type(columns)(cells)


class RowSource(Protocol):
    """Where the cells of Rows lie: in the extension, or in what a server answered."""

    def __len__(self) -> int: ...
    def columns(self) -> list[str]: ...
    def cells(self, first: int, last: int) -> list[tuple[Any, ...]]: ...
    def column(self, index: int) -> tuple[str, Any, bytearray | None]: ...


def _rows_again(columns: tuple[str, ...], cells: list[tuple[Any, ...]]) -> Rows:
    from ._wire import JsonRows  # which knows of Rows

    return Rows(JsonRows(columns, cells))


class Rows(Sequence[Row]):
    """The rows of an answer, in order. They stay where they are until they are read.

    >>> import anima
    >>> memory = anima.Memory.in_memory()
    >>> rows = memory.find('FIND(?t.name) WHERE { ?t {type: "$ConceptType", name: "Person"} }')
    >>> rows.columns
    ('?t.name',)
    >>> [row.name for row in rows]
    ['Person']
    """

    def __init__(self, rows: RowSource) -> None:
        self._rows = rows
        self._columns = tuple(rows.columns())
        self._type = _row_type(self._columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, as the query writes them."""
        return self._columns

    def __reduce__(self) -> Any:
        """Its cells travel with it, as values of Python."""
        return _rows_again, (self._columns, [tuple(row) for row in self])

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        for first in range(0, len(self._rows), _SLICE):
            for cells in self._rows.cells(first, first + _SLICE):
                yield self._type(cells)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            if step == 1:
                return [self._type(cells) for cells in self._rows.cells(first, max(first, last))]
            return [self[place] for place in range(first, last, step)]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"there are {len(self)} rows")
        return self._type(self._rows.cells(place, place + 1)[0])

    def one(self) -> Row:
        """The only row. Errors: NotFound when there is none, or more than one."""
        if len(self) != 1:
            raise NotFound(f"there are {len(self)} rows, not one")
        return self[0]

    def dicts(self) -> Iterator[dict[str, Any]]:
        """Each row as a dict, its cells by their columns."""
        for row in self:
            yield row.as_dict()

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame. Numbers are handed over as they lie; whole numbers of which some are missing
        are Int64, true and false likewise boolean. Needs pandas."""
        import pandas as pd

        return pd.DataFrame(
            {column: _series(*self._rows.column(place)) for place, column in enumerate(self._columns)},
            columns=list(self._columns),
        )

    def to_arrow(self) -> pyarrow.Table:  # pyright: ignore[reportUnknownMemberType, reportUnknownParameterType]
        """An Arrow table. Numbers are handed over as they lie; a column of lists and dicts is told
        its type by Arrow. Needs pyarrow."""
        pa: Any = import_module("pyarrow")
        arrays = [_arrow_array(*self._rows.column(place)) for place in range(len(self._columns))]
        return pa.table(arrays, names=list(self._columns))

    def __repr__(self) -> str:
        shown = [repr(row) for row in self[:3]] + (["..."] if len(self) > 3 else [])
        return f"<{len(self)} rows: {', '.join(shown)}>"


def _series(kind: str, values: Any, missing: bytearray | None) -> Any:
    import numpy as np
    import pandas as pd

    if kind in ("str", "object"):
        return pd.Series(values, dtype=None if kind == "str" else object)
    numbers = np.frombuffer(values, dtype={"int": "<i8", "float": "<f8", "bool": "?"}[kind])
    if missing is None:
        return pd.Series(numbers, copy=False)
    mask = np.frombuffer(missing, dtype="?")
    if kind == "float":
        numbers[mask] = np.nan
        return pd.Series(numbers, copy=False)
    array = pd.arrays.IntegerArray if kind == "int" else pd.arrays.BooleanArray
    return pd.Series(array(numbers, mask))


_MOST_EXACT = 1 << 53  # a float holds every whole number up to it


def _terms_series(values: list[Any]) -> Any:
    """Whole numbers of which some are missing are Int64; none becomes a float that loses digits."""
    import pandas as pd

    kinds: set[type[Any]] = {type(value) for value in values if value is not None}
    if kinds == {int} and all(value is None or -(1 << 63) <= value < 1 << 63 for value in values):
        return pd.Series(values, dtype="Int64" if None in values else "int64")
    exact = any(type(value) is int and abs(value) > _MOST_EXACT for value in values)
    return pd.Series(values, dtype=object if exact or not kinds <= {int, float} or not values else None)


def _arrow_array(kind: str, values: Any, missing: bytearray | None) -> Any:
    pa: Any = import_module("pyarrow")
    if kind == "str":
        return pa.array(values, type=pa.string())
    if kind == "object":
        return pa.array(values)
    if kind != "bool" and missing is None:
        of = pa.int64() if kind == "int" else pa.float64()
        return pa.Array.from_buffers(of, len(values) // 8, [None, pa.py_buffer(values)])
    import numpy as np

    numbers = np.frombuffer(values, dtype={"int": "<i8", "float": "<f8", "bool": "?"}[kind])
    return pa.array(numbers, mask=None if missing is None else np.frombuffer(missing, dtype="?"))


class Term(NamedTuple):
    """A term of RDF: an "iri", a "blank" node or a "literal"."""

    kind: str
    text: str
    datatype: str = ""
    language: str = ""

    @property
    def value(self) -> Any:
        """Whole numbers, decimals, doubles and truths as Python has them; all else as a str.

        >>> Term("literal", "5", "http://www.w3.org/2001/XMLSchema#integer").value
        5
        """
        if self.kind == "literal" and self.datatype.startswith(_XSD):
            return _value_of(self.text, self.datatype[len(_XSD) :])
        return self.text

    def __str__(self) -> str:
        return self.text


_XSD = "http://www.w3.org/2001/XMLSchema#"
# The least and the most of each type of whole numbers; None: there is none.
_WHOLE: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None), "nonNegativeInteger": (0, None), "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0), "negativeInteger": (None, -1),
    **{name: (-(1 << bits - 1), (1 << bits - 1) - 1)
       for name, bits in (("long", 64), ("int", 32), ("short", 16), ("byte", 8))},
    **{name: (0, (1 << bits) - 1)
       for name, bits in (("unsignedLong", 64), ("unsignedInt", 32), ("unsignedShort", 16), ("unsignedByte", 8))},
}  # fmt: skip
# As XML Schema writes them: Python reads more ("1_000", "Infinity", " 5").
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_DOUBLE = re.compile(_DECIMAL.pattern + r"([eE][+-]?[0-9]+)?|[+-]?INF|NaN")


def _value_of(text: str, name: str) -> Any:
    """What is not written as its type says stays a text."""
    if name in _WHOLE and _INTEGER.fullmatch(text):
        least, most = _WHOLE[name]
        try:
            number = int(text)
        except ValueError:  # more digits than Python reads
            return text
        fits = (least is None or number >= least) and (most is None or number <= most)
        return number if fits else text
    if name in ("double", "float") and _DOUBLE.fullmatch(text):
        return float(text)
    if name == "decimal" and _DECIMAL.fullmatch(text):
        from decimal import Decimal

        return Decimal(text)
    if name == "boolean":
        return {"true": True, "1": True, "false": False, "0": False}.get(text, text)
    return text


class Solution(tuple["Term | None", ...]):
    """A row of a SPARQL answer: terms by place or by variable, None where one is unbound."""

    __slots__ = ()
    _places: dict[str, int] = {}

    @overload  # type: ignore[override]
    def __getitem__(self, key: int | str) -> Term | None: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Term | None, ...]: ...
    def __getitem__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, key: int | str | slice
    ) -> Any:
        return _cell(self, self._places[key] if isinstance(key, str) else key)

    def as_dict(self) -> dict[str, Any]:
        """The values of the bound variables (Term.value)."""
        return {name: term.value for name, term in zip(self._places, self) if term is not None}


@lru_cache(maxsize=512)
def _solution_type(variables: tuple[str, ...]) -> type[Solution]:
    places = {name: place for place, name in enumerate(variables)}
    return cast("type[Solution]", type("Solution", (Solution,), {"__slots__": (), "_places": places}))


class AnswerSource(Protocol):
    """Where the terms of a SparqlAnswer lie, likewise."""

    def form(self) -> int: ...
    def truth(self) -> bool: ...
    def variables(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def terms(self, first: int, last: int) -> list[tuple[tuple[str, str, str, str] | None, ...]]: ...
    def text(self, format: str) -> str: ...


class SparqlAnswer(Sequence[Solution]):
    """The answer to a SPARQL query: rows of SELECT, triples of CONSTRUCT and DESCRIBE, the truth of
    ASK.

    >>> import anima
    >>> memory = anima.Memory.in_memory()
    >>> memory.import_rdf('<urn:a> <urn:p> 5 .', format="turtle")
    1
    >>> answer = memory.sparql("SELECT ?o { <urn:a> <urn:p> ?o }")
    >>> [row["o"].value for row in answer]
    [5]
    >>> bool(memory.sparql("ASK { <urn:a> ?p 6 }"))
    False
    """

    def __init__(self, answer: AnswerSource) -> None:
        self._answer = answer
        self._variables = tuple(answer.variables())
        self._type = _solution_type(self._variables)

    @property
    def form(self) -> str:
        """ "rows", "truth" or "triples"."""
        return ("rows", "truth", "triples")[self._answer.form()]

    @property
    def variables(self) -> tuple[str, ...]:
        """Without "?"; of triples "subject", "predicate", "object"."""
        return self._variables

    def __bool__(self) -> bool:
        """Of ASK its truth, else whether there is any row."""
        return self._answer.truth() if self.form == "truth" else len(self) > 0

    def __len__(self) -> int:
        return len(self._answer)

    def _solution(self, terms: tuple[tuple[str, str, str, str] | None, ...]) -> Solution:
        made = _made
        return self._type([None if term is None else made(Term, term) for term in terms])

    def __iter__(self) -> Iterator[Solution]:
        for first in range(0, len(self), _SLICE):
            for terms in self._answer.terms(first, first + _SLICE):
                yield self._solution(terms)

    @overload
    def __getitem__(self, index: int) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> list[Solution]: ...
    def __getitem__(self, index: int | slice) -> Solution | list[Solution]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"there are {len(self)} rows")
        return self._solution(self._answer.terms(place, place + 1)[0])

    def text(self, format: str = "json") -> str:
        """The whole answer: "json", "xml", "csv", "tsv" or "table" of rows and truths; "turtle",
        "ntriples", "trig", "nquads", "rdfxml" or "jsonld" of triples."""
        return self._answer.text(format)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame of the terms' values, None where a variable is unbound. Needs pandas."""
        import pandas as pd

        columns: list[list[Any]] = [[] for _ in self._variables]
        for row in self:
            for column, term in zip(columns, row):
                column.append(None if term is None else term.value)
        names = range(len(columns))
        frame = pd.DataFrame({place: _terms_series(columns[place]) for place in names}, columns=names)
        frame.columns = list(self._variables)
        return frame

    def __repr__(self) -> str:
        return f"<SPARQL {self.form}: {bool(self) if self.form == 'truth' else len(self)}>"
