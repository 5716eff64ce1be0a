"""A table of series (CSV, Parquet, or the JSON answer of a range query) → samples per series.

Three shapes of a table are read: one row a sample (`time,metric,value,` and labels), one column a
series (`time,up{instance="n1"},…`), and one row an instant of one entity
(`time,Hostname,gpu,DCGM_FI_DEV_GPU_TEMP,…`: columns that the catalog does not know are labels).
"""

import csv
import io
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np

from apps.diagnosis.metrics.frames import Samples
from apps.diagnosis.metrics.load import catalog
from apps.telemetry.files import UnusableInput
from apps.telemetry.sources import matrix

PARQUET_MAGIC: Final = b"PAR1"
TIME_NAMES: Final = ("time", "timestamp", "ts", "at", "datetime", "date", "_time")
METRIC_NAMES: Final = ("metric", "__name__", "name", "_field", "series")
VALUE_NAMES: Final = ("value", "_value", "val")
# `name{label="value",…}`, as Prometheus and Grafana's CSV write a series.
HEAD: Final = re.compile(r"([A-Za-z_:][\w:]*)(?:\{(.*)\})?")
LABEL: Final = re.compile(r'\b([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"')
# Unix times by their size: seconds, milliseconds, microseconds, nanoseconds.
SCALES: Final = ((1e11, 1.0), (1e14, 1e-3), (1e17, 1e-6), (math.inf, 1e-9))

# As objects, and what a text may take of them: samples with their labels take ten times their size.
ROW_BYTES, CELL_BYTES = 200, 60
MOST_MEMORY, MEMORY_A_BYTE = 64 * 2**20, 16
MOST_COLUMNS: Final = 20_000
MOST_CELLS: Final = 20_000_000  # of a Parquet file, which may say one value for all rows

Column = Sequence[Any]


def read_series(*, name: str, raw: bytes, zone: str | None = None) -> list[Samples]:
    """Return the series of one file; instants without a zone are in `zone`, else UTC.

    Raises UnusableInput, naming the file and what it should hold.
    """
    if raw.startswith(PARQUET_MAGIC):
        return _series(name, _parquet(name, raw), zone)
    if raw.lstrip()[:1] == b"{":
        try:
            return matrix.read(raw).series()
        except (matrix.AnswerUnreadable, matrix.QueryRefused) as error:
            raise UnusableInput(f"{name}: not the JSON answer of a range query: {error}") from error
    return _series(name, _comma_separated(name, raw), zone)


def _comma_separated(name: str, raw: bytes) -> dict[str, Column]:
    _check_cells(name, raw)
    text = io.StringIO(raw.decode("utf-8-sig", errors="replace"), newline="")
    try:
        rows = [row for row in csv.reader(text) if row]
    except csv.Error as error:
        raise UnusableInput(f"{name}: not readable as CSV: {error}") from error
    if rows and len(rows[0]) > MOST_COLUMNS:
        raise UnusableInput(f"{name}: more than {MOST_COLUMNS} columns; write one row a sample")
    if len(rows) < 2:
        raise UnusableInput(f"{name}: no rows; a table of series has a header and rows")
    width = len(rows[0])
    wrong = next((at for at, row in enumerate(rows, 1) if len(row) != width), None)
    if wrong is not None:
        raise UnusableInput(
            f"{name}: row {wrong} has {len(rows[wrong - 1])} fields, the header has {width}"
        )
    return dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))


def _check_cells(name: str, raw: bytes) -> None:
    """Raise UnusableInput for a text that would take far more memory than its size is for."""
    rows, cells = raw.count(b"\n"), raw.count(b",") + raw.count(b"\n")
    if rows * ROW_BYTES + cells * CELL_BYTES > MOST_MEMORY + MEMORY_A_BYTE * len(raw):
        raise UnusableInput(f"{name}: {cells} cells in {len(raw)} bytes; cut the table by time")


def _parquet(name: str, raw: bytes) -> dict[str, Column]:
    try:
        import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415  an optional extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise UnusableInput(
            f"{name}: Parquet needs the package pyarrow (install the extra `parquet`); CSV is read as it is"  # noqa: E501  one sentence
        ) from error
    try:
        said = parquet.ParquetFile(pa.BufferReader(raw)).metadata
        if said.num_rows * said.num_columns > MOST_CELLS:
            raise UnusableInput(f"{name}: more than {MOST_CELLS} cells; cut the table by time")
        table = parquet.read_table(pa.BufferReader(raw))
    except (pa.ArrowException, OSError) as error:
        raise UnusableInput(f"{name}: the Parquet file is damaged") from error
    return {column: table.column(column).to_pylist() for column in table.column_names}


def _series(name: str, columns: Mapping[str, Column], zone: str | None) -> list[Samples]:
    by_word = {column.strip().lower(): column for column in reversed(list(columns))}
    time = _named(by_word, TIME_NAMES)
    if time is None:
        raise UnusableInput(f"{name}: no column of times (one of {', '.join(TIME_NAMES)})")
    at = times(name, columns[time], zone)
    metric, value = _named(by_word, METRIC_NAMES), _named(by_word, VALUE_NAMES)
    if metric is not None and value is not None:
        labels = {each: cells for each, cells in columns.items() if each not in {time, value}}
        found = list(_long(at, columns[value], columns[metric], labels, metric))
    else:
        heads = {each: _head(each) for each in columns if each != time}
        series = {each: head for each, head in heads.items() if head and _is_series(each, head)}
        labels = {each: columns[each] for each in columns if each != time and each not in series}
        found = [
            one for each, head in series.items() for one in _wide(at, columns[each], head, labels)
        ]
    if not found:
        raise UnusableInput(
            f"{name}: no column is a metric of the catalog and none is called metric and value"
        )
    return found


def _named(by_word: Mapping[str, str], wanted: Sequence[str]) -> str | None:
    return next((by_word[word] for word in wanted if word in by_word), None)


def _head(column: str) -> dict[str, str] | None:
    """Return the labels that the head of a column spells, its name among them."""
    found = HEAD.fullmatch(column.strip())
    if found is None:
        return None
    return {"__name__": found[1], **dict(LABEL.findall(found[2] or ""))}


def _is_series(column: str, head: Mapping[str, str]) -> bool:
    return "{" in column or head["__name__"] in _known()


@cache
def _known() -> frozenset[str]:
    return frozenset(
        query.metric for signal in catalog().signals.values() for query in signal.queries
    )


def _long(
    at: np.ndarray[Any, Any],
    values: Column,
    metrics: Column,
    labels: Mapping[str, Column],
    metric: str,
) -> Iterator[Samples]:
    def head(row: int) -> dict[str, str]:
        said = _head(str(metrics[row])) or {"__name__": str(metrics[row])}
        own = {each: _text(cells[row]) for each, cells in labels.items() if each != metric}
        return {**{each: text for each, text in own.items() if text}, **said}

    yield from _grouped(at, values, head)


def _wide(
    at: np.ndarray[Any, Any], values: Column, said: Mapping[str, str], labels: Mapping[str, Column]
) -> Iterator[Samples]:
    def head(row: int) -> dict[str, str]:
        own = {each: _text(cells[row]) for each, cells in labels.items()}
        return {**{each: text for each, text in own.items() if text}, **said}

    yield from _grouped(at, values, head)


def _grouped(
    at: np.ndarray[Any, Any], values: Column, head: Callable[[int], dict[str, str]]
) -> Iterator[Samples]:
    rows: dict[tuple[tuple[str, str], ...], list[int]] = defaultdict(list)
    numbers = np.array([_number(cell) for cell in values], dtype=np.float64)
    for row in range(len(numbers)):
        if not math.isnan(at[row]):
            rows[tuple(sorted(head(row).items()))].append(row)
    for labels, members in rows.items():
        order = np.array(members)[np.argsort(at[members], kind="stable")]
        yield Samples(labels=dict(labels), at=at[order], values=numbers[order])


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))  # a nullable index in Parquet comes as 3.0
    return "" if cell is None else str(cell).strip()


def _number(cell: Any) -> float:
    """Return a sample; an empty or unreadable cell is missing, never zero."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return math.nan


def times(name: str, cells: Column, zone: str | None) -> np.ndarray[Any, Any]:
    """Return Unix seconds; an unreadable cell is NaN, none readable raises UnusableInput."""
    at = np.array([_instant(cell, zone) for cell in cells], dtype=np.float64)
    if np.isnan(at).all():
        raise UnusableInput(f"{name}: no time could be read; write Unix seconds or RFC 3339")
    return at


def _instant(cell: Any, zone: str | None) -> float:
    if isinstance(cell, datetime):
        found: datetime | None = cell
    else:
        number = _number(cell)
        if not math.isnan(number):
            return number * next(scale for most, scale in SCALES if abs(number) < most)
        try:
            found = datetime.fromisoformat(str(cell).strip())
        except ValueError:
            found = None
    if found is None:
        return math.nan
    if found.tzinfo is None:
        found = found.replace(tzinfo=ZoneInfo(zone) if zone else UTC)
    return found.timestamp()
