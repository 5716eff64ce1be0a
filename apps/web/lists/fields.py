"""What a list may be narrowed by, and what an address says of it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.diagnosis.input_values import day
from apps.diagnosis.spelling import nearest, shown
from apps.web.shell.address_filters import day_of, is_meant, unknown_value

HOST: Final = re.compile(r"[\w.:-]{1,253}")
LONGEST: Final = 200
MOST_NAMED: Final = 12


class FieldKind(StrEnum):
    """How a field is filled in."""

    CHOICE = "choice"
    SEGMENT = "segment"  # a choice that stands above the list as links
    HOST = "host"
    TEXT = "text"
    DAY = "day"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterField:
    """One thing that a list may be narrowed by."""

    name: str  # in the address
    label: str
    kind: FieldKind
    choices: Mapping[str, str] = field(default_factory=dict)  # value → words


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAsk:
    """What an address asks a list for: of each field its value, where it is one."""

    fields: Sequence[FilterField]
    values: Mapping[str, str]
    sort: str  # a column, with a minus for the other way round; empty: as usual

    def __getitem__(self, name: str) -> str:
        return self.values.get(name, "")

    @property
    def is_filtered(self) -> bool:
        """Say whether anything is left out."""
        return any(self.values.values())

    def query(self, **changed: str) -> str:
        """Return the query of an address that asks for the same, but for what is changed."""
        told = {**self.values, "sort": self.sort, **changed}
        return urlencode({name: value for name, value in told.items() if value})

    def day(self, name: str, *, is_end: bool = False) -> datetime | None:
        """Return where a day begins, or ends, in UTC."""
        found = day(self[name])
        if found is None:
            return None
        at = datetime.combine(found, time(), UTC)
        return at + timedelta(days=1) if is_end else at


def read_ask(
    request: HttpRequest, *, fields: Sequence[FilterField], columns: Sequence[str]
) -> ListAsk:
    """Return what the address asks for; a value that is none narrows nothing, and the page says so.

    A span that ends before it begins is told, too: nothing can lie in it.
    """
    values = {each.name: _value(request, each) for each in fields}
    if values.get("since") and values.get("until") and values["until"] < values["since"]:
        text = _("It ends before it begins: “until” is left out.")
        messages.warning(request, text)
        values["until"] = ""
    sorts = {"", *columns, *(f"-{each}" for each in columns)}
    sort = request.GET.get("sort", "")
    if sort not in sorts:
        _say(request, "sort", sort, sorts)
        sort = ""
    return ListAsk(fields=fields, values=values, sort=sort)


def _value(request: HttpRequest, asked: FilterField) -> str:
    value = request.GET.get(asked.name, "").strip()
    if asked.kind is FieldKind.DAY:
        found = day_of(request, asked.name)
        return found.isoformat() if found else ""
    if asked.kind in {FieldKind.CHOICE, FieldKind.SEGMENT}:
        is_one = not value or value in asked.choices
    elif asked.kind is FieldKind.HOST:
        is_one = not value or HOST.fullmatch(value) is not None
    else:
        is_one = len(value) <= LONGEST
    if is_one:
        return value
    _say(request, asked.name, value, asked.choices)
    return ""


def _say(request: HttpRequest, name: str, value: str, known: Collection[str]) -> None:
    """Say that a value is none; of many that there are, only the nearest is named."""
    if len(known) <= MOST_NAMED:
        messages.warning(request, unknown_value(name=name, value=value, values=[*known]))
        return
    told = {"name": name, "value": shown(word=value)}
    text = _("“%(value)s” is no %(name)s that is known: all are shown.") % told
    meant = nearest(word=value, known=known)
    messages.warning(request, f"{text} {is_meant(meant)}" if meant else text)
