"""Viewing as another party: what of ours it would read, and nothing that we could not read."""

import pytest
from django.utils import timezone

from apps.incidents.annotations import annotate
from apps.incidents.entries import Audience, Note
from apps.incidents.facade.reads import incident_view_of
from apps.incidents.facade.view_as import headers_as, incident_as
from apps.incidents.models import Incident
from apps.incidents.projection.values import EvidencePiece, IncidentView
from apps.incidents.projection.view_as.party_view import ViewAs
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import EVENTS, moment, of, view
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of
from tests.cast.kept_charts import keep


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    made = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        place = {"detail": {"layer": "gpu", "host": "gpu001"}}
        moment(made, cast.operator, "kernel of the operator", **place)
        moment(made, cast.tenant, "canary of the tenant", lane="software", **place)
        moment(made, cast.vendor, "canary of the vendor", **place)
    return made


def viewed(
    incident: Incident,
    by: Organization,
    other: Organization,
    role: MemberRole = MemberRole.ADMIN,
) -> ViewAs:
    now = timezone.now()  # noqa: TID251  what others read is decided by the clock, too
    with organization_scope(by.pk):
        return incident_as(
            actor=actor(by, role), public_id=incident.public_id, slug=other.slug, now=now
        )


def shared_of(found: IncidentView, holder: Organization) -> tuple[list[object], list[object]]:
    """Return what a view shows of a holder: pieces of evidence, moments."""
    pieces: list[EvidencePiece] = [
        piece for each in found.hypotheses for piece in (*each.supporting, *each.opposing)
    ]
    return (
        [
            (each.statement, each.fact, each.at, each.shared, each.shared_line)
            for each in pieces
            if each.shared and each.shared.holder.id == holder.pk
        ],
        [
            (each.statement, each.detail, each.at, each.shared)
            for each in found.timeline
            if each.shared and each.shared.holder.id == holder.pk
        ],
    )


@pytest.mark.parametrize("preset", ["joint-operations", "open-book"])
@pytest.mark.parametrize("reader", ["tenant", "vendor"])
def test_the_operator_sees_of_its_own_exactly_what_the_other_party_reads(
    cast: Cast, incident: Incident, preset: str, reader: str
) -> None:
    other: Organization = getattr(cast, reader)
    keep(cast, incident)
    agreed(cast.operator, other, cast.cluster, preset=preset)

    shown = viewed(incident, cast.operator, other)
    real = view(incident, other)

    pieces, moments = shared_of(real, cast.operator)
    assert pieces
    assert moments
    assert shared_of(shown.view, cast.operator) == (pieces, moments)
    assert shown.charts
    assert shown.view.header.culprits == real.header.culprits
    assert shown.view.header.rights == real.header.rights
    assert [each.id for each in shown.view.header.attempts] == [
        each.id for each in real.header.attempts
    ]


def test_redacted_it_is_what_the_other_party_reads_too(cast: Cast, incident: Incident) -> None:
    rules = [SharingRule(data="events:*", level=Level.REDACTED)]
    agreed(cast.operator, cast.vendor, cast.cluster, terms={cast.operator.slug: rules})

    shown = viewed(incident, cast.operator, cast.vendor)

    assert shared_of(shown.view, cast.operator) == shared_of(
        view(incident, cast.vendor), cast.operator
    )


@pytest.mark.parametrize(
    ("by", "other"), [("operator", "tenant"), ("tenant", "operator"), ("vendor", "tenant")]
)
def test_nothing_of_the_other_party_or_of_third_parties_is_in_it(
    cast: Cast, incident: Incident, by: str, other: str
) -> None:
    viewer, party = getattr(cast, by), getattr(cast, other)
    for first, second in (
        (cast.operator, cast.tenant),
        (cast.operator, cast.vendor),
        (cast.tenant, cast.vendor),
    ):
        agreed(first, second, cast.cluster, preset="open-book")

    told = str(viewed(incident, viewer, party))

    others = {"operator", "tenant", "vendor"} - {by}
    for each in others - {"operator"}:
        assert f"canary of the {each}" not in told
    if by != "operator":
        assert "kernel of the operator" not in told


def test_what_the_viewer_may_not_read_of_the_header_is_not_in_it_either(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(cast.vendor.pk):
        own = incident_view_of(
            actor=actor(cast.vendor), public_id=incident.public_id, channel=None
        ).header

    shown = viewed(incident, cast.vendor, cast.tenant).view.header

    assert shown.attempts == own.attempts == ()
    assert shown.coverage == own.coverage
    assert shown.first_stopper is own.first_stopper is None


def test_without_an_agreement_what_is_held_stays_a_number(cast: Cast, incident: Incident) -> None:
    found = viewed(incident, cast.operator, cast.tenant).view

    assert shared_of(found, cast.operator) == ([], [])
    assert [each.organization.slug for each in found.hypotheses[0].held] == [cast.operator.slug]
    assert not found.is_shared_with


def test_looking_so_is_no_look_of_the_other_party(cast: Cast, incident: Incident) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    viewed(incident, cast.operator, cast.tenant)

    with organization_scope(cast.operator.pk):
        assert not LedgerEntry.objects.exists()


def test_only_admins_look_and_only_as_parties_whom_they_know(
    cast: Cast, incident: Incident
) -> None:
    with pytest.raises(NotFound):
        viewed(incident, cast.operator, cast.tenant, MemberRole.RESPONDER)
    for stranger in (cast.operator, cast.stranger, cast.other_tenant):
        with pytest.raises(NotFound):
            viewed(incident, cast.operator, stranger)
    with pytest.raises(NotFound):
        viewed(incident, cast.stranger, cast.operator)


def test_the_list_has_what_both_are_parties_of(cast: Cast, incident: Incident) -> None:
    stop_of(cast, attempt_of(cast, cast.other_tenant))
    with organization_scope(cast.operator.pk):
        who = actor(cast.operator, MemberRole.ADMIN)
        other, headers = headers_as(actor=who, slug=cast.tenant.slug, most=10)

        assert other.slug == cast.tenant.slug
        assert [each.incident.public_id for each in headers] == [incident.public_id]
        assert headers[0].reader.slug == cast.tenant.slug
        for slug in (cast.stranger.slug, cast.operator.slug, "absent"):
            with pytest.raises(NotFound):
                headers_as(actor=who, slug=slug, most=10)


def test_annotations_are_those_that_the_other_party_reads(cast: Cast, incident: Incident) -> None:
    with organization_scope(cast.operator.pk):
        for text, audience in (("ours alone", None), ("for the tenant", cast.tenant.slug)):
            annotate(
                actor=actor(cast.operator),
                incident=incident,
                note=Note(text=text),
                audience=Audience(organizations=(audience,) if audience else ()),
                now=timezone.now(),  # noqa: TID251  the clock decides what stands
            )
    seen = {
        other.slug: [note.text for note in viewed(incident, cast.operator, other).view.annotations]
        for other in (cast.tenant, cast.vendor)
    }
    assert seen == {cast.tenant.slug: ["for the tenant"], cast.vendor.slug: []}
