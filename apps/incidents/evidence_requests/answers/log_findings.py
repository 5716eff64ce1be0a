"""Rules of lines: whether the holder's logs of a window hold lines of a kind. Needs its scope.

That nothing was found is said only where the logs are known to be whole: heard before and after the
window, read, kept, without lines that were left out or whose time is open.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q, QuerySet

from apps.diagnosis.checks.load import Check
from apps.diagnosis.model import Extent, Mark, statement
from apps.diagnosis.signatures.marks import marked
from apps.incidents.evidence_requests.answers.covered_part import Span, common, covered_part
from apps.incidents.evidence_requests.answers.values import CheckSubject, CoveredPart, Gap
from apps.telemetry.logs.interpretation import event_rows
from apps.telemetry.models import Batch, BatchState, Deletion, Event, LogStream, VoiceExtent
from apps.telemetry.retention.classes import RetentionClass

LEFT_OUT: Final = marked(Mark.LEFT_OUT)  # lines that say that others are missing
ZONE: Final = timedelta(hours=15)  # no zone is further from UTC
WAITS: Final = timedelta(minutes=5)  # what came in later is about to be read
NEAR: Final = timedelta(days=1)  # of a log of the cluster that spoke so near it is expected


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLines:
    """Lines of a kind within the window, and why there may be more."""

    count: int
    first_at: datetime | None
    gaps: tuple[Gap, ...]
    logs: int
    part: CoveredPart | None = None  # of the window, where not all of it is covered


def found_lines(*, check: Check, subject: CheckSubject) -> FoundLines:
    """Return what the holder's logs hold of a rule's lines."""
    own = LogStream.objects.for_organization(subject.holder_id)
    streams = own.filter(cluster=subject.cluster_id, kind=check.stream)
    events = Event.objects.for_organization(subject.holder_id).filter(stream__in=streams)
    wanted = _wanted(check)
    hosts = frozenset(map(subject.named, subject.hosts)) if check.of == "hosts" else None
    inside = Q(at__gte=subject.starts_at, at__lt=subject.ends_at)
    times = [
        (at, count) for at, count in _times(events.filter(wanted, inside), subject, hosts) if at
    ]
    heard = _heard(streams, subject, hosts)
    gaps = [
        *_of_logs(heard, subject, hosts),
        *_left_out(events.filter(inside, signature__in=LEFT_OUT), subject, hosts),
        *_untimed(events.filter(wanted), subject, hosts),
        *_not_there(subject),
    ]
    return FoundLines(
        count=sum(count for _, count in times),
        first_at=min((at for at, _ in times), default=None),
        gaps=tuple(gaps),
        logs=sum(map(bool, heard.values())),
        part=covered_part(spans=_spans(heard, subject, hosts), gaps=gaps, subject=subject),
    )


def _wanted(check: Check) -> Q:
    if check.signatures:
        return Q(signature__in=check.signatures)
    if check.layers:
        return Q(layer__in=check.layers, severity__in=check.severities)
    wanted = Q()
    for cause in check.causes:
        wanted |= Q(body__causes__contains=[cause])
    return wanted


def _times(
    events: QuerySet[Event], subject: CheckSubject, hosts: frozenset[str] | None
) -> Iterable[tuple[datetime | None, int]]:
    """Yield when each line was, and how often it was repeated, of hosts where some are meant."""
    rows = events.values_list("at", "host", "stream__host", "body__count").order_by("id")
    for at, host, log_host, count in rows.iterator(chunk_size=5000):
        if hosts is None or subject.named(host or log_host) in hosts:
            yield at, int(count or 1)


def _heard(
    streams: QuerySet[LogStream], subject: CheckSubject, hosts: frozenset[str] | None
) -> Mapping[str, Sequence[Extent]]:
    """Return host → from when to when each of its logs was heard."""
    found: defaultdict[str, list[Extent]] = defaultdict(list)
    rows = VoiceExtent.objects.for_organization(subject.holder_id).filter(stream__in=streams)
    for row in rows.select_related("stream").order_by("id"):
        host = subject.named(row.host or row.stream.host)
        if hosts is None or host in hosts:
            found[host].append(event_rows.extent_of(row=row))
    return found


def _of_logs(
    heard: Mapping[str, Sequence[Extent]], subject: CheckSubject, hosts: frozenset[str] | None
) -> list[Gap]:
    if hosts is None:
        near = {
            host: kept
            for host, extents in heard.items()
            if (kept := [each for each in extents if _is_near(each, subject)])
        }
        found = [each for host in sorted(near) if (each := _gap(host, near[host], subject))]
        return [_unnamed(each, subject) for each in found] or ([] if near else [_no_log("")])
    shown = {subject.named(each): each for each in subject.hosts}
    told = [_gap(shown[host], heard.get(host, ()), subject) for host in sorted(hosts)]
    return [each for each in told if each] or ([] if hosts else [_no_host()])


def _spans(
    heard: Mapping[str, Sequence[Extent]], subject: CheckSubject, hosts: frozenset[str] | None
) -> Mapping[str, Sequence[Span]]:
    """Return host → the spans of the window in which one of its logs was heard.

    Of the logs of a cluster nobody is named: a span counts where all that are near were heard.
    """
    if hosts is None:
        near = [[each for each in extents if _is_near(each, subject)] for extents in heard.values()]
        told = [_within(extents, subject) for extents in near if extents]
        return {"": _of_all(told)} if told else {}
    shown = {subject.named(each): each for each in subject.hosts}
    return {shown[host]: _within(heard.get(host, ()), subject) for host in hosts}


def _of_all(told: Sequence[Sequence[Span]]) -> Sequence[Span]:
    found = list(told[0])
    for each in told[1:]:
        found = common(found, each)
    return found


def _within(extents: Sequence[Extent], subject: CheckSubject) -> list[Span]:
    window = [(subject.starts_at, subject.ends_at)]
    spans = [(each.first_at, each.last_at) for each in extents if each.first_at and each.last_at]
    return common(window, spans)


def _unnamed(gap: Gap, subject: CheckSubject) -> Gap:
    """Return a gap of a log of the cluster: its host is named to who knows it alone."""
    is_known = subject.knows_all_hosts or gap.host in {*map(subject.named, subject.hosts)}
    return gap if is_known else replace(gap, host="")


def _is_near(extent: Extent, subject: CheckSubject) -> bool:
    if extent.first_at is None or extent.last_at is None:
        return False
    return extent.first_at <= subject.ends_at + NEAR and extent.last_at >= subject.starts_at - NEAR


def _gap(host: str, extents: Sequence[Extent], subject: CheckSubject) -> Gap | None:
    """Return why a host's logs do not cover the window; None where one of them does."""
    spans = [(each.first_at, each.last_at) for each in extents if each.first_at and each.last_at]
    if not spans:
        return _no_log(host)
    begun = [each for each in spans if each[0] <= subject.starts_at]
    if not begun:
        return Gap(host=host, why=statement("gap-log-begins", at=min(each[0] for each in spans)))
    last = max(each[1] for each in begun)
    if last < subject.ends_at:
        return Gap(host=host, why=statement("gap-log-ends", at=last))
    return None


def _no_log(host: str) -> Gap:
    return Gap(host=host, why=statement("gap-no-log"))


def _no_host() -> Gap:
    return Gap(host="", why=statement("gap-no-host"))


def _left_out(
    events: QuerySet[Event], subject: CheckSubject, hosts: frozenset[str] | None
) -> list[Gap]:
    found = next(iter(_times(events, subject, hosts)), None)
    if found is None or found[0] is None:
        return []
    return [Gap(host="", why=statement("gap-lines-left-out", at=found[0]))]


def _untimed(
    events: QuerySet[Event], subject: CheckSubject, hosts: frozenset[str] | None
) -> list[Gap]:
    """Return whether lines of the kind may be of the window: they printed no time, or no zone."""
    around = Q(local_at__gte=subject.starts_at - ZONE, local_at__lt=subject.ends_at + ZONE)
    rows = events.filter(Q(local_at=None) | around, at=None)
    count = sum(1 for _ in _times(rows, subject, hosts))
    return [Gap(host="", why=statement("gap-lines-without-time", count=count))] if count else []


def _not_there(subject: CheckSubject) -> list[Gap]:
    """Return whether lines may have gone, or may not have been read."""
    own = subject.holder_id
    gone = Deletion.objects.for_organization(own).filter(
        kind=RetentionClass.EVENTS, before__gt=subject.starts_at
    )
    batches = Batch.objects.for_organization(own).filter(
        Q(cluster=subject.cluster_id) | Q(cluster=None), received_at__gte=subject.starts_at
    )
    late = Q(state=BatchState.ACCEPTED, received_at__lt=subject.now - WAITS)
    gaps = []
    if gone.exists():
        gaps.append(Gap(host="", why=statement("gap-lines-deleted")))
    if batches.filter(late | Q(state=BatchState.DEAD)).exists():
        gaps.append(Gap(host="", why=statement("gap-lines-unread")))
    return gaps
