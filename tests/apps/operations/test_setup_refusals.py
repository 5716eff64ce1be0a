"""`manage.py setup` refuses a description with the line that is wrong, and makes nothing."""

from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management import CommandError

from apps.fleet.models import ProjectTenant
from apps.operations.setup.description_file import read_file, read_text
from apps.telemetry.models import Source
from apps.tenancy.credentials import seal
from apps.tenancy.models import (
    Organization,
)
from apps.tenancy.scope import organization_scope
from tests.apps.operations.set_up_portals import (
    FILE,
    PASSWORD,
    counted,
    refused,
    set_up,
)
from tests.cast import make as rows


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
@pytest.mark.parametrize("size", ["500 GB", "-1", "lots", "[1]", "null", "9999999 TiB"])
def test_a_limit_that_is_no_size_is_refused_with_its_line(tmp_path: Path, size: str) -> None:
    said = refused(tmp_path / "parties.yaml", f"{FILE}    max_stored_bytes: {size}\n")

    assert "line 21, organizations[1].max_stored_bytes: " in said
    assert not Organization.objects.exists()
