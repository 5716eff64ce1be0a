"""When reports are issued by themselves: the range that is due, and setting a schedule."""

import secrets
from collections.abc import Collection
from datetime import UTC, datetime, time, timedelta
from typing import Final

from apps.fleet.access import access_cluster
from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.fleet.values import cluster_name
from apps.notifications.fan_out import recipients_of
from apps.reliability.models import ReportRhythm, ReportSchedule
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.access import access_schedule
from apps.reliability.reports.report_values import PossibleRecipient, ScheduleView
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Membership

# Late facts of the last day are there by then.
AFTER: Final = timedelta(hours=6)
DAY: Final = timedelta(days=1)
MOST_RECIPIENTS: Final = 100


class BadSchedule(ValueError):
    """A schedule that can't be; the text says why."""

    def __init__(self, field: str, words: str) -> None:
        super().__init__(words)
        self.field = field


def last_range(rhythm: str, *, now: datetime) -> tuple[datetime, datetime]:
    """Return the last whole week (Monday to Sunday) or month whose report is due; UTC."""
    day = datetime.combine((now - AFTER).astimezone(UTC).date(), time(), tzinfo=UTC)
    if rhythm == ReportRhythm.WEEKLY:
        ends_at = day - day.weekday() * DAY
        return ends_at - 7 * DAY, ends_at
    ends_at = day.replace(day=1)
    return (ends_at - DAY).replace(day=1), ends_at


def next_at(rhythm: str, *, after: datetime) -> datetime:
    """Return when the range that follows `after`, the end of one, is issued."""
    if rhythm == ReportRhythm.WEEKLY:
        return after + 7 * DAY + AFTER
    return (after + 32 * DAY).replace(day=1) + AFTER


def set_schedule(
    *,
    context: ActContext,
    audience: Audience,
    cluster: str | None,
    rhythm: str,
    recipients: Collection[int],
    to_webhook: bool,
) -> str:
    """Set when a report is issued by itself and who is told; return the schedule's id.

    One of each kind: setting it again changes it. Raises NotFound, BadSchedule.
    """
    actor = context.actor
    actor.require(Right.MANAGE)
    found = access_cluster(actor=actor, slug=cluster) if cluster else None
    if found is None and audience is not Audience.OWN:
        raise BadSchedule("cluster", "name the cluster of which all is to be counted")
    members = _members(actor, recipients)
    row, _ = ReportSchedule.objects.for_organization(actor.organization).update_or_create(
        organization=actor.organization,
        audience=audience,
        cluster=found,
        rhythm=rhythm,
        defaults={
            "recipients": members,
            "to_webhook": to_webhook,
            "changed_at": context.now,
        },
        create_defaults={
            "public_id": f"RPS-{secrets.token_hex(4).upper()}",
            "recipients": members,
            "to_webhook": to_webhook,
            "changed_at": context.now,
            "issued_until": last_range(rhythm, now=context.now)[1],
        },
    )
    record_cross_party_act("report.scheduled", f"{row.public_id} {rhythm}", context)
    return row.public_id


def _members(actor: Actor, recipients: Collection[int]) -> list[int]:
    known = Membership.objects.for_organization(actor.organization)
    found = sorted(known.filter(user__in=recipients).values_list("user_id", flat=True))
    if len(found) != len(set(recipients)) or len(found) > MOST_RECIPIENTS:
        raise BadSchedule("recipients", "name members of your organization, 100 at most")
    return found


def drop_schedule(*, context: ActContext, public_id: str) -> None:
    """End a schedule; what was issued stays. Raises NotFound."""
    row = access_schedule(actor=context.actor, public_id=public_id, right=Right.MANAGE)
    row.delete()
    record_cross_party_act("report.schedule_ended", public_id, context)


def member_ids(*, actor: Actor, names: Collection[str]) -> list[int]:
    """Return the ids of members by their user names. Raises BadSchedule for who is none."""
    members = Membership.objects.for_organization(actor.organization)
    found = members.filter(user__username__in=names).values_list("user__username", "user_id")
    known = dict(found)
    if set(names) - known.keys():
        raise BadSchedule("recipients", "name members of your organization, 100 at most")
    return sorted(known.values())


def open_schedule(*, actor: Actor, public_id: str) -> ScheduleView:
    """Return one of the actor's schedules. Raises NotFound."""
    access_schedule(actor=actor, public_id=public_id)
    return next(each for each in list_schedules(actor=actor) if each.public_id == public_id)


def list_schedules(*, actor: Actor) -> list[ScheduleView]:
    """Return the schedules of the actor's organization."""
    actor.require(Right.READ)
    rows = ReportSchedule.objects.for_organization(actor.organization).select_related("cluster")
    names = {each.id: each.name for each in possible_recipients(actor=actor)}
    return [
        ScheduleView(
            public_id=row.public_id,
            audience=Audience(row.audience),
            cluster=cluster_name(row.cluster),
            rhythm=row.rhythm,
            recipients=tuple(names[each] for each in row.recipients if each in names),
            recipient_ids=tuple(row.recipients),
            to_webhook=row.to_webhook,
            next_at=next_at(row.rhythm, after=row.issued_until),
        )
        for row in rows.order_by("audience", "rhythm", "id")
    ]


def possible_recipients(*, actor: Actor) -> list[PossibleRecipient]:
    """Return the members, and which of them can be written to."""
    organization = actor.organization
    reachable = {each.user.pk for each in recipients_of(organization=organization)}
    members = Membership.objects.for_organization(organization).select_related("user")
    return [
        PossibleRecipient(
            id=member.user_id,
            name=member.user.get_full_name() or member.user.get_username(),
            is_reachable=member.user_id in reachable,
        )
        for member in members.order_by("user__username", "id")
    ]
