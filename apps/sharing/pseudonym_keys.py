"""Keys of pseudonyms, which stay what they are when the portal's own keys change."""

from apps.sharing.models import PseudonymKey, RecipientsKey
from apps.tenancy.credentials import reseal
from apps.tenancy.models import Organization


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
