"""What must stay because somebody cites it. Apps above add themselves when they start.

Asked before anything goes: who can't answer stops the run, and nothing is lost. Who cites holds
off the retention until its transaction ends, so that nothing is cited while it goes.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from threading import Event
from typing import Final

from django.db import OperationalError, connection, transaction
from psycopg.errors import LockNotAvailable

from apps.diagnosis.input_values import MOST_ROWS, whole_number
from apps.telemetry.retention.citation_keys import line_place
from apps.tenancy.database.advisory_locks import Lock, hold, hold_shared


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A line or an anomaly by its reference: `stream:<id>/<line number>` or `anomaly:<id>`."""

    reference: str
    margin: int = 0  # lines before and after it that belong to the citation
    table: str = ""  # where it is written, and the largest id there that says so
    id: int = 0


# Called with organization_id in its scope, and with `after`: of each table the largest id known.
Citer = Callable[..., Iterable[Citation]]
CITERS: list[Citer] = []
WAITS: Final = "250ms"  # at a time for those who cite now: as long as others wait behind
TRIES: Final = 10
PAUSE_SECONDS: Final = 0.25
Span = tuple[int, int]  # first and last line number


class Citing:
    """Everything that is cited of an organization's facts."""

    def __init__(self, citations: Iterable[Citation]) -> None:
        self._lines: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._anomalies: set[int] = set()
        self._until: dict[str, int] = {}
        self.learn(citations)

    @property
    def until(self) -> Mapping[str, int]:
        """Return the largest id known of each table that citations are written in."""
        return self._until

    @property
    def streams(self) -> frozenset[int]:
        """Return the streams with a cited line."""
        return frozenset(self._lines)

    def learn(self, citations: Iterable[Citation]) -> None:
        """Add what was cited meanwhile."""
        for citation in citations:
            self._add(citation)
            known = self._until.get(citation.table, 0)
            self._until[citation.table] = max(known, citation.id)
        for lines in self._lines.values():
            lines.sort()

    def _add(self, citation: Citation) -> None:
        kind, _, name = citation.reference.partition(":")
        key = whole_number(name, most=MOST_ROWS)
        if kind == "anomaly" and key is not None:
            self._anomalies.add(key)
        place = line_place(reference=citation.reference)
        if place is not None:
            stream_id, number = place
            self._lines[stream_id].append((number, citation.margin))

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


def hold_off(*, organization_ids: Iterable[int]) -> None:
    """Let nothing of these organizations go until the transaction ends: it is about to be cited.

    To be called before any row is locked.
    """
    for organization_id in sorted(set(organization_ids)):
        hold_shared(Lock.CITATIONS, organization_id)


def citing_of(*, organization_id: int) -> Citing:
    """Return what anybody cites of an organization's facts; nobody cites more until the end.

    Needs the scope; the end is that of the transaction.
    """
    citing = Citing(())
    look_again(citing=citing, organization_id=organization_id)
    return citing


def look_again(*, citing: Citing, organization_id: int) -> None:
    """Learn what was cited since the last look; nobody cites more until the transaction ends."""
    _close(organization_id)
    after = dict(citing.until)
    for citer in CITERS:
        citing.learn(citer(organization_id=organization_id, after=after))


def _close(organization_id: int) -> None:
    """Wait for those who cite now, a moment at a time.

    Whoever waits for a lock stands in front of all who come later: during one long wait for one
    organization's diagnosis those of its whole cluster would stand still.
    """
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                _try_to_close(organization_id)
        except OperationalError as error:
            if not left or not isinstance(error.__cause__, LockNotAvailable):
                raise
            Event().wait(PAUSE_SECONDS)
        else:
            return


def _try_to_close(organization_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('lock_timeout')")
        (former,) = cursor.fetchone()
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [WAITS])
        hold(Lock.CITATIONS, organization_id)
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [former])
