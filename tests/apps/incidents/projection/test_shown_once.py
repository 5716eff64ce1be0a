"""What others show: each line and each moment once, and none lost because another looks alike."""

from collections import Counter

import pytest

from apps.incidents.models import EvidenceItem, Incident, TimelineEntry
from apps.incidents.projection.shared import shared_moments
from apps.incidents.story_reading.stored_moments import StoredMoment
from apps.sharing.grant_values import SharedThing
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import (
    EVENTS,
    moments,
    of,
    shared,
    view,
    words,
)
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, assemble, attempt_of, stop_of


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A GPU fault that stopped a session of the tenant."""
    return stop_of(cast, attempt_of(cast, cast.tenant))


@pytest.mark.parametrize("level", [Level.SIGNAL, Level.FULL])
def test_lines_that_look_alike_stay_as_many_as_they_are(
    cast: Cast, incident: Incident, level: Level
) -> None:
    _further_lines(cast, incident, count=2)
    rule = SharingRule(data="events:gpu", level=level)
    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(rule, cast.operator))

    told = shared(view(incident, cast.vendor))

    assert [each.weight for each in told] == [3.0, 3.0, 3.0]
    assert len({(words(each.statement), each.at) for each in told}) == 1


def test_a_line_on_which_two_sessions_rest_is_shown_once(cast: Cast, incident: Incident) -> None:
    _further_lines(cast, incident, count=2, reference="stream:7/12", weight=5.0)
    rule = SharingRule(data="events:gpu", level=Level.SIGNAL)
    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(rule, cast.operator))

    assert [each.weight for each in shared(view(incident, cast.vendor))] == [5.0, 3.0]


def test_a_moment_that_two_sessions_tell_is_shown_once(cast: Cast, incident: Incident) -> None:
    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(EVENTS, cast.operator))
    with organization_scope(cast.operator.pk):
        row = TimelineEntry.objects.get(incident=incident, title="OPERATOR-MOMENT")
        row.pk, row.key, row.moment = None, b"again", b"again"
        row.save(force_insert=True)

    assert len(moments(view(incident, cast.vendor))) == 1


@pytest.mark.parametrize("level", [Level.SIGNAL, Level.REDACTED, Level.FULL])
def test_of_which_class_a_moment_is_is_found_out_once(
    cast: Cast, incident: Incident, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Counter[int]()

    def counted(entry: StoredMoment) -> SharedThing:
        asked[entry.id] += 1
        return thing_of(entry)

    thing_of = shared_moments.thing_of
    monkeypatch.setattr(shared_moments, "thing_of", counted)
    rule = SharingRule(data="events:gpu", level=level)
    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(rule, cast.operator))

    first = moments(view(incident, cast.vendor))
    again = moments(view(incident, cast.vendor))

    assert first == again
    assert first[0].id in asked
    assert {*asked.values()} == {1}


def _further_lines(
    cast: Cast, incident: Incident, *, count: int, reference: str = "", weight: float = 3.0
) -> None:
    """Write lines of the operator with the words and the time of its first."""
    with organization_scope(cast.operator.pk):
        row = EvidenceItem.objects.get(incident=incident)
        for n in range(1, count + 1):
            row.pk, row.position, row.weight = None, n, weight
            row.reference = reference or f"stream:7/{n}"
            row.save(force_insert=True)
