"""What stands above a list: fields, what is narrowed, its order, and views kept of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from apps.search.saved_views import ViewValue


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChoice:
    """One choice of a field."""

    value: str
    text: str
    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldControl:
    """A field of the form."""

    name: str
    label: str
    kind: str
    value: str
    choices: tuple[FieldChoice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """Something that the list is narrowed by, and the address without it."""

    label: str
    text: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SortLink:
    """The head of a column: the address that orders by it, and how the list is ordered now."""

    query: str
    direction: str  # ascending, descending, or empty


@dataclass(frozen=True, slots=True, kw_only=True)
class ListControls:
    """Everything above a list."""

    list_name: str
    fields: tuple[FieldControl, ...]
    hidden: tuple[tuple[str, str], ...]  # what links above the form say, and the order
    chips: tuple[Chip, ...]
    sorts: Mapping[str, SortLink]
    query: str  # what a view of it keeps
    views: tuple[ViewValue, ...]
    view: ViewValue | None  # that is open
    is_filtered: bool
