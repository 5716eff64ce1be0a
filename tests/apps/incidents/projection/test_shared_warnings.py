"""Warnings of one party's metrics that another reads: whom they concern, and no further."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from apps.incidents.facade.shared import (
    WarningFilter,
    list_shared_warnings,
    shared_warnings_before,
)
from apps.incidents.projection.shared_values import SharedWarning
from apps.sharing.models import LedgerEntry, PseudonymKey
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import of, view
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of
from tests.cast.warnings import warn

NOW = make.AT + timedelta(hours=1)
OWN = SharingRule(data="warnings:*", level=Level.FULL, where=Place.OWN_SESSIONS)
DURING = {"raised_at": make.AT + timedelta(minutes=5)}
MANY = {"hosts": ["gpu001", "gpu009"], "host": "", "entity": {"kind": "server", "name": "vast-1"}}


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


def rule(level: Level, where: Place = Place.CLUSTER, data: str = "warnings:*") -> SharingRule:
    return SharingRule(data=data, level=level, where=where)


def show(cast: Cast, *rules: SharingRule) -> None:
    terms = {cast.operator.slug: list(rules)}
    agreed(cast.operator, cast.tenant, cast.cluster, terms=terms)


def read(cast: Cast, reader: Organization, **wanted: Any) -> Sequence[SharedWarning]:
    with organization_scope(reader.pk):
        return list_shared_warnings(
            actor=actor(reader, MemberRole.VIEWER),
            wanted=WarningFilter(**wanted),
            limit=50,
            now=NOW,
        )


def ids(found: Sequence[SharedWarning]) -> list[str]:
    return [each.episode.public_id for each in found]


def test_a_tenant_reads_what_the_operator_sees_coming_on_its_own_hosts(cast: Cast) -> None:
    attempt_of(cast, cast.tenant)
    warn(cast, **DURING)
    show(cast, OWN)

    (shown,) = read(cast, cast.tenant)

    assert shown.episode.host == "gpu001"
    assert shown.episode.causes == ["gpu-throttling"]
    assert shown.shared.holder.slug == cast.operator.slug
    assert shown.shared.level is Level.FULL


def test_nobody_reads_any_without_an_agreement(cast: Cast) -> None:
    attempt_of(cast, cast.tenant)
    warn(cast, **DURING)

    assert read(cast, cast.tenant) == []
    show(cast, rule(Level.FULL, data="metrics:*"))
    assert read(cast, cast.tenant) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"host": "gpu009", **DURING},
        {"raised_at": make.AT - timedelta(minutes=30)},
        {**DURING, **MANY, "hosts": ["gpu008", "gpu009"]},
    ],
    ids=["another-host", "before-it-ran", "a-part-that-others-share"],
)
def test_what_does_not_befall_its_own_sessions_is_not_shown(
    cast: Cast, fields: dict[str, Any]
) -> None:
    attempt_of(cast, cast.tenant)
    warn(cast, **fields)
    show(cast, OWN)

    assert read(cast, cast.tenant) == []


def test_a_host_that_a_tenant_only_claims_shows_it_nothing(cast: Cast) -> None:
    attempt_of(cast, cast.tenant, hosts_asserted=False)
    warn(cast, **DURING)
    show(cast, OWN)

    assert read(cast, cast.tenant) == []


def test_of_a_shared_part_a_tenant_reads_by_its_own_hosts_alone(cast: Cast) -> None:
    attempt_of(cast, cast.tenant)
    found = [
        {"family": "x", "entity": {"kind": "node", "host": host}} for host in ("gpu001", "gpu009")
    ]
    warn(cast, **DURING, **MANY, contributions=found)
    show(cast, OWN)

    (shown,) = read(cast, cast.tenant)

    assert shown.episode.hosts == ["gpu001"]
    assert "gpu009" not in str(shown)


def test_others_hosts_have_pseudonyms_where_it_is_redacted(cast: Cast) -> None:
    attempt_of(cast, cast.tenant)
    warn(cast, **DURING, **MANY)
    show(cast, rule(Level.REDACTED))

    (shown,) = read(cast, cast.tenant)

    known, hidden = shown.episode.hosts
    assert known == "gpu001"
    assert hidden.startswith("host-")
    assert "gpu009" not in str(shown)


def test_a_signal_says_that_and_of_which_layer_and_no_more(cast: Cast) -> None:
    warn(cast, raised_at=make.AT + timedelta(seconds=65))
    show(cast, rule(Level.SIGNAL))

    (shown,) = read(cast, cast.tenant)

    assert shown.episode.layer == "gpu"
    assert shown.episode.raised_at == make.AT + timedelta(minutes=1)
    for hidden in ("gpu001", "gpu-throttling", "gpu-clock", "EP-1"):
        assert hidden not in str(shown)


def test_one_layer_that_is_shown_shows_no_other(cast: Cast) -> None:
    warn(cast, **DURING)
    warn(cast, **DURING, public_id="EP-2", entity_key="x", layer="network")
    show(cast, rule(Level.FULL, data="warnings:network"))

    assert ids(read(cast, cast.tenant)) == ["EP-2"]


def test_they_are_narrowed_and_the_newest_comes_first(cast: Cast) -> None:
    for number in range(3):
        warn(
            cast,
            public_id=f"EP-{number}",
            entity_key=str(number),
            raised_at=make.AT + timedelta(minutes=number),
            layer="gpu" if number else "host",
        )
    show(cast, rule(Level.FULL))

    assert ids(read(cast, cast.tenant)) == ["EP-2", "EP-1", "EP-0"]
    assert ids(read(cast, cast.tenant, layer="host")) == ["EP-0"]
    assert ids(read(cast, cast.tenant, until=make.AT + timedelta(minutes=2))) == ["EP-1", "EP-0"]
    assert ids(read(cast, cast.tenant, since=make.AT + timedelta(minutes=2))) == ["EP-2"]
    assert read(cast, cast.tenant, is_page=False) == []
    assert read(cast, cast.tenant, cluster="elsewhere") == []


def test_a_third_party_and_the_holder_itself_read_none(cast: Cast) -> None:
    warn(cast, **DURING)
    show(cast, rule(Level.FULL))

    assert read(cast, cast.other_tenant) == []
    assert read(cast, cast.operator) == []


def test_without_its_key_nothing_is_shown(cast: Cast) -> None:
    warn(cast, **DURING)
    show(cast, rule(Level.REDACTED))
    with organization_scope(cast.operator.pk):
        PseudonymKey.objects.for_organization(cast.operator).update(secret=b"broken")

    assert read(cast, cast.tenant) == []


def test_an_incident_shows_what_others_saw_coming_on_the_blamed_part(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    assert incident.started_at is not None
    warn(cast, raised_at=incident.started_at - timedelta(minutes=7))
    where = Place.INCIDENTS
    terms = of(rule(Level.FULL, where), cast.operator)
    agreed(cast.operator, cast.tenant, cast.cluster, terms=terms)
    header = view(incident, cast.tenant).header

    with organization_scope(cast.tenant.pk):
        found = shared_warnings_before(
            actor=actor(cast.tenant),
            incident=header.incident,
            parts=header.culprits or (),
            failed_at=incident.started_at,
        )

    assert ids(found) == ["EP-1"]
    assert read(cast, cast.tenant) == []  # a list has no incident around it


def test_that_warnings_were_read_stands_in_their_holders_ledger(cast: Cast) -> None:
    attempt_of(cast, cast.tenant)
    warn(cast, **DURING)
    show(cast, OWN)

    found = read(cast, cast.tenant)

    with organization_scope(cast.operator.pk):
        (entry,) = LedgerEntry.objects.all()
    assert (entry.subject_kind, entry.subject) == ("warnings", cast.cluster.slug)
    assert entry.count == len(found) == 1


@pytest.mark.parametrize("seconds", [0, 17, 41, 59])
def test_a_signal_is_asked_for_by_the_minute_that_it_shows(cast: Cast, seconds: int) -> None:
    raised_at = make.AT.replace(second=0, microsecond=0) + timedelta(minutes=5, seconds=41)
    warn(cast, raised_at=raised_at)
    show(cast, rule(Level.SIGNAL))
    minute = raised_at.replace(second=0)
    asked = minute + timedelta(seconds=seconds)

    (shown,) = read(cast, cast.tenant)

    assert shown.episode.raised_at == minute
    # What it is asked for by tells as much as what is shown, and no second more.
    assert len(read(cast, cast.tenant, since=asked)) == (seconds == 0)
    assert len(read(cast, cast.tenant, until=asked)) == (seconds != 0)


def test_what_is_shown_in_full_is_asked_for_by_the_second(cast: Cast) -> None:
    raised_at = make.AT + timedelta(minutes=5, seconds=41)
    warn(cast, raised_at=raised_at)
    show(cast, rule(Level.FULL))

    assert read(cast, cast.tenant, since=raised_at)
    assert not read(cast, cast.tenant, until=raised_at)
    assert not read(cast, cast.tenant, since=raised_at + timedelta(seconds=1))
