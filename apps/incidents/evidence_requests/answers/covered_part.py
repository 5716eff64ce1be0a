"""Of which part of a window, and of which hosts, there is enough to tell. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from apps.incidents.evidence_requests.answers.values import AnsweredPart, CheckSubject, Gap

LEAST: Final = timedelta(minutes=1)  # a shorter part tells nothing
# Why something is not covered; any other gap may lie anywhere, and leaves all of it open.
EDGES: Final = frozenset(
    {"gap-log-begins", "gap-log-ends", "gap-no-log", "gap-no-series", "gap-in-series"}
)

Span = tuple[datetime, datetime]


def covered_part(
    *, spans: Mapping[str, Sequence[Span]], gaps: Sequence[Gap], subject: CheckSubject
) -> AnsweredPart | None:
    """Return the longest span that all hosts cover of which anything is there.

    `spans` are those that are covered, by host. None where gaps leave all of it open.
    """
    if not gaps or any(each.why.kind not in EDGES for each in gaps):
        return None
    hosts = tuple(host for host in sorted(spans) if spans[host])
    left: Sequence[Span] = [(subject.starts_at, subject.ends_at)] if hosts else []
    for host in hosts:
        left = common(left, spans[host])
    start, end = max(left, key=_length, default=(subject.starts_at, subject.starts_at))
    if end - start < LEAST:
        return None
    return AnsweredPart(hosts=tuple(filter(None, hosts)), starts_at=start, ends_at=end)


def common(one: Iterable[Span], other: Sequence[Span]) -> list[Span]:
    """Return the longest spans that lie in one of these and in one of those, in order.

    None of them lies in another: however many logs overlap, each host adds as many at most as it
    has itself.
    """
    sides = _longest(one), _longest(other)
    return _longest((max(a, c), min(b, d)) for a, b in sides[0] for c, d in sides[1])


def _longest(spans: Iterable[Span]) -> list[Span]:
    """Return the spans that lie in no other one."""
    found: list[Span] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1].timestamp())):
        if start < end and (not found or end > found[-1][1]):
            found.append((start, end))
    return found


def _length(span: Span) -> timedelta:
    return span[1] - span[0]
