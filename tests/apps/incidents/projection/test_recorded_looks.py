"""What others show is in their ledger before it is handed out; the same look counts once a day."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connections, transaction

from apps.incidents.facade.reads import (
    cited_line_context,
    incident_hypotheses,
    incident_timeline,
    incident_view_of,
)
from apps.incidents.facade.shared import shared_charts
from apps.incidents.models import Incident
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import EVENTS, moment, of
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of
from tests.cast.kept_charts import keep


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    return stop_of(cast, attempt_of(cast, cast.tenant))


@pytest.fixture
def reader(cast: Cast) -> Actor:
    return actor(cast.tenant, MemberRole.VIEWER)


def look(
    reader: Actor, incident: Incident, channel: LedgerChannel | None = LedgerChannel.PAGE
) -> None:
    with organization_scope(reader.organization.pk):
        incident_view_of(actor=reader, public_id=incident.public_id, channel=channel)


def entries(holder: Organization) -> Sequence[LedgerEntry]:
    with organization_scope(holder.pk):
        return list(LedgerEntry.objects.for_organization(holder).order_by("id"))


def test_a_look_is_one_entry_with_class_level_and_count(
    cast: Cast, incident: Incident, reader: Actor
) -> None:
    agreement = agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))

    look(reader, incident)

    (entry,) = entries(cast.operator)
    assert (entry.reader_id, entry.reader_label) == (cast.tenant.pk, reader.label)
    assert (entry.channel, entry.reader_kind) == ("page", "viewer")
    assert (entry.subject_kind, entry.subject) == ("incident", incident.public_id)
    assert (entry.ground, entry.ground_version) == (agreement.public_id, 1)
    assert entry.shown == [{"data": "events:gpu", "level": "full", "count": entry.count}]
    assert entry.count > 0


def test_a_repeated_look_adds_nothing_and_another_way_reader_or_day_does(
    cast: Cast, incident: Incident, reader: Actor
) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    with time_machine.travel(make.AT, tick=False):
        look(reader, incident)
        look(reader, incident)
        assert len(entries(cast.operator)) == 1

        look(reader, incident, LedgerChannel.EXPORT)
        look(actor(cast.tenant, MemberRole.ADMIN), incident)
        assert len(entries(cast.operator)) == 3
    with time_machine.travel(make.AT + timedelta(days=1), tick=False):
        look(reader, incident)
    assert len(entries(cast.operator)) == 4


def test_what_is_shown_anew_is_a_look_of_its_own(
    cast: Cast, incident: Incident, reader: Actor
) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    look(reader, incident)
    with organization_scope(cast.operator.pk):
        moment(incident, cast.operator, "another", detail={"layer": "gpu", "host": "gpu001"})

    look(reader, incident)

    first, second = entries(cast.operator)
    assert second.count == first.count + 1
    assert bytes(first.digest) != bytes(second.digest)


@pytest.mark.parametrize("read", [incident_hypotheses, incident_timeline, shared_charts])
def test_each_read_that_hands_out_is_written_down(
    cast: Cast, incident: Incident, reader: Actor, read: Any
) -> None:
    keep(cast, incident)
    rule = SharingRule(data="metrics:*", level=Level.FULL)
    terms = {cast.operator.slug: [EVENTS, rule]}
    agreed(cast.operator, cast.tenant, cast.cluster, terms=terms)
    with organization_scope(cast.operator.pk):
        moment(incident, cast.operator, "one", detail={"layer": "gpu", "host": "gpu001"})

    with organization_scope(cast.tenant.pk):
        read(actor=reader, public_id=incident.public_id)

    assert len(entries(cast.operator)) == 1


def test_without_a_channel_and_for_ones_own_lines_nothing_is_shown_and_nothing_written(
    cast: Cast, incident: Incident, reader: Actor
) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    with organization_scope(cast.tenant.pk):
        view = incident_view_of(actor=reader, public_id=incident.public_id, channel=None)
        with pytest.raises(NotFound):
            cited_line_context(
                actor=reader, public_id=incident.public_id, stream="session", host="", number=1
            )

    assert not view.is_shared_with
    assert entries(cast.operator) == []


def test_without_an_agreement_there_is_no_entry(
    cast: Cast, incident: Incident, reader: Actor
) -> None:
    look(reader, incident)

    assert entries(cast.operator) == []


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_where_the_ledger_can_not_be_written_nothing_is_shown() -> None:
    cast = assemble()
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    reader = actor(cast.tenant, MemberRole.VIEWER)
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("REVOKE INSERT ON sharing_ledgerentry FROM portal_app")
    try:
        with pytest.raises(LedgerUnavailable):
            look(reader, incident)
        with organization_scope(cast.tenant.pk):  # its own is there all the same
            assert incident_view_of(
                actor=reader, public_id=incident.public_id, channel=None
            ).hypotheses
    finally:
        with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
            cursor.execute("GRANT INSERT ON sharing_ledgerentry TO portal_app")
