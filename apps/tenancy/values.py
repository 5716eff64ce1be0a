"""What leaves an app instead of its rows: frozen values, one by one or as lists that are read in
pages.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar, cast

from django.db.models import Q, QuerySet

from apps.tenancy.models import Organization

Value = TypeVar("Value")
# How ids are written that people read: INC-7K2M9P, AGR-3F9A1C20.
PUBLIC_ID: Final = re.compile(r"[A-Z]{2,4}-[0-9A-Z]{1,30}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganizationName:
    """An organization as others may name it."""

    id: int
    slug: str
    name: str
    mark: str  # the letter that stands for it where its name has no room


def name_of(organization: Organization) -> OrganizationName:
    """Return what names an organization."""
    return value_of(OrganizationName, organization)


def value_of(kind: type[Value], row: object, **changed: object) -> Value:
    """Return a value made of a row's columns of the same names; `changed` stands in their place."""
    names, read = _columns(cast(Hashable, kind), frozenset(changed))
    return kind(**dict(zip(names, read(row), strict=True)), **changed)


@cache
def _columns(
    kind: Hashable, changed: frozenset[str]
) -> tuple[tuple[str, ...], Callable[[object], tuple[object, ...]]]:
    """Return which columns a value has of its row, and what reads them all at once."""
    names = tuple(f.name for f in fields(cast(Any, kind)) if f.name not in changed)
    if len(names) > 1:
        return names, attrgetter(*names)
    return names, lambda row: tuple(getattr(row, name) for name in names)


Position = tuple[Any, int]  # in an ordered list: the value of its column, and the id


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPart(Generic[Value]):
    """A part of a list, and where it ends if there is more."""

    values: Sequence[Value]
    end: Position | None


class ValueList(Generic[Value]):
    """A list in the database whose rows become values when a part of it is read.

    It is narrowed by conditions on columns, sliced and counted; its rows never come out.
    """

    def __init__(
        self, *, rows: QuerySet[Any], project: Callable[[Sequence[Any]], Sequence[Value]]
    ) -> None:
        self._rows, self._project = rows, project

    def filter(self, condition: Q) -> "ValueList[Value]":
        """Return the part of the list for which a condition holds."""
        return ValueList(rows=self._rows.filter(condition), project=self._project)

    def part(
        self, *, column: str, is_descending: bool, after: Position | None, limit: int
    ) -> ListPart[Value]:
        """Return the part behind a position, ordered by a column that is never empty and the id."""
        sign, side = ("-", "lt") if is_descending else ("", "gt")
        rows = self._rows.order_by(f"{sign}{column}", f"{sign}id")
        if after is not None:
            value, key = after
            behind = Q(**{f"{column}__{side}": value})
            rows = rows.filter(behind | Q(**{column: value, f"id__{side}": key}))
        found = list(rows[: limit + 1])
        shown = found[:limit]
        end = (getattr(shown[-1], column), shown[-1].pk) if len(found) > limit else None
        return ListPart(values=self._project(shown), end=end)

    def __getitem__(self, span: slice) -> Sequence[Value]:
        return self._project(list(self._rows[span]))

    def __iter__(self) -> Iterator[Value]:
        return iter(self._project(list(self._rows)))

    def count(self) -> int:
        """Return how many there are, without reading them."""
        return self._rows.count()

    def exists(self) -> bool:
        """Say whether there is any, without reading it."""
        return self._rows.exists()
