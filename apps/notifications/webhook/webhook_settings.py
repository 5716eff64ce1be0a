"""The webhook of an organization as an admin manages it."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.diagnosis.model import statement
from apps.notifications import fan_out
from apps.notifications.delivery import outbox
from apps.notifications.models import Delivery, Webhook
from apps.notifications.notification_kinds import Channel, DeliveryState
from apps.notifications.preferences.preference_forms import BadChoice, PreferenceInput, checked
from apps.notifications.webhook.signing import new_secret
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.credentials import reseal, seal
from apps.tenancy.models import Organization
from apps.tenancy.outbound.policy import OutboundRefused, policy_for
from apps.tenancy.outbound.url_validation import check_address

# How long both secrets sign after a rotation: time to put the new one in place.
BOTH_SIGN_FOR = timedelta(hours=24)
URL_LENGTH = 500
NETWORKS_AT_MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedHook:
    """A webhook as an admin asks for it."""

    url: str
    chosen: PreferenceInput
    networks: Sequence[str] = ()
    is_enabled: bool = True


def webhook_of(*, actor: Actor) -> Webhook | None:
    """Return the webhook of the actor's organization, if it has one. Needs the scope."""
    actor.require(Right.MANAGE)
    return Webhook.objects.for_organization(actor.organization).first()


def set_webhook(*, actor: Actor, wanted: WantedHook, now: datetime) -> str | None:
    """Make or change the webhook; return the secret of a new one. Raises BadChoice."""
    actor.require(Right.MANAGE)
    values = checked(wanted.chosen) | {
        "url": _url(wanted),
        "allowed_networks": [text.strip() for text in wanted.networks],
        "is_enabled": wanted.is_enabled,
    }
    # Two clicks at once make one.
    fan_out.hold(organization_id=actor.organization.pk)
    own = Webhook.objects.for_organization(actor.organization)
    if own.exists():
        # An address that is put right is tried at once.
        own.update(**values, rests_until=None, pause=None)
        return None
    secret = new_secret()
    Webhook.objects.create(
        organization=actor.organization, secret=seal(secret=secret), created_at=now, **values
    )
    return secret


def rotate(*, actor: Actor, now: datetime) -> str:
    """Give the webhook a new secret and return it; the former one signs beside it for a day."""
    # Of two at once the second follows the first: both answers hold a secret that signs.
    fan_out.hold(organization_id=actor.organization.pk)
    row = _own(actor)
    secret = new_secret()
    row.former_secret, row.former_until = row.secret, now + BOTH_SIGN_FOR
    row.secret = seal(secret=secret)
    row.save(update_fields=["secret", "former_secret", "former_until"])
    return secret


def resume(*, actor: Actor, now: datetime) -> None:
    """Try again now what waits, also where the portal had given the address up."""
    row = _own(actor)
    row.pause, row.rests_until, row.failing_since = None, None, None
    row.told_failing, row.failure_count = False, 0
    row.save(
        update_fields=[*("pause", "rests_until", "failing_since", "told_failing", "failure_count")]
    )
    outbox.hurry(organization_id=actor.organization.pk, channel=Channel.WEBHOOK, now=now)


def remove(*, actor: Actor, now: datetime) -> None:
    """Forget the webhook with its secret; what waits for it is dropped, and says so."""
    row = _own(actor)
    own = Delivery.objects.for_organization(actor.organization)
    waiting = own.filter(channel=Channel.WEBHOOK, state=DeliveryState.WAITING)
    outbox.drop(deliveries=list(waiting), reason=statement("webhook-removed"), now=now)
    row.delete()


def reseal_all(*, organization: Organization) -> int:
    """Encrypt the secrets with the first key; return how many there are. Needs the scope."""
    rows = list(Webhook.objects.for_organization(organization).select_for_update())
    for row in rows:
        row.secret = reseal(sealed=row.secret)
        row.former_secret = reseal(sealed=row.former_secret) if row.former_secret else None
    Webhook.objects.bulk_update(rows, ["secret", "former_secret"])
    return len(rows)


def _own(actor: Actor) -> Webhook:
    row = webhook_of(actor=actor)
    if row is None:
        raise NotFound
    return row


def _url(wanted: WantedHook) -> str:
    if len(wanted.networks) > NETWORKS_AT_MOST:
        raise BadChoice("networks", f"at most {NETWORKS_AT_MOST} networks")
    for text in wanted.networks:
        _check_network(text)
    if len(wanted.url) > URL_LENGTH:
        raise BadChoice("url", f"at most {URL_LENGTH} characters")
    policy = policy_for(allowed_networks=wanted.networks)
    try:
        check_address(url=wanted.url, policy=policy)
    except OutboundRefused as error:
        raise BadChoice("url", str(error)) from error
    if wanted.url.startswith("http:") and not policy.networks:
        raise BadChoice("url", "write https: what is told would travel in clear")
    return wanted.url


def _check_network(text: str) -> None:
    try:
        ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        said = f"{text[:50]!r} is no network like 10.1.0.0/16"
        raise BadChoice("networks", said) from None
