"""An organization's own figure of what it may keep: set by command, in force at once, audited."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.telemetry.limits import storage_limits
from apps.telemetry.models import Usage
from apps.telemetry.retention import quota
from apps.tenancy.models import AuditEntry, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make

SIZES = {
    "0": 0,
    "1048576": 2**20,
    "500GiB": 500 * 2**30,
    " 1.5 tib ": 3 * 2**39,
    "12 B": 12,
    "0.001 KiB": 1,
}


@pytest.fixture
def acme(db: None) -> Organization:
    """An organization that keeps 1000 bytes; another one keeps as much."""
    made = [make.organization(slug) for slug in ("acme", "globex")]
    for each in made:
        with organization_scope(each.pk):
            Usage.objects.create(
                organization=each, kind="raw", table="t", byte_count=1000, measured_at=make.AT
            )
    return made[0]


def run(*words: str) -> str:
    """Return what the command says."""
    out = StringIO()
    call_command("quota", *words, stdout=out)
    return out.getvalue()


def test_the_figure_counts_at_once_and_for_this_organization_alone(acme: Organization) -> None:
    assert run("acme", "999") == "acme: keeps 1,000 B, may keep 999 B (its own)\n"

    with organization_scope(acme.pk):
        with pytest.raises(storage_limits.StorageFull, match=r"manage\.py quota"):
            storage_limits.require_quota(organization_id=acme.pk)
        assert list(AuditEntry.objects.values_list("action", "subject")) == [
            ("quota.set", "999 bytes")
        ]
    other = Organization.objects.get(slug="globex")
    with organization_scope(other.pk):
        storage_limits.require_quota(organization_id=other.pk)


def test_a_figure_is_taken_back_and_none_means_no_limit(acme: Organization) -> None:
    run("acme", "1")
    assert "may keep no limit (its own)" in run("acme", "0")
    assert "(everybody's)" in run("acme", "default")

    assert [line.partition(":")[0] for line in run().splitlines()] == ["acme", "globex"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nobody", "1GiB"), "there is no organization `nobody`$"),
        (("amce", "1GiB"), "there is no organization `amce`; did you mean `acme`?"),
        (("acme", "much"), "is no size"),
        (("acme", "5 GB"), "is no size"),
        (("acme", "5", "apples"), "'5 apples' is no size"),
        (("acme", "-1"), "is no size"),
        (("acme", "0.5"), "is no size"),
        (("acme", "1.5 B"), "is no size"),
        (("acme", "99999999 TiB"), "more than any disk"),
    ],
)
def test_what_is_no_size_changes_nothing(
    acme: Organization, words: tuple[str, ...], says: str
) -> None:
    run("acme", "5 KiB")

    with pytest.raises(CommandError, match=says):
        run("--", *words)

    assert "may keep 5 KiB" in run("acme")
    assert "may keep 1.5 GiB" in run("acme", "1.5", "GiB")


@pytest.mark.parametrize("text", SIZES)
def test_sizes_are_read_as_people_write_them(text: str) -> None:
    assert quota.size_of(text=text) == SIZES[text]
