"""A set-up that names an organization's provider and its domains."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from apps.tenancy.credentials import unseal
from apps.tenancy.models import IdentityProvider, MailDomain, Organization
from apps.tenancy.scope import organization_scope

FILE = """\
organizations:
  - slug: aurora
    name: Aurora Cloud
    single_sign_on:
      issuer: {issuer}
      client_id: faultline
      client_secret_file: {secret}
      domains: [{domain}]
      groups: {{gpu-oncall: responder}}
"""


def written(folder: Path, **other: str) -> str:
    """Write a description and return its path."""
    secret = folder / "secret"
    secret.write_text("s3cret of the tests\n", encoding="utf-8")
    values = {
        "issuer": "https://login.aurora.example/realms/main",
        "secret": str(secret),
        "domain": "Aurora.Example",
        **other,
    }
    path = folder / "parties.yaml"
    path.write_text(FILE.format(**values), encoding="utf-8")
    return str(path)


@pytest.mark.django_db
def test_a_provider_and_its_domain_are_made_once_and_its_secret_is_not_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("setup", "--file", written(tmp_path))
    told = capsys.readouterr().out
    call_command("setup", "--file", written(tmp_path))
    again = capsys.readouterr().out

    aurora = Organization.objects.get(slug="aurora")
    with organization_scope(aurora.pk):
        row = IdentityProvider.objects.for_organization(aurora).get()
        domain = MailDomain.objects.for_organization(aurora).get()
    assert unseal(sealed=row.secret) == "s3cret of the tests"
    assert (domain.domain, domain.confirmed_at is not None) == ("aurora.example", True)
    assert "+ aurora: people sign in through https://login.aurora.example/realms/main" in told
    assert "+ aurora: mail domain aurora.example" in told
    assert "s3cret" not in told
    assert "people sign in through" not in again


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"issuer": "http://login.aurora.example"}, "issuer: Write https"),
        ({"issuer": "https://169.254.169.254/"}, "may not reach"),
        ({"domain": "localhost"}, "Write a domain like example.org"),
        ({"secret": "/nowhere/secret"}, "can't be read"),
    ],
)
def test_what_cant_be_used_is_said_and_nothing_is_made(
    tmp_path: Path, other: dict[str, str], words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("setup", "--file", written(tmp_path, **other))
    assert not Organization.objects.filter(slug="aurora").exists()


@pytest.mark.django_db
def test_a_domain_of_another_organization_is_refused(tmp_path: Path) -> None:
    call_command("setup", "--file", written(tmp_path))
    path = Path(written(tmp_path))
    path.write_text(path.read_text("utf-8").replace("slug: aurora", "slug: northwind"), "utf-8")

    with pytest.raises(CommandError, match="is confirmed for aurora"):
        call_command("setup", "--file", str(path))
