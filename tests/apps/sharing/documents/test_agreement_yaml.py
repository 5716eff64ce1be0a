"""`manage.py agreements`: out as YAML, back as proposals of what differs."""

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.sharing.agreements import access_agreements, versions_of
from apps.sharing.documents.agreement_yaml import read_documents
from apps.sharing.models import AgreementVersion
from apps.sharing.terms import Level, SharingRule, Terms
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import agreed, proposed
from tests.cast.incidents import Cast, actor, assemble

DAYS = timedelta(days=90)


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


def rules(*pairs: tuple[str, Level]) -> tuple[SharingRule, ...]:
    return tuple(SharingRule(data=data, level=level) for data, level in pairs)


def hold(cast: Cast, terms: Terms | None = None, preset: str = "", *, ends: bool = False) -> None:
    now = timezone.now()  # noqa: TID251  the command reads the clock, too
    agreed(
        cast.operator,
        cast.tenant,
        cast.cluster,
        terms=terms,
        preset=preset,
        now=now,
        until=now + DAYS if ends else None,
    )


def exported(*options: str) -> str:
    out = StringIO()
    call_command("agreements", "export", *options, stdout=out)
    return out.getvalue()


def applied(tmp_path: Path, cast: Cast, *texts: str, dry: bool = False) -> str:
    names = []
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.yaml"
        path.write_text(text)
        names.append(str(path))
    user = make.user(organization=cast.operator, role=MemberRole.ADMIN).username
    out = StringIO()
    options = ["--organization", cast.operator.slug, "--as", user, *(["--dry-run"] * dry)]
    call_command("agreements", "apply", *names, *options, stdout=out)
    return out.getvalue()


def document(cast: Cast, other: Organization | None = None, **values: object) -> str:
    whole = {
        "cluster": cast.cluster.slug,
        "between": [cast.operator.slug, (other or cast.tenant).slug],
        "gives": {},
        **values,
    }
    return yaml.safe_dump({name: each for name, each in whole.items() if each is not None})


def versions(cast: Cast, organization: Organization) -> list[tuple[str, int]]:
    """Return (other side, number) of each version that an organization reads."""
    with organization_scope(organization.pk):
        rows = list(access_agreements(actor=actor(organization, MemberRole.ADMIN)))
        found = versions_of(agreements=rows)
        return [(row.public_id, each.number) for row in rows for each in found[row.pk]]


@pytest.mark.parametrize("preset", ["joint-operations", "open-book", "closed"])
def test_what_was_exported_changes_nothing(cast: Cast, tmp_path: Path, preset: str) -> None:
    hold(cast, preset=preset, ends=True)
    text = exported()

    said = applied(tmp_path, cast, text)

    assert said.endswith("Nothing to propose.\n")
    assert len(versions(cast, cast.operator)) == 1
    assert exported() == text


def test_what_is_proposed_and_unanswered_changes_nothing_either(cast: Cast, tmp_path: Path) -> None:
    now = timezone.now()  # noqa: TID251  the command reads the clock, too
    proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book", now=now)
    proposed(cast.vendor, cast.operator, cast.cluster, preset="open-book", now=now)

    said = applied(tmp_path, cast, exported())

    assert f"v1 says so and waits for {cast.tenant.slug}" in said
    assert f"{cast.vendor.slug} proposes the same as v1: sign it" in said
    assert len(versions(cast, cast.operator)) == 2


def test_a_dry_run_says_what_differs_and_leaves_no_trace(cast: Cast, tmp_path: Path) -> None:
    own, other = cast.operator.slug, cast.tenant.slug
    hold(cast, {own: rules(("metrics:gpu", Level.SIGNAL), ("metrics:host", Level.FULL))})
    wanted = {
        own: [{"data": "metrics:gpu", "level": "full"}],
        other: [{"data": "events:*", "level": "redacted", "keep_days": 30}],
    }
    text = document(cast, gives=wanted, until="2099-01-01")

    said = applied(tmp_path, cast, text, dry=True)

    gpu = f"{own} would show {other} metrics:gpu of the whole cluster"
    host = f"{own} would show {other} metrics:host of the whole cluster"
    events = f"{other} would show {own} events:* of the whole cluster"
    assert said.splitlines() == [
        f"~ {own} and {other} in {cast.cluster.slug}",
        f"    {gpu} in full for diagnosis, before: signal for diagnosis",
        f"    {host} no more, before: in full for diagnosis",
        f"    {events} redacted for 30 days for diagnosis, before: no rule",
        "    it would hold until 2099-01-01 23:59 UTC, before: until a side ends it",
        "1 would be proposed. Nothing was.",
    ]
    assert len(versions(cast, cast.operator)) == 1

    applied(tmp_path, cast, text)
    assert len(versions(cast, cast.operator)) == 2
    assert "Nothing to propose" in applied(tmp_path, cast, text)
    assert len(versions(cast, cast.operator)) == 2


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2099-01-01", "2099-01-01T23:59:59.999999+00:00"),
        ("'2099-01-01'", "2099-01-01T23:59:59.999999+00:00"),
        ("2099-01-01 06:00:00", "2099-01-01T06:00:00+00:00"),
        ("2099-01-01T06:00:00+09:00", "2098-12-31T21:00:00+00:00"),
        ("'2099-01-01T06:00:00+09:00'", "2098-12-31T21:00:00+00:00"),
    ],
)
def test_a_day_means_its_end_and_an_instant_itself(written: str, meant: str) -> None:
    text = f"{{cluster: c, between: [a, b], gives: {{}}, until: {written}}}"

    (read,) = read_documents(text=text, name="x")

    assert read.until is not None
    assert read.until.isoformat() == meant


def test_a_preset_stands_for_terms(cast: Cast, tmp_path: Path) -> None:
    text = document(cast, gives=None, preset="joint-operations", note="for the pilot")
    assert "1 proposed" in applied(tmp_path, cast, text)

    with organization_scope(cast.operator.pk):
        row = AgreementVersion.objects.get()
    assert (row.preset, row.note) == ("joint-operations", "for the pilot")
    assert row.proposed_by


def test_several_documents_of_several_files_are_proposed_together(
    cast: Cast, tmp_path: Path
) -> None:
    said = applied(
        tmp_path,
        cast,
        document(cast, preset="open-book", gives=None),
        "---\n" + document(cast, cast.vendor, preset="closed", gives=None) + "---\n",
    )

    assert "2 proposed: they hold once the other sides sign." in said
    assert len(versions(cast, cast.operator)) == 2


RULE = "gives: {OWN: [{data: metrics:gpu, level: full}, {data: metrics:gpu2, level: full}]}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "line 1: this is no YAML"),
        ("- 1", "document 1: a mapping with"),
        ("{cluster: CLUSTER, between: [OWN, OTHER], give: {}}", "document 1: give is unknown"),
        ("{cluster: CLUSTER, between: [OWN, OTHER]}", "gives is missing"),
        ("{cluster: CLUSTER, between: [OWN], gives: {}}", "between: the slugs of two"),
        ("{between: [OWN, OTHER], gives: {}}", "cluster: a text is wanted"),
        (f"{{cluster: CLUSTER, between: [OWN, OTHER], {RULE}}}", "gives.OWN[1].data"),
        ("{cluster: CLUSTER, between: [OWN, OTHER], gives: {x: []}}", "x is no side of it"),
        ("{cluster: CLUSTER, between: [OWN, OTHER], preset: x}", "preset: x is none of"),
        ("{cluster: CLUSTER, between: [OWN, OTHER], gives: {}, until: 3}", "until: a day"),
        ("{cluster: CLUSTER, between: [OWN, OTHER], gives: {}, until: 2020-01-01}", "in the past"),
        ("{cluster: CLUSTER, between: [OTHER, x], gives: {}}", "OWN is none of the two"),
        ("{cluster: CLUSTER, between: [OWN, x], gives: {}}", "there is no x in a cluster"),
        ("{cluster: x, between: [OWN, OTHER], gives: {}}", "in a cluster x that you take part in"),
        (
            "{cluster: CLUSTER, between: [OWN, OTHER], gives: {}, preset: open-book}",
            "gives is not what open-book makes",
        ),
        (
            "{cluster: CLUSTER, between: [OWN, VENDOR], preset: closed}",
            "0.yaml, document 1 is about the same two already",
        ),
    ],
)
def test_a_wrong_document_is_named_and_nothing_is_proposed(
    cast: Cast, tmp_path: Path, text: str, said: str
) -> None:
    words = {
        "CLUSTER": cast.cluster.slug,
        "VENDOR": cast.vendor.slug,
        "OWN": cast.operator.slug,
        "OTHER": cast.tenant.slug,
    }
    for name, value in words.items():
        text, said = text.replace(name, value), said.replace(name, value)
    good = document(cast, cast.vendor, preset="open-book", gives=None)

    with pytest.raises(CommandError) as refused:
        applied(tmp_path, cast, good, text)

    assert str(refused.value).startswith("nothing was proposed: ")
    assert "1.yaml" in str(refused.value)
    assert said in str(refused.value)
    assert versions(cast, cast.operator) == []


def test_a_file_that_can_not_be_read_is_named(cast: Cast, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"absent\.yaml: can't be read"):
        call_command(
            "agreements", "apply", str(tmp_path / "absent.yaml"),
            "--organization", cast.operator.slug, "--as", "x",
        )  # fmt: skip


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_only_an_admin_of_the_organization_proposes(
    cast: Cast, tmp_path: Path, role: MemberRole
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(document(cast, preset="open-book", gives=None))
    people = [
        make.user(organization=cast.operator, role=role).username,
        make.user(organization=cast.tenant, role=MemberRole.ADMIN).username,
        "nobody-here",
    ]
    for name in people:
        with pytest.raises(CommandError, match=f"{name} is no admin of {cast.operator.slug}"):
            call_command(
                "agreements", "apply", str(path),
                "--organization", cast.operator.slug, "--as", name,
            )  # fmt: skip
    assert versions(cast, cast.operator) == []


def test_an_export_is_of_one_organization_or_cluster(cast: Cast) -> None:
    hold(cast, preset="closed")
    now = timezone.now()  # noqa: TID251  the command reads the clock, too
    agreed(cast.operator, cast.vendor, cast.cluster, preset="closed", now=now)

    assert len(list(yaml.safe_load_all(exported()))) == 2
    (one,) = yaml.safe_load_all(exported("--organization", cast.vendor.slug))
    assert one["between"] == sorted([cast.operator.slug, cast.vendor.slug])
    assert exported("--cluster", "elsewhere") == ""
    with pytest.raises(CommandError, match="no organization nowhere"):
        exported("--organization", "nowhere")
