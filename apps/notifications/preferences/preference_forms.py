"""What people and admins choose: read with its limits, or refused with a sentence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time

from apps.diagnosis import zone_names
from apps.fleet.models import Cluster
from apps.notifications.models import Subscription
from apps.notifications.notification_kinds import AT_NIGHT_CHOICES, CHOICES, Minimum, Rhythm
from apps.notifications.preferences.preferences import (
    Preference,
    wish_of_role,
    wish_of_subscription,
)
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import Membership, User


class BadChoice(ValueError):
    """A choice can't be meant; `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceInput:
    """What somebody wants to be told of, as it was typed."""

    kinds: Collection[str]
    minimum: str = Minimum.ANY
    clusters: Sequence[Cluster] = ()  # that came through a door


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPace:
    """When a person wants to be told, as it was typed. Empty times: no quiet hours."""

    rhythm: str = Rhythm.AT_ONCE
    zone: str = "UTC"
    quiet_from: str = ""
    quiet_until: str = ""
    at_night: Collection[str] = field(default_factory=frozenset)


def wish_of(*, actor: Actor) -> Preference:
    """Return what the person is told of: chosen, or by default. Needs the scope."""
    actor.require(Right.READ)
    row = Subscription.objects.for_organization(actor.organization).filter(user=_person(actor))
    chosen = row.first()
    if chosen is not None:
        return wish_of_subscription(chosen)
    members = Membership.objects.for_organization(actor.organization).filter(user=actor.user)
    return wish_of_role(members.values_list("role", flat=True).get())


def choose(*, actor: Actor, chosen: PreferenceInput, pace: ChosenPace, now: datetime) -> None:
    """Keep what the person wants to be told of; raise BadChoice. Needs the scope."""
    actor.require(Right.READ)
    quiet = _quiet(pace)
    if not zone_names.is_zone(name=pace.zone):
        found = zone_names.zone_meant(name=pace.zone)
        hint = f"; did you mean `{found}`?" if found else ""
        raise BadChoice("zone", f"write a zone like Asia/Seoul, or UTC{hint}")
    if pace.rhythm not in Rhythm.values:
        raise BadChoice("rhythm", "choose one of these")
    Subscription.objects.update_or_create(
        organization=actor.organization,
        user=_person(actor),
        defaults={
            **checked(chosen),
            "rhythm": pace.rhythm,
            "zone": pace.zone,
            "quiet_from": quiet[0],
            "quiet_until": quiet[1],
            "at_night": [kind for kind in AT_NIGHT_CHOICES if kind in pace.at_night],
            "changed_at": now,
        },
    )


def checked(chosen: PreferenceInput) -> dict[str, object]:
    """Return the columns that people's choices and the webhook's share; raise BadChoice."""
    if chosen.minimum not in Minimum.values:
        raise BadChoice("minimum", "choose one of these")
    return {
        "kinds": [kind for kind in CHOICES if kind in chosen.kinds],
        "minimum": chosen.minimum,
        "clusters": [cluster.pk for cluster in chosen.clusters],
    }


def _quiet(pace: ChosenPace) -> tuple[time | None, time | None]:
    begins, ends = _time("quiet_from", pace.quiet_from), _time("quiet_until", pace.quiet_until)
    if (begins is None) != (ends is None):
        missing = "quiet_from" if begins is None else "quiet_until"
        raise BadChoice(missing, "say from when and until when, or neither")
    if begins is not None and begins == ends:
        raise BadChoice("quiet_until", "this is the same time: say another, or neither")
    return begins, ends


def _time(name: str, text: str) -> time | None:
    if not text:
        return None
    try:
        at = time.fromisoformat(text)
    except ValueError:
        raise BadChoice(name, "write a time like 22:00") from None
    if at.tzinfo is not None:
        raise BadChoice(name, "write a time like 22:00; the zone has a field of its own")
    return at


def _person(actor: Actor) -> User:
    # Machines are told by the webhook.
    if actor.user is None:
        raise NotFound
    return actor.user
