"""What a party reads of others' evidence and story: what their agreement shows, no more."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.fleet.models import Participation, ParticipationRole
from apps.fleet.parties.leave_cluster import leave
from apps.incidents.models import EvidenceItem, Incident, IncidentParty
from apps.sharing import agreement_acts as acts
from apps.sharing.models import PseudonymKey
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import (
    EVENTS,
    moment,
    moments,
    of,
    shared,
    view,
    words,
)
from tests.cast import make
from tests.cast.agreements import admin_of, agreed, proposed
from tests.cast.incidents import Cast, assemble, attempt_of, stop_of


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A GPU fault that stopped a session of the tenant."""
    return stop_of(cast, attempt_of(cast, cast.tenant))


def test_without_an_agreement_others_evidence_is_a_number(cast: Cast, incident: Incident) -> None:
    read = view(incident, cast.tenant)

    assert not shared(read)
    assert not moments(read)
    assert [each.count for each in read.hypotheses[0].held] == [1]
    assert "OPERATOR" not in words(read)


def test_in_full_the_words_and_the_moment_are_read(cast: Cast, incident: Incident) -> None:
    made = agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))

    read = view(incident, cast.tenant)

    (piece,), (moment,) = shared(read), moments(read)
    assert piece.statement["values"]["text"] == "OPERATOR-WORDS"
    assert moment.statement["values"]["text"] == "OPERATOR-MOMENT"
    assert piece.shared is not None
    assert (piece.shared.holder.slug, piece.shared.level) == (cast.operator.slug, Level.FULL)
    assert (piece.shared.agreement, piece.shared.version) == (made.public_id, 1)
    assert read.hypotheses[0].held == ()


def test_what_hides_is_read_once_for_evidence_and_story(cast: Cast, incident: Incident) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))

    with CaptureQueriesContext(connection) as asked:
        read = view(incident, cast.tenant)

    keys = [
        each["sql"] for each in asked.captured_queries if PseudonymKey._meta.db_table in each["sql"]
    ]
    assert shared(read)
    assert moments(read)
    assert len(keys) == 1


def test_where_its_holder_finds_a_line_stays_with_the_holder(
    cast: Cast, incident: Incident
) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))

    (piece,) = shared(view(incident, cast.tenant))

    assert (piece.source, piece.line, piece.reference) == ("", None, "")


def test_an_agreement_shows_one_way_what_one_side_gives(cast: Cast, incident: Incident) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))

    assert shared(view(incident, cast.operator)) == []
    assert "TENANT-WORDS" not in words(view(incident, cast.operator))


def test_a_signal_says_that_and_when_and_of_which_layer(cast: Cast, incident: Incident) -> None:
    rule = SharingRule(data="events:*", level=Level.SIGNAL)
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(rule, cast.operator))

    read = view(incident, cast.tenant)

    (piece,), (moment,) = shared(read), moments(read)
    assert piece.statement == {"kind": "shown-as-signal", "values": {"layer": "gpu"}}
    assert (piece.layer, piece.at, piece.fact) == ("gpu", make.AT, None)
    assert (moment.statement, moment.detail) == (piece.statement, {})
    assert "OPERATOR" not in words(read)


@pytest.mark.parametrize("end", ["revoked", "expired", "superseded", "not signed"])
def test_what_is_not_in_force_shows_nothing(cast: Cast, incident: Incident, end: str) -> None:
    terms, sides = of(EVENTS, cast.operator), (cast.operator, cast.tenant, cast.cluster)
    if end == "not signed":
        proposed(*sides, terms=terms)
    elif end == "expired":
        agreed(*sides, terms=terms, until=make.AT + timedelta(days=1))
    else:
        made = agreed(*sides, terms=terms)
        told = admin_of(cast.operator)
        with organization_scope(cast.operator.pk):
            if end == "revoked":
                acts.revoke(actor=told.actor, agreement=made, number=1, reason="over", context=told)
        if end == "superseded":
            agreed(*sides, preset="closed")

    read = view(incident, cast.tenant)

    assert not shared(read)
    assert not moments(read)
    assert "OPERATOR" not in words(read)


@pytest.mark.parametrize(
    ("rule", "is_shown"),
    [
        (SharingRule(data="events:gpu", level=Level.FULL, where=Place.OWN_SESSIONS), True),
        (SharingRule(data="events:gpu", level=Level.FULL, where=Place.INCIDENTS), True),
        (SharingRule(data="events:gpu", level=Level.FULL, where=Place.BLAMED), False),
        (SharingRule(data="events:host", level=Level.FULL), False),
        (SharingRule(data="metrics:gpu", level=Level.FULL), False),
        (SharingRule(data="events:gpu", level=Level.NONE), False),
        (SharingRule(data="events:gpu", level=Level.FULL, keep_days=1), False),
    ],
)
def test_a_rule_shows_what_it_names_where_it_says(
    cast: Cast, incident: Incident, rule: SharingRule, *, is_shown: bool
) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(rule, cast.operator))

    read = view(incident, cast.tenant)

    assert bool(shared(read)) is is_shown
    assert bool(moments(read)) is is_shown


def test_a_vendor_reads_its_layer_where_it_is_blamed(cast: Cast, incident: Incident) -> None:
    agreed(cast.operator, cast.vendor, cast.cluster, preset="joint-operations")

    (piece,) = shared(view(incident, cast.vendor))

    assert piece.statement["values"]["text"] == "OPERATOR-WORDS"


def test_the_class_that_is_named_beats_the_family(cast: Cast, incident: Incident) -> None:
    rules = [
        SharingRule(data="events:*", level=Level.FULL),
        SharingRule(data="events:gpu", level=Level.NONE),
    ]
    agreed(cast.operator, cast.tenant, cast.cluster, terms={cast.operator.slug: rules})

    assert shared(view(incident, cast.tenant)) == []


def test_a_rule_whose_days_are_over_leaves_nothing_to_the_family(
    cast: Cast, incident: Incident
) -> None:
    rules = [
        SharingRule(data="events:*", level=Level.FULL),
        SharingRule(data="events:gpu", level=Level.REDACTED, keep_days=1),
    ]
    agreed(cast.operator, cast.tenant, cast.cluster, terms={cast.operator.slug: rules})

    assert shared(view(incident, cast.tenant)) == []


def test_what_has_no_time_is_kept_no_longer_than_its_incident(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(*cast.ids):
        EvidenceItem.objects.for_organization(cast.operator).update(at=None)
    rule = SharingRule(data="events:gpu", level=Level.FULL, keep_days=1)
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(rule, cast.operator))

    assert shared(view(incident, cast.tenant)) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"at": make.AT - timedelta(minutes=11)},
        {"fact": {"host": "gpu002", "fields": {}}},
    ],
)
def test_own_sessions_are_their_hosts_while_they_ran(
    cast: Cast, incident: Incident, fields: dict[str, Any]
) -> None:
    rule = SharingRule(data="events:gpu", level=Level.FULL, where=Place.OWN_SESSIONS)
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(rule, cast.operator))
    assert shared(view(incident, cast.tenant))

    with organization_scope(cast.operator.pk):
        EvidenceItem.objects.for_organization(cast.operator).update(**fields)

    assert shared(view(incident, cast.tenant)) == []


def test_hosts_that_only_the_tenant_tells_join_nothing(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant, hosts_asserted=False))
    with organization_scope(cast.operator.pk):
        EvidenceItem.objects.for_organization(cast.operator).update(fact={"host": "gpu001"})
    rule = SharingRule(data="events:gpu", level=Level.FULL, where=Place.OWN_SESSIONS)
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(rule, cast.operator))

    assert shared(view(incident, cast.tenant)) == []


def test_who_left_the_cluster_reads_nothing_new(cast: Cast, incident: Incident) -> None:
    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(EVENTS, cast.operator))
    assert shared(view(incident, cast.vendor))

    told = admin_of(cast.vendor, now=make.AT + timedelta(hours=1))
    with organization_scope(cast.vendor.pk):
        leave(
            actor=told.actor, cluster=cast.cluster, part=ParticipationRole.GPU_VENDOR, context=told
        )

    assert shared(view(incident, cast.vendor)) == []
    assert "OPERATOR" not in words(view(incident, cast.vendor))


def test_what_people_and_the_portal_do_keeps_its_own_readers(
    cast: Cast, incident: Incident
) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    with organization_scope(cast.operator.pk):
        moment(incident, cast.operator, "OPERATOR-NOTE", kind="annotation", lane="people")

    assert "OPERATOR-NOTE" not in words(view(incident, cast.tenant))


def test_the_story_stays_in_the_order_of_time(cast: Cast, incident: Incident) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    later = make.AT + timedelta(minutes=2)
    with organization_scope(cast.tenant.pk):
        moment(incident, cast.tenant, "AFTER", at=later)

    told = [each.at for each in view(incident, cast.tenant).timeline if each.at]

    assert told == sorted(told)
    assert IncidentParty.objects.count() == 0  # no scope is left open


def test_what_can_not_be_hidden_is_not_shown(
    cast: Cast, incident: Incident, settings: LazySettings
) -> None:
    """A backup restored without its keys: the page stands, without what others show."""
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    settings.PORTAL_SECRET_KEYS = ["a key that sealed nothing of this"]

    read = view(incident, cast.tenant)

    assert not shared(read)
    assert not moments(read)
    assert [each.count for each in read.hypotheses[0].held] == [1]
    assert "OPERATOR" not in words(read)
    assert "TENANT-WORDS" in words(read)


@pytest.mark.parametrize("who", ["operator", "vendor"])
def test_who_comes_back_to_the_cluster_signs_again(
    cast: Cast, incident: Incident, who: str
) -> None:
    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(EVENTS, cast.operator))
    assert shared(view(incident, cast.vendor))
    back = getattr(cast, who)

    with organization_scope(back.pk):
        own = Participation.objects.for_organization(back)
        own.update(since=make.AT + timedelta(hours=2))

    assert not shared(view(incident, cast.vendor))
