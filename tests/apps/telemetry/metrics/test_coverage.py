"""What a source served when it was read last is kept, and told only to its owner."""

from datetime import timedelta

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.coverage import CoverageLevel
from apps.diagnosis.detection.watch_memory import SignalRows
from apps.diagnosis.model import Device
from apps.telemetry.metrics.coverage import SourceCoverage, record_names, served_by, told_by
from apps.telemetry.metrics.pulls import pull
from apps.telemetry.models import SeriesState, Source
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast.metrics import HOSTS as CAST_HOSTS
from tests.cast.metrics import NOW, cast, healthy, source

pytestmark = pytest.mark.django_db

NAMES = ["DCGM_FI_DEV_XID_ERRORS", "node_load1"]
HOSTS = [f"gpu{number:03}" for number in range(1, 64)]


def roster(*, silent: frozenset[str] = frozenset()) -> SignalRows:
    """Return who was heard: all hosts a moment ago, but for some that fell silent an hour ago."""
    return SignalRows(
        entities=tuple(Device(kind="node", host=host) for host in HOSTS),
        details=("",) * len(HOSTS),
        seen=np.array([3600.0 if host in silent else 7180.0 for host in HOSTS]),
        next=7200.0,
        step=30.0,
    )


def _told(*sources: Source) -> SourceCoverage | None:
    ids = [each.pk for each in sources]
    return told_by(organization_id=sources[0].organization_id, source_ids=ids)


def state_of(key: str, *sources: Source) -> CoverageLevel:
    """Return how much of a subject some sources measure together."""
    told = _told(*sources)
    assert told is not None
    return next(each.state for each in told.covered if each.subject.key == key)


def test_of_a_source_that_was_never_read_nothing_is_said() -> None:
    people = cast()
    new = source(people, "https://x.example")
    with organization_scope(people.operator.id):
        assert served_by(organization_id=new.organization_id, source_id=new.pk) is None
        assert _told(new) is None


def test_names_are_kept_once_and_again_when_they_change_or_grow_old() -> None:
    people = cast()
    own = source(people, "https://x.example")
    with organization_scope(people.operator.id):
        assert record_names(source=own, names=NAMES, now=NOW)
        assert not record_names(source=own, names=NAMES[::-1], now=NOW + timedelta(minutes=1))
        assert record_names(source=own, names=[*NAMES, "up"], now=NOW + timedelta(minutes=2))
        assert record_names(source=own, names=[*NAMES, "up"], now=NOW + timedelta(minutes=13))
        served = served_by(organization_id=own.organization_id, source_id=own.pk)
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
        assert state_of("scheduler", one) is CoverageLevel.ABSENT
        assert state_of("xid", two) is CoverageLevel.ABSENT
        assert state_of("scheduler", one, two) is CoverageLevel.MEASURED
        assert state_of("xid", one, two) is CoverageLevel.MEASURED
        assert state_of("cuda-runtime", one, two) is CoverageLevel.UNSUPPORTED


def test_an_exporter_that_three_of_63_hosts_lack_is_told_by_name() -> None:
    people = cast()
    own = source(people, "https://x.example")
    dead = frozenset(HOSTS[:3])
    rosters = {"gpu.temperature": roster(silent=dead), "node.load": roster()}
    with organization_scope(people.operator.id):
        record_names(source=own, names=NAMES, rosters=rosters, now=NOW)
        told = _told(own)
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
        assert served_by(organization_id=own.organization_id, source_id=own.pk) is None


def test_a_pull_keeps_what_it_was_offered_and_who_lacks_it() -> None:
    people, world = cast(), World()
    healthy(world)
    for host in CAST_HOSTS[1:]:
        world.add("node_load1", 5.0, instance=f"{host}:9100")
    with serving(world) as url:
        own = source(people, url)
        pull.pull_source(organization_id=people.operator.id, source_id=own.pk, now=NOW)
    with organization_scope(people.operator.id):
        told = _told(own)
        assert told is not None
        assert told.at == NOW
        assert state_of("gpu-load", own) is CoverageLevel.PARTLY
        assert state_of("nfs-client", own) is CoverageLevel.ABSENT
        assert [(lack.exporter, lack.family, lack.missing) for lack in told.lacking] == [
            ("node", "host-load", (CAST_HOSTS[0],))
        ]
