"""Texts that strangers chose turn round nothing beside them on a page, and say no secret back."""

import json
import logging
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from apps.diagnosis.spelling import sayable, shown
from apps.fleet.models import Session
from apps.incidents.models import Incident
from apps.operations.http import page_text
from apps.operations.process_log.log_lines import JsonLines
from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast import make, pushes
from tests.cast.clients import member
from tests.cast.incidents import Cast
from tests.web.conftest import Browser

OBEYED = "\u202e\u2066\x1b\x9b\x07"
TOKEN = "flt_a1B2c3D4_" + "k3Y" * 10


def test_a_sessions_name_obeys_nobody_on_a_page(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    with organization_scope(cast.tenant.pk):
        Session.objects.for_organization(cast.tenant).update(name=f"train{OBEYED}moc")
    there = f"/o/{cast.tenant.slug}/sessions/"
    text = browser(cast.tenant).get(there).content.decode()

    assert "train" + "\ufffd" * 5 + "moc" in text
    assert not set(OBEYED) & set(text)


@pytest.mark.parametrize(("kind", "shown_as"), [("text/html", "\ufffd" * 5), ("text/csv", OBEYED)])
def test_what_programs_read_stays_as_it_was_sent(kind: str, shown_as: str) -> None:
    def answer(_request: Any) -> HttpResponse:
        return HttpResponse(f"é\t\r\n{OBEYED}한", content_type=f"{kind}; charset=utf-8")

    found = page_text.harmless(answer)(RequestFactory().get("/"))
    assert isinstance(found, HttpResponse)
    assert found.content.decode() == f"é\t\r\n{shown_as}한"


@pytest.mark.parametrize("query", ["%s", "status=%s", "before=%s"])
def test_a_page_says_no_parameter_back_that_is_obeyed_or_secret(
    cast: Cast, incident: Incident, browser: Browser, query: str
) -> None:
    reader, there = browser(cast.tenant), f"/o/{cast.tenant.slug}/incidents/"
    secret, obeyed = (
        reader.get(f"{there}?{query % asked}").content.decode()
        for asked in (TOKEN, "s%1B%5B2J%E2%80%AEtatu")
    )
    assert TOKEN not in secret
    assert not set(OBEYED) & set(obeyed)
    assert "s?[2J?tatu" in obeyed


PUSHES = ("/api/v1/logs", "/api/v1/session-events", "/api/v1/inventory", "/loki/api/v1/push")


@pytest.mark.parametrize("path", PUSHES)
@pytest.mark.parametrize("query", [f"{TOKEN}=1", f"stream={TOKEN}", f"tz={TOKEN}"])
def test_no_receiver_says_a_token_back(cast: Cast, path: str, query: str) -> None:
    body = json.dumps({TOKEN: 1, "session": {TOKEN: TOKEN}})
    answer = Client().post(
        f"{path}?{query}",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {pushes.token(cast.tenant)}"},
    )
    assert answer.status_code >= 400
    assert TOKEN not in answer.content.decode()


@pytest.mark.parametrize("query", [f"{TOKEN}=1", f"limit={TOKEN}", f"status={TOKEN}"])
def test_rest_says_no_token_back(cast: Cast, query: str) -> None:
    asking = member(cast.tenant, MemberRole.ADMIN)
    name, value = query.split("=")
    body = {TOKEN: 1, "scopes": [TOKEN], "name": {TOKEN: 1}}
    for answer in (asking.get("incidents/", **{name: value}), asking.post("tokens/", body)):
        assert answer.status_code == 400
        assert TOKEN not in answer.content.decode()


def test_an_address_that_is_none_says_no_token_back() -> None:
    for there in (f"/api/v1/{TOKEN}", f"/api/v1/o/{TOKEN}/incident/"):
        assert TOKEN not in Client().get(there).content.decode()


def test_record_and_log_hold_no_token(cast: Cast) -> None:
    with organization_scope(cast.tenant.pk):
        act = AuditAction(action="access.refused", subject=f"/api/v1/o/{'x' * 80}/{TOKEN}/")
        entry = record(organization_id=cast.tenant.pk, act=act, now=make.AT)
    line = JsonLines().format(
        logging.makeLogRecord({"name": "x", "levelname": "INFO", "msg": "x", "path": f"a\n{TOKEN}"})
    )
    for text in (entry.subject, line):
        assert TOKEN[:20] not in text


def test_a_secret_is_hidden_before_a_word_is_cut() -> None:
    assert TOKEN[:20] not in shown(word="x" * 45 + TOKEN)
    assert sayable(text=f"a\r\nb {OBEYED} Bearer {'q' * 20}") == "a??b ????? Bearer [secret]"
