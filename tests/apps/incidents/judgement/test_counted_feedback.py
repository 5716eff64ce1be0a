"""What the parties said comes to: how right verdicts were, with n and an interval."""

from datetime import timedelta
from typing import Any

import pytest

from apps.incidents.entries import Opinion
from apps.incidents.judgement.accuracy import by_layer, overall, steps
from apps.incidents.judgement.judged_incidents import judged_incidents
from apps.incidents.models import Incident
from apps.incidents.states import Judgement
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.judgement.judging import LINK, NOW, RIGHT, said
from tests.cast.incidents import Cast, actor, attempt_of, stop_of


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A stop of the tenant: gpu-off-bus, at 0.9."""
    return stop_of(cast, attempt_of(cast, cast.tenant))


def judged(cast: Cast, *told: tuple[float, Opinion], **header: Any) -> None:
    """Make incidents of these probabilities, each judged so by the tenant."""
    for probability, opinion in told:
        made = stop_of(cast, attempt_of(cast, cast.tenant), probability=probability, **header)
        said(cast.tenant, made, opinion)


def test_accuracy_has_n_and_an_interval_for_each_layer(cast: Cast) -> None:
    other_cause = Opinion(judgement=Judgement.WRONG, layer="gpu", cause="gpu-nvlink")
    judged(cast, (0.95, RIGHT), (0.92, RIGHT), (0.9, LINK), (0.7, other_cause))
    unsure = {"verdict_status": "unknown", "layer": "unknown", "cause": "unknown"}
    judged(cast, (0.3, RIGHT), **unsure)

    with organization_scope(cast.operator.pk):
        found = judged_incidents(actor=actor(cast.operator))
    gpu, left_open = by_layer(judged=found)
    assert (gpu.layer, gpu.by_layer.hits, gpu.by_layer.n) == ("gpu", 3, 4)
    assert (gpu.by_cause.hits, gpu.by_cause.n) == (2, 4)
    low, high = gpu.by_layer.interval
    assert (round(low, 2), round(high, 2)) == (0.30, 0.95)
    assert gpu.by_layer.is_small
    assert (left_open.layer, left_open.by_layer.hits) == ("unknown", 1)
    assert overall(judged=found).n == 4
    said_of = {
        (step.low, step.high): (step.share.hits, step.share.n) for step in steps(judged=found)
    }
    assert said_of[0.9, 1.0] == (2, 3)
    assert said_of[0.65, 0.8] == (1, 1)
    assert sum(n for _, n in said_of.values()) == 4


def test_parties_that_contradict_each_other_are_counted_apart(
    cast: Cast, incident: Incident
) -> None:
    said(cast.tenant, incident, RIGHT)
    said(cast.operator, incident, LINK)
    for reader in (cast.tenant, cast.operator, cast.vendor):
        with organization_scope(reader.pk):
            (layer,) = by_layer(judged=judged_incidents(actor=actor(reader)))
        assert (layer.disputed_count, layer.by_layer.n) == (1, 0)
    with organization_scope(cast.stranger.pk):
        assert judged_incidents(actor=actor(cast.stranger)) == []


def test_what_was_said_of_an_earlier_answer_is_not_held_against_a_later(
    cast: Cast, incident: Incident
) -> None:
    said(cast.tenant, incident, LINK)
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(
            layer="network", cause="link-down", revision=2
        )
        incident.refresh_from_db()
    said(cast.operator, incident, RIGHT, now=NOW + timedelta(minutes=5))
    with organization_scope(cast.tenant.pk):
        (layer,) = by_layer(judged=judged_incidents(actor=actor(cast.tenant)))
    assert (layer.layer, layer.by_layer.hits, layer.by_layer.n) == ("network", 1, 1)


def test_simulated_incidents_do_not_count_for_a_real_organization(cast: Cast) -> None:
    judged(cast, (0.9, RIGHT))
    with organization_scope(*cast.ids):
        Incident.objects.update(is_simulated=True)
    with organization_scope(cast.tenant.pk):
        assert judged_incidents(actor=actor(cast.tenant)) == []
