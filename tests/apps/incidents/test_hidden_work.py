"""Who works on an incident tells one of several tenants nothing of another."""

from copy import deepcopy

import pytest
from django.db import connection

from apps.incidents.coordination.values import Coordination
from apps.incidents.entries import HandOverEntry, Opinion, StepEntry
from apps.incidents.judgement.feedback import judge
from apps.incidents.lifecycle.hand_over import answer, propose
from apps.incidents.models import Incident, IncidentStep
from apps.incidents.projection.access import access_incident
from apps.incidents.projection.headers import read_header
from apps.incidents.refusals import BadStep
from apps.incidents.states import HandOverState, Judgement
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member
from tests.cast.incidents import actor
from tests.cast.standing import standing
from tests.contracts.canaries import Planted, plant

sown = standing(plant)


@pytest.fixture
def planted(sown: Planted, db: None) -> Planted:
    """A disturbance that two tenants share, handed over from the operator to one of them."""
    found = deepcopy(sown)
    shared, cast = found.incidents[1], found.cast
    step(cast.operator, shared, found.hand_overs[shared.pk], HandOverState.WITHDRAWN)
    with organization_scope(cast.operator.pk):
        asking = actor(cast.operator)
        entry = HandOverEntry(to=cast.tenant.slug, reason="needs-your-access")
        incident = access_incident(actor=asking, public_id=shared.public_id)
        subject = propose(actor=asking, incident=incident, entry=entry, now=make.AT)
    step(cast.tenant, shared, subject, HandOverState.ACCEPTED)
    return found


def step(who: Organization, shared: Incident, subject: str, state: HandOverState) -> None:
    """Bring a hand-over into a state."""
    with organization_scope(who.pk):
        asking = actor(who)
        incident = access_incident(actor=asking, public_id=shared.public_id)
        answer(
            actor=asking, incident=incident, subject=subject, state=state, entry=StepEntry(),
            now=make.AT,
        )  # fmt: skip


def read(who: Organization, shared: Incident) -> Coordination:
    """Return how it stands for somebody."""
    with organization_scope(who.pk):
        incident = access_incident(actor=actor(who), public_id=shared.public_id)
        return read_header(actor=actor(who), incident=incident).coordination


def test_the_other_tenant_reads_that_the_operator_has_it_still(planted: Planted) -> None:
    cast, shared = planted.cast, planted.incidents[1]
    seen = read(cast.other_tenant, shared)
    assert seen.holder is not None
    assert seen.holder.id == cast.operator.pk
    assert cast.tenant.pk not in {each.recipient.id for each in seen.hand_overs}
    assert [each.organization.id for each in seen.hands] == [cast.operator.pk]
    for knowing in (cast.operator, cast.tenant, cast.vendor, planted.platform):
        holder = read(knowing, shared).holder
        assert holder is not None
        assert holder.id == cast.tenant.pk


def test_nothing_that_it_can_ask_for_names_the_one_that_has_it(planted: Planted) -> None:
    cast, shared = planted.cast, planted.incidents[1]
    asking = member(cast.other_tenant)
    at = f"incidents/{shared.public_id}/"
    for path in ("", "hand-overs/", "timeline/", "resolutions/", "actions/", "export.json"):
        answered = asking.get(f"{at}{path}")
        body = b"".join(answered.streaming_content) if answered.streaming else answered.content
        assert answered.status_code == 200
        assert cast.tenant.slug.encode() not in body, path
    page = asking.client.get(f"/o/{cast.other_tenant.slug}/incidents/{shared.public_id}/")
    assert f">{cast.tenant.name}<".encode() not in page.content
    with organization_scope(cast.other_tenant.pk):
        recipients = set(IncidentStep.objects.values_list("recipient", flat=True))
    assert cast.tenant.pk not in recipients


def test_the_other_tenant_can_not_be_named_by_one_of_them(planted: Planted) -> None:
    cast, shared = planted.cast, planted.incidents[1]
    with organization_scope(cast.tenant.pk):
        asking = actor(cast.tenant)
        incident = access_incident(actor=asking, public_id=shared.public_id)
        entry = HandOverEntry(to=cast.other_tenant.slug, reason="your-equipment")
        with pytest.raises(BadStep) as refused:
            propose(actor=asking, incident=incident, entry=entry, now=make.AT)
    # Refused like a name that nobody has: the nearest known one is meant, never the hidden one.
    assert refused.value.field == "to"
    assert f"`{cast.other_tenant.slug}`" not in str(refused.value)


def test_what_one_tenant_says_of_the_verdict_the_other_does_not_read(planted: Planted) -> None:
    cast, shared = planted.cast, planted.incidents[1]
    with organization_scope(cast.tenant.pk):
        asking = actor(cast.tenant)
        incident = access_incident(actor=asking, public_id=shared.public_id)
        wrong = Opinion(judgement=Judgement.WRONG, layer="software")
        judge(actor=asking, incident=incident, opinion=wrong, now=make.AT)
    assert read(cast.other_tenant, shared).verdict.stances == ()
    assert len(read(cast.vendor, shared).verdict.stances) == 1


@pytest.mark.parametrize("who", ["other_tenant", "stranger"])
def test_raw_sql_in_the_scope_of_one_reads_no_steps_that_name_the_other(
    who: str, planted: Planted
) -> None:
    with organization_scope(getattr(planted.cast, who).pk), connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM incidents_incidentstep WHERE %s IN (sender_id, recipient_id)",
            [planted.cast.tenant.pk],
        )
        assert cursor.fetchone() == (0,)
