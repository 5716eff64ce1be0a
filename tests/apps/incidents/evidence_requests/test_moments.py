"""What two parties ask each other for stands on the timeline of both, and of nobody else."""

from apps.diagnosis.model import statement_of
from apps.incidents.facade import evidence_requests as requests
from apps.incidents.facade.reads import incident_view_of
from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from apps.wording import headline_in_english
from tests.cast.answers import answered, heard
from tests.cast.evidence_requests import asked, context, granted
from tests.cast.incidents import Cast, actor


def told_to(incident: Incident, reader: Organization) -> list[str]:
    """Return what a party's timeline says of requests, without who it was in person."""
    with organization_scope(reader.pk):
        view = incident_view_of(
            actor=actor(reader, MemberRole.VIEWER), public_id=incident.public_id, channel=None
        )
    found = [each for each in view.timeline if each.kind == "evidence-request"]
    return [headline_in_english(statement_of(each.statement)) for each in found]


def test_asked_and_granted_stands_on_both_timelines_and_on_no_third(
    cast: Cast, incident: Incident
) -> None:
    granted(asked(incident, cast.tenant, cast.operator), cast.operator)

    first, second = told_to(incident, cast.tenant)
    assert first.endswith(f"asked {cast.operator.name} for evidence: metrics of GPU")
    assert second.endswith(f"granted what {cast.tenant.name} asked for: metrics of GPU")
    assert told_to(incident, cast.operator) == [first, second]
    assert told_to(incident, cast.vendor) == []


def test_an_answer_a_refusal_and_an_end_are_moments(cast: Cast, incident: Incident) -> None:
    heard(cast)
    answered(
        asked(incident, cast.tenant, cast.operator, data="logs:kernel"),
        cast.operator,
        ["link-errors"],
    )
    told = context(cast.operator)
    for act in (requests.decline, requests.revoke):
        request = asked(incident, cast.tenant, cast.operator)
        if act is requests.revoke:
            granted(request, cast.operator)
        with organization_scope(cast.operator.pk):
            act(actor=told.actor, public_id=request, reason="no", context=told)

    said = " / ".join(told_to(incident, cast.tenant))
    for words in (
        "by a signed statement: lines of the kernel log",
        f"declined what {cast.tenant.name} asked for",
        f"ended what it had granted {cast.tenant.name}",
    ):
        assert words in said
    assert " no" not in said  # the reason stands with the request
