"""A verdict is proposed; those whom it blames agree or contest within their time; then final."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from apps.fleet.models import Attempt
from apps.incidents.coordination.values import VerdictStanding
from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.incident_writer import rewrite
from apps.incidents.entries import Opinion
from apps.incidents.judgement.feedback import judge
from apps.incidents.lifecycle.resolution import allowed_acts
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.incidents.projection.headers import read_header
from apps.incidents.states import Judgement, VerdictState
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, conclusion, stop_of

SETTLED = make.AT + timedelta(minutes=10)
WEEK = timedelta(days=7)
RIGHT = Opinion(judgement=Judgement.RIGHT)
WRONG = Opinion(judgement=Judgement.WRONG, layer="network", cause="link-down")


def settled(incident: Incident) -> Incident:
    """Let no more evidence be awaited."""
    with organization_scope(incident.organization_id):
        Incident.objects.filter(pk=incident.pk).update(settled_at=SETTLED)
    return incident


def said(who: Organization, incident: Incident, opinion: Opinion, at: datetime) -> None:
    """Judge the answer."""
    with organization_scope(who.pk):
        found = access_incident(actor=actor(who), public_id=incident.public_id)
        judge(actor=actor(who), incident=found, opinion=opinion, now=at)


def standing(who: Organization, incident: Incident) -> VerdictStanding:
    """Return where the verdict stands, as somebody reads it."""
    with organization_scope(who.pk):
        found = access_incident(actor=actor(who), public_id=incident.public_id)
        return read_header(actor=actor(who), incident=found).coordination.verdict


def test_while_it_is_collected_nobody_has_to_reply(cast: Cast, incident: Incident) -> None:
    found = standing(cast.tenant, incident)
    assert found.reply_until is None
    assert [each.id for each in found.blamed] == [cast.vendor.pk]
    assert found.state(now=SETTLED) == VerdictState.PROPOSED
    assert not found.waits_for(cast.vendor.pk, now=SETTLED)


def test_those_whom_it_blames_have_a_week_and_silence_makes_it_final(
    cast: Cast, incident: Incident
) -> None:
    found = standing(cast.tenant, settled(incident))
    assert found.reply_until == SETTLED + WEEK
    assert found.state(now=SETTLED) == VerdictState.PROPOSED
    assert found.waits_for(cast.vendor.pk, now=SETTLED)
    assert not found.waits_for(cast.tenant.pk, now=SETTLED)
    assert found.state(now=SETTLED + WEEK) == VerdictState.FINAL
    assert not found.waits_for(cast.vendor.pk, now=SETTLED + WEEK)


def test_how_long_is_a_setting(cast: Cast, incident: Incident, settings: Any) -> None:
    settings.PORTAL_REPLY_DAYS = 2
    assert standing(cast.tenant, settled(incident)).reply_until == SETTLED + timedelta(days=2)


def test_what_is_contested_in_time_stays_so_until_it_is_agreed(
    cast: Cast, incident: Incident
) -> None:
    settled(incident)
    said(cast.vendor, incident, WRONG, SETTLED + timedelta(days=1))
    found = standing(cast.tenant, incident)
    assert found.state(now=SETTLED + 2 * WEEK) == VerdictState.CONTESTED
    assert [(each.organization.id, each.layer, each.cause) for each in found.dissent] == [
        (cast.vendor.pk, "network", "link-down")
    ]
    said(cast.vendor, incident, RIGHT, SETTLED + timedelta(days=2))
    found = standing(cast.tenant, incident)
    assert found.state(now=SETTLED + timedelta(days=3)) == VerdictState.FINAL
    assert found.dissent == ()


def test_a_contest_that_comes_late_is_a_dissent_and_no_more(cast: Cast, incident: Incident) -> None:
    settled(incident)
    said(cast.vendor, incident, WRONG, SETTLED + WEEK)
    found = standing(cast.tenant, incident)
    assert found.state(now=SETTLED + WEEK) == VerdictState.FINAL
    assert len(found.dissent) == 1


def test_what_somebody_says_whom_it_does_not_blame_is_a_dissent(
    cast: Cast, incident: Incident
) -> None:
    settled(incident)
    said(cast.operator, incident, WRONG, SETTLED)
    found = standing(cast.vendor, incident)
    assert found.state(now=SETTLED) == VerdictState.PROPOSED
    assert [each.is_blamed for each in found.dissent] == [False]


def test_an_agreement_before_it_has_settled_is_not_final(cast: Cast, incident: Incident) -> None:
    said(cast.vendor, incident, RIGHT, make.AT + timedelta(minutes=2))
    assert standing(cast.tenant, incident).state(now=SETTLED) == VerdictState.AGREED
    assert standing(cast.tenant, settled(incident)).state(now=SETTLED) == VerdictState.FINAL


@pytest.mark.parametrize(
    ("header", "is_reopened"),
    [({"cause": "gpu-ecc"}, True), ({"layer": "host"}, True), ({"probability": 0.95}, False)],
)
def test_another_layer_or_cause_opens_the_question_again(
    header: dict[str, str], *, is_reopened: bool, cast: Cast
) -> None:
    attempt = attempt_of(cast, cast.tenant)
    incident = settled(stop_of(cast, attempt))
    said(cast.vendor, incident, RIGHT, SETTLED)
    later = SETTLED + timedelta(days=3)
    found_otherwise(cast, attempt, incident, later, **header)
    found = standing(cast.tenant, incident)
    state = VerdictState.PROPOSED if is_reopened else VerdictState.FINAL
    assert found.state(now=later) == state
    assert found.reply_until == (later if is_reopened else SETTLED) + WEEK
    assert [each.is_of_earlier for each in found.stances] == [is_reopened]


def found_otherwise(
    cast: Cast, attempt: Attempt, incident: Incident, at: datetime, **header: str
) -> None:
    """Conclude something else."""
    with organization_scope(*cast.ids):
        row = Incident.objects.get(pk=incident.pk)
        told = conclusion(cast, **header)
        attach(incident=row, attempt=attempt, conclusion=told)
        rewrite(incident=row, attempt=attempt, conclusion=told, newest_evidence_at=at, now=at)


def test_where_nothing_is_named_nobody_is_asked(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant), verdict_status="unknown")
    found = standing(cast.vendor, settled(incident))
    assert found.state(now=SETTLED + 2 * WEEK) == VerdictState.OPEN
    assert not found.waits_for(cast.vendor.pk, now=SETTLED)


def test_for_a_layer_that_no_party_took_its_operator_answers(
    cast: Cast, incident: Incident
) -> None:
    """The cluster has no GPU vendor: nobody would have a say of a verdict that blames GPUs."""
    settled(incident)
    with organization_scope(*cast.ids):
        parties = [each for each in incident.parties if each["organization"] != cast.vendor.pk]
        Incident.objects.filter(pk=incident.pk).update(parties=parties)
    found = standing(cast.tenant, incident)
    assert ([each.id for each in found.blamed], found.is_left_to_operator) == (
        [cast.operator.pk],
        True,
    )
    said(cast.operator, incident, WRONG, SETTLED + timedelta(days=1))
    now = SETTLED + timedelta(days=2)
    assert standing(cast.tenant, incident).state(now=now) == VerdictState.CONTESTED
    with organization_scope(cast.operator.pk):
        row = access_incident(actor=actor(cast.operator), public_id=incident.public_id)
        assert allowed_acts(actor=actor(cast.operator), incident=row).may_resolve


def test_a_layer_that_a_party_took_is_not_its_operators(cast: Cast, incident: Incident) -> None:
    found = standing(cast.operator, settled(incident))
    assert ([each.id for each in found.blamed], found.is_left_to_operator) == (
        [cast.vendor.pk],
        False,
    )
    with organization_scope(cast.operator.pk):
        row = access_incident(actor=actor(cast.operator), public_id=incident.public_id)
        assert not allowed_acts(actor=actor(cast.operator), incident=row).may_resolve
