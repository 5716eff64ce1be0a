"""What each incident of a time cost, as far as its reader knows it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.states import VerdictState
from apps.reliability.period.facts import PeriodAttempt, PeriodFacts
from apps.reliability.sessions.attempt_facts import MEANT, end_state
from apps.training.economics.losses import IncidentLoss

SLOW: Final = "slow"
SEVERAL: Final = "several"  # hosts are blamed: the loss is no single one's
SECOND_MS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLoss:
    """An incident with what it cost. `loss` is in seconds of one GPU: attempts differ in size."""

    header: IncidentHeader
    loss: IncidentLoss
    hosts: tuple[str, ...] | None  # that it blames; None: hidden
    is_disputed: bool
    is_unsized: bool  # nobody told how large what it hit was, or the reader may not know
    is_partial: bool  # what was trained since the last checkpoint is not known


def known_losses(facts: PeriodFacts, headers: Sequence[IncidentHeader]) -> list[KnownLoss]:
    """Return what incidents cost, the oldest first. Each end and each slow time counts once."""
    attempts = {each.times.id: each for each in facts.attempts}
    ordered = sorted(headers, key=lambda each: (each.incident.kind != SLOW, each.moment, each.id))
    slowed = dict(_first_of(ordered, attempts))
    ends = dict(_first_of([e for e in ordered if e.incident.kind != SLOW], attempts))
    found = [_known(each, attempts, slowed, ends, facts) for each in ordered]
    return sorted(found, key=lambda each: (each.header.moment, each.header.id))


def _first_of(
    headers: Sequence[IncidentHeader], attempts: Mapping[int, PeriodAttempt]
) -> Iterator[tuple[int, int]]:
    """Yield attempt → the incident that its loss is put down to: the first that hit it."""
    taken: set[int] = set()
    for header in headers:
        for attempt_id in sorted(hit_by(header) & attempts.keys() - taken):
            taken.add(attempt_id)
            yield attempt_id, header.id


def hit_by(header: IncidentHeader) -> set[int]:
    """Return the attempts that an incident hit, those that its reader may know of."""
    return {each.id for each in header.attempts} | ({header.incident.attempt_id or 0} - {0})


def _known(
    header: IncidentHeader,
    attempts: Mapping[int, PeriodAttempt],
    slowed: Mapping[int, int],
    ends: Mapping[int, int],
    facts: PeriodFacts,
) -> KnownLoss:
    hit = [attempts[each] for each in sorted(hit_by(header) & attempts.keys())]
    sized = [each for each in hit if each.times.gpus]
    ended = [each for each in sized if ends.get(each.times.id) == header.id]
    slow = [each for each in sized if slowed.get(each.times.id) == header.id]
    hosts = blamed_hosts(header)
    return KnownLoss(
        header=header,
        loss=IncidentLoss(
            incident=header.incident.public_id,
            at=header.moment,
            gpus=1,
            layer=header.incident.layer,
            cause=header.incident.cause,
            node=_node(hosts),
            party=_party(header),
            progress_seconds=sum(_gpus(each) * _progress(each) for each in ended),
            downtime_seconds=sum(_gpus(each) * _downtime(each) for each in ended),
            slow_seconds=sum(_gpus(each) * _slow(each) for each in slow),
        ),
        hosts=hosts,
        is_disputed=header.coordination.verdict.state(now=facts.now) is VerdictState.CONTESTED,
        is_unsized=len(sized) < len(hit) or not hit,
        is_partial=any(not _knows_progress(each) for each in ended),
    )


def blamed_hosts(header: IncidentHeader) -> tuple[str, ...] | None:
    """Return the hosts that an incident blames, each once; None where that is hidden."""
    if header.culprits is None:
        return None
    return tuple(sorted({str(each["host"]) for each in header.culprits if each.get("host")}))


def _node(hosts: tuple[str, ...] | None) -> str:
    if not hosts:
        return ""
    return hosts[0] if len(hosts) == 1 else SEVERAL


def _party(header: IncidentHeader) -> str:
    """Return who answers for the blamed layer, as the reader knows it."""
    return ", ".join(sorted(each.organization.name for each in header.parties if each.answers))


def _gpus(one: PeriodAttempt) -> int:
    return one.times.gpus or 0


def _knows_progress(one: PeriodAttempt) -> bool:
    return one.measure is not None and one.measure.is_told and not one.measure.is_unsure


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
