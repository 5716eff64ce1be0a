"""Lines around a cited one, as another party reads them."""

import html
import re
from datetime import timedelta

import pytest
import time_machine

from apps.fleet.models import Attempt
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.facade.reads import incident_view_of
from apps.incidents.facade.shared import shared_line_context
from apps.incidents.models import Incident
from apps.incidents.projection.shared.shared_context import place_of
from apps.incidents.projection.shared_values import SharedContext
from apps.incidents.projection.values import EvidencePiece
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.clients import member
from tests.cast.evidence_requests import asked, granted
from tests.cast.incidents import actor
from tests.cast.pushes import Cast, cast

TOKEN = "hf_abcdefghijABCDEFGHIJabcdefghijABCD"  # noqa: S105  a canary
LINES = (
    *(f"[rank0]: 2026-11-21 02:00:0{n} step {n} of /mnt/lake/run" for n in range(5)),
    f"[rank0]: 2026-11-21 02:00:06 torch.cuda.OutOfMemoryError: CUDA out of memory. {TOKEN}",
    "[rank0]: 2026-11-21 02:00:07 closing /mnt/lake/run",
)


@pytest.fixture
def people(db: None) -> Cast:
    """A session of the tenant ran out of memory; its log names private things."""
    people = cast()
    make.agreed(organization=people.tenant, cluster=people.cluster)
    come_in(people.tenant, people.cluster, [*LINES], at=make.AT, session="run-1", host="gpu001")
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get()
    correlate_attempt(owner_id=people.tenant.pk, attempt_id=attempt.pk, now=make.AT)
    return people


def incident_of(people: Cast) -> Incident:
    with organization_scope(people.tenant.pk):
        return Incident.objects.get()


def cited(people: Cast) -> EvidencePiece:
    """Return the piece of evidence of the tenant that the line is cited for."""
    with organization_scope(people.tenant.pk):
        view = incident_view_of(actor=actor(people.tenant), public_id=incident_of(people).public_id)
    return next(each for each in view.hypotheses[0].supporting if each.reference)


def context(people: Cast, reader: Organization) -> SharedContext:
    piece = cited(people)
    with organization_scope(reader.pk):
        return shared_line_context(
            actor=actor(reader, MemberRole.VIEWER),
            public_id=incident_of(people).public_id,
            holder=people.tenant.slug,
            place=place_of(cause=piece.cause, side=piece.side, position=piece.position),
        )


def show(people: Cast, reader: Organization, level: Level) -> None:
    rules = [SharingRule(data=data, level=level) for data in ("events:*", "logs:session")]
    agreed(people.tenant, reader, people.cluster, terms={people.tenant.slug: rules})


@pytest.mark.parametrize("level", [Level.REDACTED, Level.FULL])
def test_three_lines_before_and_after_are_read(people: Cast, level: Level) -> None:
    show(people, people.operator, level)

    found = context(people, people.operator)

    assert [each.offset for each in found.lines] == [-3, -2, -1, 0, 1]
    assert found.shared.level is level
    assert "CUDA out of memory" in found.lines[3].text
    assert TOKEN not in str(found)
    assert ("/mnt/lake/run" in str(found)) is (level is Level.FULL)


@pytest.mark.parametrize("level", [Level.NONE, Level.SIGNAL])
def test_below_that_no_line_is_read(people: Cast, level: Level) -> None:
    show(people, people.operator, level)

    with pytest.raises(NotFound):
        context(people, people.operator)


def test_without_an_agreement_there_is_none(people: Cast) -> None:
    with pytest.raises(NotFound):
        context(people, people.operator)


def test_a_granted_request_for_a_log_shows_line_and_neighbours(people: Cast) -> None:
    request = asked(
        incident_of(people), people.operator, people.tenant, data="logs:session", days=30
    )
    with pytest.raises(NotFound):
        context(people, people.operator)
    granted(request, people.tenant, level=Level.REDACTED)

    with time_machine.travel(make.AT):
        found = context(people, people.operator)

    assert found.shared.request == request
    assert len(found.lines) == 5
    with pytest.raises(NotFound):
        context(people, people.platform)
    with time_machine.travel(make.AT + timedelta(days=31)), pytest.raises(NotFound):
        context(people, people.operator)


def test_the_page_shows_them_to_the_reader_and_to_no_other_party(people: Cast) -> None:
    show(people, people.operator, Level.REDACTED)
    operator, platform = (member(each).client for each in (people.operator, people.platform))
    incident = incident_of(people).public_id
    page = operator.get(f"/o/{people.operator.slug}/incidents/{incident}/").content.decode()
    found = re.search(r'lines/(\?holder=[^"]*)"', page)
    assert found is not None
    query = html.unescape(found[1])

    shown = operator.get(f"/o/{people.operator.slug}/incidents/{incident}/lines/{query}")
    hidden = platform.get(f"/o/{people.platform.slug}/incidents/{incident}/lines/{query}")

    assert "step 4" in shown.content.decode()
    assert "/mnt/lake" not in shown.content.decode()
    assert hidden.status_code == 404


def test_by_rest_the_same_lines_are_read_by_the_place_that_the_evidence_has(people: Cast) -> None:
    show(people, people.operator, Level.REDACTED)
    operator, platform = (member(each).client for each in (people.operator, people.platform))
    incident = incident_of(people).public_id
    base = f"/api/v1/o/{people.operator.slug}/incidents/{incident}/"
    told = operator.get(f"{base}hypotheses/").json()["results"][0]["for"]
    place = next(each["place"] for each in told if each["shared_line"])
    query = {"holder": people.tenant.slug, "place": place}

    found = operator.get(f"{base}shared-log-lines/", query).json()

    assert [each["offset"] for each in found["lines"]] == [-3, -2, -1, 0, 1]
    assert [each["text"] for each in found["lines"]] == [
        each.text for each in context(people, people.operator).lines
    ]
    assert found["shared"]["level"] == "redacted"
    hidden = platform.get(
        f"/api/v1/o/{people.platform.slug}/incidents/{incident}/shared-log-lines/", query
    )
    assert hidden.status_code == 404
    for odd in ({}, {"place": place}, query | {"place": "x:y:0"}):
        assert operator.get(f"{base}shared-log-lines/", odd).status_code in {400, 404}
