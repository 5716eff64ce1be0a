"""A metrics source in the browser: added, refused in words, changed, awaited. Its secret stays."""

from datetime import timedelta
from typing import Any

import pytest

from apps.telemetry.metrics.coverage import record_names
from apps.telemetry.models import Source
from apps.tenancy.credentials import unseal
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser

SECRET = "CANARY-SECRET"  # noqa: S105  opens nothing
FORM = {
    "name": "dcgm",
    "url": "https://metrics.example.com",
    "auth": "bearer",
    "secret": SECRET,
    "verify_tls": "1",
    "is_enabled": "1",
    "allowed_networks": "10.1.0.0/16\r\n10.2.0.0/16",
    "label_map": "Hostname=host\r\ngpu_id = gpu",
}


@pytest.fixture
def form(cast: Cast) -> dict[str, str]:
    """Return a form that is filled in well."""
    return {**FORM, "cluster": cast.cluster.slug}


def sources_of(organization: Organization) -> list[Source]:
    """Return the organization's sources."""
    with organization_scope(organization.pk):
        own = Source.objects.for_organization(organization).order_by("id")
        return list(own.select_related("cluster"))


def test_a_source_is_added_and_its_first_answer_awaited(
    cast: Cast, browser: Browser, form: dict[str, str]
) -> None:
    client, there = browser(cast.operator, MemberRole.ADMIN), f"/o/{cast.operator.slug}/sources/"
    answer = client.post(f"{there}add/", form, follow=True)
    (source,) = sources_of(cast.operator)

    assert answer.redirect_chain == [(f"{there}{source.public_id}/", 302)]
    assert "Waiting for the first answer…" in answer.content.decode()
    assert SECRET not in answer.content.decode()
    assert unseal(sealed=source.credential or b"") == SECRET
    assert source.allowed_networks == ["10.1.0.0/16", "10.2.0.0/16"]
    assert source.label_map == {"Hostname": "host", "gpu_id": "gpu"}
    with organization_scope(cast.operator.pk):
        acts = AuditEntry.objects.for_organization(cast.operator)
        assert acts.filter(action="source.added", subject=source.public_id).count() == 1


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"url": "ftp://x"}, "use http or https"),
        ({"url": "http://127.0.0.1:9090"}, "not public"),
        ({"url": "http://169.254.169.254/"}, "not public"),
        ({"url": "http://u:p@metrics.example.com"}, "enter them as credential"),
        ({"url": ""}, "This is needed."),
        ({"name": "n" * 121}, "At most 120 characters."),
        ({"secret": ""}, "This kind of sign-in needs a secret."),
        ({"auth": "basic", "secret": "no colon"}, "with a colon between them"),
        ({"auth": "magic"}, "Choose one of these."),
        ({"allowed_networks": "ten"}, "is no network like"),
        ({"label_map": "Hostname"}, "write label=meaning"),
        ({"label_map": "a=<b>"}, "a=&lt;b&gt;: write label=meaning"),
        ({"zone": "Mars"}, "Write a zone like Asia/Seoul"),
        ({"zone": "Asia/Soul"}, "Is “Asia/Seoul” meant?"),
        ({"label_map": "Hostname=hots"}, "Is “host” meant?"),
        ({"ca_pem": "x" * 100_001}, "At most 100000 characters."),
    ],
)
def test_what_can_not_be_used_is_said_in_words_and_nothing_is_kept(
    cast: Cast, browser: Browser, form: dict[str, str], change: dict[str, str], problem: str
) -> None:
    client = browser(cast.operator, MemberRole.ADMIN)
    answer = client.post(f"/o/{cast.operator.slug}/sources/add/", {**form, **change})
    text = answer.content.decode()

    assert answer.status_code == 422
    assert problem in text
    assert SECRET not in text
    assert sources_of(cast.operator) == []


def test_a_changed_address_takes_the_secret_again(
    cast: Cast, browser: Browser, form: dict[str, str]
) -> None:
    client, there = browser(cast.operator, MemberRole.ADMIN), f"/o/{cast.operator.slug}/sources/"
    client.post(f"{there}add/", form)
    (source,) = sources_of(cast.operator)
    where, moved = f"{there}{source.public_id}/", {**form, "url": "https://other.example.com"}

    refused = client.post(where, {**moved, "secret": ""})
    assert refused.status_code == 422
    assert "Enter the secret again" in refused.content.decode()
    assert sources_of(cast.operator)[0].url == FORM["url"]
    assert client.post(where, {**moved, "secret": "new"}).status_code == 302
    (changed,) = sources_of(cast.operator)
    assert (changed.url, unseal(sealed=changed.credential or b"")) == (moved["url"], "new")


def test_a_source_is_switched_off_without_its_secret(
    cast: Cast, browser: Browser, form: dict[str, str]
) -> None:
    client, there = browser(cast.operator, MemberRole.ADMIN), f"/o/{cast.operator.slug}/sources/"
    client.post(f"{there}add/", form)
    (source,) = sources_of(cast.operator)
    off = {name: value for name, value in form.items() if name not in {"is_enabled", "secret"}}

    answer = client.post(f"{there}{source.public_id}/", off, follow=True)
    assert "Switched off: it is not read." in answer.content.decode()
    (kept,) = sources_of(cast.operator)
    assert not kept.is_enabled
    assert unseal(sealed=kept.credential or b"") == SECRET


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "Waiting for the first answer…"),
        ({"state": "fresh", "last_success_at": make.AT}, "It answers, last"),
        (
            {"state": "stale", "last_success_at": make.AT, "last_error": "no answer in 10 s"},
            "No answer in 10 s",
        ),
    ],
)
def test_whoever_waits_is_told_how_it_answers(
    cast: Cast, browser: Browser, values: dict[str, Any], told: str
) -> None:
    with organization_scope(cast.operator.pk):
        source = Source.objects.create(
            organization=cast.operator,
            public_id="SRC-1",
            cluster=cast.cluster,
            kind="prometheus",
            name="dcgm",
            created_at=make.AT - timedelta(hours=1),
            **values,
        )
    there = f"/o/{cast.operator.slug}/sources/{source.public_id}/"
    answer = browser(cast.operator, MemberRole.VIEWER).get(there, headers={"HX-Request": "true"})
    assert told in answer.content.decode()


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_who_is_no_admin_sees_it_and_whom_to_ask(
    cast: Cast, browser: Browser, form: dict[str, str], role: MemberRole
) -> None:
    make.user(organization=cast.operator, role=MemberRole.ADMIN, name="the-admin")
    there = f"/o/{cast.operator.slug}/sources/"
    browser(cast.operator, MemberRole.ADMIN).post(f"{there}add/", form)
    (source,) = sources_of(cast.operator)
    client = browser(cast.operator, role)

    assert "the-admin" in client.get(f"{there}{source.public_id}/").content.decode()
    assert client.post(f"{there}{source.public_id}/", form).status_code == 404
    assert client.get(f"{there}add/").status_code == 404
    assert client.post(f"{there}add/", form).status_code == 404


def test_the_source_of_others_is_not_there(
    cast: Cast, browser: Browser, form: dict[str, str]
) -> None:
    there = f"/o/{cast.operator.slug}/sources/"
    browser(cast.operator, MemberRole.ADMIN).post(f"{there}add/", form)
    (source,) = sources_of(cast.operator)
    client = browser(cast.tenant, MemberRole.ADMIN)

    assert client.get(f"{there}{source.public_id}/").status_code == 404
    mine = f"/o/{cast.tenant.slug}/sources/{source.public_id}/"
    assert client.get(mine).status_code == 404
    assert client.post(mine, form).status_code == 404


def test_the_page_says_by_name_what_the_metrics_cannot_tell(
    cast: Cast, browser: Browser, form: dict[str, str]
) -> None:
    client, there = browser(cast.operator, MemberRole.ADMIN), f"/o/{cast.operator.slug}/sources/"
    client.post(f"{there}add/", form)
    (source,) = sources_of(cast.operator)
    own = f"{there}{source.public_id}/"
    assert "can tell" not in client.get(own).content.decode()  # never read: neither good nor bad

    with organization_scope(cast.operator.pk):
        record_names(source=source, names=["DCGM_FI_DEV_XID_ERRORS"], now=make.AT)
    for page in (client.get(own).content.decode(), client.get(there).content.decode()):
        assert 'title="Xid errors: measured"' in page
        assert 'title="NFS as clients see it: not in what your organization sees"' in page
        assert 'title="CUDA runtime: no known exporter gives it"' in page
        assert "--collector.mountstats" in page
        assert "Absent means that nothing is known of it" in page


def test_a_name_that_terminals_would_obey_is_refused_at_its_field(
    cast: Cast, browser: Browser, form: dict[str, str]
) -> None:
    client = browser(cast.operator, MemberRole.ADMIN)
    page = client.post(f"/o/{cast.operator.slug}/sources/add/", {**form, "name": "a\x1b[2Jb"})
    assert "Write it in one line, without control characters." in page.content.decode()
    assert not sources_of(cast.operator)
