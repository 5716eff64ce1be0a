"""The page of the search, and the list under its box."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_noop

from apps.search.values import HitKind, QueryProblem
from apps.web.display.layers import LayerMark
from apps.web.find.marks import TextPiece

GROUPS: Final[Mapping[str, str]] = {
    HitKind.INCIDENT: gettext_noop("Incidents"),
    HitKind.SESSION: gettext_noop("Sessions"),
    HitKind.NODE: gettext_noop("Nodes"),
    HitKind.GPU: gettext_noop("GPUs"),
    HitKind.CAUSE: gettext_noop("Causes"),
    HitKind.WARNING: gettext_noop("Warnings"),
    HitKind.ANNOTATION: gettext_noop("Annotations"),
    HitKind.REPORT: gettext_noop("Reports"),
    HitKind.LINE: gettext_noop("Log lines"),
}
PROBLEMS: Final[Mapping[str, str]] = {
    QueryProblem.EMPTY: "",
    QueryProblem.SHORT: gettext_noop("Type at least two letters."),
    QueryProblem.LONG: gettext_noop("That is longer than 200 letters: shorten it."),
    QueryProblem.BAD_XID: gettext_noop("An Xid is a number, as in xid:79."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRow:
    """One thing that was found, with its link."""

    option_id: str  # of the element, for who reads the list by ear
    address: str
    title: tuple[TextPiece, ...]
    detail: tuple[TextPiece, ...]
    beside: str  # cluster, host, session
    when: str
    layer: LayerMark | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGroup:
    """What was found of one kind."""

    name: str
    rows: tuple[FoundRow, ...]
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FindPage:
    """The answer to a search, in words."""

    typed: str
    groups: tuple[FoundGroup, ...]
    problem: str
    meant: str  # the prefix that was probably meant
    lines_note: str  # how far log lines were looked through
    is_asked: bool  # something was typed
    address: str  # of all that is found
