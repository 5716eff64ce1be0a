"""Keys by which organizations sign answers: one that signs, all that ever did. Needs the scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.sharing.models import SigningKey, SigningSecret
from apps.sharing.signing.answer_file import fingerprint_of
from apps.tenancy.access import Actor, Right
from apps.tenancy.credentials import reseal, seal, unseal
from apps.tenancy.database import advisory_locks
from apps.tenancy.database.advisory_locks import Lock
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName, ValueList, name_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """A key that signs an organization's answers, or signed some."""

    id: int
    organization: OrganizationName
    is_own: bool
    is_current: bool | None  # None: of another organization, which does not tell
    fingerprint: str
    public_key: bytes
    made_by: str  # empty: somebody of another organization
    made_at: datetime


def public_keys(*, actor: Actor) -> ValueList[PublicKey]:
    """Return the keys of one's own, and those by which others answered it, the newest first."""
    actor.require(Right.READ)
    rows = SigningKey.objects.select_related("organization").order_by("-made_at", "-id")
    return ValueList(rows=rows, project=lambda found: _public(actor, found))


def signing_key(*, organization: Organization, by: str, now: datetime) -> SigningKey:
    """Return the key that an organization signs with; the first one is made here."""
    advisory_locks.hold(Lock.SIGNING_KEYS, organization.pk)
    secret = SigningSecret.objects.for_organization(organization).select_related("key").first()
    return secret.key if secret else _made(organization, by, now)


def private_key(*, key: SigningKey) -> Ed25519PrivateKey:
    """Return what signs for a key. Raises SealBroken."""
    secret = SigningSecret.objects.for_organization(key.organization_id).get(key=key)
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(unseal(sealed=secret.secret)))


def replace_key(*, context: ActContext) -> str:
    """Sign with a new key from now on; return its fingerprint.

    What the former one signed stays as good as it was; nothing more can be signed with it.
    """
    context.actor.require(Right.MANAGE)
    organization = context.actor.organization
    advisory_locks.hold(Lock.SIGNING_KEYS, organization.pk)
    key = _made(organization, context.actor.name, context.now)
    record_cross_party_act("answer.key_replaced", key.fingerprint[:16], context)
    return key.fingerprint


def reseal_all(*, organization: Organization) -> int:
    """Encrypt an organization's with the first of the portal's keys; return how many there are."""
    rows = list(SigningSecret.objects.for_organization(organization).select_for_update())
    for row in rows:
        row.secret = reseal(sealed=row.secret)
    SigningSecret.objects.bulk_update(rows, ["secret"])
    return len(rows)


def _made(organization: Organization, by: str, now: datetime) -> SigningKey:
    made = Ed25519PrivateKey.generate()
    public = made.public_key().public_bytes_raw()
    key = SigningKey.objects.create(
        organization=organization,
        fingerprint=fingerprint_of(public),
        public_key=public,
        made_by=by,
        made_at=now,
    )
    secret = seal(secret=made.private_bytes_raw().hex())
    SigningSecret.objects.update_or_create(
        organization=organization, defaults={"key": key, "secret": secret}
    )
    return key


def _public(actor: Actor, rows: Sequence[SigningKey]) -> list[PublicKey]:
    own = actor.organization.pk
    secret = SigningSecret.objects.for_organization(own)
    current = set(secret.values_list("key_id", flat=True))
    return [
        PublicKey(
            id=row.pk,
            organization=name_of(row.organization),
            is_own=row.organization_id == own,
            is_current=row.pk in current if row.organization_id == own else None,
            fingerprint=row.fingerprint,
            public_key=bytes(row.public_key),
            made_by=row.made_by if row.organization_id == own else "",
            made_at=row.made_at,
        )
        for row in rows
    ]
