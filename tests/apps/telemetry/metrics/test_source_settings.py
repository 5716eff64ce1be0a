"""Credentials of sources outlive a change of the portal's keys."""

from io import StringIO

import pytest
from django.conf import LazySettings
from django.core.management import call_command

from apps.telemetry.models import Source
from apps.tenancy.credentials import SealBroken, seal, unseal
from apps.tenancy.scope import organization_scope
from tests.cast import make


@pytest.mark.django_db
def test_after_sealing_anew_the_former_key_can_go(settings: LazySettings) -> None:
    former, new = "f" * 50, "n" * 50
    organization, cluster = make.organization(), make.cluster()
    settings.PORTAL_SECRET_KEYS = [former]
    sealed = seal(secret="x")  # noqa: S106  of this test
    with organization_scope(organization.pk):
        for name, credential in (("with", sealed), ("without", None)):
            Source.objects.create(
                organization=organization,
                public_id=name,
                name=name,
                cluster=cluster,
                kind="prometheus",
                credential=credential,
                created_at=make.AT,
            )
    settings.PORTAL_SECRET_KEYS = [new, former]
    out = StringIO()
    call_command("reseal", stdout=out)
    settings.PORTAL_SECRET_KEYS = [new]

    assert out.getvalue() == f"{organization.slug}: 1\nsecond factors: 0\n"
    with organization_scope(organization.pk):
        kept = Source.objects.for_organization(organization).get(name="with").credential
    assert kept is not None
    assert unseal(sealed=kept) == "x"
    with pytest.raises(SealBroken):
        unseal(sealed=sealed)
