"""Rules as rows of a form, and a form that was sent as rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

from django.http import QueryDict

from apps.diagnosis.input_values import whole_number
from apps.sharing.terms import Level, Place, Purpose, SharingRule

SPARE_ROWS = 3  # empty, to be filled


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """A rule as its row shows it; without data it is spare."""

    data: str = ""
    level: str = str(Level.REDACTED)
    where: str = str(Place.CLUSTER)
    keep_days: str = ""
    purpose: str = str(Purpose.DIAGNOSIS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTable:
    """What one side gives, as rows."""

    slug: str
    title: str
    rows: tuple[RuleRow, ...]


def rule_table(*, slug: str, title: str, rules: Sequence[SharingRule]) -> RuleTable:
    """Return the rules of a side as rows, and some spare ones."""
    rows = tuple(
        RuleRow(
            data=each.data,
            level=str(each.level),
            where=str(each.where),
            keep_days=str(each.keep_days or ""),
            purpose=str(each.purpose),
        )
        for each in rules
    )
    return RuleTable(slug=slug, title=title, rows=(*rows, *[RuleRow()] * SPARE_ROWS))


def typed_table(*, slug: str, title: str, sent: QueryDict) -> RuleTable:
    """Return the rows of a side as they were typed."""
    rows = tuple(
        RuleRow(data=data, level=level, where=where, keep_days=days, purpose=purpose)
        for data, level, where, days, purpose in _columns(sent, slug)
    )
    return RuleTable(slug=slug, title=title, rows=rows)


def sent_rules(*, sent: QueryDict, slug: str) -> list[dict[str, Any]]:
    """Return the rows of a side that name a class, as terms are read from them."""
    return list(_rows(sent, slug))


def _rows(sent: QueryDict, slug: str) -> Iterator[dict[str, Any]]:
    for data, level, where, days, purpose in _columns(sent, slug):
        if data:
            row: dict[str, Any] = {"data": data, "level": level, "where": where, "purpose": purpose}
            if days.strip():
                number = whole_number(days.strip())
                row["keep_days"] = days if number is None else number
            yield row


def _columns(sent: QueryDict, slug: str) -> Iterator[tuple[str, ...]]:
    names = ("data", "level", "where", "keep_days")
    columns = [sent.getlist(f"{slug}.{name}") for name in names]
    # A form that was opened before there was this column sends none.
    purposes = chain(sent.getlist(f"{slug}.purpose"), repeat(str(Purpose.DIAGNOSIS)))
    return zip(*columns, purposes, strict=False)
