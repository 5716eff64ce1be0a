"""Keys of pseudonyms outlive a change of the portal's keys, and make the same pseudonyms."""

from io import StringIO

import pytest
from django.conf import LazySettings
from django.core.management import call_command

from apps.sharing.models import PseudonymKey
from apps.tenancy.credentials import SealBroken, unseal
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.agreements import agreed
from tests.cast.incidents import assemble


def sealed_of(organization: Organization) -> bytes:
    with organization_scope(organization.pk):
        return bytes(PseudonymKey.objects.for_organization(organization).get().secret)


@pytest.mark.django_db
def test_after_sealing_anew_the_former_key_can_go(settings: LazySettings) -> None:
    former, new = "f" * 50, "n" * 50
    settings.PORTAL_SECRET_KEYS = [former]
    cast = assemble()
    agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    sides = (cast.operator, cast.tenant)
    before = {side.slug: sealed_of(side) for side in sides}
    secrets = {side.slug: unseal(sealed=before[side.slug]) for side in sides}

    settings.PORTAL_SECRET_KEYS = [new, former]
    out = StringIO()
    call_command("reseal", stdout=out)
    settings.PORTAL_SECRET_KEYS = [new]

    assert {side.slug: unseal(sealed=sealed_of(side)) for side in sides} == secrets
    assert out.getvalue().count(": 1\n") == 2
    for side in sides:
        with pytest.raises(SealBroken):
            unseal(sealed=before[side.slug])
