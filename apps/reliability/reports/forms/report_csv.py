"""A table of a report as CSV: its values as they are, shares in four columns, instants in UTC."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from apps.incidents.exports.formats.csv import csv_table

FIGURES: Final = "figures"
FIGURE_COLUMNS: Final = ("figure", "unit", "value", "n", "low", "high", "absence", "ids")


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
    columns = found["columns"]
    names = [name for each in columns for name in _names(each)]
    return csv_table(names, (_row(columns, row) for row in found["rows"]))


def _figure(told: Mapping[str, Any]) -> dict[str, Any]:
    low, high = told["interval"] or (None, None)
    return {
        "figure": told["key"],
        **{name: told[name] for name in ("unit", "value", "n", "absence")},
        "low": low,
        "high": high,
        "ids": " ".join(told["counted"]["ids"]) if told["counted"] else "",
    }


def _names(column: Mapping[str, Any]) -> list[str]:
    if column["kind"] == "share":
        return [f"{column['key']}_{part}" for part in ("hits", "n", "low", "high")]
    return [column["key"]]


def _row(columns: list[Mapping[str, Any]], row: Mapping[str, Any]) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for each in columns:
        value = row[each["key"]]
        if each["kind"] == "share":
            cells |= {f"{each['key']}_{part}": value[part] for part in value}
        else:
            cells[each["key"]] = " ".join(value) if isinstance(value, list) else value
    return cells
