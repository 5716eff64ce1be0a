"""Of which part of a window, and of which hosts, there is enough to tell. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from apps.incidents.evidence_requests.answers.values import CheckSubject, CoveredPart, Gap

LEAST: Final = timedelta(minutes=1)  # a shorter part tells nothing
# Why something is not covered; any other gap may lie anywhere, and leaves all of it open.
EDGES: Final = frozenset(
    {"gap-log-begins", "gap-log-ends", "gap-no-log", "gap-no-series", "gap-in-series"}
)

Span = tuple[datetime, datetime]


def covered_part(
    *, spans: Mapping[str, Sequence[Span]], gaps: Sequence[Gap], subject: CheckSubject
) -> CoveredPart | None:
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
    return CoveredPart(hosts=tuple(filter(None, hosts)), starts_at=start, ends_at=end)


def common(one: Iterable[Span], other: Sequence[Span]) -> list[Span]:
    """Return the spans that lie in one of these and in one of those."""
    found = [(max(a, c), min(b, d)) for a, b in one for c, d in other]
    return [(start, end) for start, end in found if start < end]


def _length(span: Span) -> timedelta:
    return span[1] - span[0]
