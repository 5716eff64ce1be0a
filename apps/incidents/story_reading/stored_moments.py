"""Moments of a story as they lie in the database, read thousands at a time."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

from django.db.models import F, QuerySet, TextField
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from apps.diagnosis.input_values import cut
from apps.incidents.models import TimelineEntry
from apps.tenancy.database.microseconds import Microseconds, instant_of

TITLE_LENGTH: Final = 300  # of its column


class StoredMoment(NamedTuple):
    """A moment as it is stored. Not a row: a story has thousands, and a page reads them all.

    What a page asks of each of them stands in a column; the rest of the JSON is taken apart where
    somebody asks for it, as of a long story few moments are shown in words.
    """

    id: int
    organization_id: int  # whose it is
    attempt_id: int | None
    moment: bytes
    is_retracted: bool
    revision: int
    lane: str
    kind: str
    role: str
    at: datetime | None
    ends_at: datetime | None
    clock_error_seconds: float | None
    order_key: int
    title: str
    statement_text: str  # JSON
    detail_text: str  # JSON
    # Of the statement its kind, of the detail these, where it has them.
    told_kind: str | None
    told_count: str | None
    host: str | None
    reference: str | None
    signature: str | None
    for_all_parties: bool
    audience: list[int]
    created_at: datetime

    @property
    def words(self) -> str:
        """Return what is told in English; where that was cut, with all of it."""
        is_cut = len(self.title) >= TITLE_LENGTH
        return f"{self.title}{self.statement_text}" if is_cut else self.title

    @property
    def statement(self) -> Mapping[str, Any]:
        """Return what is told, taken apart anew."""
        told: Mapping[str, Any] = json.loads(self.statement_text)
        return told

    @property
    def detail(self) -> Mapping[str, Any]:
        """Return where it was told and by whom, taken apart anew."""
        told: Mapping[str, Any] = json.loads(self.detail_text)
        return told


TIMES = frozenset({"at", "ends_at", "created_at"})
DERIVED: Mapping[str, Combinable] = {
    **{name: Microseconds(name) for name in TIMES},
    "statement_text": Cast(F("statement"), TextField()),
    "detail_text": Cast(F("detail"), TextField()),
    "told_kind": KeyTextTransform("kind", "statement"),
    "told_count": KeyTextTransform("count", "detail"),
    **{name: KeyTextTransform(name, "detail") for name in ("host", "reference", "signature")},
}
COLUMNS = [DERIVED.get(name, name) for name in StoredMoment._fields]
REPORTED = [StoredMoment._fields.index(name) for name in ("at", "ends_at")]


def stored(rows: QuerySet[TimelineEntry]) -> Iterator[StoredMoment]:
    """Yield the moments of these rows in the order they were written."""
    return map(moment_of, rows.order_by("id").values_list(*COLUMNS))


def moment_of(row: Iterable[Any]) -> StoredMoment:
    """Return the moment whose columns these are."""
    told = list(row)
    for place in REPORTED:
        if told[place] is not None:
            told[place] = cut(instant_of(told[place]))
    told[-1] = _written_at(told[-1])
    return StoredMoment._make(told)


@lru_cache(256)  # what was written together has one time
def _written_at(microseconds: int) -> datetime:
    return instant_of(microseconds)
