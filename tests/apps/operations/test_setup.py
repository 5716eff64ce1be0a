"""`manage.py setup`: from a file, from words or by asking; dry, and again."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from apps.fleet.models import Cluster, Node, Participation, ProjectTenant
from apps.operations.setup.create import make
from apps.operations.setup.description_file import read_file, read_text
from apps.telemetry.models import Source
from apps.telemetry.retention import quota
from apps.tenancy.credentials import seal, verify
from apps.tenancy.models import (
    AuditEntry,
    Invitation,
    Membership,
    Organization,
    Token,
    TokenScope,
    User,
)
from apps.tenancy.scope import organization_scope
from tests.cast import make as rows

FILE = """
cluster: {slug: meridian, name: Meridian}
organizations:
  - slug: aurora
    name: Aurora Cloud
    parts: [operator]
    admin: aurora-admin
    members:
      - {user: ops-1, name: Oleg Petrov, email: oleg@aurora.example, role: responder}
    token: collector
    tokens:
      - {name: shipper, scopes: [ingest], days: 90}
    sources:
      - {name: Prometheus, url: "https://prometheus.aurora.example", networks: ["10.42.0.0/16"]}
    hosts:
      gpu017: [gpu017.aurora.example, 10.42.0.17]
  - slug: northwind
    name: Northwind AI
    parts: [tenant]
    projects: [solar]
"""
LINK = re.compile(r"link for (\S+), works once, for seven days: http://[^/]+(/join/\S+)")
PASSWORD = "correct horse battery"  # noqa: S105  of a test
OWNED = (Participation, Membership, Token, Source, ProjectTenant, Node, Invitation)
ROOT = Path(__file__).parents[3]


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """Return a file that describes an operator and a tenant."""
    path = tmp_path / "parties.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


def set_up(*arguments: str) -> str:
    """Run the command and return what it printed."""
    said = StringIO()
    call_command("setup", *arguments, stdout=said)
    return said.getvalue()


def refused(path: Path, text: str) -> str:
    """Return why a file with this text is refused."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError) as refusal:
        set_up("--file", str(path))
    assert refusal.value.returncode == 2
    return str(refusal.value)


def counted() -> list[int]:
    """Return how many rows there are, of everybody's."""
    ids = list(Organization.objects.values_list("id", flat=True))
    with organization_scope(*ids):
        owned = [model.objects.count() for model in OWNED]
    return [Cluster.objects.count(), User.objects.count(), len(ids), *owned]


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


@pytest.mark.parametrize(
    "words",
    [
        ("--organization", "a", "--part", "tenant"),
        ("--cluster", "m", "--organization", "a b", "--part", "tenant"),
        ("--cluster", "m", "--organization", "a", "--part", "tenant", "--admin", "a b"),
        ("--cluster", "m"),
        (),
    ],
)
def test_words_that_can_not_be_meant_are_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as refusal:
        set_up(*words)

    assert refusal.value.returncode == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file says nothing"),
        ("just words", "line 1: this must be names with values"),
        ("organizations: [{slug: a, name: A, parts: [tenant]}]", "`cluster` is missing"),
        ("cluster: {slug: m}\norganizations: []", "line 2, organizations: name at least one"),
        ("organizations: [{slug: a, name: A, layers: [gpu]}]", "layers belong to an organization"),
        ("cluster: {slug: m}\norganizations: [{slug: a, name: A, parts: operator}]", "a list"),
        ("cluster: {slug: m}\norganizations: [{slug: a, name: A, rights: x}]", "unknown name"),
        ("cluster: {slug: m}\norganizations: [{slug: a, slug: b}]", "it stands here twice"),
        ("cluster: {slug: no}\norganizations: [{slug: a}]", "write it in quotes"),
        ("cluster: {slug: }\norganizations: [{slug: a}]", "cluster.slug: this is empty"),
        ("cluster: {slug: m}\norganizations: [{slug: a/b}]", "'a/b' stands in addresses"),
        ("cluster: [", "line 1: the YAML is broken or not whole here"),
        ("cluster: {slug: m}\norganizations:\n - slug: a\n   name: 'A", "begun in line 4"),
        ("cluster: &a [*a]\norganizations: *a", "line 1: this contains itself"),
        ("cluster: &a {slug: m, <<: *a}\norganizations: []", "line 1: this contains itself"),
        ("cluster: {slug: m, ? [a] : b}\norganizations: []", "a name must be one word"),
        ("cluster:\n\tslug: m", "line 2: the YAML is broken or not whole here"),
        ("cluster:\n\tslug: m", "YAML takes no tabs: indent with spaces"),
        ("cluster: {slug: a\0b}", "this is no text: character 0x0 at place 17"),
        ("cluster: {slug: m}\n---\ncluster: {slug: n}", "another document"),
        ("- cluster", "line 1: this must be names with values (name: value), not a list"),
        ("{" * 5000, "line 1: this is nested too deeply"),
        ("\n".join(" " * depth + "a:" for depth in range(200)), "this is nested too deeply"),
        ("x" * (2**20 + 1), "the file is larger than"),
        ("a: !!python/object/apply:os.system [id]", "unknown name 'a'"),
    ],
)
def test_a_wrong_file_is_refused_with_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    assert says in refused(tmp_path / "parties.yaml", text)


@pytest.mark.parametrize("way", ["[{}]", "{{<<: [{}]}}"])
def test_a_few_lines_that_stand_for_millions_are_refused_at_once(tmp_path: Path, way: str) -> None:
    lines = ["a: &a {x: 1}"]
    for former, name in pairwise("abcdefghi"):
        lines.append(f"{name}: &{name} " + way.format(", ".join([f"*{former}"] * 10)))
    lines += ["cluster: {slug: m}", "organizations: *i"]
    said = refused(tmp_path / "parties.yaml", "\n".join(lines))

    assert "with its aliases this has more than" in said


@pytest.mark.parametrize(
    "text", [FILE.replace("\n", "\r\n"), "\ufeff" + FILE, FILE.replace("\n", "\r")]
)
def test_a_file_from_another_system_says_the_same(tmp_path: Path, text: str) -> None:
    path = tmp_path / "parties.yaml"
    path.write_bytes(text.encode())

    assert read_file(path=path) == read_text(text=FILE)


@pytest.mark.parametrize(
    ("coded", "says"), [("utf-16", "save it as UTF-8"), ("cp949", "save it as UTF-8")]
)
def test_a_file_in_another_coding_is_refused(tmp_path: Path, coded: str, says: str) -> None:
    path = tmp_path / "parties.yaml"
    path.write_bytes(FILE.replace("Aurora Cloud", "오로라").encode(coded))
    with pytest.raises(CommandError, match=says):
        set_up("--file", str(path))


def test_sixty_three_hosts_are_read_with_their_names(tmp_path: Path) -> None:
    hosts = "".join(f"      gpu{n:03}: [gpu{n:03}.x.example, 10.0.0.{n}]\n" for n in range(63))
    described = read_text(
        text=FILE.replace("      gpu017: [gpu017.aurora.example, 10.42.0.17]\n", hosts)
    )

    assert len(described.parties[0].hosts) == 63


def test_every_half_of_a_good_file_is_refused_with_a_line(tmp_path: Path) -> None:
    lines = FILE.strip().splitlines()
    # Cut between two values of an organization the rest is a whole file, only shorter.
    whole = {4, 5, 6, 8, 9, 11, 13, 15, 17, 18}
    for count in sorted(set(range(1, len(lines))) - whole):
        assert "line " in refused(tmp_path / "half.yaml", "\n".join(lines[:count]))
        torn = "\n".join([*lines[:count], lines[count][:5] + '{a: "'])
        assert "line " in refused(tmp_path / "half.yaml", torn)


@pytest.mark.django_db
def test_all_faults_are_told_at_once_with_their_places_and_nothing_is_made(
    tmp_path: Path,
) -> None:
    before = counted()
    text = FILE.replace("parts: [operator]", "parts: [operators]").replace("days: 90", "days: -1")
    text = text.replace("role: responder", "role: owner").replace("[ingest]", "[send]")
    text = text.replace("10.42.0.0/16", "10.42.0.0/99").replace("oleg@", "oleg ")
    said = refused(tmp_path / "parties.yaml", text)

    for line in (
        "line 6, organizations[0].parts[0]: unknown part 'operators'; one of operator, tenant,",
        "did you mean 'operator'?",
        "line 9, organizations[0].members[0].role: unknown role 'owner'",
        "line 9, organizations[0].members[0].email: Write an address like name@example.org",
        "line 12, organizations[0].tokens[0].scopes[0]: unknown scope 'send'",
        "line 12, organizations[0].tokens[0].days: this must be a whole number from 1 to 3650",
        "line 14, organizations[0].sources[0].networks: '10.42.0.0/99' is no network",
    ):
        assert line in said
    assert counted() == before


@pytest.mark.parametrize(
    ("former", "now", "says"),
    [
        ("slug: northwind", "slug: Aurora", "'aurora' stands at organizations[0] already"),
        ("days: 90", f"days: {'9' * 5000}", "must be a whole number from 1 to 3650"),
        ("      gpu017:", "      GPU017: []\n      gpu017:", "'gpu017' stands here twice"),
        ("slug: northwind", "slug: aurora", "'aurora' stands at organizations[0] already"),
        ("parts: [tenant]", "parts: [platform]", "projects belong to an organization that is tena"),
        ("parts: [operator]", "parts: [tenant]", "hosts are named by an organization that is oper"),
        ("user: ops-1", "user: aurora-admin", "'aurora-admin' stands here twice"),
        ("name: shipper", "name: collector", "'collector' stands here twice"),
        ("[gpu017.aurora", "[one]\n      gpu018: [one, gpu.aurora", "another name of gpu017"),
        ("https://", "file://", "sources[0].url"),
        ("https://prom", "http://user:secret@prom", "sources[0].url"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    tmp_path: Path, former: str, now: str, says: str
) -> None:
    said = refused(tmp_path / "parties.yaml", FILE.replace(former, now))

    assert says in said
    assert "secret" not in said


@pytest.mark.django_db
def test_what_another_has_already_undoes_the_whole_run(described: Path) -> None:
    lumen, cluster = rows.organization("lumen"), rows.cluster("meridian")
    rows.participation(organization=lumen, cluster=cluster)
    with organization_scope(lumen.pk):
        ProjectTenant.objects.create(organization=lumen, cluster=cluster, project="solar")
    before = counted()

    said = refused(described, FILE)
    assert "organizations[1].projects: 'solar' belongs to lumen; take it from there first" in said
    assert counted() == before
    assert not Organization.objects.filter(slug="aurora").exists()


@pytest.mark.django_db
def test_a_stored_secret_is_not_sent_to_another_address(described: Path) -> None:
    set_up("--file", str(described))
    with organization_scope(Organization.objects.get(slug="aurora").pk):
        Source.objects.update(auth="bearer", credential=seal(secret=PASSWORD))

    said = refused(described, FILE.replace("https://prometheus", "https://other"))
    assert "sources (Prometheus): enter the credential again: url changes" in said


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


def with_limit(path: Path, size: str) -> Path:
    """Describe the parties, one with a limit of its own."""
    path.write_text(f"{FILE}    max_stored_bytes: {size}\n", encoding="utf-8")
    return path


def limits() -> list[int | None]:
    """Return the limits of the two organizations, None where everybody's is in force."""
    found = []
    for organization in Organization.objects.order_by("slug"):
        with organization_scope(organization.pk):
            found.append(quota.own_limit_of(organization_id=organization.pk))
    return found


@pytest.mark.django_db
def test_a_description_says_how_much_an_organization_may_keep(tmp_path: Path) -> None:
    path = with_limit(tmp_path / "parties.yaml", "1.5 gib")
    told = "~ northwind: may keep what everybody may → 1.5 GiB"

    assert told in set_up("--file", str(path), "--dry-run")
    assert limits() == []
    assert told in set_up("--file", str(path))
    assert limits() == [None, 1_610_612_736]
    assert "may keep" not in set_up("--file", str(path))
    with organization_scope(Organization.objects.get(slug="northwind").pk):
        entry = AuditEntry.objects.get(action="quota.set")
    assert (entry.actor, entry.subject) == ("command", "1610612736 bytes")

    with_limit(path, "0")
    assert "1.5 GiB → without limit" in set_up("--file", str(path))
    with_limit(path, "default")
    assert "without limit → what everybody may" in set_up("--file", str(path))
    assert limits() == [None, None]


@pytest.mark.django_db
@pytest.mark.parametrize("size", ["500 GB", "-1", "lots", "[1]", "null", "9999999 TiB"])
def test_a_limit_that_is_no_size_is_refused_with_its_line(tmp_path: Path, size: str) -> None:
    said = refused(tmp_path / "parties.yaml", f"{FILE}    max_stored_bytes: {size}\n")

    assert "line 21, organizations[1].max_stored_bytes: " in said
    assert not Organization.objects.exists()
