"""The page of texts to paste: with a token once, the first line as it arrives, what is lacking."""

import re
from html import unescape

import pytest
import yaml
from django.test import Client

from apps.telemetry.snippets.agents import AGENTS
from apps.tenancy.models import AuditEntry, MemberRole, Token
from apps.tenancy.scope import organization_scope
from tests.api.receivers.agents import KERNEL, loki_protobuf, send
from tests.cast import make
from tests.cast.incidents import Cast
from tests.cast.pushes import drain_all, push_json, token
from tests.web.conftest import Browser
from tests.web.markup import one_line

WHEN = re.compile(r'hx-get="([^"]*\bcluster=[^"]*)"')


def page_of(client: Client, path: str) -> str:
    """Return a page as text."""
    answer = client.get(path)
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def text_of(page: str, agent: str) -> str:
    """Return what stands in an agent's text."""
    found = re.search(rf'<pre id="text-{agent}"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert found
    return unescape(found[1])


def where(cast: Cast, query: str = "") -> str:
    """Return the operator's page."""
    return f"/o/{cast.operator.slug}/sources/connect/{query}"


def test_every_agent_has_a_text_for_this_cluster_and_no_token(cast: Cast, browser: Browser) -> None:
    page = page_of(browser(cast.operator), where(cast))

    for agent in AGENTS:
        assert text_of(page, agent.key)
    assert cast.cluster.slug in text_of(page, "alloy")
    assert "flt_" not in page
    assert page.count(" checked>") == 4  # one open tab a group


def test_the_address_names_the_open_tab(cast: Cast, browser: Browser) -> None:
    page = page_of(browser(cast.operator), where(cast, "?agent=vector"))

    assert 'id="agent-vector" checked' in page
    assert 'id="agent-alloy" checked' not in page


def test_a_token_made_here_stands_in_the_texts_once(cast: Cast, browser: Browser) -> None:
    client = browser(cast.operator, MemberRole.ADMIN)
    form = {"name": "agents", "scope": "ingest", "days": "90", "cluster": cast.cluster.slug}

    made = client.post(where(cast, f"?cluster={cast.cluster.slug}"), form)
    page = made.content.decode()

    assert made.status_code == 201
    client_of = yaml.safe_load(text_of(page, "promtail"))["clients"][0]
    assert client_of["bearer_token"] in text_of(page, "slurm")
    sent = loki_protobuf('{stream="kernel", host="gpu017"}', KERNEL, agent="promtail")
    assert send(sent, token=client_of["bearer_token"]).status_code == 204
    assert client_of["bearer_token"] not in page_of(client, where(cast))
    with organization_scope(cast.operator.pk):
        assert Token.objects.get(name="agents").clusters == [cast.cluster.pk]
        assert AuditEntry.objects.filter(action="token.issued").exists()


def test_a_token_that_may_not_send_stands_in_no_text(cast: Cast, browser: Browser) -> None:
    client = browser(cast.operator, MemberRole.ADMIN)
    form = {"name": "reader", "scope": "read", "days": "90", "cluster": cast.cluster.slug}

    page = client.post(where(cast), form).content.decode()

    made = re.search(r'<pre id="made-token">([^<]+)</pre>', page)
    assert made
    assert page.count(made[1]) == 1
    assert "It may not send" in page


def test_a_name_that_is_taken_is_told(cast: Cast, browser: Browser) -> None:
    client = browser(cast.operator, MemberRole.ADMIN)
    form = {"name": "agents", "scope": "ingest", "days": "90", "cluster": cast.cluster.slug}
    client.post(where(cast), form)

    again = client.post(where(cast), form)

    assert again.status_code == 422
    assert "There is or was a token of this name" in again.content.decode()


def test_who_does_not_manage_makes_no_token_and_learns_whom_to_ask(
    cast: Cast, browser: Browser
) -> None:
    client = browser(cast.operator)
    form = {"name": "agents", "scope": "ingest", "cluster": cast.cluster.slug}

    assert client.post(where(cast), form).status_code == 404
    assert "Ask" in page_of(client, where(cast))


def test_the_first_line_is_told_when_it_comes(cast: Cast, browser: Browser) -> None:
    client = browser(cast.operator)
    page = page_of(client, where(cast))
    assert "waiting for the first line" in page
    again = WHEN.search(page)
    assert again

    sent = loki_protobuf('{stream="kernel", host="gpu017"}', KERNEL, agent="Alloy")
    assert send(sent, token=token(cast.operator, cast.cluster)).status_code == 204
    drain_all(cast.operator)
    headers = {"HX-Request": "true"}
    fragment = client.get(unescape(again[1]), headers=headers).content.decode()

    assert re.search(r"first line \d+ s ago from gpu017", fragment)
    assert "<html" not in fragment
    later = page_of(client, where(cast))
    assert re.search(r"last \d+ s ago from gpu017", later)


def test_a_page_that_nobody_closed_asks_more_seldom(cast: Cast, browser: Browser) -> None:
    client, headers = browser(cast.operator), {"HX-Request": "true"}

    assert 'every 3s"' in page_of(client, where(cast))
    old = client.get(where(cast, "?since=2026-01-01T00:00:00%2B00:00"), headers=headers)
    assert 'every 60s"' in old.content.decode()


def test_hosts_without_a_kernel_log_are_named(cast: Cast, browser: Browser) -> None:
    credential = token(cast.operator, cast.cluster)
    hosts = [{"name": f"gpu{number:03}"} for number in range(17, 20)]
    push_json("/api/v1/inventory", credential, {"nodes": hosts})
    send(loki_protobuf('{stream="kernel", host="gpu017"}', KERNEL, agent="x"), token=credential)
    drain_all(cast.operator)

    page = page_of(browser(cast.operator), where(cast))

    assert "1 of 3 hosts" in page
    assert "Never a line from gpu018, gpu019." in page


def test_each_part_is_asked_for_what_it_holds(cast: Cast, browser: Browser) -> None:
    page = page_of(browser(cast.tenant), f"/o/{cast.tenant.slug}/sources/connect/")

    assert "no session in the last two weeks" in page
    assert "the operator&#x27;s to send" in page


def test_without_a_cluster_only_files_can_be_sent(cast: Cast, browser: Browser) -> None:
    page = page_of(browser(cast.stranger), f"/o/{cast.stranger.slug}/sources/connect/")

    assert "takes part in no cluster yet" in page
    assert "cluster=" not in text_of(page, "curl")
    assert "text-alloy" not in page


@pytest.mark.parametrize("query", ["", "?cluster={}"])
def test_the_cluster_and_the_page_of_others_are_not_there(
    cast: Cast, browser: Browser, query: str
) -> None:
    other = make.cluster()
    client = browser(cast.stranger)

    assert client.get(where(cast, query.format(other.slug))).status_code == 404
    own = f"/o/{cast.stranger.slug}/sources/connect/?cluster={cast.cluster.slug}"
    assert client.get(own).status_code == 404


@pytest.mark.parametrize("query", ["since=x&had=,x&held=,,", "agent=<script>", "since=2026"])
def test_nonsense_in_the_address_does_no_harm(cast: Cast, browser: Browser, query: str) -> None:
    client = browser(cast.operator)

    for headers in ({}, {"HX-Request": "true"}):
        answer = client.get(where(cast, f"?{query}"), headers=headers)
        assert answer.status_code == 200
        assert b"<script>" not in answer.content.split(b"<main")[-1]


def test_what_is_not_taken_from_a_tenant_is_not_offered_to_it(cast: Cast, browser: Browser) -> None:
    page = page_of(browser(cast.tenant), f"/o/{cast.tenant.slug}/sources/connect/?agent=inventory")

    assert 'id="text-inventory"' not in page
    assert text_of(page, "slurm")
    assert 'id="text-inventory"' in page_of(browser(cast.operator), where(cast))


def test_who_has_rsyslog_reads_what_it_takes(cast: Cast, browser: Browser) -> None:
    page = " ".join(page_of(browser(cast.operator), where(cast)).split())

    assert "rsyslog" in page
    assert "omhttp" in page
