"""What a source served when it was read last is kept, and told only to its owner."""

from datetime import timedelta

import numpy as np
import pytest

from apps.diagnosis.metrics.coverage import State
from apps.diagnosis.metrics.load import catalog
from apps.diagnosis.model import Device, Frame
from apps.telemetry.coverage import record_names, served_by, told_by
from apps.telemetry.models import SeriesState, Source
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.metrics_cast import NOW, cast, source

pytestmark = pytest.mark.django_db

NAMES = ["DCGM_FI_DEV_XID_ERRORS", "node_load1"]
HOSTS = [f"gpu{number:03}" for number in range(1, 64)]


def frame(signal: str, *, silent: frozenset[str] = frozenset()) -> Frame:
    """Return a frame of all hosts, of which some have no value."""
    values = [[np.nan if host in silent else 1.0] * 3 for host in HOSTS]
    entities = tuple(Device(kind="node", host=host) for host in HOSTS)
    return Frame(
        signal=catalog().signals[signal],
        entities=entities,
        start=0.0,
        step=30.0,
        values=np.array(values),
    )


def state_of(key: str, *sources: Source) -> State:
    """Return how much of a subject some sources measure together."""
    told = told_by(sources=list(sources))
    assert told is not None
    return next(each.state for each in told.covered if each.subject.key == key)


def test_of_a_source_that_was_never_read_nothing_is_said() -> None:
    people = cast()
    new = source(people, "https://x.example")
    with organization_scope(people.operator.id):
        assert served_by(source=new) is None
        assert told_by(sources=[new]) is None


def test_names_are_kept_once_and_again_when_they_change_or_grow_old() -> None:
    people = cast()
    own = source(people, "https://x.example")
    with organization_scope(people.operator.id):
        assert record_names(source=own, names=NAMES, now=NOW)
        assert not record_names(source=own, names=NAMES[::-1], now=NOW + timedelta(minutes=1))
        assert record_names(source=own, names=[*NAMES, "up"], now=NOW + timedelta(minutes=2))
        assert record_names(source=own, names=[*NAMES, "up"], now=NOW + timedelta(minutes=13))
        served = served_by(source=own)
        assert served is not None
        assert served.at == NOW + timedelta(minutes=13)
        assert served.names == frozenset({*NAMES, "up"})
        assert SeriesState.objects.for_organization(people.operator).count() == 1


def test_a_gap_of_one_source_is_closed_by_another_of_the_cluster() -> None:
    people = cast()
    one = source(people, "https://one.example", name="one")
    two = source(people, "https://two.example", name="two")
    with organization_scope(people.operator.id):
        record_names(source=one, names=NAMES, now=NOW)
        record_names(source=two, names=["slurm_nodes"], now=NOW)
        assert state_of("scheduler", one) is State.ABSENT
        assert state_of("xid", two) is State.ABSENT
        assert state_of("scheduler", one, two) is State.MEASURED
        assert state_of("xid", one, two) is State.MEASURED
        assert state_of("cuda-runtime", one, two) is State.UNSUPPORTED


def test_an_exporter_that_three_of_63_hosts_lack_is_told_by_name() -> None:
    people = cast()
    own = source(people, "https://x.example")
    dead = frozenset(HOSTS[:3])
    frames = [frame("gpu.temperature", silent=dead), frame("node.load")]
    with organization_scope(people.operator.id):
        record_names(source=own, names=NAMES, frames=frames, now=NOW)
        told = told_by(sources=[own])
        assert told is not None
        (lack,) = told.lacking
        assert (lack.exporter, lack.host_count) == ("dcgm", 63)
        assert frozenset(lack.missing) == dead


def test_nobody_else_sees_the_names() -> None:
    people = cast()
    own = source(people, "https://x.example")
    with organization_scope(people.operator.id):
        record_names(source=own, names=NAMES, now=NOW)
    with organization_scope(people.outsider.id):
        assert served_by(source=own) is None
