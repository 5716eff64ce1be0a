"""Everything stored about one attempt, as the values that a diagnosis takes. Needs the scopes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apps.diagnosis.model import (
    Anomaly,
    Coverage,
    CoverageState,
    Event,
    Reading,
    SessionFacts,
    Stream,
    Topology,
)
from apps.fleet.authority.agreed_terms import Authority, authority_of
from apps.fleet.authority.rules import Subject, subject_of
from apps.fleet.devices.change_facts import changed_parts
from apps.fleet.hosts.host_names import aliases_for, resolve
from apps.fleet.models import Attempt
from apps.fleet.placement.topology import facts_of, topology_of
from apps.incidents.correlation.evidence_holders import Holders
from apps.telemetry.attempts.readings import StoredReadings, readings_of_attempt
from apps.telemetry.attempts.told_states import LABEL, ToldStates, is_state, told_states
from apps.telemetry.metrics.anomaly_rows import StoredAnomaly, anomalies_between
from apps.telemetry.metrics.coverage import served_by
from apps.telemetry.metrics.pulls.pull_schedule import KINDS
from apps.telemetry.models import Source
from apps.tenancy.lookups import parties_ever_of

# Precursors up to hours old are context; the join decides what may be a cause.
BEFORE = timedelta(hours=1)
AFTER = timedelta(minutes=20)
LONGEST = timedelta(days=3)
# A part that was replaced so long before is still worth telling.
CHANGED_BEFORE = timedelta(hours=72)
# How a source's state is called that makes metrics present, or stale.
STATES = {CoverageState.PRESENT: "fresh", CoverageState.STALE: "stale"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The input of one diagnosis, and who holds which part of it."""

    readings: Sequence[Reading]
    anomalies: Sequence[Anomaly]
    topology: Topology
    facts: SessionFacts
    expected: Sequence[Coverage]
    holders: Holders
    newest_received_at: datetime | None
    # What vendors tell of parts that nobody knows to serve the attempt.
    supposed: Callable[[], Sequence[Reading]] = tuple
    is_cut: bool = False  # of what some organization's logs tell not all was looked at


def gather(*, attempt: Attempt) -> Gathered:
    """Return what is known about an attempt and its hosts around it."""
    stored = readings_of_attempt(attempt=attempt)
    authority = authority_of(cluster_id=attempt.session.cluster_id)
    told = told_states(attempt=attempt, authority=authority)
    anomalies = _anomalies(attempt=attempt, stored=stored, authority=authority)
    changed = _changed(attempt=attempt, stored=stored)
    last = _span(attempt=attempt, stored=stored)[1] - AFTER
    return Gathered(
        readings=[*stored.readings, *told.readings],
        anomalies=[*(each.anomaly for each in anomalies), *(fact for _, fact in changed)],
        # The parts that sat there then, whatever was replaced since.
        topology=topology_of(attempt=attempt, at=last),
        facts=told.bear_on(facts_of(attempt=attempt)),
        expected=[
            *_metrics_coverage(attempt=attempt, authority=authority, anomalies=anomalies),
            *_told_coverage(attempt, stored),
        ],
        holders=_holders(
            attempt=attempt,
            stored=stored,
            told=told,
            anomalies=anomalies,
            changed=changed,
            authority=authority,
        ),
        newest_received_at=max(
            filter(None, (stored.newest_received_at, told.received_at)), default=None
        ),
        supposed=stored.supposed,
        is_cut=stored.is_cut,
    )


def _anomalies(
    *, attempt: Attempt, stored: StoredReadings, authority: Authority
) -> list[StoredAnomaly]:
    """Return what its tenant's metrics show, and, once its hosts are sure, what others' show."""
    cluster_id = attempt.session.cluster_id
    if cluster_id is None:
        return []
    starts_at, ends_at = _span(attempt=attempt, stored=stored)
    found = anomalies_between(
        organization_ids=parties_ever_of(cluster_id=cluster_id)
        if attempt.asserted_hosts
        else [attempt.organization_id],
        cluster_id=cluster_id,
        hosts=attempt.hosts,
        starts_at=starts_at,
        ends_at=ends_at,
    )
    return [
        each
        for each in found
        if each.organization_id == attempt.organization_id
        or (
            not is_claimed(each, authority)
            and stored.is_sure_of(each.organization_id, each.anomaly, each.received_at)
        )
    ]


def is_claimed(found: StoredAnomaly, authority: Authority) -> bool:
    """Say whether who watches a thing does not run it."""
    return not authority.asserts(
        organization_id=found.organization_id,
        subject=subject_of(stream="", layer=found.anomaly.layer),
        at=found.received_at,
    )


def _changed(*, attempt: Attempt, stored: StoredReadings) -> list[tuple[int, Anomaly]]:
    """Return (holder, fact) of the parts of its hosts that became others not long before."""
    cluster_id = attempt.session.cluster_id
    if cluster_id is None:
        return []
    ends_at = _span(attempt=attempt, stored=stored)[1]
    starts_at = max(ends_at - CHANGED_BEFORE, datetime.min.replace(tzinfo=UTC))
    found = changed_parts(
        cluster_id=cluster_id,
        reader_id=attempt.organization_id,
        hosts=attempt.hosts,
        starts_at=starts_at,
        ends_at=ends_at,
    )
    own = attempt.organization_id
    return [each for each in found if attempt.hosts_asserted or each[0] == own]


def _span(*, attempt: Attempt, stored: StoredReadings) -> tuple[datetime, datetime]:
    heard = [
        at
        for reading in stored.readings
        for extent in reading.extents
        for at in (extent.first_at, extent.last_at)
        if at is not None
    ]
    last = attempt.ended_at or max(heard, default=datetime.max.replace(tzinfo=UTC) - AFTER)
    first = attempt.started_at or min(heard, default=datetime.min.replace(tzinfo=UTC) + BEFORE)
    return max(first - BEFORE, last - LONGEST), last + AFTER


def _told_coverage(attempt: Attempt, stored: StoredReadings) -> list[Coverage]:
    """Return that the scheduler was heard where it told start and end itself, without a log."""
    is_told = {"started_at", "ended_at"} <= attempt.field_sources.keys()
    has_log = any(reading.origin.stream is Stream.SCHEDULER for reading in stored.readings)
    if not is_told or has_log:
        return []
    return [Coverage(source="scheduler-log", state=CoverageState.PRESENT)]


def _metrics_coverage(
    *, attempt: Attempt, authority: Authority, anomalies: Sequence[StoredAnomaly]
) -> list[Coverage]:
    """Return whether metrics of its hosts could be read, by who runs these or by its tenant.

    A stale source is not a silent one. What a source says of other hosts is nothing here.
    """
    own = attempt.organization_id
    sources = Source.objects.filter(
        cluster=attempt.session.cluster_id, kind__in=KINDS, is_enabled=True
    )
    if attempt.session.cluster_id is not None:
        watching = authority.asserting(Subject.HOST) if attempt.asserted_hosts else {}
        sources = sources.filter(organization__in={*watching, own})
    aliases = aliases_for(attempt=attempt)
    names = {*attempt.hosts, *(resolve(name=each, aliases=aliases) for each in attempt.hosts)}
    noticed = {each.source_id for each in anomalies if each.anomaly.entity.host}
    found = {"absent"}
    for source in sources.order_by("id"):
        served = served_by(organization_id=source.organization_id, source_id=source.pk)
        if served is None:
            is_here = source.state == "stale"  # it was to be read, and never was
        else:
            is_here = bool(served.hosts & names) or (not names and source.organization_id == own)
        if is_here or source.pk in noticed:
            found.add(source.state)
    for state in (CoverageState.PRESENT, CoverageState.STALE):
        if STATES[state] in found:
            return [Coverage(source="metrics", state=state)]
    return [Coverage(source="metrics", state=CoverageState.ABSENT)]


def _holders(
    *,
    attempt: Attempt,
    stored: StoredReadings,
    told: ToldStates,
    anomalies: Sequence[StoredAnomaly],
    changed: Sequence[tuple[int, Anomaly]],
    authority: Authority,
) -> Holders:
    of_source = dict(stored.holder_of_source)
    label = dict(stored.label_of_source)
    for each in anomalies:
        of_source[each.anomaly.source] = each.organization_id
        label[each.anomaly.source] = "metrics"
    # Its tenant reads the states of its session, whoever told them.
    of_source |= {each.origin.source: attempt.organization_id for each in told.readings}
    label |= {each.origin.source: LABEL for each in told.readings}
    for holder_id, fact in changed:
        of_source[fact.source] = holder_id
        label[fact.source] = "inventory"
    claimed = [each.anomaly for each in anomalies if is_claimed(each, authority)]
    own = attempt.organization_id
    if not authority.asserts(organization_id=own, subject=Subject.NODES):
        claimed += [fact for holder, fact in changed if holder == own]
    claims = {(fact.source, fact.layer) for fact in claimed}
    numbers = {(e.anomaly.signal, e.anomaly.entity, e.anomaly.starts_at): e.id for e in anomalies}

    def reference(fact: Event | Anomaly) -> str:
        if isinstance(fact, Event):
            return f"{fact.line.origin.source}/{fact.line.number}"
        number = numbers.get((fact.signal, fact.entity, fact.starts_at))
        return f"anomaly:{number}" if number else ""

    def is_claim(fact: Event | Anomaly) -> bool:
        if isinstance(fact, Event):
            source = fact.line.origin.source
            holder_id = of_source.get(source, attempt.organization_id)
            return told.is_claim(fact) if is_state(source) else stored.is_claim(holder_id, fact)
        return (fact.source, fact.layer) in claims

    return Holders(
        owner_id=attempt.organization_id,
        of_source=of_source,
        label=label,
        reference=reference,
        is_claim=is_claim,
    )
