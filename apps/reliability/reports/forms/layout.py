"""A report's document in words: figures, tables, what is withheld, what changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from apps.reliability.reports.counting.changes import Change, ChangeKind
from apps.reliability.reports.forms import words
from apps.reliability.reports.forms.cell_text import (
    NUMBERS,
    CellText,
    Moment,
    Translate,
    cell,
    number_text,
)

MOST_REFERENCES: Final = 8
FIRST_SCHEMA: Final = "faultline.report/1"
OF_LOST: Final = (
    *("gpu_hours", "gpu_hours_share", "share_low", "share_high", "disputed_gpu_hours"),
)
OF_ROWS: Final = frozenset({"absence", "at-least"})  # of other columns of the row
NUMBERS_OF_HOURS: Final = frozenset({"hours", "ratio"})
# How a field of an incident is written where it moved.
KINDS: Final = {"layer": "layer", "cause": "cause", "repaired_seconds": "seconds"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLink:
    """An attempt, and the session whose page shows it."""

    text: str  # SES-…#2
    session: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFigure:
    """A figure: its value, what it rests on, and what it counts."""

    key: str
    name: str
    value: str
    is_absent: bool
    interval: str  # empty: it has none
    n: str
    incidents: tuple[str, ...]
    sessions: tuple[str, ...]
    attempts: tuple[AttemptLink, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A column's head."""

    text: str
    is_number: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TableText:
    """A table of a report."""

    key: str
    name: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[CellText, ...], ...]
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportText:
    """A report in the words of one language."""

    audience: str
    first_day: str
    last_day: str
    is_over: bool
    is_simulated: bool
    figures: tuple[ReportFigure, ...]
    tables: tuple[TableText, ...]
    withheld: tuple[str, ...]
    changes: tuple[str, ...]
    left_out_attempts: int


def report_text(
    document: Mapping[str, Any],
    *,
    changes: Sequence[Change],
    translate: Translate = str,
    moment: Moment | None = None,
) -> ReportText:
    """Return a document in words; English unless something translates.

    Moments are written as in files, unless `moment` writes them otherwise.
    """
    ends_at = datetime.fromisoformat(document["ends_at"]) - timedelta(seconds=1)
    return ReportText(
        audience=translate(words.AUDIENCES[document["audience"]]),
        first_day=str(document["starts_at"])[:10],
        last_day=f"{ends_at:%Y-%m-%d}",
        is_over=document["is_over"],
        is_simulated=document["simulated"],
        figures=tuple(_figure(each, translate) for each in document["figures"]),
        tables=tuple(_table(each, translate, moment) for each in _tables(document)),
        withheld=tuple(_withheld(document, translate)),
        changes=tuple(change_text(each, translate) for each in changes),
        left_out_attempts=document["left_out_attempts"],
    )


def _figure(told: Mapping[str, Any], translate: Translate) -> ReportFigure:
    counted = told["counted"] or {"kind": "", "count": 0, "ids": []}
    ids = tuple(counted["ids"][:MOST_REFERENCES])
    return ReportFigure(
        key=told["key"],
        name=translate(words.FIGURES.get(told["key"], told["key"])),
        value=_value(told, translate),
        is_absent=told["value"] is None or (told["at_least"] and not told["value"]),
        interval=_interval(told, translate),
        n=f"{told['n']:,}" if told["unit"] != "count" and not _is_kept_back(told) else "",
        incidents=ids if counted["kind"] == "incidents" else (),
        sessions=ids if counted["kind"] == "sessions" else (),
        attempts=tuple(map(_attempt, ids)) if counted["kind"] == "attempts" else (),
        more=max(0, counted["count"] - len(ids)) if ids else 0,
    )


def _attempt(name: str) -> AttemptLink:
    session, _sign, number = name.partition("#")
    return AttemptLink(text=name, session=session, query=f"?attempt={number}" if number else "")


def _is_kept_back(told: Mapping[str, Any]) -> bool:
    """Say whether a figure is withheld: then how many it would count says nothing."""
    return told["absence"] in {"hidden", "other-tenants"}


def _value(told: Mapping[str, Any], translate: Translate) -> str:
    if told["value"] is None:
        return translate(words.ABSENCES.get(told["absence"] or "", words.NOT_KNOWN))
    if told["at_least"] and not told["value"]:
        return translate(words.NOT_KNOWN)  # at least nothing
    text = number_text(told["unit"], told["value"])
    return translate(words.AT_LEAST) % {"value": text} if told["at_least"] else text


def _interval(told: Mapping[str, Any], translate: Translate) -> str:
    if told["value"] is None:
        return ""
    if not told["interval"]:
        return translate(words.TOO_FEW) if told["unit"] == "seconds" else ""
    low, high = told["interval"]
    return translate(words.SPREAD) % {
        "low": number_text(told["unit"], low),
        "high": translate(words.NO_END) if high is None else number_text(told["unit"], high),
    }


def _table(told: Mapping[str, Any], translate: Translate, moment: Moment | None) -> TableText:
    columns = [each for each in told["columns"] if each["kind"] not in OF_ROWS]
    rows = [tuple(_cell(each, row, translate, moment) for each in columns) for row in told["rows"]]
    headings = tuple(
        Heading(
            text=translate(_heading(told["key"], each["key"])),
            is_number=each["kind"] in NUMBERS,
        )
        for each in columns
    )
    return TableText(
        key=told["key"],
        name=translate(words.TABLES.get(told["key"], told["key"])),
        headings=headings,
        rows=tuple(rows),
        left_out=told["left_out"],
    )


def _tables(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the tables; in reports of the first form hidden GPU-hours stand as zero."""
    figures = {each["key"]: each for each in document["figures"]}
    lost = figures.get("lost-gpu-hours", {})
    for each in document["tables"]:
        is_old = document["schema"] == FIRST_SCHEMA and each["key"].startswith("lost-by-")
        if is_old and lost.get("value") is None and lost.get("absence"):
            hidden = dict.fromkeys(OF_LOST) | {"absence": lost["absence"]}
            yield {**each, "rows": [{**row, **hidden} for row in each["rows"]]}
        else:
            yield each


def _heading(table: str, column: str) -> str:
    return words.COLUMNS_OF.get(table, {}).get(column) or words.COLUMNS.get(column, column)


def _cell(
    column: Mapping[str, Any],
    row: Mapping[str, Any],
    translate: Translate,
    moment: Moment | None,
) -> CellText:
    """Return a value of a row; hours that are not there say why, and others whether that is all."""
    if moment is not None and column["kind"] == "instant" and row[column["key"]] is not None:
        return CellText(text=moment(datetime.fromisoformat(row[column["key"]])))
    told = cell(column["kind"], row[column["key"]], translate)
    if column["kind"] not in NUMBERS_OF_HOURS:
        return told
    if row[column["key"]] is None and row.get("absence"):
        return replace(told, text=translate(words.ABSENCES[row["absence"]]))
    if column["key"] == "gpu_hours" and row.get("at_least"):
        return replace(told, text=translate(words.AT_LEAST) % {"value": told.text})
    return told


def _withheld(document: Mapping[str, Any], translate: Translate) -> Iterator[str]:
    known = {**words.FIGURES, **words.OTHERS}
    for each in document["withheld"]:
        name = translate(known.get(each["figure"], each["figure"]))
        yield f"{name}: {translate(words.ABSENCES[each['absence']])}"


def change_text(change: Change, translate: Translate) -> str:
    """Return one thing that moved."""
    if change.kind is ChangeKind.CAME:
        return translate(words.CAME) % {"what": change.incident}
    if change.kind is ChangeKind.WENT:
        return translate(words.WENT) % {"what": change.incident}
    if change.figure:
        what = translate(words.FIGURES.get(change.figure, change.figure))
    else:
        field = translate(words.COLUMNS.get(change.field, change.field))
        what = f"{change.incident}, {field}"
    kind = KINDS.get(change.field, "count" if change.figure else "slug")
    before, after = (cell(kind, each, translate).text for each in (change.before, change.after))
    return translate(words.MOVED) % {"what": what, "before": before, "after": after}
