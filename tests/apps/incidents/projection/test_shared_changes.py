"""What one party changed, and how much of it another reads: by their agreement, and no further."""

import re
from datetime import timedelta

import pytest

from apps.fleet.changes import change_rows
from apps.fleet.changes.change_values import ChangeView
from apps.fleet.models import ChangedThing, Participation
from apps.incidents.facade.cluster_changes import changes_of
from apps.incidents.models import Incident
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.models import LedgerEntry, PseudonymKey
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import view
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.changes import changed
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of

NOW = make.AT + timedelta(hours=1)
DURING = make.AT + timedelta(minutes=5, seconds=41)
HIDDEN = ("gpu001", "CHANGE-", "550.54", "560.35", "CHG-")


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


def rule(level: Level, where: Place = Place.CLUSTER, data: str = "changes:*") -> SharingRule:
    return SharingRule(data=data, level=level, where=where)


def show(cast: Cast, *rules: SharingRule) -> None:
    terms = {cast.operator.slug: list(rules)}
    agreed(cast.operator, cast.tenant, cast.cluster, terms=terms)


def read(
    cast: Cast, reader: Organization, *, incident: Incident | None = None, days: float = 2
) -> list[ChangeView]:
    facts = view(incident, reader).header.incident if incident else None
    with organization_scope(reader.pk):
        return list(
            changes_of(
                actor=actor(reader, MemberRole.VIEWER),
                cluster=cast.cluster.slug,
                span=(NOW - timedelta(days=days), NOW),
                now=NOW,
                channel=LedgerChannel.PAGE,
                incident=facts,
            )
        )


def test_its_owner_reads_all_of_it_and_nobody_else_anything(cast: Cast) -> None:
    attempt_of(cast, cast.tenant)
    changed(cast.operator, cast.cluster, starts_at=DURING)

    (own,) = read(cast, cast.operator)
    assert (own.title, own.hosts, own.by) == ("CHANGE-TITLE", ("gpu001",), "CHANGE-PERSON")
    for other in (cast.tenant, cast.other_tenant, cast.vendor):
        assert read(cast, other) == []
    with pytest.raises(NotFound):
        read(cast, cast.stranger)


def test_who_runs_the_cluster_reads_none_of_a_tenants_without_an_agreement(cast: Cast) -> None:
    changed(cast.tenant, cast.cluster)
    assert read(cast, cast.operator) == []


def test_rules_for_other_classes_show_no_change(cast: Cast) -> None:
    changed(cast.operator, cast.cluster)
    show(cast, *(rule(Level.FULL, data=f"{each}:*") for each in ("metrics", "events", "logs")))
    assert read(cast, cast.tenant) == []


def test_a_rule_that_shows_nothing_shows_nothing(cast: Cast) -> None:
    changed(cast.operator, cast.cluster)
    show(cast, rule(Level.NONE))
    assert read(cast, cast.tenant) == []


def test_a_signal_tells_what_kind_when_and_by_whom_and_nothing_else(cast: Cast) -> None:
    changed(cast.operator, cast.cluster, starts_at=DURING, kind=ChangedThing.DEPLOY)
    show(cast, rule(Level.SIGNAL))

    (shown,) = read(cast, cast.tenant)

    assert (shown.kind, shown.teller.slug) == (ChangedThing.DEPLOY, cast.operator.slug)
    assert shown.starts_at == DURING.replace(second=0, microsecond=0)
    assert shown.is_brief
    assert not any(word in str(shown) for word in HIDDEN)


def test_a_redacted_one_names_no_host_person_or_ticket(cast: Cast) -> None:
    changed(cast.operator, cast.cluster, title="driver on GPU001.cluster")
    show(cast, rule(Level.REDACTED))

    (shown,) = read(cast, cast.tenant)

    assert (shown.before, shown.after) == ("550.54", "560.35")
    assert len(shown.hosts or ()) == 1
    for hidden in ("gpu001", "chg-reference", "change-"):
        assert hidden not in str(shown).lower()


def test_in_full_it_is_read_as_its_owner_reads_it_without_the_owners_key(cast: Cast) -> None:
    changed(cast.operator, cast.cluster)
    show(cast, rule(Level.FULL))

    (shown,) = read(cast, cast.tenant)

    assert (shown.title, shown.reference, shown.by) == (
        *("CHANGE-TITLE", "CHG-REFERENCE", "CHANGE-PERSON"),
    )
    assert shown.hosts == ("gpu001",)
    assert shown.key == ""
    assert not shown.is_own


def test_one_layer_that_is_shown_shows_no_other(cast: Cast) -> None:
    changed(cast.operator, cast.cluster)
    changed(cast.operator, cast.cluster, key="b", layer="storage", title="STORAGE")
    show(cast, rule(Level.FULL, data="changes:storage"))
    assert [each.title for each in read(cast, cast.tenant)] == ["STORAGE"]


def test_of_its_own_sessions_a_tenant_reads_its_own_hosts_alone(cast: Cast) -> None:
    attempt_of(cast, cast.tenant)
    both = {"hosts": ("gpu001", "gpu009"), "title": "driver on gpu001, gpu009"}
    changed(cast.operator, cast.cluster, starts_at=DURING, **both)
    changed(cast.operator, cast.cluster, key="b", starts_at=DURING, hosts=("gpu009",))
    changed(cast.operator, cast.cluster, key="c", starts_at=DURING, hosts=())
    changed(cast.operator, cast.cluster, key="d", starts_at=make.AT - timedelta(hours=5))
    show(cast, rule(Level.FULL, Place.OWN_SESSIONS))

    found = read(cast, cast.tenant)

    assert sorted(each.hosts or () for each in found) == [(), ("gpu001",)]
    assert "gpu009" not in str(found)


def test_a_host_that_a_tenant_only_claims_shows_it_nothing(cast: Cast) -> None:
    attempt_of(cast, cast.tenant, hosts_asserted=False)
    changed(cast.operator, cast.cluster, starts_at=DURING)
    show(cast, rule(Level.FULL, Place.OWN_SESSIONS))
    assert read(cast, cast.tenant) == []


def test_around_an_incident_its_rule_shows_it_and_no_list_does(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    assert incident.started_at is not None
    changed(cast.operator, cast.cluster, starts_at=incident.started_at - timedelta(minutes=7))
    show(cast, rule(Level.FULL, Place.INCIDENTS))

    assert read(cast, cast.tenant) == []
    assert [each.title for each in read(cast, cast.tenant, incident=incident)] == ["CHANGE-TITLE"]


def test_a_third_party_reads_nothing_of_what_two_agreed(cast: Cast) -> None:
    changed(cast.operator, cast.cluster)
    show(cast, rule(Level.FULL))
    for other in (cast.other_tenant, cast.vendor):
        assert read(cast, other) == []


def test_when_its_holder_leaves_the_cluster_nothing_more_is_shown(cast: Cast) -> None:
    changed(cast.operator, cast.cluster)
    show(cast, rule(Level.FULL))
    with organization_scope(cast.operator.pk):
        Participation.objects.filter(organization=cast.operator).delete()
    assert read(cast, cast.tenant) == []


def test_who_left_the_cluster_reads_no_list_of_it(cast: Cast) -> None:
    changed(cast.tenant, cast.cluster)
    with organization_scope(cast.tenant.pk):
        Participation.objects.filter(organization=cast.tenant).delete()
    with pytest.raises(NotFound):
        read(cast, cast.tenant)


def test_without_its_key_nothing_is_shown(cast: Cast) -> None:
    changed(cast.operator, cast.cluster)
    show(cast, rule(Level.REDACTED))
    with organization_scope(cast.operator.pk):
        PseudonymKey.objects.for_organization(cast.operator).update(secret=b"broken")
    assert read(cast, cast.tenant) == []


def test_that_it_was_read_stands_in_its_holders_ledger(cast: Cast) -> None:
    changed(cast.operator, cast.cluster)
    show(cast, rule(Level.SIGNAL))

    assert len(read(cast, cast.tenant)) == 1

    with organization_scope(cast.operator.pk):
        (entry,) = LedgerEntry.objects.all()
    assert (entry.subject_kind, entry.subject) == ("changes", cast.cluster.slug)
    assert entry.shown == [{"data": "changes:gpu", "level": "signal", "count": 1}]


def test_a_list_of_nodes_in_its_words_hides_as_the_nodes_do(cast: Cast) -> None:
    attempt_of(cast, cast.tenant)
    words = {"title": "drivers of Rack[071-072]", "before": "rack071-ib0", "after": "rack072:9100"}
    hosts = ("gpu001", "rack071", "rack072")
    changed(cast.operator, cast.cluster, starts_at=DURING, hosts=hosts, **words)
    show(cast, rule(Level.REDACTED))
    (shown,) = read(cast, cast.tenant)
    assert "gpu001" in (shown.hosts or ())
    assert "rack" not in str(shown).lower()


@pytest.mark.parametrize(
    ("title", "shown_as"),
    [
        ("drivers of racks 071 to 073", "drivers of racks {}"),
        ("nodes \uff10\uff17\uff11 drained", "nodes {} drained"),  # as wide as Korean letters
        ("drivers of nodes 70-72, reseated", "drivers of nodes {}, reseated"),
        ("nodes 3, 071 and 90 drained", "nodes {} drained"),
        ("host 71: reseated", "host {}: reseated"),
        ("랙 071~073 펌웨어", "랙 {} 펌웨어"),
        ("nodes 71 or 72 drained", "nodes {} drained"),
        ("nodes 71/72 drained", "nodes {} drained"),
        ("nodes 71 \u2014 72 drained", "nodes {} drained"),
        ("nodes 71..73 drained", "nodes {} drained"),
        ("nodes  71  and\t72 drained", "nodes {} drained"),
        ("node\u00a071 drained", "node\u00a0{} drained"),
        ("nodes: 71, 72 drained", "nodes: {} drained"),
        ("nodes (71, 72) drained", "nodes ({}) drained"),
        ("node no. 71 drained", "node no. {} drained"),
        ("node 000000000071 drained", "node {} drained"),
        ("노드 71번과 72번 점검", "노드 {}번 점검"),
        ("노드 71에서 73까지 점검", "노드 {}까지 점검"),
        ("71, 72번 노드 점검", "{}번 노드 점검"),
        ("r071-072 drained", "{} drained"),
        ("r071 to 072 drained", "{} drained"),
        ("r071, 072 drained", "{} drained"),
        ("r[071, 072] drained", "{} drained"),
        ("node72 drained", "{} drained"),
        ("r 72 drained", "r {} drained"),
        ("compute 72 drained", "compute {} drained"),
        ("compute 71\u201372 drained", "compute {} drained"),
        ("node-72 drained", "{} drained"),
        ("node_72 drained", "{} drained"),
        ("node=72 drained", "{} drained"),
        ("node id 72 drained", "node id {} drained"),
        ("nodes between 71 and 75", "nodes between {}"),
        ("nodes 71 -> 75 drained", "nodes {} drained"),
        ("nodes 70\u202675 drained", "nodes {} drained"),
        ("nodes 71\uff64 72 drained", "nodes {} drained"),
        ("r\u200b071 drained", "{} drained"),
        ("\uff52\uff10\uff17\uff11 drained", "{} drained"),
        ("r071 to -072 drained", "{} drained"),
        ("r0{71,72} drained", "{} drained"),
        ("r-(071|072) drained", "{} drained"),
        ("r[72] drained", "{} drained"),
        ("rack12 moved", "{} moved"),
        ("rack-12 moved", "{} moved"),
        ("rack=12 moved", "{} moved"),
        ("rack 4b moved", "rack {} moved"),
        ("rack A-12-3 moved", "rack {} moved"),
        ("cabinet 12 moved", "cabinet {} moved"),
        ("rack A12 moved", "rack {} moved"),
        ("racks B-3 and C4 moved", "racks {} moved"),
    ],
)
def test_numbers_of_nodes_and_racks_in_its_words_hide_as_the_nodes_do(
    cast: Cast, title: str, shown_as: str
) -> None:
    show(cast, rule(Level.REDACTED))
    changed(cast.operator, cast.cluster, hosts=("r071", "r072"), title=title)
    (shown,) = read(cast, cast.tenant)
    before, _, after = shown_as.partition("{}")
    assert shown.title.startswith(before)
    assert shown.title.endswith(after)
    between = shown.title[len(before) : len(shown.title) - len(after)]
    # One pseudonym, and no number beside it.
    assert re.fullmatch(r"[a-z]+-[a-z0-9]{4,}", between.strip())


@pytest.mark.parametrize(
    "title",
    [
        "nodes 4 to 9 stay",
        "GPU 7 of node 3",
        "b[72] stays",
        "4, 5번 노드",
        "r070-1 stays",
        "Node 20.10 for 72 GPUs",
        "3 racks",
        "racks 4 to 9",
        "compute 8.0 for node9",
        "rack A4 moved",
    ],
)
def test_numbers_that_name_no_hidden_node_stay(cast: Cast, title: str) -> None:
    show(cast, rule(Level.REDACTED))
    hosts = () if title.startswith(("racks 4", "rack A4")) else ("r071", "r072")
    changed(cast.operator, cast.cluster, hosts=hosts, title=title)
    (shown,) = read(cast, cast.tenant)
    assert shown.title == title


def test_a_node_by_its_number_has_the_name_that_stands_for_it(cast: Cast) -> None:
    show(cast, rule(Level.REDACTED))
    changed(cast.operator, cast.cluster, hosts=("r071", "r072"), title="node 72, then r072")
    (shown,) = read(cast, cast.tenant)
    named = re.findall(r"[a-z]+-[a-z0-9]{4,}", shown.title)
    assert len(named) == 2
    assert len({*named}) == 1


def test_what_was_cut_to_own_hosts_names_the_others_nowhere(cast: Cast) -> None:
    attempt_of(cast, cast.tenant)
    words = {"title": "gpu001,rack[071-072]", "reference": "rack071", "by": "agent@rack071"}
    told = {"hosts": ("gpu001", "rack071", "rack072"), "url": "https://ci.example/rack072"}
    changed(cast.operator, cast.cluster, starts_at=DURING, **words, **told)
    show(cast, rule(Level.FULL, Place.OWN_SESSIONS))
    (shown,) = read(cast, cast.tenant)
    assert shown.title.startswith("gpu001,")
    assert "rack" not in str(shown).lower()


def test_two_signals_of_a_minute_stand_in_no_order_of_their_seconds(cast: Cast) -> None:
    def told(first: ChangedThing, second: ChangedThing) -> list[ChangedThing]:
        changed(cast.operator, cast.cluster, key="a", kind=first, starts_at=DURING)
        later = DURING + timedelta(seconds=5)
        changed(cast.operator, cast.cluster, key="b", kind=second, starts_at=later)
        return [each.kind for each in read(cast, cast.tenant)]

    show(cast, rule(Level.SIGNAL))
    kinds = ChangedThing.DEPLOY, ChangedThing.FIRMWARE
    assert told(*kinds) == told(*reversed(kinds))


def test_how_many_others_there_are_takes_no_place_of_those_that_are_shown(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_rows, "MOST_READ", 1)
    changed(cast.operator, cast.cluster, key="a", layer="storage")
    changed(cast.operator, cast.cluster, key="b", starts_at=DURING)
    show(cast, rule(Level.SIGNAL, data="changes:storage"))
    assert [each.layer for each in read(cast, cast.tenant)] == ["storage"]
