"""What somebody wants to be told of, whether a person or a webhook."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from zoneinfo import ZoneInfo

from apps.notifications.models import Notification, Subscription, Webhook
from apps.notifications.notification_kinds import (
    RANK_OF_MINIMUM,
    RANKS,
    Minimum,
    NotificationKind,
    Rhythm,
)
from apps.notifications.preferences.delivery_schedule import DeliverySchedule
from apps.tenancy.models import MemberRole

# What is chosen for who has not chosen: those who act are told of everything, those who look on
# of nothing.
DEFAULT_KINDS = frozenset(
    {
        NotificationKind.OPENED,
        NotificationKind.CHANGED,
        NotificationKind.ASSIGNED,
        NotificationKind.MENTIONED,
        NotificationKind.PROPOSED,
        NotificationKind.BUNDLE,
        NotificationKind.SILENT,
    }
)
# What is chosen together with another kind.
CHOSEN_WITH = {
    NotificationKind.CRASH_LOOP: NotificationKind.OPENED,
    NotificationKind.BACK: NotificationKind.SILENT,
    NotificationKind.ENDING: NotificationKind.PROPOSED,
    NotificationKind.EVIDENCE_REQUESTED: NotificationKind.ASSIGNED,
    NotificationKind.EVIDENCE_ANSWERED: NotificationKind.ASSIGNED,
}
# Of several kinds that one look finds, the one that says most to a person.
BEST_FIRST = (
    NotificationKind.REQUESTED,
    NotificationKind.ASSIGNED,
    NotificationKind.OPENED,
    NotificationKind.CHANGED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """Which notices, and for a person when."""

    kinds: frozenset[str]
    clusters: frozenset[int] = frozenset()
    minimum: Minimum = Minimum.ANY
    pace: DeliverySchedule = field(default_factory=DeliverySchedule)
    at_night: frozenset[str] = frozenset()

    def within(self, *, clusters: Collection[int]) -> "Preference":
        """Return it for who takes part in these alone; of all of them where none chosen is left.

        So nobody on call falls silent because a cluster was left.
        """
        return replace(self, clusters=self.clusters & frozenset(clusters))


def wish_of_role(role: str) -> Preference:
    """Return what holds for a member who has chosen nothing."""
    is_onlooker = role == MemberRole.VIEWER
    return Preference(kinds=frozenset() if is_onlooker else DEFAULT_KINDS)


def wish_of_subscription(row: Subscription) -> Preference:
    """Return what a person chose."""
    return Preference(
        kinds=frozenset(row.kinds),
        clusters=frozenset(row.clusters),
        minimum=Minimum(row.minimum),
        pace=DeliverySchedule(
            rhythm=Rhythm(row.rhythm),
            zone=ZoneInfo(row.zone),
            quiet_from=row.quiet_from,
            quiet_until=row.quiet_until,
        ),
        at_night=frozenset(row.at_night),
    )


def wish_of_webhook(row: Webhook) -> Preference:
    """Return what an admin chose for the webhook."""
    return Preference(
        kinds=frozenset(row.kinds),
        clusters=frozenset(row.clusters),
        minimum=Minimum(row.minimum),
    )


def wanted(*, wish: Preference, notices: Sequence[Notification]) -> list[Notification]:
    """Return those of one look's notices that somebody wants, the most telling first."""
    found = [notice for notice in notices if _wants(wish, notice)]
    order = {kind: place for place, kind in enumerate(BEST_FIRST)}
    return sorted(found, key=lambda notice: order.get(NotificationKind(notice.kind), len(order)))


def wakes(*, wish: Preference, notices: Sequence[Notification]) -> bool:
    """Say whether any of these is sent in quiet hours, too."""
    return any(bool(_meanings(wish, notice) & wish.at_night) for notice in notices)


def _wants(wish: Preference, notice: Notification) -> bool:
    if wish.clusters and notice.cluster_id not in wish.clusters:
        return False
    return bool(_meanings(wish, notice) & wish.kinds)


def _meanings(wish: Preference, notice: Notification) -> frozenset[str]:
    """Return the kinds of news that a notice is for somebody; none where it is not sure enough."""
    if notice.incident_id is None:
        kind = NotificationKind(notice.kind)
        return frozenset({CHOSEN_WITH.get(kind, kind)})
    told, former = notice.body["incident"], notice.body.get("former")
    if notice.kind == NotificationKind.REQUESTED:
        return frozenset({NotificationKind.ASSIGNED})  # somebody asks, however sure the verdict is
    least = RANK_OF_MINIMUM[wish.minimum]
    if _rank(told) < least:
        return frozenset()
    # Who waits for a sure verdict hears of the rest when the verdict has become sure.
    is_first = former is not None and _rank(former) < least
    late = (
        {NotificationKind.OPENED, *([NotificationKind.ASSIGNED] if told["assigned"] else [])}
        if is_first
        else set()
    )
    return frozenset({NotificationKind(notice.kind), *late})


def _rank(told: dict[str, Any]) -> int:
    return RANKS.get(told["verdict_status"], 0)
