"""Keys of pseudonyms, which stay what they are when the portal's own keys change."""

from apps.sharing.models import PseudonymKey
from apps.tenancy.credentials import reseal
from apps.tenancy.models import Organization


def reseal_all(*, organization: Organization) -> int:
    """Encrypt an organization's with the first key; return how many there are. Needs the scope."""
    rows = list(PseudonymKey.objects.for_organization(organization).select_for_update())
    for row in rows:
        row.secret = reseal(sealed=row.secret)
    PseudonymKey.objects.bulk_update(rows, ["secret"])
    return len(rows)
