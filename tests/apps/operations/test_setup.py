"""`manage.py setup`: from a file, from words or by asking; dry, and again."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.test import Client

from apps.fleet.models import Cluster, Node, Participation, ProjectTenant
from apps.operations.setup.create import make
from apps.operations.setup.description_file import read_text
from apps.telemetry.models import Source
from apps.telemetry.retention import quota
from apps.tenancy.credentials import verify
from apps.tenancy.models import (
    AuditEntry,
    Organization,
    Token,
    TokenScope,
    User,
)
from apps.tenancy.scope import organization_scope
from tests.apps.operations.set_up_portals import (
    FILE,
    LINK,
    PASSWORD,
    ROOT,
    counted,
    described_with_limit,
    set_up,
)
from tests.cast import make as rows


@pytest.mark.parametrize("page", ["README.md", "docs/operations.md"])
def test_the_descriptions_in_the_manuals_can_be_read(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    described = [read_text(text=block) for block in blocks if "organizations:" in block]

    assert [len(each.parties) for each in described] == [2]


@pytest.mark.django_db
def test_a_file_makes_parties_with_links_and_tokens_that_work(described: Path) -> None:
    said = set_up("--file", str(described))

    aurora = Organization.objects.get(slug="aurora")
    clear_text = said.partition("token collector: ")[2].split()[0]
    token = verify(presented=clear_text, scope=TokenScope.READ, now=rows.AT)
    assert token.organization_id == aurora.pk
    assert token.clusters == [Cluster.objects.get(slug="meridian").pk]
    links = dict(LINK.findall(said))
    assert set(links) == {"aurora-admin", "ops-1"}
    browser = Client()
    answer = browser.post(links["aurora-admin"], {"password": PASSWORD, "again": PASSWORD})
    assert answer["Location"] == "/o/aurora/"
    assert browser.get("/o/aurora/settings/tokens/").status_code == 200
    assert Client().get(links["aurora-admin"]).status_code == 404


@pytest.mark.django_db
def test_everything_that_the_file_says_is_there(described: Path) -> None:
    set_up("--file", str(described))

    aurora, northwind = (Organization.objects.get(slug=s) for s in ("aurora", "northwind"))
    with organization_scope(northwind.pk):
        assert ProjectTenant.objects.get().project == "solar"
    with organization_scope(aurora.pk):
        assert Participation.objects.get().layers == ["host", "straggler"]
        assert Node.objects.get().aliases == ["10.42.0.17", "gpu017.aurora.example"]
        shipper = Token.objects.get(name="shipper")
        assert shipper.scopes == ["ingest"]
        assert shipper.expires_at == shipper.created_at + timedelta(days=90)
        assert Source.objects.get().allowed_networks == ["10.42.0.0/16"]
        assert User.objects.get(username="ops-1").email == "oleg@aurora.example"
        entries = list(AuditEntry.objects.values_list("actor", "action"))
    assert {actor for actor, _ in entries} == {"command"}
    assert {action for _, action in entries} == {
        *("organization.made", "participation.made", "member.added", "member.invited"),
        *("token.issued", "source.added", "host.named"),
    }


@pytest.mark.django_db
def test_a_second_time_changes_nothing_and_shows_no_secret(described: Path) -> None:
    set_up("--file", str(described))
    before = counted()
    again = set_up("--file", str(described))

    assert again == "Everything is there already: nothing to do.\n"
    assert counted() == before


@pytest.mark.django_db
def test_a_dry_run_says_what_would_be_made_without_making_or_showing_it(described: Path) -> None:
    before = counted()
    planned = set_up("--file", str(described), "--dry-run")
    assert counted() == before
    assert "Nothing was." in planned
    assert "flt_" not in planned
    assert "/join/" not in planned

    done = set_up("--file", str(described))
    lines = [line for line in done.splitlines() if line.startswith("+ ")]
    assert [line for line in planned.splitlines() if line.startswith("+ ")] == lines
    assert "+ organization aurora (Aurora Cloud)" in lines
    assert "+ northwind: project solar" in lines


@pytest.mark.django_db
def test_what_the_file_says_otherwise_is_changed_and_told(described: Path) -> None:
    set_up("--file", str(described))
    text = FILE.replace("Northwind AI", "Northwind").replace("10.42.0.0/16", "10.43.0.0/16")
    text = text.replace("parts: [operator]", "parts: [operator]\n    layers: [host]")
    text = text.replace("gpu017: [", "gpu017: [node-17, ").replace("responder", "viewer")
    described.write_text(text, encoding="utf-8")
    said = set_up("--file", str(described)).splitlines()

    assert said == [
        "~ organization northwind: Northwind AI → Northwind",
        "~ aurora: operator of meridian, answers for host, straggler → host",
        "+ aurora: host gpu017 is also node-17",
        "~ aurora: source Prometheus, networks ['10.42.0.0/16'] → ['10.43.0.0/16']",
        "= aurora: ops-1 is responder here, not viewer (Members page)",
    ]


@pytest.mark.django_db
def test_a_link_that_nobody_followed_in_time_is_made_anew() -> None:
    described = read_text(text=FILE)
    make(described=described, now=rows.AT)
    soon = make(described=described, now=rows.AT + timedelta(days=6))
    late = make(described=described, now=rows.AT + timedelta(days=8))

    assert soon.changes == []
    assert [secret.kind for secret in late.secrets] == ["link", "link"]
    assert late.secrets[0].clear_text not in repr(late)


@pytest.mark.django_db
def test_who_has_an_account_becomes_a_member_and_keeps_the_password(described: Path) -> None:
    rows.user(organization=rows.organization(), name="aurora-admin")
    said = set_up("--file", str(described))

    assert "+ aurora: admin aurora-admin (has an account)" in said
    assert User.objects.get(username="aurora-admin").check_password(rows.PASSWORD)
    assert "aurora-admin" not in dict(LINK.findall(said))


@pytest.mark.django_db
def test_one_organization_may_be_given_in_words() -> None:
    words = ("--organization", "strata", "--part", "storage_vendor", "--name", "Strata Storage")
    set_up("--cluster", "meridian", *words)

    strata = Organization.objects.get(slug="strata")
    with organization_scope(strata.pk):
        assert Participation.objects.get().layers == ["storage"]


@pytest.mark.django_db
@pytest.mark.parametrize("parts", ["", ", parts: []"])
def test_an_organization_may_wait_for_a_part(parts: str, tmp_path: Path) -> None:
    path = tmp_path / "parties.yaml"
    party = "{slug: lumen, name: Lumen Labs, admin: lumen-admin, token: shippers"
    path.write_text(f"cluster: {{slug: m}}\norganizations: [{party}{parts}}}]", encoding="utf-8")
    said = set_up("--file", str(path))

    lumen = Organization.objects.get(slug="lumen")
    with organization_scope(lumen.pk):
        assert not Participation.objects.exists()
        assert Token.objects.get().clusters == [Cluster.objects.get().pk]
    assert "+ organization lumen (Lumen Labs), without a part: an operator offers it one" in said
    assert "lumen-admin" in dict(LINK.findall(said))
    assert "nothing to do" in set_up("--file", str(path))


@pytest.mark.django_db
def test_an_organization_alone_needs_no_cluster() -> None:
    said = set_up("--organization", "lumen", "--admin", "lumen-admin", "--token", "shippers")

    assert "lumen-admin" in dict(LINK.findall(said))
    assert not Cluster.objects.exists()
    with organization_scope(Organization.objects.get(slug="lumen").pk):
        assert Token.objects.get().clusters == []


def test_sixty_three_hosts_are_read_with_their_names(tmp_path: Path) -> None:
    hosts = "".join(f"      gpu{n:03}: [gpu{n:03}.x.example, 10.0.0.{n}]\n" for n in range(63))
    described = read_text(
        text=FILE.replace("      gpu017: [gpu017.aurora.example, 10.42.0.17]\n", hosts)
    )

    assert len(described.parties[0].hosts) == 63


@pytest.mark.django_db
def test_a_source_that_somebody_stopped_stays_stopped(described: Path) -> None:
    set_up("--file", str(described))
    with organization_scope(Organization.objects.get(slug="aurora").pk):
        Source.objects.update(is_enabled=False)
        set_up("--file", str(described))
        assert not Source.objects.get().is_enabled


def answering(monkeypatch: pytest.MonkeyPatch, *answers: str) -> Iterator[str]:
    """Sit at a terminal and give these answers; return the ones that were not asked for."""
    left = iter(answers)

    def read(question: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    return left


ASKED = (
    *("bad slug!", "meridian", "Meridian"),
    *("aurora", "Aurora Cloud", "operators", "operator", "a b", "anna", "nowhere", "", ""),
    "y",
    *("aurora", "northwind", "", "tenant", "solar, wind", "", "shipper"),
    "n",
)


@pytest.mark.django_db
def test_at_a_terminal_it_asks_shows_the_plan_and_asks_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = answering(monkeypatch, *ASKED, "yes")
    said = set_up()

    assert list(left) == []
    assert "did you mean 'operator'?" in said
    assert "Up to 60 letters" in said
    assert "That one was named already." in said
    assert said.count("+ northwind: project wind") == 2
    assert said.count("/join/") == said.count("flt_") == 1
    assert Organization.objects.get(slug="northwind").name == "Northwind"


@pytest.mark.django_db
@pytest.mark.parametrize("count", [3, len(ASKED), len(ASKED) + 1])
def test_whoever_stops_or_says_no_made_nothing(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    before = counted()
    answering(monkeypatch, *(*ASKED, "no")[:count])
    with pytest.raises(CommandError, match="nothing was made"):
        set_up()

    assert counted() == before


def test_without_a_database_it_says_what_to_start(tmp_path: Path, described: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PORTAL_")}
    done = subprocess.run(  # noqa: S603  our own command
        [sys.executable, "manage.py", "setup", "--file", str(described)],
        cwd=ROOT,
        env={**kept, "PORTAL_VAR": str(tmp_path / "var")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert "the database doesn't answer; nothing was made" in done.stderr
    assert "Traceback" not in done.stderr


def limits() -> list[int | None]:
    """Return the limits of the two organizations, None where everybody's is in force."""
    found = []
    for organization in Organization.objects.order_by("slug"):
        with organization_scope(organization.pk):
            found.append(quota.own_limit_of(organization_id=organization.pk))
    return found


@pytest.mark.django_db
def test_a_description_says_how_much_an_organization_may_keep(tmp_path: Path) -> None:
    path = described_with_limit(tmp_path / "parties.yaml", "1.5 gib")
    told = "~ northwind: may keep what everybody may → 1.5 GiB"

    assert told in set_up("--file", str(path), "--dry-run")
    assert limits() == []
    assert told in set_up("--file", str(path))
    assert limits() == [None, 1_610_612_736]
    assert "may keep" not in set_up("--file", str(path))
    with organization_scope(Organization.objects.get(slug="northwind").pk):
        entry = AuditEntry.objects.get(action="quota.set")
    assert (entry.actor, entry.subject) == ("command", "1610612736 bytes")

    described_with_limit(path, "0")
    assert "1.5 GiB → without limit" in set_up("--file", str(path))
    described_with_limit(path, "default")
    assert "without limit → what everybody may" in set_up("--file", str(path))
    assert limits() == [None, None]


@pytest.mark.django_db
def test_a_second_factor_is_required_where_the_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "parties.yaml"
    for wanted, said in (("true", "members have to have"), ("false", "members may have")):
        path.write_text(f"{FILE}    requires_second_factor: {wanted}\n", encoding="utf-8")
        assert said in set_up("--file", str(path))
        assert said not in set_up("--file", str(path))
        required = Organization.objects.get(slug="northwind").requires_second_factor
        assert required is (wanted == "true")
    assert not Organization.objects.get(slug="aurora").requires_second_factor
    northwind = Organization.objects.get(slug="northwind")
    with organization_scope(northwind.pk):
        entries = AuditEntry.objects.for_organization(northwind)
        told = entries.filter(action__startswith="second_factor").order_by("sequence")
        assert list(told.values_list("action", flat=True)) == [
            "second_factor.required",
            "second_factor.not_required",
        ]
