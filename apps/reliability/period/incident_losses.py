"""What each incident of a time cost, as far as its reader knows it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.incidents.projection.counted_incidents import CountedIncident
from apps.reliability.period.facts import PeriodAttempt, PeriodFacts
from apps.reliability.sessions.attempt_facts import MEANT, end_state
from apps.training.economics.losses import IncidentLoss

SLOW: Final = "slow"
SEVERAL: Final = "several"  # hosts are blamed: the loss is no single one's
SECOND_MS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLoss:
    """An incident with what it cost. `loss` is in seconds of one GPU: attempts differ in size."""

    incident: CountedIncident
    loss: IncidentLoss
    is_unsized: bool  # nobody told how large what it hit was, or the reader may not know
    is_partial: bool  # what was trained since the last checkpoint is not known
    is_slow_unknown: bool  # nor how much slower than usual its steps were
    is_measured: bool  # of something that it hit the reader knows steps
    is_unfollowed: bool  # of something that it ended no next start is known

    @property
    def is_incomplete(self) -> bool:
        """Say whether it cost more than is known, perhaps."""
        return self.is_unsized or self.is_partial or self.is_slow_unknown


def known_losses(facts: PeriodFacts) -> list[KnownLoss]:
    """Return what incidents cost, the oldest first. Each end and each slow time counts once."""
    attempts = {each.times.id: each for each in facts.attempts}
    ordered = sorted(facts.incidents, key=lambda each: (each.kind != SLOW, each.moment, each.id))
    slowed = dict(_first_of(ordered, attempts))
    ends = dict(_first_of([e for e in ordered if e.kind != SLOW], attempts))
    found = [_known(each, attempts, slowed, ends) for each in ordered]
    return sorted(found, key=lambda each: (each.incident.moment, each.incident.id))


def _first_of(
    incidents: Sequence[CountedIncident], attempts: Mapping[int, PeriodAttempt]
) -> Iterator[tuple[int, int]]:
    """Yield attempt → the incident that its loss is put down to: the first that hit it."""
    taken: set[int] = set()
    for incident in incidents:
        for attempt_id in sorted(incident.attempt_ids):
            if attempt_id in attempts and attempt_id not in taken:
                taken.add(attempt_id)
                yield attempt_id, incident.id


def _known(
    incident: CountedIncident,
    attempts: Mapping[int, PeriodAttempt],
    slowed: Mapping[int, int],
    ends: Mapping[int, int],
) -> KnownLoss:
    hit = [attempts[each] for each in sorted(incident.attempt_ids) if each in attempts]
    sized = [each for each in hit if each.times.gpus]
    ended = [each for each in sized if ends.get(each.times.id) == incident.id]
    slow = [each for each in sized if slowed.get(each.times.id) == incident.id]
    return KnownLoss(
        incident=incident,
        loss=IncidentLoss(
            incident=incident.public_id,
            at=incident.moment,
            gpus=1,
            layer=incident.layer,
            cause=incident.cause,
            node=_node(incident.hosts),
            party=incident.parties,
            progress_seconds=sum(_gpus(each) * _progress(each) for each in ended),
            downtime_seconds=sum(_gpus(each) * _downtime(each) for each in ended),
            slow_seconds=sum(_gpus(each) * _slow(each) for each in slow),
        ),
        is_unsized=len(sized) < len(hit) or not hit,
        is_partial=any(not _knows_progress(each) for each in ended),
        is_slow_unknown=any(not _knows_steps(each) for each in slow),
        is_measured=any(map(_knows_steps, [*ended, *slow])),
        is_unfollowed=any(downtime_seconds(each) is None for each in ended),
    )


def _node(hosts: tuple[str, ...] | None) -> str:
    if not hosts:
        return ""
    return hosts[0] if len(hosts) == 1 else SEVERAL


def _gpus(one: PeriodAttempt) -> int:
    return one.times.gpus or 0


def _knows_progress(one: PeriodAttempt) -> bool:
    return _knows_steps(one) and one.measure is not None and not one.measure.is_unsure


def _knows_steps(one: PeriodAttempt) -> bool:
    return one.measure is not None and one.measure.is_told


def _progress(one: PeriodAttempt) -> float:
    return one.measure.lost_progress_ms / SECOND_MS if one.measure else 0.0


def _slow(one: PeriodAttempt) -> float:
    return one.measure.straggler_ms / SECOND_MS if one.measure else 0.0


def _downtime(one: PeriodAttempt) -> float:
    return downtime_seconds(one) or 0.0


def downtime_seconds(one: PeriodAttempt) -> float | None:
    """Return how long nothing was trained after an attempt; None where nothing came after it.

    From its last step to the next one where both are known, else from its end to the next begin.
    """
    if one.measure is not None and one.measure.downtime_ms is not None:
        return one.measure.downtime_ms / SECOND_MS
    if one.times.ended_at is None or one.next_at is None or end_state(one.times.state) in MEANT:
        return None
    return max(0.0, (one.next_at - one.times.ended_at).total_seconds())
