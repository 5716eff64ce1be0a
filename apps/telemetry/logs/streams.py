"""Label sets → streams of an organization, and the session each one belongs to."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from apps.diagnosis.model import Origin, Stream
from apps.fleet.hosts.host_names import short
from apps.fleet.models import Attempt, Cluster, Session
from apps.fleet.sessions import session_lookup, session_rows
from apps.telemetry.formats import labels as naming
from apps.telemetry.models import LogStream
from apps.tenancy.models import Organization

Key = bytes  # digest of labels, cluster and kind of order


def key_of(*, labels: Mapping[str, str], cluster_id: int | None, is_stamped: bool) -> Key:
    """Return what identifies a stream inside its organization."""
    marked = {**labels, "": f"{cluster_id}/{'stamps' if is_stamped else 'arrival'}"}
    return naming.digest(labels=marked)


def locked_streams(
    *,
    organization: Organization,
    cluster: Cluster | None,
    labels: Mapping[Key, tuple[Mapping[str, str], bool]],
    now: datetime,
) -> dict[Key, LogStream]:
    """Return the streams of these label sets, made if new, locked until the transaction ends.

    Locked in one order, so that two workers can't wait for each other.
    """
    own = LogStream.objects.for_organization(organization)
    found = own.filter(label_digest__in=list(labels)).values_list("label_digest", flat=True)
    known = {bytes(each) for each in found}
    missing = {key: said for key, said in labels.items() if key not in known}
    joined = _joined_of(organization=organization, cluster=cluster, labels=missing, now=now)
    LogStream.objects.bulk_create(
        [
            _new(organization, cluster, key, labels, is_stamped, joined[_place(labels)])
            for key, (labels, is_stamped) in missing.items()
        ],
        ignore_conflicts=True,
    )
    rows = own.filter(label_digest__in=list(labels)).order_by("label_digest", "id")
    return {bytes(row.label_digest): row for row in rows.select_for_update(of=("self",))}


def origin_of(*, stream: LogStream, received_at: datetime | None) -> Origin:
    """Return what is known about a stream before it is read."""
    return Origin(
        source=f"stream:{stream.pk}",
        stream=Stream(stream.kind) if stream.kind else None,
        host=stream.host or None,
        rank=stream.rank,
        zone=stream.zone or None,
        attempt=naming.place(labels=stream.labels).attempt,
        received_at=received_at,
    )


def join_told_sessions(*, organization_id: int, cluster: Cluster, names: Iterable[str]) -> None:
    """Join streams that waited for a session to be told of. Needs the organization's scope."""
    waiting = LogStream.objects.for_organization(organization_id).filter(
        cluster=cluster, session=None, labels__session__in=sorted(set(names))
    )
    for stream in waiting.order_by("id"):
        place = naming.place(labels=stream.labels)
        session = session_lookup.find_for_log(
            organization_id=organization_id, cluster=cluster, name=place.session
        )
        if session is not None:
            attempt = _attempt(session=session, number=place.attempt)
            waiting.filter(pk=stream.pk).update(session=session, attempt=attempt)


Joined = tuple[Session | None, Attempt | None]


def _place(labels: Mapping[str, str]) -> tuple[str, str, int | None]:
    """Return what of a label set says which session and attempt its lines are of."""
    place = naming.place(labels=labels)
    return labels.get("upload", ""), place.session, place.attempt


def _joined_of(
    *,
    organization: Organization,
    cluster: Cluster | None,
    labels: Mapping[Key, tuple[Mapping[str, str], bool]],
    now: datetime,
) -> dict[tuple[str, str, int | None], Joined]:
    """Return session and attempt of each place, looked up once, and note the hosts they name."""
    found: dict[tuple[str, str, int | None], Joined] = {}
    named: dict[tuple[str, str, int | None], dict[str, None]] = defaultdict(dict)
    for said, _ in labels.values():
        key = _place(said)
        if key not in found:
            found[key] = _joined(organization=organization, cluster=cluster, labels=said, now=now)
        host = naming.place(labels=said).host
        if host:
            named[key][short(name=host)] = None
    for key, hosts in named.items():
        attempt = found[key][1]
        if attempt is not None and attempt.organization_id == organization.pk:
            session_rows.note_hosts(attempt=attempt, hosts=list(hosts))
    return found


def _new(
    organization: Organization,
    cluster: Cluster | None,
    key: Key,
    labels: Mapping[str, str],
    is_stamped: bool,  # noqa: FBT001  unpacked from a pair
    joined: Joined,
) -> LogStream:
    place = naming.place(labels=labels)
    session, attempt = joined
    return LogStream(
        organization=organization,
        cluster=cluster if session is None or session.cluster_id else None,
        session=session,
        attempt=attempt,
        label_digest=key,
        labels=dict(labels),
        kind=place.stream,
        host=place.host,
        rank=place.rank,
        zone=place.zone,
        is_ordered_by_stamp=is_stamped,
    )


def _joined(
    *,
    organization: Organization,
    cluster: Cluster | None,
    labels: Mapping[str, str],
    now: datetime,
) -> Joined:
    """Return the session and attempt that labels name, made where the sender owns it."""
    place = naming.place(labels=labels)
    if "upload" in labels:
        return _ad_hoc(organization=organization, name=labels["upload"], place=place, now=now)
    if not place.session:
        return None, None
    if cluster is None:
        return _ad_hoc(organization=organization, name=place.session, place=place, now=now)
    session = session_lookup.find_for_log(
        organization_id=organization.pk, cluster=cluster, name=place.session
    )
    if session is None and session_lookup.is_tenant(
        organization_id=organization.pk, cluster_id=cluster.pk
    ):
        session = session_rows.find_or_create(
            organization_id=organization.pk,
            cluster=cluster,
            name=place.session,
            now=now,
            simulated=organization.is_simulated,
        )
    if session is None:
        return None, None
    return session, _attempt(session=session, number=place.attempt)


def _ad_hoc(
    *, organization: Organization, name: str, place: naming.StreamLabels, now: datetime
) -> tuple[Session, Attempt]:
    """Return the uploader's own session, which nobody else sees."""
    session = session_rows.find_or_create(
        organization_id=organization.pk, cluster=None, name=name, now=now, simulated=False
    )
    return session, session_rows.attempt_of(session=session, number=place.attempt or 1)


def _attempt(*, session: Session, number: int | None) -> Attempt | None:
    """Return the attempt a label names. Without one, and with several known, time decides later."""
    if number is None and len(_numbers(session)) > 1:
        return None
    return session_rows.attempt_of(session=session, number=number)


def _numbers(session: Session) -> Sequence[int]:
    return list(session.attempts.order_by("number", "id").values_list("number", flat=True)[:2])
