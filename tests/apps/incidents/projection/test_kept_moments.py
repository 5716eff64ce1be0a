"""What a process keeps of stories: nothing that its reader may not read now, and nothing old."""

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from apps.fleet.models import Node
from apps.incidents.models import Incident, TimelineEntry
from apps.incidents.story_reading import kept_moments
from apps.incidents.story_reading.kept_moments import BLOCK, KeptBlocks, kept
from apps.incidents.story_reading.stored_moments import StoredMoment, stored
from apps.sharing import agreement_acts as acts
from apps.sharing.models import PseudonymKey
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.credentials import seal
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import EVENTS, moment, moments, of, view, words
from tests.cast import make
from tests.cast.agreements import admin_of, agreed
from tests.cast.incidents import Cast, assemble, attempt_of, stop_of

REDACTED = SharingRule(data="events:gpu", level=Level.REDACTED)


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    return stop_of(cast, attempt_of(cast, cast.tenant))


@pytest.fixture
def blocks() -> KeptBlocks:
    return KeptBlocks()


def read(incident: Incident, *readers: Organization, blocks: KeptBlocks) -> list[StoredMoment]:
    with organization_scope(*(each.pk for each in readers)):
        return list(kept(TimelineEntry.objects.filter(incident=incident), blocks=blocks))


def titles(told: list[StoredMoment]) -> set[str]:
    return {each.title for each in told}


def shown(incident: Incident, reader: Organization) -> str:
    return words(moments(view(incident, reader)))


def test_it_is_what_the_database_holds(cast: Cast, incident: Incident, blocks: KeptBlocks) -> None:
    first = read(incident, cast.tenant, blocks=blocks)
    with organization_scope(cast.tenant.pk):
        whole = list(stored(TimelineEntry.objects.filter(incident=incident)))

    with CaptureQueriesContext(connection) as asked:
        again = read(incident, cast.tenant, blocks=blocks)

    assert first == whole
    assert [id(each) for each in again] == [id(each) for each in first]
    assert not [each for each in asked.captured_queries if "statement" in each["sql"]]


def test_a_story_of_several_blocks_is_the_same_until_one_of_them_changes(
    cast: Cast, incident: Incident, blocks: KeptBlocks
) -> None:
    place = BLOCK * 10**9
    with organization_scope(cast.tenant.pk):
        moment(incident, cast.tenant, "FIRST", id=place)
        moment(incident, cast.tenant, "SECOND", id=place + BLOCK)
    rows = TimelineEntry.objects.filter(incident=incident)
    with organization_scope(cast.tenant.pk):
        first, again = kept(rows, blocks=blocks), kept(rows, blocks=blocks)
        moment(incident, cast.tenant, "BETWEEN", id=place + 1)
        later = kept(rows, blocks=blocks)

    assert again is first
    assert [each.title for each in later[-3:]] == ["FIRST", "BETWEEN", "SECOND"]
    assert later[:-3] == first[:-2]
    assert later[-1] is first[-1]


def test_another_organization_of_the_process_gets_its_own_rows_alone(
    cast: Cast, incident: Incident, blocks: KeptBlocks
) -> None:
    both = read(incident, cast.tenant, cast.operator, blocks=blocks)
    tenant, operator = (
        read(incident, each, blocks=blocks) for each in (cast.tenant, cast.operator)
    )

    def for_all(told: list[StoredMoment]) -> set[int]:
        return {id(each) for each in told if each.for_all_parties}

    assert for_all(tenant)
    assert for_all(tenant).isdisjoint(for_all(operator))  # no answer is quick by another's look
    assert {"TENANT-MOMENT", "OPERATOR-MOMENT"} <= titles(both)
    assert "TENANT-MOMENT" in titles(tenant)
    assert "OPERATOR-MOMENT" not in titles(tenant)
    assert "TENANT-MOMENT" not in titles(operator)
    assert read(incident, cast.stranger, blocks=blocks) == []


def test_a_new_moment_is_read_beside_those_that_are_kept(
    cast: Cast, incident: Incident, blocks: KeptBlocks
) -> None:
    read(incident, cast.tenant, blocks=blocks)
    with organization_scope(cast.tenant.pk):
        moment(incident, cast.tenant, "LATER")

    assert "LATER" in titles(read(incident, cast.tenant, blocks=blocks))


def test_a_row_of_the_same_id_and_key_that_says_something_else_is_read(
    cast: Cast, incident: Incident, blocks: KeptBlocks
) -> None:
    """As after a backup that was put back."""
    place = BLOCK * 10**9
    with organization_scope(cast.tenant.pk):
        point = transaction.savepoint()
        moment(incident, cast.tenant, "told", id=place, detail={"host": "before"})
        read(incident, cast.tenant, blocks=blocks)
        transaction.savepoint_rollback(point)
        moment(incident, cast.tenant, "told", id=place, detail={"host": "instead"})

    (told,) = (each for each in read(incident, cast.tenant, blocks=blocks) if each.id == place)

    assert told.detail == {"host": "instead"}


def test_a_row_written_after_the_marks_is_kept_under_none_of_them(
    cast: Cast, incident: Incident, blocks: KeptBlocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else who sees only the rows of before would be handed the new one."""
    place = BLOCK * 10**9
    with organization_scope(cast.tenant.pk):
        moment(incident, cast.tenant, "FOR-ALL", id=place, for_all_parties=True)
    marked = kept_moments._marked

    def and_then_written(rows: QuerySet[TimelineEntry]) -> object:
        marks = marked(rows)
        moment(incident, cast.tenant, "OF-THE-TENANT", id=place + 1)
        return marks

    monkeypatch.setattr(kept_moments, "_marked", and_then_written)
    assert "OF-THE-TENANT" in titles(read(incident, cast.tenant, blocks=blocks))
    monkeypatch.setattr(kept_moments, "_marked", marked)

    told = titles(read(incident, cast.operator, blocks=blocks))

    assert "FOR-ALL" in told
    assert "OF-THE-TENANT" not in told


def test_blocks_that_nobody_asks_for_go_first() -> None:
    few = KeptBlocks(most=2)
    row = StoredMoment._make([None] * len(StoredMoment._fields))
    few.keep("a", (row,))
    few.keep("b", (row,))
    few.find("a")
    few.keep("c", (row,))

    assert [few.find(mark) is not None for mark in "abc"] == [True, False, True]


def test_what_is_revoked_is_gone_with_the_next_look(cast: Cast, incident: Incident) -> None:
    made = agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    assert "OPERATOR-MOMENT" in shown(incident, cast.tenant)
    assert "OPERATOR-MOMENT" in shown(incident, cast.tenant)

    told = admin_of(cast.operator, now=make.AT)
    with organization_scope(cast.operator.pk):
        acts.revoke(actor=told.actor, agreement=made, number=1, reason="over", context=told)

    assert moments(view(incident, cast.tenant)) == []


def test_who_is_shown_less_gets_less_after_who_is_shown_more(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(cast.operator.pk):
        moment(incident, cast.operator, "fell off", detail={"host": "marigold"})
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(REDACTED, cast.operator))

    assert "marigold" in shown(incident, cast.tenant)
    for told in (shown(incident, cast.vendor), shown(incident, cast.vendor)):
        assert "fell off" in told
        assert "marigold" not in told
    assert "marigold" in shown(incident, cast.tenant)


def test_that_another_looked_at_what_both_are_shown_makes_no_look_quick(
    cast: Cast, incident: Incident
) -> None:
    def read_anew() -> int:
        with CaptureQueriesContext(connection) as asked:
            shown(incident, cast.vendor)
        return sum('"statement"' in each["sql"] for each in asked.captured_queries)

    for reader in (cast.tenant, cast.vendor):
        agreed(cast.operator, reader, cast.cluster, terms=of(EVENTS, cast.operator))
    read_anew()
    at_rest = read_anew()
    with organization_scope(cast.operator.pk):
        moment(incident, cast.operator, "NEW")
    shown(incident, cast.tenant)

    assert read_anew() == at_rest + 1


def test_what_one_way_hid_stands_in_the_story_of_the_other(cast: Cast, incident: Incident) -> None:
    """Both read a story of the same length, of which the same is their own."""
    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(REDACTED, cast.operator))
    with organization_scope(cast.operator.pk):
        moment(incident, cast.operator, "fell off", detail={"host": "marigold"})
    assert "marigold" not in shown(incident, cast.vendor)

    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(EVENTS, cast.operator))

    assert "marigold" in shown(incident, cast.vendor)


def test_a_host_that_gets_a_name_is_hidden_by_it_from_then_on(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(cast.operator.pk):
        moment(incident, cast.operator, "marigold fell off")
    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(REDACTED, cast.operator))
    assert "marigold fell off" in shown(incident, cast.vendor)

    with organization_scope(cast.operator.pk):
        Node.objects.create(
            organization=cast.operator,
            cluster=cast.cluster,
            name="marigold",
            first_seen_at=make.AT,
            last_seen_at=make.AT,
        )

    assert "fell off" in shown(incident, cast.vendor)
    assert "marigold" not in shown(incident, cast.vendor)


def test_another_key_gives_other_pseudonyms(cast: Cast, incident: Incident) -> None:
    with organization_scope(cast.operator.pk):
        moment(incident, cast.operator, "seen", detail={"host": "marigold"})
    agreed(cast.operator, cast.vendor, cast.cluster, terms=of(REDACTED, cast.operator))
    before = shown(incident, cast.vendor)

    with organization_scope(cast.operator.pk):
        keys = PseudonymKey.objects.for_organization(cast.operator)
        keys.update(secret=seal(secret="7" * 64))
    after = shown(incident, cast.vendor)

    assert "host-" in before
    assert "host-" in after
    assert _host(before) != _host(after)


def _host(told: str) -> str:
    return told.partition("host-")[2][:11]


def test_a_renamed_holder_is_called_by_its_new_name(cast: Cast, incident: Incident) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    view(incident, cast.tenant)

    Organization.objects.filter(pk=cast.operator.pk).update(name="Renamed")

    (told,) = moments(view(incident, cast.tenant))
    assert told.shared is not None
    assert told.shared.holder.name == "Renamed"
