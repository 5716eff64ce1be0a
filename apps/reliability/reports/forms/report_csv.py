"""A table of a report as CSV: its values as they are, shares in four columns, instants in UTC."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.incidents.exports.formats.csv import csv_table

FIGURES: Final = "figures"
FIGURE_COLUMNS: Final = (
    *("figure", "unit", "value", "n", "low", "high", "absence", "at_least", "ids"),
)
# Reports of the first form had two columns of each of these names.
OF_HOURS: Final = {"share_low": "gpu_hours_share_low", "share_high": "gpu_hours_share_high"}


class NoTable(KeyError):
    """A report has no table of this name."""


def table_names(document: Mapping[str, Any]) -> list[str]:
    """Return what can be had as CSV."""
    return [FIGURES, *(each["key"] for each in document["tables"])]


def report_csv(document: Mapping[str, Any], *, table: str) -> Iterator[bytes]:
    """Return a table as CSV. Raises NoTable."""
    if table == FIGURES:
        return csv_table(FIGURE_COLUMNS, (_figure(each) for each in document["figures"]))
    found = next((each for each in document["tables"] if each["key"] == table), None)
    if found is None:
        raise NoTable(table)
    columns = _columns(found)
    names = [name for each in columns for name in _names(each)]
    return csv_table(names, (_row(columns, row) for row in found["rows"]))


def _figure(told: Mapping[str, Any]) -> dict[str, Any]:
    low, high = told["interval"] or (None, None)
    return {
        "figure": told["key"],
        **{name: told[name] for name in ("unit", "value", "n", "absence", "at_least")},
        "low": low,
        "high": high,
        "ids": " ".join(told["counted"]["ids"]) if told["counted"] else "",
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvColumn:
    """A column of a table: its key there, its kind, and its name in the file."""

    key: str
    kind: str
    name: str


def _columns(table: Mapping[str, Any]) -> list[CsvColumn]:
    has_share = any(each["key"] == "share" and each["kind"] == "share" for each in table["columns"])
    names = OF_HOURS if has_share else {}
    return [
        CsvColumn(key=each["key"], kind=each["kind"], name=names.get(each["key"], each["key"]))
        for each in table["columns"]
    ]


def _names(column: CsvColumn) -> list[str]:
    if column.kind == "share":
        return [f"{column.name}_{part}" for part in ("hits", "n", "low", "high")]
    return [column.name]


def _row(columns: list[CsvColumn], row: Mapping[str, Any]) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for each in columns:
        value = row[each.key]
        if each.kind == "share":
            cells |= {f"{each.name}_{part}": value[part] for part in value}
        else:
            cells[each.name] = " ".join(value) if isinstance(value, list) else value
    return cells
