"""Answering by a signed statement, on pages alone."""

import json
import re

import pytest
from django.test import Client

from apps.incidents.models import Incident
from apps.sharing.models import LedgerEntry
from apps.sharing.signing.answer_file import read_answer
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.answers import heard, line
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.evidence_requests.asking import ask, at
from tests.web.pressing import read

SENTENCE = "No errors of GPUs (Xid and others) on gpu001"
XID = "NVRM: Xid (PCI:0000:18:00): 79, pid=1, GPU has fallen off the bus."


@pytest.fixture
def incident(cast: Cast) -> Incident:
    return stop_of(cast, attempt_of(cast, cast.tenant))


def request_of(page: str) -> str:
    """Return the id of the only request on a page."""
    found = re.search(r'id="(REQ-[0-9A-F]+)"', page)
    assert found is not None
    return found[1]


def offered(client: Client, cast: Cast, request: str) -> dict[str, str]:
    """Return rule → what the form sends for it."""
    page = read(client, f"/o/{cast.operator.slug}/sharing/evidence-requests/{request}/answer/")
    return {
        each.split(".")[0]: each for each in re.findall(r'name="finding" value="([^"]+)"', page)
    }


def send(client: Client, cast: Cast, request: str, *findings: str) -> str:
    address = f"/o/{cast.operator.slug}/sharing/evidence-requests/{request}/answer/"
    answer = client.post(address, {"finding": findings}, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_holder_reads_the_sentence_and_sends_it_signed(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    heard(cast)
    tenant, operator = browser(cast.tenant), browser(cast.operator, MemberRole.ADMIN)
    request = request_of(ask(tenant, cast, incident, data="logs:kernel"))
    assert "Answer…" in read(operator, at(cast.operator, incident))
    assert SENTENCE not in read(tenant, at(cast.tenant, incident))

    send(operator, cast, request, offered(operator, cast, request)["gpu-errors"])

    page = read(tenant, at(cast.tenant, incident))
    assert "answered by a signed statement" in page
    assert SENTENCE in page
    assert "No memory errors" not in page  # it was left out
    file = tenant.get(f"/api/v1/o/{cast.tenant.slug}/evidence-requests/{request}/answer/")
    assert file.status_code == 200
    told = read_answer(file.content).document
    assert (told["request"], told["incident"]) == (request, incident.public_id)
    assert told["findings"][0]["text"].startswith(SENTENCE)


def test_the_look_stands_in_the_ledger_of_the_holder(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    heard(cast)
    tenant, operator = browser(cast.tenant), browser(cast.operator, MemberRole.ADMIN)
    request = request_of(ask(tenant, cast, incident, data="logs:kernel"))
    send(operator, cast, request, offered(operator, cast, request)["gpu-errors"])
    read(operator, at(cast.operator, incident))
    with organization_scope(cast.operator.pk):
        assert not LedgerEntry.objects.exists()

    read(tenant, at(cast.tenant, incident))

    with organization_scope(cast.operator.pk):
        (entry,) = LedgerEntry.objects.all()
    assert (entry.ground_kind, entry.ground, entry.reader_id) == (
        "request",
        request,
        cast.tenant.pk,
    )
    assert entry.shown == [{"data": "answer:logs:kernel", "level": "full", "count": 1}]
    assert "Signed statement: " in read(operator, f"/o/{cast.operator.slug}/sharing/ledger/")


def test_what_changed_since_it_was_read_is_not_signed(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    heard(cast)
    tenant, operator = browser(cast.tenant), browser(cast.operator, MemberRole.ADMIN)
    request = request_of(ask(tenant, cast, incident, data="logs:kernel"))
    sent = offered(operator, cast, request)["gpu-errors"]
    heard(cast, line(make.AT, XID))

    assert "your data says something else meanwhile" in send(operator, cast, request, sent)
    assert "waits for an answer" in read(tenant, at(cast.tenant, incident))


def test_a_sentence_of_ones_own_is_not_signed(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    tenant, operator = browser(cast.tenant), browser(cast.operator, MemberRole.ADMIN)
    request = request_of(ask(tenant, cast, incident, data="logs:kernel"))

    for sent in ("", "all-is-well.00", "gpu-errors", "gpu-errors." + "0" * 32):
        assert "Not sent:" in send(operator, cast, request, sent)


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_only_an_admin_states_anything(
    cast: Cast, incident: Incident, browser: Browser, role: MemberRole
) -> None:
    heard(cast)
    request = request_of(ask(browser(cast.tenant), cast, incident, data="logs:kernel"))
    member = browser(cast.operator, role)
    address = f"/o/{cast.operator.slug}/sharing/evidence-requests/{request}/answer/"

    assert "Answer…" not in read(member, at(cast.operator, incident))
    assert member.get(address).status_code == 404
    assert member.post(address, {"finding": "gpu-errors.00"}).status_code == 404


def test_neither_the_asker_nor_a_third_party_finds_the_page(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    heard(cast)
    tenant = browser(cast.tenant, MemberRole.ADMIN)
    request = request_of(ask(tenant, cast, incident, data="logs:kernel"))
    send_by = browser(cast.operator, MemberRole.ADMIN)
    send(send_by, cast, request, offered(send_by, cast, request)["gpu-errors"])

    for organization in (cast.tenant, cast.vendor, cast.other_tenant):
        client = browser(organization, MemberRole.ADMIN)
        page = f"/o/{organization.slug}/sharing/evidence-requests/{request}/answer/"
        assert client.get(page).status_code == 404
    vendor = browser(cast.vendor, MemberRole.ADMIN)
    rest = f"/api/v1/o/{cast.vendor.slug}/evidence-requests/{request}/answer/"
    assert vendor.get(rest).status_code == 404
    assert SENTENCE not in read(vendor, at(cast.vendor, incident))


def test_the_keys_of_whom_one_was_answered_by_are_read_and_no_others(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    heard(cast)
    tenant, operator = browser(cast.tenant), browser(cast.operator, MemberRole.ADMIN)
    request = request_of(ask(tenant, cast, incident, data="logs:kernel"))
    send(operator, cast, request, offered(operator, cast, request)["gpu-errors"])

    def keys(client: Client, slug: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = client.get(f"/api/v1/o/{slug}/signing-keys/").json()[
            "results"
        ]
        return found

    (own,) = keys(operator, cast.operator.slug)
    (theirs,) = keys(tenant, cast.tenant.slug)
    assert own["fingerprint"] == theirs["fingerprint"]
    assert (own["is_current"], theirs["is_current"]) == (True, None)
    assert keys(browser(cast.vendor), cast.vendor.slug) == []


def test_by_rest_what_can_be_stated_is_read_and_sent(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    heard(cast)
    operator = browser(cast.operator, MemberRole.ADMIN)
    request = request_of(ask(browser(cast.tenant), cast, incident, data="logs:kernel"))
    base = f"/api/v1/o/{cast.operator.slug}/evidence-requests/{request}/"
    findings = operator.get(f"{base}checks/").json()["findings"]
    chosen = [{k: each[k] for k in ("rule", "digest")} for each in findings[:2]]

    body = json.dumps({"findings": chosen})
    answer = operator.post(f"{base}answer/", body, content_type="application/json")

    assert answer.status_code == 200, answer.content
    assert answer.json()["state"] == "answered"
    told = browser(cast.tenant).get(base.replace(cast.operator.slug, cast.tenant.slug)).json()
    assert [each["rule"] for each in told["answer"]["findings"]] == [
        each["rule"] for each in chosen
    ]
    again = operator.post(f"{base}answer/", body, content_type="application/json")
    assert (again.status_code, again.json()["code"]) == (409, "request_moved")
