"""States that a scheduler reports of an attempt → what they say of why it ended, as a reading.

A node that failed is told by a state as by a row of sacct's table in a log: it is the same word.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from apps.diagnosis.model import (
    EndState,
    Event,
    LogLine,
    Origin,
    Reading,
    SessionFacts,
    Stream,
)
from apps.diagnosis.signatures.event_builder import plain_event
from apps.diagnosis.signatures.marks import sole
from apps.diagnosis.signatures.records.accounting import SPEAKS
from apps.fleet.authority.agreed_terms import Authority
from apps.fleet.authority.rules import SenderStanding, Subject
from apps.fleet.hosts.host_names import short
from apps.fleet.models import Attempt, AttemptState
from apps.fleet.sessions.state_history import IN_ORDER
from apps.tenancy.models import Organization

SLURM: Final = frozenset({"slurm", ""})
SHORT: Final[Mapping[str, str]] = {"NF": "NODE_FAIL", "BF": "BOOT_FAIL", "OOM": "OUT_OF_MEMORY"}
LABEL: Final = "state of the scheduler"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldStates:
    """What states say of one attempt; empty where they say nothing."""

    readings: tuple[Reading, ...] = ()
    claimed: frozenset[int] = field(default_factory=frozenset)  # numbers of lines
    received_at: datetime | None = None
    is_failure_last: bool = False  # the last word of who runs the scheduler is one of these

    def is_claim(self, event: Event) -> bool:
        """Say whether who told it does not run the scheduler."""
        return event.line.number in self.claimed

    def bear_on(self, facts: SessionFacts) -> SessionFacts:
        """Return what is known of the session: no word of its tenant takes back that it failed,
        once who runs its scheduler said so.
        """
        return replace(facts, state=EndState.FAILED) if self.is_failure_last else facts


def told_states(*, attempt: Attempt, authority: Authority) -> ToldStates:
    """Return what states of an attempt say of its end. Needs the tenant's scope.

    Of several who tell one thing the word of who runs the scheduler counts, then the earliest.
    """
    rows = list(_rows(attempt))
    if not rows:
        return ToldStates()
    by_slug = Organization.objects.in_bulk({each.source for each in rows}, field_name="slug")
    asserted = {
        slug for slug, each in by_slug.items() if _runs_scheduler(authority, attempt, each.pk)
    }
    chosen: dict[str, AttemptState] = {}
    for row in sorted(rows, key=lambda each: each.source not in asserted):
        chosen.setdefault(_word(row), row)
    told = list(chosen.values())
    return ToldStates(
        readings=(
            Reading(
                origin=_origin(attempt),
                events=tuple(_event(attempt, row, number) for number, row in enumerate(told, 1)),
            ),
        ),
        claimed=frozenset(
            number for number, row in enumerate(told, 1) if row.source not in asserted
        ),
        received_at=max(each.received_at for each in told),
        is_failure_last=_is_failure_last(attempt, asserted),
    )


def _is_failure_last(attempt: Attempt, asserted: Collection[str]) -> bool:
    """Say whether those who run the scheduler said nothing later, such as that it began anew."""
    own = AttemptState.objects.for_organization(attempt.organization_id)
    rows = own.filter(attempt=attempt, source__in=asserted).exclude(at=None)
    last = rows.order_by(*IN_ORDER).last()
    return last is not None and _word(last) in SPEAKS


def is_state(source: str) -> bool:
    """Say whether a source is the states of an attempt."""
    return source.startswith("states:")


def _rows(attempt: Attempt) -> Iterable[AttemptState]:
    own = AttemptState.objects.for_organization(attempt.organization_id)
    rows = own.filter(attempt=attempt, word__in=[*SPEAKS, *SHORT]).exclude(at=None)
    return (each for each in rows.order_by(*IN_ORDER) if each.scheduler.lower() in SLURM)


def _runs_scheduler(authority: Authority, attempt: Attempt, organization_id: int) -> bool:
    said = authority.standing(
        organization_id=organization_id,
        subject=Subject.SCHEDULER,
        is_own=organization_id == attempt.organization_id,
    )
    return said is SenderStanding.ASSERTED


def _origin(attempt: Attempt) -> Origin:
    return Origin(source=f"states:{attempt.pk}", stream=Stream.SCHEDULER, attempt=attempt.number)


def _event(attempt: Attempt, row: AttemptState, number: int) -> Event:
    word, job = _word(row), attempt.session.name
    line = LogLine(
        origin=_origin(attempt),
        number=number,
        text=f"JobId={job} State={word}",
        at=row.at,
        stream=Stream.SCHEDULER,
    )
    fields = {"job": job, "state": word}
    # Slurm names the node that failed, where it is asked for it.
    if short(name=row.reason) in {short(name=each) for each in attempt.hosts}:
        fields["host"] = short(name=row.reason)
    return plain_event(line=line, signature=sole(SPEAKS[word]), fields=fields)


def _word(row: AttemptState) -> str:
    return SHORT.get(row.word, row.word)
