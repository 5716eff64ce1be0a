"""Held logs on pages: read, searched, beside each other, and by nobody else."""

import re
from datetime import timedelta
from typing import Any

import pytest

from apps.telemetry.facade.held_logs import list_streams
from apps.telemetry.models import LogChunk
from apps.tenancy.models import MemberRole, Membership
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in, xid
from tests.apps.telemetry.held_logs.held import START, Holder, holder, line, sent_as_files
from tests.cast import make
from tests.web.conftest import Browser
from tests.web.markup import one_line


def path(made: Holder, query: str = "") -> str:
    """Return the address of the one log."""
    return f"/o/{made.organization.slug}/logs/{made.stream().key}/{query}"


def numbers(answer: Any) -> list[int]:
    """Return the lines that a page shows."""
    return [int(each) for each in re.findall(r'id="line-(\d+)"', answer.content.decode())]


@pytest.mark.django_db
def test_the_list_names_what_is_held_and_leads_to_it(browser: Browser) -> None:
    made = sent_as_files(12)
    page = browser(made.organization).get(f"/o/{made.organization.slug}/logs/")
    text = one_line(page.content.decode())
    assert "gpu001" in text
    assert "Kernel log" in text
    assert f"logs/{made.stream().key}/" in page.content.decode()
    none = browser(made.organization).get(f"/o/{made.organization.slug}/logs/?host=gpu999")
    assert "Nothing matches." in one_line(none.content.decode())


@pytest.mark.django_db
def test_a_log_opens_at_its_end_and_scrolls_both_ways(browser: Browser) -> None:
    made = sent_as_files(450)
    client = browser(made.organization)
    assert numbers(client.get(path(made))) == list(range(251, 451))
    assert numbers(client.get(path(made, "?before=251"))) == list(range(51, 251))
    assert numbers(client.get(path(made, "?from=101"))) == list(range(101, 301))
    part = client.get(
        path(made, "?from=101"), headers={"HX-Request": "true", "HX-Target": "log-lines"}
    )
    assert numbers(part) == list(range(101, 301))
    assert b"<html" not in part.content


@pytest.mark.django_db
def test_a_line_and_a_time_are_shown_among_their_neighbours(browser: Browser) -> None:
    made = sent_as_files(450)
    client = browser(made.organization)
    asked = client.get(path(made, "?line=300"))
    assert re.search(r'id="line-300"[^>]*aria-current', asked.content.decode())
    at = START + timedelta(seconds=40)
    jumped = client.get(path(made, f"?at={at:%Y-%m-%dT%H:%M:%S}"))
    assert re.search(r'id="line-40"[^>]*aria-current', jumped.content.decode())


@pytest.mark.django_db
def test_what_is_not_kept_any_more_is_said_with_its_numbers(browser: Browser) -> None:
    made = sent_as_files(30, 20)
    with organization_scope(made.organization.pk):
        LogChunk.objects.filter(first_number=1).delete()
    text = one_line(browser(made.organization).get(path(made)).content.decode())
    assert "Lines 1 to 30 are not kept any more: this is no silence." in text
    assert "20 of 50 lines are kept" in text


@pytest.mark.django_db
def test_a_recognised_line_says_what_it_means(browser: Browser) -> None:
    made = holder()
    come_in(
        made.organization,
        made.cluster,
        [xid(1, make.AT)],
        at=make.AT,
        stream="kernel",
        host="gpu001",
    )
    text = browser(made.organization).get(path(made)).content.decode()
    assert "log-mark layer-gpu" in text
    assert "fallen off the bus" in text


@pytest.mark.django_db
def test_search_finds_counts_and_refuses_what_is_no_pattern(browser: Browser) -> None:
    made = sent_as_files(60)
    client = browser(made.organization)
    found = client.get(path(made, "?q=line+7+of"))
    assert numbers(found) == [7]
    assert "1 line matches of 60 that were searched." in one_line(found.content.decode())
    assert numbers(client.get(path(made, "?q=line+1.+of&mode=pattern"))) == list(range(10, 20))
    bad = client.get(path(made, "?q=(&mode=pattern"))
    assert bad.status_code == 422
    assert "The pattern can" in one_line(bad.content.decode())
    assert bad.content.count(b"log-line ") == 0


@pytest.mark.django_db
def test_logs_stand_side_by_side_by_the_second_and_say_what_is_not_held(browser: Browser) -> None:
    made = holder()
    for host, seconds in (("gpu001", range(1, 8)), ("gpu002", range(5, 12))):
        lines = [line(each).replace("gpu001", host) for each in seconds if each != 6]
        come_in(made.organization, made.cluster, lines, at=make.AT, stream="kernel", host=host)
    with organization_scope(made.organization.pk):
        first, second = sorted(list_streams(actor=made.actor), key=lambda each: each.host)
    query = f"?with={second.key}&at={START:%Y-%m-%dT%H:%M:%S}"
    client = browser(made.organization)
    page = client.get(f"/o/{made.organization.slug}/logs/{first.key}/{query}")
    text = page.content.decode()
    assert text.count('class="cell-outside"') == 8
    assert "cell-quiet" not in text
    assert "line 5 of the node" in text


@pytest.mark.django_db
def test_a_download_has_the_lines_as_they_came(browser: Browser) -> None:
    made = sent_as_files(20)
    answer = browser(made.organization).get(path(made, "download/?from=3&until=5"))
    assert answer.content.decode().splitlines() == [line(3), line(4), line(5)]
    assert "attachment" in answer["Content-Disposition"]
    assert browser(made.organization).get(path(made, "download/?from=5&until=3")).status_code == 302


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["", "?line=2", "?q=line", "download/?from=1&until=2"])
def test_nobody_else_reads_it_by_its_name(query: str, browser: Browser) -> None:
    made, stranger = sent_as_files(3), holder()
    key = made.stream().key
    address = f"/o/{stranger.organization.slug}/logs/{key}/{query}"
    assert browser(stranger.organization).get(address).status_code == 404
    assert browser(stranger.organization).get(path(made, query)).status_code == 404
    assert browser(made.organization, MemberRole.VIEWER).get(path(made, query)).status_code == 200


@pytest.mark.django_db
def test_who_left_the_organization_reads_nothing_of_it(browser: Browser) -> None:
    made = sent_as_files(3)
    client = browser(made.organization)
    assert client.get(path(made)).status_code == 200
    with organization_scope(made.organization.pk):
        Membership.objects.filter(organization=made.organization).delete()
    assert client.get(path(made)).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    ["?line=0", "?line=-4", "?line=99999999999999999999", "?from=x", "?before=%00", "?at=never"],
)
def test_nonsense_in_the_address_is_told_and_breaks_nothing(query: str, browser: Browser) -> None:
    made = sent_as_files(5)
    assert browser(made.organization).get(path(made, query)).status_code in {200, 400}


@pytest.mark.django_db
def test_a_line_beyond_the_end_shows_the_end(browser: Browser) -> None:
    made = sent_as_files(5)
    assert numbers(browser(made.organization).get(path(made, "?line=5000"))) == [1, 2, 3, 4, 5]
