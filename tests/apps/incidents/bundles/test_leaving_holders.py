"""Who left a cluster sends nothing of it any more, and may still take back what it sent."""

import pytest

from apps.fleet.models import ParticipationRole
from apps.fleet.parties.leave_cluster import leave
from apps.sharing.facade import bundles
from apps.sharing.facade.bundles import open_own_bundle
from apps.tenancy.access import NotFound
from apps.tenancy.scope import organization_scope
from tests.cast.bundles import made, sent, told_by
from tests.cast.incidents import Cast, assemble, attempt_of, stop_of


def test_what_was_made_before_is_not_sent_after(db: None) -> None:
    cast: Cast = assemble()
    stop_of(cast, attempt_of(cast, cast.tenant))
    waiting, gone = made(cast.tenant, cast.operator), sent(cast.tenant, cast.operator)
    told = told_by(cast.tenant)
    with organization_scope(cast.tenant.pk):
        leave(actor=told.actor, cluster=cast.cluster, part=ParticipationRole.TENANT, context=told)

    with organization_scope(cast.tenant.pk):
        with pytest.raises(NotFound):
            bundles.send(actor=told.actor, public_id=waiting, context=told)
        bundles.revoke(actor=told.actor, public_id=gone, reason="we left", context=told)
        views = [
            open_own_bundle(actor=told.actor, public_id=each, now=told.now)
            for each in (waiting, gone)
        ]

    assert [str(each.state) for each in views] == ["made", "revoked"]
