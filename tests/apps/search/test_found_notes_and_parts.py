"""Annotations and GPUs that the search finds, beside those who may not read them."""

from datetime import timedelta

import pytest

from apps.incidents.annotations import annotate, revise, withdraw
from apps.incidents.entries import Audience, Note
from apps.incidents.models import Annotation, Incident
from apps.search.search import search
from apps.search.values import Hit, HitKind
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.failing_nodes import inventory
from tests.cast.incidents import Cast, actor

NOW = make.AT + timedelta(minutes=5)


def hits(who: Organization, typed: str, kind: HitKind) -> list[Hit]:
    """Return what is found of a kind."""
    asking = actor(who)
    with organization_scope(who.pk):
        groups = search(actor=asking, typed=typed).groups
    return [hit for group in groups if group.kind is kind for hit in group.hits]


def write(who: Organization, incident: Incident, text: str, *readers: Organization) -> Annotation:
    """Write an annotation for an audience."""
    audience = Audience(organizations=tuple(each.slug for each in readers))
    with organization_scope(who.pk):
        return annotate(
            actor=actor(who),
            incident=incident,
            note=Note(text=text),
            audience=audience,
            now=NOW,
        )


def test_an_annotation_is_found_by_its_audience(cast: Cast, incident: Incident) -> None:
    note = write(cast.operator, incident, "the riser cable of this node", cast.vendor)

    for who in (cast.operator, cast.vendor):
        (hit,) = hits(who, "riser cable", HitKind.ANNOTATION)
        assert (hit.id, hit.incident) == (note.public_id, incident.public_id)
    for who in (cast.tenant, cast.other_tenant, cast.stranger):
        assert hits(who, "note:riser", HitKind.ANNOTATION) == []


def test_what_was_edited_away_or_withdrawn_is_not_found(cast: Cast, incident: Incident) -> None:
    author = actor(cast.operator)
    note = write(cast.operator, incident, "the riser cable")
    with organization_scope(cast.operator.pk):
        newer = revise(actor=author, former=note, note=Note(text="the power cable"), now=NOW)
    assert hits(cast.operator, "riser", HitKind.ANNOTATION) == []
    assert len(hits(cast.operator, "power cable", HitKind.ANNOTATION)) == 1

    with organization_scope(cast.operator.pk):
        withdraw(actor=author, former=newer, now=NOW)
    assert hits(cast.operator, "power cable", HitKind.ANNOTATION) == []


@pytest.mark.parametrize(
    "typed", ["gpu:GPU-new-board", "new-board", "gpu:c1:00.0", "gpu071 5", "gpu:gpu071/5"]
)
def test_a_gpu_is_found_by_each_of_its_names_in_one_s_own_inventory(cast: Cast, typed: str) -> None:
    inventory(cast, at=make.AT)

    found = hits(cast.operator, typed, HitKind.GPU)
    assert found[0].id == "GPU-new-board"
    assert (found[0].host, found[0].cluster) == ("gpu071", cast.cluster.slug)
    for who in (cast.tenant, cast.vendor, cast.stranger):
        assert hits(who, typed, HitKind.GPU) == []


def test_a_board_that_was_taken_out_says_when(cast: Cast) -> None:
    inventory(cast, at=make.AT)

    (hit,) = hits(cast.operator, "gpu:old-board", HitKind.GPU)
    assert hit.at == make.AT


def test_a_node_of_the_inventory_is_found_by_its_operator_alone(cast: Cast) -> None:
    inventory(cast, at=make.AT)

    assert [hit.id for hit in hits(cast.operator, "host:gpu071", HitKind.NODE)] == ["gpu071"]
    assert hits(cast.tenant, "host:gpu071", HitKind.NODE) == []
