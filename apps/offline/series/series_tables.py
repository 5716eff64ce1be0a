"""A table of series (CSV, Parquet, or the JSON answer of a range query) → samples per series.

Three shapes of a table are read: one row a sample (`time,metric,value,` and labels), one column a
series (`time,up{instance="n1"},…`), and one row an instant of one entity
(`time,Hostname,gpu,DCGM_FI_DEV_GPU_TEMP,…`: columns that the catalog does not know are labels).
"""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import Any, Final

import numpy as np

from apps.diagnosis.detection.metrics.frames import Samples
from apps.diagnosis.detection.metrics.load import catalog
from apps.offline.series.series_columns import check_labels
from apps.offline.series.table_cells import Column, numbers_of, text_of, times
from apps.telemetry.files.unusable_input import UnusableInput
from apps.telemetry.sources import answer_checks, matrix

PARQUET_MAGIC: Final = b"PAR1"
TIME_NAMES: Final = ("time", "timestamp", "ts", "at", "datetime", "date", "_time")
METRIC_NAMES: Final = ("metric", "__name__", "name", "_field", "series")
VALUE_NAMES: Final = ("value", "_value", "val")
# `name{label="value",…}`, as Prometheus and Grafana's CSV write a series.
HEAD: Final = re.compile(r"([A-Za-z_:][\w:]*)(?:\{(.*)\})?")
LABEL: Final = re.compile(r'\b([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"')
# As objects, and what a text may take of them: samples with their labels take ten times their size.
ROW_BYTES, CELL_BYTES = 200, 60
MOST_MEMORY, MEMORY_A_BYTE = 64 * 2**20, 16
MOST_COLUMNS: Final = 20_000
MOST_KNOWN: Final = 10_000
MOST_CELLS: Final = 20_000_000  # of a Parquet file, which may say one value for all rows
Rows = np.ndarray[Any, Any]


def read_series(*, name: str, raw: bytes, zone: str | None = None) -> list[Samples]:
    """Return the series of one file; instants without a zone are in `zone`, else UTC.

    Raises UnusableInput, naming the file and what it should hold.
    """
    if raw.startswith(PARQUET_MAGIC):
        return _series(name, _parquet(name, raw), zone)
    if raw.lstrip()[:1] == b"{":
        try:
            return matrix.read(raw).series()
        except (answer_checks.AnswerUnreadable, answer_checks.QueryRefused) as error:
            raise UnusableInput(f"{name}: not the JSON answer of a range query: {error}") from error
    return _series(name, _comma_separated(name, raw), zone)


def _comma_separated(name: str, raw: bytes) -> dict[str, Column]:
    _check_cells(name, raw)
    # Decoded bit by bit: as one text it takes four bytes a letter to read.
    text = io.TextIOWrapper(io.BytesIO(raw), "utf-8-sig", errors="replace", newline="")
    try:
        rows = filter(None, csv.reader(text))
        header = next(rows, [])
        width = len(header)
        if width > MOST_COLUMNS:
            raise UnusableInput(f"{name}: more than {MOST_COLUMNS} columns; write one row a sample")
        cells: list[str] = []  # of all rows: a list of each would be looked at again and again
        known: dict[str, str] = {}  # labels are said again in each row, and kept once
        for at, row in enumerate(rows, 2):
            if len(row) != width:
                raise UnusableInput(
                    f"{name}: row {at} has {len(row)} fields, the header has {width}"
                )
            if len(known) < MOST_KNOWN:
                cells += [known.setdefault(cell, cell) for cell in row]
            else:
                cells += [known.get(cell, cell) for cell in row]
    except csv.Error as error:
        raise UnusableInput(f"{name}: not readable as CSV: {error}") from error
    if not cells:
        raise UnusableInput(f"{name}: no rows; a table of series has a header and rows")
    return {column: cells[at::width] for at, column in enumerate(header)}


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
        check_labels(name=name, labels=labels, given=columns)
        found = list(_long(at, columns[value], columns[metric], labels, metric))
    else:
        heads = {each: _head(each) for each in columns if each != time}
        series = {each: head for each, head in heads.items() if head and _is_series(each, head)}
        labels = {each: columns[each] for each in columns if each != time and each not in series}
        check_labels(name=name, labels=labels, given=columns)
        parts = _parts(at, labels)
        found = [
            one
            for each, head in series.items()
            for one in _grouped(
                at, columns[each], [({**said, **head}, rows) for said, rows in parts]
            )
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
    parts = []
    for own, rows in _parts(at, {**labels, metric: [str(each) for each in metrics]}, metric):
        name = own.pop(metric)
        parts.append(({**own, **(_head(name) or {"__name__": name})}, rows))
    yield from _grouped(at, values, parts)


def _parts(
    at: np.ndarray[Any, Any], labels: Mapping[str, Column], verbatim: str = ""
) -> list[tuple[dict[str, str], Rows]]:
    """Return the labels that rows have beside their values, each with its rows in their order.

    Rows without a time are left out; of one column the text stays as it is.
    """
    texts = [
        cells if each == verbatim else list(map(text_of, cells)) for each, cells in labels.items()
    ]
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    is_timed = (~np.isnan(at)).tolist()
    said = zip(*texts, strict=True) if texts else repeat(())
    for row, (key, is_kept) in enumerate(zip(said, is_timed, strict=bool(texts))):
        if is_kept:
            found[key].append(row)
    return [
        (
            {
                each: text
                for each, text in zip(labels, values, strict=True)
                if text or each == verbatim
            },
            np.array(rows),
        )
        for values, rows in found.items()
    ]


def _grouped(
    at: np.ndarray[Any, Any], values: Column, parts: Sequence[tuple[dict[str, str], Rows]]
) -> Iterator[Samples]:
    by_labels: dict[tuple[tuple[str, str], ...], list[Rows]] = defaultdict(list)
    numbers = numbers_of(values)
    for labels, rows in parts:
        by_labels[tuple(sorted(labels.items()))].append(rows)
    for key, each in by_labels.items():
        rows = each[0] if len(each) == 1 else np.sort(np.concatenate(each))
        order = rows[np.argsort(at[rows], kind="stable")]
        yield Samples(labels=dict(key), at=at[order], values=numbers[order])
