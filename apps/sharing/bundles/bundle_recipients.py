"""Who gets a bundle: which parties, under whose pseudonyms, and whose names it must not hold."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Q, QuerySet

from apps.fleet.models import Cluster, Session
from apps.fleet.parties.participants import participants
from apps.sharing.agreements import agreement_with, versions_of
from apps.sharing.bundles.bundle_contents import BadBundleChoice, BundleChoice, BundleSubject
from apps.sharing.models import Agreement, Bundle, PseudonymKey, RecipientsKey
from apps.sharing.redaction.known_names import KnownNames
from apps.sharing.states import in_force
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.credentials import seal, unseal
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName, name_of

MOST_SESSIONS: Final = 2000  # of others whose names are looked for, the newest


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipients:
    """Parties by name, and somebody outside of the portal."""

    parties: tuple[Organization, ...]
    outside: str

    @property
    def ids(self) -> list[int]:
        """Return the ids of the parties."""
        return sorted(each.pk for each in self.parties)

    @property
    def names(self) -> tuple[OrganizationName, ...]:
        """Return what the parties are called."""
        return tuple(map(name_of, self.parties))

    @property
    def only_party(self) -> Organization | None:
        """Return the party that alone gets it, if it is one."""
        return self.parties[0] if len(self.parties) == 1 and not self.outside else None

    @property
    def digest(self) -> bytes:
        """Return what tells one set of recipients from another."""
        text = "\0".join([*map(str, self.ids), self.outside.casefold()])
        return hashlib.sha256(text.encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """The agreement whose pseudonyms are used, and its version in force; else neither."""

    agreement: Agreement | None = None
    version: int = 0

    @property
    def text(self) -> str:
        """Return how the manifest names it."""
        return f"{self.agreement.public_id} v{self.version}" if self.agreement else ""


def recipients_of(*, subject: BundleSubject, choice: BundleChoice) -> Recipients:
    """Return who was chosen. Raises NotFound for who is no party, BadBundleChoice."""
    slugs = list(dict.fromkeys(choice.recipients))
    if any(slug not in subject.parties for slug in slugs):
        raise NotFound
    if not slugs and not choice.outside:
        raise BadBundleChoice("choose at least one recipient")
    if len(subject.tenants.intersection(slugs)) > 1:
        raise BadBundleChoice("make one for each tenant: they need not know of each other")
    found = Organization.objects.in_bulk([subject.parties[slug] for slug in slugs])
    parties = sorted(found.values(), key=lambda each: each.name)
    return Recipients(parties=tuple(parties), outside=choice.outside)


def basis_of(*, actor: Actor, cluster: Cluster, recipients: Recipients, now: datetime) -> Basis:
    """Return the agreement in force with the only party that gets it: names are as in its logs."""
    party = recipients.only_party
    found = agreement_with(actor=actor, cluster=cluster, counterpart=party) if party else None
    if found is None:
        return Basis()
    held = in_force(versions=versions_of(agreements=[found])[found.pk], now=now)
    return Basis(agreement=found, version=held.number) if held else Basis()


def key_for(
    *, actor: Actor, cluster: Cluster, recipients: Recipients, basis: Basis, now: datetime
) -> bytes:
    """Return the key of their pseudonyms; the same recipients have the same the next time."""
    if basis.agreement is not None:
        return _agreement_key(actor, basis.agreement.pk)
    row, _ = RecipientsKey.objects.get_or_create(
        organization=actor.organization,
        cluster=cluster,
        recipients=recipients.digest,
        defaults={"secret": seal(secret=secrets.token_hex(32)), "created_at": now},
    )
    return bytes.fromhex(unseal(sealed=row.secret))


def key_of(*, actor: Actor, bundle: Bundle) -> bytes:
    """Return the key of the pseudonyms in a bundle that was made."""
    if bundle.agreement_id is not None:
        return _agreement_key(actor, bundle.agreement_id)
    named = Organization.objects.filter(pk__in=bundle.recipients)
    recipients = Recipients(parties=tuple(named), outside=bundle.outside)
    keys = RecipientsKey.objects.for_organization(actor.organization)
    row = keys.get(cluster=bundle.cluster_id, recipients=recipients.digest)
    return bytes.fromhex(unseal(sealed=row.secret))


def names_of_others(
    *, actor: Actor, cluster: Cluster, recipients: Recipients, hit: QuerySet[Any]
) -> KnownNames:
    """Return names of those who neither give nor get it, as far as the holder may know them."""
    inside = [actor.organization.pk, *recipients.ids]
    sessions = Session.objects.filter(cluster=cluster).exclude(organization__in=inside)
    newest = Q(pk__in=sessions.order_by("-id").values("pk")[:MOST_SESSIONS])
    rows = sessions.filter(newest | Q(pk__in=hit)).values_list("name", "job", "project")
    known = participants(actor=actor, cluster=cluster)
    others = [each.organization for each in known if each.organization.pk not in inside]
    return KnownNames(
        sessions=frozenset(name for name, _, _ in rows if name),
        jobs=frozenset(each for _, *told in rows for each in told if each),
        words=frozenset(each for other in others for each in (other.slug, other.name)),
    )


def _agreement_key(actor: Actor, agreement_id: int) -> bytes:
    row = PseudonymKey.objects.for_organization(actor.organization).get(agreement=agreement_id)
    return bytes.fromhex(unseal(sealed=row.secret))
