"""Where a list goes on, in its address: sealed, as the number of a row tells how many all have."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.diagnosis.input_values import MOST_ROWS, instant
from apps.tenancy.credentials import SealBroken, seal, unseal
from apps.tenancy.values import ListPart, Position, Value, ValueList
from apps.web.lists.fields import ListAsk

LONGEST: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SortColumn:
    """A column that a list can be ordered by."""

    column: str  # of the rows
    is_time: bool = False


Columns = dict[str, SortColumn]


def read_part(
    request: HttpRequest,
    rows: ValueList[Value],
    *,
    ask: ListAsk,
    columns: Columns,
    usual: str,
    size: int,
) -> tuple[ListPart[Value], str]:
    """Return the part of a list that the address asks for, and the query of the next, or nothing.

    `usual` is how it is ordered where the address says nothing.
    """
    sort = ask.sort or usual
    order = columns[sort.removeprefix("-")]
    after = _position(request, sort, order)
    part = rows.part(
        column=order.column, is_descending=sort.startswith("-"), after=after, limit=size
    )
    return part, f"?{ask.query(cursor=_sealed(sort, part.end))}" if part.end else ""


def _sealed(sort: str, end: Position) -> str:
    words = json.dumps([sort, *end], default=datetime.isoformat, separators=(",", ":"))
    return seal(secret=words).decode("ascii")


def _position(request: HttpRequest, sort: str, order: SortColumn) -> Position | None:
    text = request.GET.get("cursor", "")
    if not text:
        return None
    read: Callable[[Any], Any] = instant if order.is_time else _word
    try:
        said, value, key = json.loads(unseal(sealed=text[:LONGEST].encode("ascii")))
    except (ValueError, TypeError, SealBroken, RecursionError):
        said = value = key = None
    is_id = type(key) is int and 0 <= key <= MOST_ROWS
    if said != sort or not is_id or (found := read(value)) is None:
        messages.warning(request, _("The address does not say where to go on: here is its start."))
        return None
    return found, key


def _word(value: object) -> str | float | None:
    is_one = isinstance(value, str | int | float) and not isinstance(value, bool)
    return value if is_one else None  # type: ignore[return-value]  # it was looked at
