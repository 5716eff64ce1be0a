"""Facts and lines of real logs, as another party reads them at each level."""

import pytest
import time_machine

from apps.fleet.models import Attempt
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.facade.reads import incident_view_of
from apps.incidents.models import Incident
from apps.incidents.projection.values import EvidencePiece, IncidentView
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.evidence_requests import asked, granted
from tests.cast.incidents import actor
from tests.cast.pushes import Cast, cast
from tests.cast.stopped_session import stopped_by_a_gpu

PRIVATE = "/mnt/secret-lake/solar-100b/shard-7.bin"
TOKEN = "hf_abcdefghijABCDEFGHIJabcdefghijABCD"  # noqa: S105  a canary
LINES = (
    f"[rank0]: 2026-11-21 02:00:09 Traceback: OSError: [Errno 5] Input/output error: '{PRIVATE}'",
    f"[rank0]: 2026-11-21 02:00:10 torch.cuda.OutOfMemoryError: CUDA out of memory. {TOKEN}",
)


def pieces(reader: Organization) -> list[EvidencePiece]:
    return [each for each in _all(_view(reader)) if each.shared]


def _all(view: IncidentView) -> list[EvidencePiece]:
    return [each for h in view.hypotheses for each in (*h.supporting, *h.opposing)]


def _view(reader: Organization) -> IncidentView:
    with organization_scope(reader.pk):
        incident = Incident.objects.get()
        return incident_view_of(
            actor=actor(reader, MemberRole.VIEWER), public_id=incident.public_id
        )


@pytest.fixture
def people(db: None) -> Cast:
    """A GPU of the operator stopped a session of the tenant; both sent their logs."""
    return stopped_by_a_gpu().people


@pytest.fixture
def failed_save(db: None) -> Cast:
    """A session of the tenant ended with an I/O error; its log names private things."""
    people = cast()
    make.agreed(organization=people.tenant, cluster=people.cluster)
    lines = [*LINES]
    come_in(people.tenant, people.cluster, lines, at=make.AT, session="run-1", host="gpu001")
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get()
    correlate_attempt(owner_id=people.tenant.pk, attempt_id=attempt.pk, now=make.AT)
    return people


def test_a_kernel_line_is_read_by_the_tenant_whose_session_it_stopped(people: Cast) -> None:
    agreed(people.operator, people.tenant, people.cluster, preset="joint-operations")

    (line,) = {each.shared_line for each in pieces(people.tenant) if each.shared_line}

    assert "NVRM: Xid" in line.text
    assert (line.level, line.stream, line.host) == (Level.REDACTED, "kernel", "gpu001")


def test_a_line_is_marked_by_the_rule_of_its_log_and_written_down_by_the_request_that_shows_it(
    people: Cast,
) -> None:
    made = agreed(
        people.operator, people.tenant, people.cluster, preset="joint-operations", now=make.AT
    )
    with organization_scope(people.tenant.pk):
        incident = Incident.objects.get()
    request = asked(incident, people.tenant, people.operator, data="logs:kernel")
    granted(request, people.operator)

    with time_machine.travel(make.AT, tick=False):
        (piece,) = (each for each in pieces(people.tenant) if each.shared_line)

    assert piece.shared
    assert piece.shared_line
    assert (piece.shared.request, piece.shared.agreement) == ("", made.public_id)
    assert (piece.shared_line.level, piece.shared_line.shared.request) == (Level.FULL, request)
    with organization_scope(people.operator.pk):
        grounds = {row.ground: row.shown for row in LedgerEntry.objects.all()}
    assert "logs:kernel" in str(grounds[request])
    assert "logs:kernel" not in str(grounds[made.public_id])


def test_of_an_event_without_its_log_the_words_are_shown_and_the_line_is_not(people: Cast) -> None:
    terms = {people.operator.slug: [SharingRule(data="events:*", level=Level.FULL)]}
    agreed(people.operator, people.tenant, people.cluster, terms=terms)

    shown = pieces(people.tenant)

    assert [each.fact["code"] for each in shown if each.fact and each.fact["code"]] != []
    assert {each.shared_line for each in shown} == {None}


def test_a_log_without_its_event_shows_nothing(people: Cast) -> None:
    terms = {people.operator.slug: [SharingRule(data="logs:*", level=Level.FULL)]}
    agreed(people.operator, people.tenant, people.cluster, terms=terms)

    assert pieces(people.tenant) == []


def test_the_operator_reads_a_session_s_facts_with_its_hosts_and_ranks(people: Cast) -> None:
    agreed(people.tenant, people.operator, people.cluster, preset="joint-operations")

    told = [each for each in _view(people.operator).timeline if each.shared]

    assert {str(each.shared.level) for each in told if each.shared} == {"redacted"}
    assert {each.detail["host"] for each in told if each.detail["host"]} == {"gpu001"}
    assert max(len(each.detail["ranks"]) for each in told) == 8
    assert {(each.detail["source"], each.detail["line"]) for each in told} == {("", None)}


@pytest.mark.parametrize("level", [Level.REDACTED, Level.FULL])
def test_a_secret_goes_at_every_level(failed_save: Cast, level: Level) -> None:
    rules = [
        SharingRule(data="events:*", level=level),
        SharingRule(data="logs:session", level=level),
    ]
    agreed(
        failed_save.tenant, failed_save.operator, failed_save.cluster,
        terms={failed_save.tenant.slug: rules},
    )  # fmt: skip

    told = str(_view(failed_save.operator))

    assert "CUDA out of memory" in told
    assert TOKEN not in told


def test_paths_and_names_of_a_session_become_pseudonyms(failed_save: Cast) -> None:
    agreed(failed_save.tenant, failed_save.operator, failed_save.cluster, preset="joint-operations")

    told = str(_view(failed_save.operator))
    lines = [each.shared_line.text for each in pieces(failed_save.operator) if each.shared_line]

    assert lines
    for word in ("secret-lake", "solar-100b", "shard-7"):
        assert word not in told
    assert "Input/output error" in str(lines)


def test_pseudonyms_are_the_same_within_an_agreement_and_others_in_another(
    failed_save: Cast,
) -> None:
    for other in (failed_save.operator, failed_save.platform):
        agreed(failed_save.tenant, other, failed_save.cluster, preset="joint-operations")

    first, again = str(_texts(failed_save.operator)), str(_texts(failed_save.operator))
    second = str(_texts(failed_save.platform))

    assert first == again
    assert "/p-" in first
    assert first != second


def _texts(reader: Organization) -> list[str]:
    return [each.shared_line.text for each in pieces(reader) if each.shared_line]
