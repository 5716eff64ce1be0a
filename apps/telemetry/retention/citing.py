"""What must stay because somebody cites it. Apps above add themselves when they start.

Asked before anything goes: who can't answer stops the run, and nothing is lost.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A line or an anomaly by its reference: `stream:<id>/<line number>` or `anomaly:<id>`."""

    reference: str
    margin: int = 0  # lines before and after it that belong to the citation


Citer = Callable[..., Iterable[Citation]]  # called with organization_id, in its scope
CITERS: list[Citer] = []
Span = tuple[int, int]  # first and last line number


class Citing:
    """Everything that is cited of an organization's facts."""

    def __init__(self, citations: Iterable[Citation]) -> None:
        self._lines: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._anomalies: set[int] = set()
        for citation in citations:
            self._add(citation)
        for lines in self._lines.values():
            lines.sort()

    def _add(self, citation: Citation) -> None:
        kind, _, rest = citation.reference.partition(":")
        first, _, number = rest.partition("/")
        if kind == "anomaly" and first.isdigit():
            self._anomalies.add(int(first))
        if kind == "stream" and first.isdigit() and number.isdigit():
            self._lines[int(first)].append((int(number), citation.margin))

    def has_stream(self, *, stream_id: int) -> bool:
        """Say whether any line of a stream is cited."""
        return stream_id in self._lines

    def has_line(self, *, stream_id: int, number: int) -> bool:
        """Say whether this very line is cited."""
        lines = self._lines.get(stream_id, [])
        place = bisect_left(lines, (number, 0))
        return place < len(lines) and lines[place][0] == number

    @property
    def anomalies(self) -> frozenset[int]:
        """Return the ids of the anomalies that are cited."""
        return frozenset(self._anomalies)

    def within(self, *, stream_id: int, span: Span) -> list[Span]:
        """Return the cited parts of a span of lines with their margins, in order and apart."""
        spans = sorted(
            (max(span[0], number - margin), min(span[1], number + margin))
            for number, margin in self._lines.get(stream_id, [])
        )
        found: list[Span] = []
        for first, last in spans:
            if first > last:
                continue
            if found and first <= found[-1][1] + 1:
                found[-1] = (found[-1][0], max(found[-1][1], last))
            else:
                found.append((first, last))
        return found


def citing_of(*, organization_id: int) -> Citing:
    """Return what anybody cites of an organization's facts. Needs the scope."""
    return Citing(
        citation for citer in CITERS for citation in citer(organization_id=organization_id)
    )
