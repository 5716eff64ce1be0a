"""Keys of pseudonyms, which stay what they are when the portal's own keys change."""

import secrets
from datetime import datetime

from django.db.models import Q

from apps.fleet.models import Cluster
from apps.sharing.models import Agreement, PseudonymKey, RecipientsKey
from apps.tenancy.credentials import reseal, seal
from apps.tenancy.models import Organization


def open_pair(
    *, opener: Organization, other: Organization, cluster: Cluster, now: datetime
) -> Agreement:
    """Return a new agreement of two organizations in a cluster, without any terms yet."""
    return Agreement.objects.create(
        organization=opener,
        counterpart=other,
        cluster=cluster,
        public_id="AGR-" + secrets.token_hex(4).upper(),
        created_at=now,
    )


def keep_key(*, agreement: Agreement, organization: Organization, now: datetime) -> None:
    """Make the key under which an organization shows names in an agreement, unless it has one."""
    PseudonymKey.objects.get_or_create(
        organization=organization,
        agreement=agreement,
        defaults={"secret": seal(secret=secrets.token_hex(32)), "created_at": now},
    )


def keep_pair_key(
    *, holder: Organization, reader: Organization, cluster: Cluster, now: datetime
) -> None:
    """Make it also where the two agreed on nothing yet. Needs the holder's scope, and the lock."""
    pair = Q(organization=reader) | Q(counterpart=reader)
    own = Q(organization=holder) | Q(counterpart=holder)
    agreement = Agreement.objects.filter(pair, own, cluster=cluster).first()
    if agreement is None:
        agreement = open_pair(opener=holder, other=reader, cluster=cluster, now=now)
    keep_key(agreement=agreement, organization=holder, now=now)


def reseal_all(*, organization: Organization) -> int:
    """Encrypt an organization's with the first key; return how many there are. Needs the scope."""
    agreed = list(PseudonymKey.objects.for_organization(organization).select_for_update())
    sent = list(RecipientsKey.objects.for_organization(organization).select_for_update())
    for key in agreed:
        key.secret = reseal(sealed=key.secret)
    for named in sent:
        named.secret = reseal(sealed=named.secret)
    PseudonymKey.objects.bulk_update(agreed, ["secret"])
    RecipientsKey.objects.bulk_update(sent, ["secret"])
    return len(agreed) + len(sent)
