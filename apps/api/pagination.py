"""Pages of a list by cursor: what comes next does not shift when rows are added."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from django.db.models import Q
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from apps.diagnosis.input_values import MOST_ROWS, instant, whole_number
from apps.tenancy.credentials import SealBroken, seal, unseal

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
CURSOR_LIMIT = 4000  # characters
Item = TypeVar("Item")


class IdentifiedRow(Protocol):
    """A row, or a value of one: its number parts it from others of the same moment."""

    @property
    def id(self) -> int:
        """Return its number."""


Row = TypeVar("Row", bound=IdentifiedRow)
Found_co = TypeVar("Found_co", covariant=True)


class Rows(Protocol[Found_co]):
    """A list in the database: of rows, or of the values that are read in their place."""

    def filter(self, condition: Q, /) -> "Rows[Found_co]":
        """Return the part for which a condition holds."""

    def __getitem__(self, span: slice, /) -> Iterable[Found_co]:
        """Return a part of the list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Item]):
    """Some items and where the ones after them are found."""

    results: Sequence[Item]
    next: str | None = None  # the address of the page after it
    next_cursor: str | None = None  # the parameter `cursor` of that address

    def answer(self, results: Sequence[Any]) -> dict[str, Any]:
        """Return the page as it is sent."""
        return {"results": results, "next": self.next, "next_cursor": self.next_cursor}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOrder:
    """A strict order of rows by one column, ties broken by id."""

    column: str
    read: Callable[[Any], Any]  # JSON value of a cursor → value of the column
    is_descending: bool = False

    def after(self, position: tuple[Any, int]) -> Q:
        """Return the condition for rows after a position."""
        value, key = position
        side = "lt" if self.is_descending else "gt"
        return Q(**{f"{self.column}__{side}": value}) | Q(
            **{self.column: value, f"id__{side}": key}
        )


def _text(value: object) -> str:
    if not isinstance(value, str) or "\x00" in value:
        raise _bad_cursor()
    return value


def _instant(value: object) -> datetime:
    at = instant(value)
    if at is None:
        raise _bad_cursor()
    return at


def _bad_cursor() -> ValidationError:
    return ValidationError({"cursor": "start again without one"})


BY_NAME = RowOrder(column="name", read=_text)
BY_SLUG = RowOrder(column="slug", read=_text)
NEWEST_MOMENT = RowOrder(column="moment", read=_instant, is_descending=True)
NEWEST_AT = RowOrder(column="at", read=_instant, is_descending=True)
NEWEST_MADE = RowOrder(column="created_at", read=_instant, is_descending=True)
NEWEST_KEY = RowOrder(column="made_at", read=_instant, is_descending=True)
NEWEST_SET_ASIDE = RowOrder(column="set_aside_at", read=_instant, is_descending=True)
NEWEST_RECEIVED = RowOrder(column="received_at", read=_instant, is_descending=True)
NEWEST_ASKED = RowOrder(column="at", read=_instant, is_descending=True)
NEWEST_RAISED = RowOrder(column="raised_at", read=_instant, is_descending=True)


def page_of_rows(*, rows: Rows[Row], order: RowOrder, request: Request) -> Page[Row]:
    """Return the page of a query that the request asks for. The query is ordered the same way."""
    limit = limit_of(request)
    position = _position(request, order)
    wanted = rows.filter(order.after(position)) if position else rows
    found = list(wanted[: limit + 1])
    shown = found[:limit]
    if len(found) <= limit:
        return Page(results=shown)
    last = shown[-1]
    return _page_before(shown, request, [getattr(last, order.column), last.id])


def page_of_items(*, items: Sequence[Item], request: Request) -> Page[Item]:
    """Return the page of a list that fits into memory, counted from its start."""
    limit, start = limit_of(request), _start(request)
    end = start + limit
    shown = items[start:end]
    return _page_before(shown, request, [end]) if len(items) > end else Page(results=shown)


def limit_of(request: Request) -> int:
    """Return how many items were asked for, within what is served at once."""
    text = request.query_params.get("limit", str(DEFAULT_LIMIT))
    limit = whole_number(text, most=MOST_ROWS)
    if not limit:
        raise ValidationError({"limit": f"a number from 1 to {MAX_LIMIT}"})
    return min(limit, MAX_LIMIT)


def _position(request: Request, order: RowOrder) -> tuple[Any, int] | None:
    values = _cursor(request)
    if values is None:
        return None
    if len(values) != 2 or type(values[1]) is not int or abs(values[1]) >= 2**63:
        raise _bad_cursor()
    return order.read(values[0]), values[1]


def _start(request: Request) -> int:
    values = _cursor(request)
    if values is None:
        return 0
    if len(values) != 1 or type(values[0]) is not int or values[0] < 0:
        raise _bad_cursor()
    return values[0]


def _cursor(request: Request) -> list[Any] | None:
    text = request.query_params.get("cursor")
    if text is None:
        return None
    try:
        values = json.loads(unseal(sealed=text[:CURSOR_LIMIT].encode("ascii")))
    except (ValueError, SealBroken, RecursionError) as error:
        raise _bad_cursor() from error
    if not isinstance(values, list):
        raise _bad_cursor()
    return values


def _page_before(shown: Sequence[Item], request: Request, position: list[Any]) -> Page[Item]:
    # Sealed: the number of a row tells how many rows everybody has.
    words = json.dumps(position, default=datetime.isoformat, separators=(",", ":"))
    cursor = seal(secret=words).decode("ascii")
    query = request.query_params.copy()
    query["cursor"] = cursor
    address = request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
    return Page(results=shown, next=address, next_cursor=cursor)
