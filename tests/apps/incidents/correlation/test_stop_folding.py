"""Stops that say the same stand in one line of lists; each stays readable with its own verdict."""

from collections.abc import Sequence
from typing import Any

import pytest

from apps.incidents.correlation import stop_folding
from apps.incidents.entries import StepEntry
from apps.incidents.lifecycle.resolution import resolve
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident, access_incidents
from apps.incidents.projection.headers import facts_of, read_header
from apps.incidents.projection.stop_lines import lines_of
from apps.incidents.states import IncidentStatus
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.correlation.stopped_attempts import NFS, attempts
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, stop_of

OTHER_GPU: dict[str, Any] = {"culprits": [{"kind": "gpu", "host": "gpu007", "name": None}]}


def read(cast: Cast, who: Organization, **filters: Any) -> list[Incident]:
    """Return the folded list of a party."""
    with organization_scope(who.pk):
        return list(access_incidents(actor=actor(who), is_folded=True, **filters))


def counts(who: Organization, heads: Sequence[Incident]) -> list[int]:
    """Return how many each line stands for."""
    with organization_scope(who.pk):
        return [
            len(line)
            for line in lines_of(
                heads=[facts_of(incident=each, reader_id=who.pk) for each in heads],
                reader_id=who.pk,
            ).values()
        ]


def test_attempts_that_fail_of_one_cause_in_a_row_are_one_line_for_every_party(cast: Cast) -> None:
    stops = [stop_of(cast, each) for each in attempts(cast, cast.tenant, 5)]
    other = stop_of(cast, attempt_of(cast, cast.other_tenant))

    for who, lines in ((cast.tenant, [5]), (cast.operator, [1, 5]), (cast.vendor, [1, 5])):
        heads = read(cast, who)
        assert [each.pk for each in heads] == [other.pk, stops[-1].pk][-len(lines) :]
        assert counts(who, heads) == lines
    with organization_scope(cast.operator.pk):
        for stop in stops:
            found = access_incident(actor=actor(cast.operator), public_id=stop.public_id)
            header = read_header(actor=actor(cast.operator), incident=found)
            assert header.incident.cause == "gpu-off-bus"
        assert access_incidents(actor=actor(cast.operator)).count() == 6


@pytest.mark.parametrize("between", [NFS, OTHER_GPU])
def test_another_cause_or_culprit_between_begins_another_line(
    cast: Cast, between: dict[str, Any]
) -> None:
    first, second, third, fourth = attempts(cast, cast.tenant, 4)
    stop_of(cast, first)
    stop_of(cast, third)
    stop_of(cast, fourth)
    assert counts(cast.operator, read(cast, cast.operator)) == [3]

    stop_of(cast, second, **between)  # what is told late divides what stood together
    assert counts(cast.operator, read(cast, cast.operator)) == [1, 2, 1]


def test_the_order_in_which_stops_are_told_does_not_matter(cast: Cast) -> None:
    for each in reversed(attempts(cast, cast.tenant, 4)):
        stop_of(cast, each)
    assert counts(cast.tenant, read(cast, cast.tenant)) == [4]


def test_a_stop_that_somebody_resolved_stands_for_none_that_is_open(cast: Cast) -> None:
    stops = [stop_of(cast, each) for each in attempts(cast, cast.tenant, 3)]
    with organization_scope(*cast.ids):
        resolve(
            actor=actor(cast.tenant),
            incident=stops[-1],
            entry=StepEntry(reason="fixed"),
            now=make.AT,
        )

    found = read(cast, cast.operator, status=IncidentStatus.OPEN)
    assert [each.pk for each in found] == [stops[1].pk]
    assert counts(cast.operator, found) == [2]


def test_a_flood_of_one_tenant_is_one_line_beyond_so_many_in_an_hour(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop_folding, "LINES_AN_HOUR", 3)
    causes: list[dict[str, Any]] = [{}, NFS]
    flood = [stop_of(cast, attempt_of(cast, cast.tenant), **causes[n % 2]) for n in range(9)]
    other = stop_of(cast, attempt_of(cast, cast.other_tenant))

    heads = read(cast, cast.operator)
    assert {each.pk for each in heads} == {each.pk for each in (*flood[:3], flood[-1], other)}
    lines = dict(zip((each.pk for each in heads), counts(cast.operator, heads), strict=True))
    assert lines[flood[-1].pk] == 6
    assert lines[other.pk] == 1
    # Asked for one layer, nothing is hidden behind a stop of another one.
    assert len(read(cast, cast.operator, layer="storage")) == 4


def test_what_is_in_a_line_stays_there_when_it_is_diagnosed_again(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop_folding, "LINES_AN_HOUR", 2)
    first, *_ = [stop_of(cast, attempt_of(cast, cast.tenant)) for _ in range(4)]
    with organization_scope(*cast.ids):
        assert first.attempt is not None
        stop_folding.place_in_line(incident=first, attempt=first.attempt, is_new=False)
    assert not first.is_further
    assert counts(cast.operator, read(cast, cast.operator)) == [2, 1, 1]


def test_who_sees_no_culprit_reads_the_same_lines_whether_it_was_the_same_part(cast: Cast) -> None:
    hidden = {"layer": "storage", "cause": "nfs-unavailable"}
    servers = [[{"kind": "server", "name": name}] for name in ("nas1", "nas1", "nas2", "nas1")]

    def lines(culprits: Sequence[Any]) -> tuple[list[int], list[int]]:
        """Return how many stops each line has, for the GPU vendor and for the operator."""
        known = {each.pk for each in read(cast, cast.operator)}
        starts = attempts(cast, cast.tenant, len(culprits))
        for start, each in zip(starts, culprits, strict=True):
            stop_of(cast, start, **hidden, culprits=each)
        heads = [
            [each for each in read(cast, who) if each.pk not in known]
            for who in (cast.vendor, cast.operator)
        ]
        return counts(cast.vendor, heads[0]), counts(cast.operator, heads[1])

    assert lines(servers) == ([4], [1, 1, 2])
    assert lines([servers[0]] * 4) == ([4], [4])


def test_who_sees_no_culprit_reads_another_cause_apart(cast: Cast) -> None:
    starts = attempts(cast, cast.tenant, 3)
    for start, cause in zip(starts, ("nfs-unavailable", "checkpoint-slow", ""), strict=True):
        said = {"layer": "storage", "cause": cause} if cause else {}
        stop_of(cast, start, **said)
    assert counts(cast.vendor, read(cast, cast.vendor)) == [1, 1, 1]


def test_a_vendor_whose_layer_it_is_sees_that_it_was_another_part(cast: Cast) -> None:
    first, second = attempts(cast, cast.tenant, 2)
    stop_of(cast, first)
    stop_of(cast, second, **OTHER_GPU)
    assert counts(cast.operator, read(cast, cast.operator)) == [1, 1]
    assert counts(cast.vendor, read(cast, cast.vendor)) == [1, 1]  # its layer: it sees them
