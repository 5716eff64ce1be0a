"""Links of a segmented control."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils.translation import ngettext


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentLink:
    """One link of a segmented control; the state lives in the address."""

    text: str
    query: str
    is_on: bool


def day_links(
    spans: Iterable[str], *, chosen: str, query: Callable[[str], str]
) -> tuple[SegmentLink, ...]:
    """Return spans of days to choose from; `query` says how an address asks for one."""
    return tuple(
        SegmentLink(
            text=ngettext("%(n)s day", "%(n)s days", int(each)) % {"n": each},
            query=query(each),
            is_on=each == chosen,
        )
        for each in spans
    )
