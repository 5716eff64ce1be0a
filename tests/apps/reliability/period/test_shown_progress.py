"""How others' sessions get on: shown by an agreement, as far as it goes, and to nobody else."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from apps.fleet.models import ParticipationRole
from apps.reliability.facade.periods import period_of, scope_of
from apps.reliability.models import AttemptMeasure
from apps.reliability.period.scopes import Absence, Audience
from apps.reliability.period.tables import figures_of
from apps.reliability.period.values import Period
from apps.sharing import agreement_acts as acts
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.models import Agreement, LedgerEntry
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.access import Actor
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.leaving import leave
from tests.cast.agreements import admin_of, agreed
from tests.cast.incidents import Cast, actor
from tests.cast.make import AT
from tests.cast.training_season import DAYS, FIRST_DAY, build_season

NOW = AT + timedelta(days=3)
LAST = (FIRST_DAY + timedelta(days=DAYS)).date()
SESSIONS = 6


@pytest.fixture
def season(cast: Cast) -> Cast:
    """Sessions of the tenant, with a pace in tokens."""
    build_season(cast, sessions=SESSIONS, saves=12)
    with organization_scope(cast.tenant.pk):
        AttemptMeasure.objects.filter(is_told=True).update(tokens_per_second=51_000.0)
    return cast


def shows(cast: Cast, level: Level | str, **more: Any) -> Agreement:
    """Let the tenant show the operator how its sessions get on."""
    rule = SharingRule(data="sessions", level=Level(level), **more)
    terms = {cast.tenant.slug: [rule], cast.operator.slug: []}
    return agreed(cast.tenant, cast.operator, cast.cluster, terms=terms)


def read(
    cast: Cast,
    who: Organization,
    *,
    audience: Audience = Audience.CLUSTER,
    channel: LedgerChannel | None = LedgerChannel.PAGE,
    now: datetime = NOW,
    reader: Actor | None = None,
) -> Period:
    """Return the season as an organization reads it."""
    reader = reader or actor(who)
    with organization_scope(who.pk):
        scope = scope_of(
            actor=reader,
            audience=audience,
            cluster=cast.cluster.slug,
            first_day=FIRST_DAY.date(),
            last_day=LAST,
        )
        return period_of(actor=reader, scope=scope, now=now, channel=channel)


def looks(holder: Organization) -> list[LedgerEntry]:
    with organization_scope(holder.pk):
        rows = LedgerEntry.objects.for_organization(holder)
        return list(rows.filter(subject_kind="progress").order_by("id"))


@pytest.mark.django_db
def test_as_a_signal_the_operator_reads_goodput_and_pace(season: Cast) -> None:
    shows(season, "signal")
    mine, theirs = read(season, season.tenant, audience=Audience.OWN), read(season, season.operator)
    assert theirs.division.goodput == mine.division.goodput
    assert theirs.division.hours == mine.division.hours
    assert [each.session for each in theirs.progress] == [each.session for each in mine.progress]
    assert {each.tokens_per_second for each in theirs.progress} == {51_000.0}
    assert all(each.step_seconds for each in theirs.progress)
    assert {each.shared.holder.slug for each in theirs.progress if each.shared} == {
        season.tenant.slug
    }


@pytest.mark.django_db
def test_as_a_signal_nothing_is_told_of_saves_and_of_what_was_lost(season: Cast) -> None:
    shows(season, "signal")
    found = read(season, season.operator)
    hidden = {each.figure for each in found.withheld if each.absence is Absence.HIDDEN}
    assert hidden == {"mfu", "checkpoint-interval", "lost-progress", "slow-time"}
    figures = figures_of(found)
    for name in ("mfu-percent", "checkpoint-interval-seconds", "lost-progress-gpu-hours"):
        assert figures[name].absence is Absence.HIDDEN, name


@pytest.mark.django_db
def test_as_a_signal_what_saves_and_stops_cost_is_not_known_and_the_clock_adds_up(
    season: Cast,
) -> None:
    mine = {
        each.use: each for each in read(season, season.tenant, audience=Audience.OWN).division.uses
    }
    hidden = ("lost-progress", "checkpoint-restore", "checkpoint-save")
    assert mine["lost-progress"].milliseconds
    assert mine["checkpoint-save"].milliseconds
    shows(season, "signal")
    theirs = {each.use: each for each in read(season, season.operator).division.uses}
    assert [theirs[use].milliseconds for use in hidden] == [0, 0, 0]
    assert [theirs[use].gpu_hours for use in hidden] == [0, 0, 0]
    together = sum(mine[use].milliseconds for use in (*hidden, "unknown"))
    assert theirs["unknown"].milliseconds == together
    for use in ("productive", "infrastructure-recovery", "straggler"):
        assert theirs[use] == mine[use]


@pytest.mark.django_db
@pytest.mark.parametrize("level", ["redacted", "full"])
def test_in_full_the_operator_reads_what_the_tenant_reads(season: Cast, level: str) -> None:
    shows(season, level)
    mine, theirs = read(season, season.tenant, audience=Audience.OWN), read(season, season.operator)
    assert figures_of(theirs)["mfu-percent"] == figures_of(mine)["mfu-percent"]
    assert theirs.saves == mine.saves
    assert theirs.division.uses == mine.division.uses
    assert theirs.losses.total.progress.value == mine.losses.total.progress.value
    assert theirs.withheld == ()


@pytest.mark.django_db
def test_without_a_rule_the_operator_reads_who_hides_it(season: Cast) -> None:
    found = read(season, season.operator)
    assert found.progress == ()
    assert found.division.goodput.absence is Absence.HIDDEN
    [owner] = found.owners
    assert (owner.organization.slug, owner.session_count, owner.shown) == (
        season.tenant.slug,
        SESSIONS,
        None,
    )
    assert looks(season.tenant) == []


@pytest.mark.django_db
@pytest.mark.parametrize("where", [Place.INCIDENTS, Place.BLAMED])
def test_a_rule_for_incidents_shows_no_more_than_those(season: Cast, where: Place) -> None:
    shows(season, "full", where=where)
    assert read(season, season.operator).progress == ()


@pytest.mark.django_db
def test_a_vendor_reads_nothing_by_the_same_rule_nor_another_tenant(season: Cast) -> None:
    rule = SharingRule(data="sessions", level=Level.FULL)
    terms = {season.tenant.slug: [rule], season.vendor.slug: []}
    agreed(season.tenant, season.vendor, season.cluster, terms=terms)
    for other in (season.vendor, season.other_tenant):
        found = read(season, other)
        assert (found.progress, found.owners, found.division.uses) == ((), (), ())
    assert looks(season.tenant) == []


@pytest.mark.django_db
def test_what_the_operator_gives_shows_it_nothing(season: Cast) -> None:
    rule = SharingRule(data="sessions", level=Level.FULL)
    terms = {season.tenant.slug: [], season.operator.slug: [rule]}
    agreed(season.tenant, season.operator, season.cluster, terms=terms)
    assert read(season, season.operator).progress == ()


@pytest.mark.django_db
def test_nothing_is_shown_once_the_agreement_ended(season: Cast) -> None:
    made = shows(season, "full")
    told = admin_of(season.tenant, now=NOW)
    with organization_scope(season.tenant.pk):
        acts.revoke(actor=told.actor, agreement=made, number=1, reason="over", context=told)
    assert read(season, season.operator, now=NOW + timedelta(seconds=1)).progress == ()


@pytest.mark.django_db
def test_nothing_is_shown_of_a_tenant_that_left(season: Cast) -> None:
    shows(season, "full")
    leave(season.tenant, season, ParticipationRole.TENANT)
    assert read(season, season.operator).progress == ()


@pytest.mark.django_db
def test_what_is_kept_for_days_is_not_shown_after_them(season: Cast) -> None:
    middle = (NOW - FIRST_DAY).days - DAYS // 2
    shows(season, "full", keep_days=middle)
    assert 0 < len(read(season, season.operator).progress) < SESSIONS
    later = NOW + timedelta(days=DAYS)
    assert read(season, season.operator, now=later).progress == ()


@pytest.mark.django_db
def test_the_ledger_of_the_tenant_has_each_session_once(season: Cast) -> None:
    made = shows(season, "signal")
    reader = actor(season.operator)
    for channel in (LedgerChannel.PAGE, LedgerChannel.PAGE, LedgerChannel.REST):
        read(season, season.operator, channel=channel, reader=reader)
    first, second = looks(season.tenant)
    assert (first.channel, second.channel) == ("page", "rest")
    assert (first.subject, first.ground, first.count) == (
        season.cluster.slug,
        made.public_id,
        SESSIONS,
    )
    assert first.shown == [{"data": "sessions", "level": "signal", "count": SESSIONS}]


@pytest.mark.django_db
def test_what_is_read_by_no_way_is_not_shown(season: Cast) -> None:
    shows(season, "full")
    assert read(season, season.operator, channel=None).progress == ()
    assert looks(season.tenant) == []


@pytest.mark.django_db
def test_the_joint_view_is_the_same_for_all_and_has_no_steps(season: Cast) -> None:
    shows(season, "full")
    both = [read(season, who, audience=Audience.JOINT) for who in (season.operator, season.vendor)]
    assert [each.progress for each in both] == [(), ()]
    assert both[0].division == both[1].division
    assert replace(both[0], scope=both[1].scope).losses == both[1].losses
