"""What a tenant's earlier stops tell about the hosts of its next one."""

from datetime import timedelta

from apps.diagnosis.model import Layer, PastFailure
from apps.incidents.correlation.attempts.host_history import REMEMBERED, past_failures
from apps.incidents.models import Incident
from apps.incidents.states import IncidentStatus
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.correlation.struck_sessions import GPU_LOST, SOON, UNKNOWN, _look
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of

NEXT = make.AT + timedelta(days=2)
LOST = PastFailure(host="gpu001", layer=Layer.GPU, cause="gpu-off-bus", at=make.AT)


def _past(cast: Cast, tenant: Organization, after: timedelta = timedelta(days=2)) -> object:
    with organization_scope(tenant.pk):
        return past_failures(
            organization_id=tenant.pk, cluster_id=cast.cluster.pk, started_at=make.AT + after
        )


def test_a_tenant_remembers_which_host_was_to_blame(cast: Cast) -> None:
    _look(cast, attempt_of(cast, cast.tenant), GPU_LOST, SOON)
    assert _past(cast, cast.tenant) == (LOST,)


def test_nothing_is_remembered_of_other_tenants(cast: Cast) -> None:
    _look(cast, attempt_of(cast, cast.tenant), GPU_LOST, SOON)
    assert _past(cast, cast.other_tenant) == ()


def test_neither_later_nor_old_nor_open_stops_count(cast: Cast) -> None:
    _look(cast, attempt_of(cast, cast.tenant), GPU_LOST, SOON)
    _look(cast, attempt_of(cast, cast.tenant), UNKNOWN, SOON)
    assert _past(cast, cast.tenant, timedelta(0)) == ()
    assert _past(cast, cast.tenant, REMEMBERED + timedelta(days=1)) == ()
    assert _past(cast, cast.tenant) == (LOST,)


def test_a_withdrawn_stop_is_forgotten(cast: Cast) -> None:
    _look(cast, attempt_of(cast, cast.tenant), GPU_LOST, SOON)
    with organization_scope(*cast.ids):
        Incident.objects.update(status=IncidentStatus.WITHDRAWN)
    assert _past(cast, cast.tenant) == ()


def test_a_portal_without_cluster_or_start_remembers_nothing() -> None:
    assert past_failures(organization_id=1, cluster_id=None, started_at=NEXT) == ()
    assert past_failures(organization_id=1, cluster_id=1, started_at=None) == ()
