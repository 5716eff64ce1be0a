"""Attempts of one session that stop one after the other."""

from datetime import timedelta
from typing import Any

from apps.fleet.models import Attempt
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of

NFS: dict[str, Any] = {"layer": "storage", "cause": "nfs-unavailable", "culprits": []}


def attempts(cast: Cast, tenant: Organization, count: int) -> list[Attempt]:
    """Return so many attempts of one session."""
    first = attempt_of(cast, tenant)
    with organization_scope(*cast.ids):
        return [first] + [
            Attempt.objects.create(
                organization=tenant,
                session=first.session,
                number=first.number + more,
                started_at=make.AT + timedelta(minutes=more),
                hosts=["gpu001"],
                hosts_asserted=True,
            )
            for more in range(1, count)
        ]
