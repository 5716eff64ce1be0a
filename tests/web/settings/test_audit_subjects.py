"""The record names organizations, clusters and parts; their slugs are for machines."""

import pytest

from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from apps.web.settings.audit.subjects import RecordNames, named_subject
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser

NAMES = RecordNames(organizations={"strata": "Strata Storage"}, clusters={"meridian": "Meridian"})


@pytest.mark.parametrize(
    ("action", "subject", "told"),
    [
        ("sharing.viewed_as", "strata", "Strata Storage"),
        ("sharing.viewed_as", "strata INC-1", "Strata Storage: INC-1"),
        ("participation.made", "meridian gpu_vendor", "Meridian: GPU vendor"),
        ("host.named", "meridian: 12 hosts", "Meridian: 12 hosts"),
        ("change.told", "meridian driver-wave-4", "Meridian: driver-wave-4"),
        ("change.told", "gone driver-wave-4", "gone driver-wave-4"),
        ("token.issued", "strata", "strata"),
    ],
)
def test_a_subject_begins_with_a_name(action: str, subject: str, told: str) -> None:
    assert named_subject(action=action, subject=subject, names=NAMES) == told


@pytest.mark.django_db
def test_the_page_says_names(cast: Cast, browser: Browser) -> None:
    acts = (
        AuditAction(action="agreement.signed", actor=f"organization:{cast.tenant.slug}"),
        AuditAction(action="participation.made", subject=f"{cast.cluster.slug} operator"),
        AuditAction(action="sharing.viewed_as", subject=cast.vendor.slug),
    )
    with organization_scope(cast.operator.pk):
        for act in acts:
            record(organization_id=cast.operator.pk, act=act, now=make.AT)
    client = browser(cast.operator, MemberRole.ADMIN)
    page = client.get(f"/o/{cast.operator.slug}/settings/audit/").content.decode()
    assert f"the organization {cast.tenant.name}" in page
    assert f"{cast.cluster.name}: operator" in page
    assert f">{cast.vendor.name}<" in page
