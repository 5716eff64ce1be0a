"""What is there of an organization that begins, read through the doors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from apps.fleet.access import access_clusters, parts_in
from apps.fleet.models import Cluster
from apps.notifications.delivery.delivery_log import is_mail_delivered
from apps.sharing.facade.agreements import list_agreements
from apps.telemetry.facade.sources import list_sources
from apps.telemetry.status.completeness import Completeness, completeness_of
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import MemberRole
from apps.tenancy.people.members import access_members


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstFacts:
    """What decides which of the first steps are done."""

    parts: tuple[str, ...] = ()  # of the organization, in the cluster that is looked at
    cluster: str = ""  # its name; empty: the organization takes part in none
    flow: Completeness | None = None  # what comes in of that cluster
    other_source_count: int = 0  # of metrics, without a cluster
    has_session: bool = False
    has_others: bool = False  # somebody else takes part in the cluster
    agreed_with: tuple[str, ...] = ()  # names
    waits_for_reader: bool = False  # an agreement that the other side proposed
    waits_for_other: bool = False
    is_mail_set_up: bool = False
    is_mail_delivered: bool = False
    member_count: int = 1
    admin_count: int = 1
    can_manage: bool = False


def facts_of(*, actor: Actor, has_session: bool, now: datetime) -> FirstFacts:
    """Return what is there of the actor's organization, of its first cluster. Needs its scope."""
    cluster = access_clusters(actor=actor).first()
    members = access_members(actor=actor)
    agreements = list_agreements(actor=actor, now=now)
    waiting = [each for each in agreements if each.waiting is not None]
    parts = _parts(actor, cluster)
    flow = completeness_of(actor=actor, cluster=cluster, now=now) if cluster else None
    return FirstFacts(
        parts=tuple(parts),
        cluster=cluster.name if cluster else "",
        flow=flow,
        other_source_count=0 if cluster else list_sources(actor=actor).count(),
        has_session=has_session,
        has_others=flow is not None and bool(flow.parts - set(parts)),
        agreed_with=tuple(each.other.name for each in agreements if each.current is not None),
        waits_for_reader=any(each.waits_for_reader for each in waiting),
        waits_for_other=any(not each.waits_for_reader for each in waiting),
        is_mail_set_up=bool(settings.PORTAL_SMTP),
        is_mail_delivered=is_mail_delivered(actor=actor),
        member_count=len(members),
        admin_count=sum(each.role == MemberRole.ADMIN for each in members),
        can_manage=Right.MANAGE in actor.rights,
    )


def _parts(actor: Actor, cluster: Cluster | None) -> Sequence[str]:
    if cluster is None:
        return ()
    return list(dict.fromkeys(row.part for row in parts_in(actor=actor, cluster=cluster)))
