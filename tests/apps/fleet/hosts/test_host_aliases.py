"""Other names of hosts: who writes them, and which can't be."""

import pytest

from apps.fleet.hosts.host_aliases import (
    AliasTaken,
    BadAlias,
    TooManyAliases,
    add_aliases,
    find_hosts,
    rename_many,
)
from apps.fleet.hosts.host_names import alias_table, resolve
from apps.fleet.models import Node
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, assemble


@pytest.fixture
def cast(db: None) -> Cast:
    """Assemble the parties; the operator has two hosts."""
    cast = assemble()
    with organization_scope(cast.operator.pk):
        add_aliases(
            organization_id=cast.operator.pk,
            cluster=cast.cluster,
            hosts={host: [f"{host}.aurora.example"] for host in ("gpu001", "gpu002")},
            now=make.AT,
        )
    return cast


def called(cast: Cast, host: str, *aliases: str, by: Organization | None = None) -> bool:
    """Rename a host as an admin."""
    who = by or cast.operator
    with organization_scope(who.pk):
        admin = actor(who, MemberRole.ADMIN)
        renamed = rename_many(actor=admin, cluster=cast.cluster, hosts={host: aliases})
    for error in renamed.refused.values():
        raise error
    return bool(renamed.news)


def test_lines_under_a_new_name_join_the_host(cast: Cast) -> None:
    assert called(cast, "gpu001", "10.0.0.7", "Node-1")
    assert not called(cast, "gpu001", "node-1", "10.0.0.7", "gpu001")

    with organization_scope(cast.operator.pk):
        table = alias_table(cluster_id=cast.cluster.pk, reader_id=cast.operator.pk)
    assert resolve(name="10.0.0.7", aliases=table) == "gpu001"
    assert resolve(name="NODE-1", aliases=table) == "gpu001"


def test_many_hosts_are_renamed_at_once_and_a_wrong_one_keeps_none_back(cast: Cast) -> None:
    with organization_scope(cast.operator.pk):
        renamed = rename_many(
            actor=actor(cast.operator, MemberRole.ADMIN),
            cluster=cast.cluster,
            hosts={"gpu001": ["node-1"], "gpu002": ["node-1"]},
        )
        names = dict(Node.objects.values_list("name", "aliases"))
    assert renamed.news == ["gpu001"]
    assert list(renamed.refused) == ["gpu002"]
    assert names == {"gpu001": ["node-1"], "gpu002": ["gpu002.aurora.example"]}


def test_what_names_another_host_is_refused(cast: Cast) -> None:
    for taken in ("gpu002", "GPU002.aurora.example"):
        with pytest.raises(AliasTaken):
            called(cast, "gpu001", taken)


@pytest.mark.parametrize("name", ["a/b", "x" * 254, 'a"b', "a\x00b"])
def test_what_is_no_name_is_refused(cast: Cast, name: str) -> None:
    with pytest.raises(BadAlias):
        called(cast, "gpu001", name)


def test_a_host_has_only_so_many_names(cast: Cast) -> None:
    with pytest.raises(TooManyAliases):
        called(cast, "gpu001", *(f"n{number}" for number in range(21)))


def test_only_the_operator_names_hosts_that_are_known(cast: Cast) -> None:
    for who in (cast.tenant, cast.vendor, cast.stranger):
        with pytest.raises(NotFound):
            called(cast, "gpu001", "x", by=who)
    with pytest.raises(NotFound):
        called(cast, "gpu099", "x")


def test_hosts_are_found_by_part_of_the_name_or_another_name(cast: Cast) -> None:
    with organization_scope(cast.operator.pk):
        reader = actor(cast.operator)

        def found(wanted: str) -> list[str]:
            hosts = find_hosts(actor=reader, cluster=cast.cluster, wanted=wanted)
            return [node.name for node in hosts]

        assert found("gpu") == found("") == ["gpu001", "gpu002"]
        assert found("gpu002.aurora.example") == ["gpu002"]
        assert found("absent") == []


def test_a_set_up_adds_names_and_takes_none_away(cast: Cast) -> None:
    given = {
        "gpu001.aurora.example": ["10.0.0.7"],
        "gpu003": ["node-3"],
        "gpu004": ["node-3"],
        "gpu002": ["gpu002.aurora.example"],
        "a b": [],
    }
    with organization_scope(cast.operator.pk):
        added = add_aliases(
            organization_id=cast.operator.pk, cluster=cast.cluster, hosts=given, now=make.AT
        )
        kept = dict(Node.objects.values_list("name", "aliases"))

    assert added.news == {"gpu001": ["10.0.0.7"], "gpu003": ["node-3"]}
    assert set(added.refused) == {"gpu004", "a b"}
    assert kept["gpu001"] == ["10.0.0.7", "gpu001.aurora.example"]
    assert "gpu004" not in kept
