"""A table of series (CSV, Parquet, or the JSON answer of a range query) → samples per series.

Three shapes of a table are read: one row a sample (`time,metric,value,` and labels), one column a
series (`time,up{instance="n1"},…`), and one row an instant of one entity
(`time,Hostname,gpu,DCGM_FI_DEV_GPU_TEMP,…`: columns that the catalog does not know are labels).
"""

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
from apps.offline.series.table_cells import numbers_of, text_of, times
from apps.telemetry.files.table_columns import Column, columns_of
from apps.telemetry.files.unusable_input import UnusableInput
from apps.telemetry.sources import answer_checks, matrix

TIME_NAMES: Final = ("time", "timestamp", "ts", "at", "datetime", "date", "_time")
METRIC_NAMES: Final = ("metric", "__name__", "name", "_field", "series")
VALUE_NAMES: Final = ("value", "_value", "val")
# `name{label="value",…}`, as Prometheus and Grafana's CSV write a series.
HEAD: Final = re.compile(r"([A-Za-z_:][\w:]*)(?:\{(.*)\})?")
LABEL: Final = re.compile(r'\b([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"')
Rows = np.ndarray[Any, Any]


def read_series(*, name: str, raw: bytes, zone: str | None = None) -> list[Samples]:
    """Return the series of one file; instants without a zone are in `zone`, else UTC.

    Raises UnusableInput, naming the file and what it should hold.
    """
    if raw.lstrip()[:1] == b"{":
        try:
            return matrix.read(raw).series()
        except (answer_checks.AnswerUnreadable, answer_checks.QueryRefused) as error:
            raise UnusableInput(f"{name}: not the JSON answer of a range query: {error}") from error
    return _series(name, columns_of(name=name, raw=raw), zone)


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
