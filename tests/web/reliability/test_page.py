"""The page of reliability: figures with what they rest on, and lists of what they count."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from apps.incidents.projection.shared import shared_progress
from apps.reliability.models import GpuPrice
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.cast.training_season import DAYS, FIRST_DAY, build_season
from tests.web.conftest import Browser

SEASON = f"from={FIRST_DAY:%Y-%m-%d}&until={FIRST_DAY + timedelta(days=DAYS):%Y-%m-%d}"
DAY = datetime(2026, 11, 21, tzinfo=UTC)
NEAR = "from=2026-11-20&until=2026-11-22"


def read(client: Client, who: Organization, query: str = SEASON, status: int = 200) -> str:
    """Return the text of the page."""
    answer = client.get(f"/o/{who.slug}/reliability/?{query}")
    assert answer.status_code == status, answer.content[:300]
    return " ".join(answer.content.decode().split())


@pytest.mark.django_db
def test_the_page_of_a_tenant_shows_where_its_time_went(cast: Cast, browser: Browser) -> None:
    build_season(cast, sessions=8, saves=24)
    text = read(browser(cast.tenant), cast.tenant)
    for told in (
        *("Where the time went", "Productive", "Lost progress", "Recovery", "Goodput"),
        *("Effective training time (ETTR)", "97 %", "90 %", "MFU, the median of attempts"),
        *("Time to a failure", "6.50 failures per 1,000 node-days", "do not read between"),
        *("By layer", "By cause", "By node", "By who answers for it", "By month", "Contested"),
        *("Young and Daly", "Worst nodes", "8 sessions", "before: "),
    ):
        assert told in text, told
    for head in ("layer", "cause", "node", "month"):
        assert text.count(f">By {head}<") == 1, head  # a title, and not its column's, too
    assert "hidden by policy" not in text


@pytest.mark.django_db
def test_every_number_with_a_link_opens_what_it_counts(cast: Cast, browser: Browser) -> None:
    build_season(cast, sessions=6, saves=12)
    client = browser(cast.tenant)
    text = read(client, cast.tenant)
    links = {
        each.replace("&amp;", "&") for each in re.findall(r'href="(\?[^"]*figure=[^"]*)"', text)
    }
    assert len(links) > 15
    for link in sorted(links):
        listed = read(client, cast.tenant, link[1:])
        assert "/sessions/SES-" in listed or "/incidents/INC-" in listed, link


@pytest.mark.django_db
def test_a_list_of_incidents_has_as_many_as_the_figure_says(cast: Cast, browser: Browser) -> None:
    for _ in range(2):
        stop_of(cast, attempt_of(cast, cast.tenant, ended_at=DAY + timedelta(hours=3)))
    client = browser(cast.tenant)
    text = read(client, cast.tenant, f"{NEAR}&figure=layer&of=gpu")
    assert "2 counted" in text
    assert len(set(re.findall(r"/incidents/(INC-\w+)/", text))) == 2
    read(client, cast.tenant, f"{NEAR}&figure=layer&of=network", status=404)
    read(client, cast.tenant, f"{NEAR}&figure=weather", status=404)


@pytest.mark.django_db
def test_the_operator_is_shown_its_cluster_and_told_what_is_hidden(
    cast: Cast, browser: Browser
) -> None:
    build_season(cast, sessions=4, saves=4)
    text = read(browser(cast.operator), cast.operator)
    assert f"may read of {cast.cluster.name}" in text
    assert "4 sessions" in text
    (withheld,) = re.findall(r"<li>([^<]*): hidden by policy</li>", text)
    assert {"goodput", "lost progress"} <= set(withheld.split(", "))


def shown(cast: Cast) -> None:
    """Let the tenant show the operator how its sessions get on."""
    rule = SharingRule(data="sessions", level=Level.SIGNAL)
    terms = {cast.tenant.slug: [rule], cast.operator.slug: []}
    agreed(cast.tenant, cast.operator, cast.cluster, terms=terms)


@pytest.mark.django_db
def test_the_operator_reads_how_sessions_got_on_where_their_tenant_shows_it(
    cast: Cast, browser: Browser
) -> None:
    build_season(cast, sessions=4, saves=8)
    query = f"{SEASON}&view=cluster&cluster={cast.cluster.slug}"
    hidden = read(browser(cast.operator), cast.operator, query)
    assert "How sessions got on" not in hidden
    assert "no agreement shows how its sessions get on to you" in hidden
    assert f"sharing/propose/?cluster={cast.cluster.slug}&amp;counterpart={cast.tenant.slug}" in (
        hidden
    )

    shown(cast)
    text = read(browser(cast.operator), cast.operator, query)
    assert text.count(f"{cast.tenant.name} (signal)") == 5  # four sessions, and whose they are
    assert ">Request<" not in text
    assert re.search(r"<li>MFU[^<]*: hidden by policy</li>", text)
    other = read(browser(cast.other_tenant), cast.other_tenant, query)
    assert "How sessions got on" not in other


@pytest.mark.django_db
def test_the_page_shows_ones_own_while_the_ledger_can_not_be_written(
    cast: Cast, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unwritable(**_: object) -> None:
        raise LedgerUnavailable

    build_season(cast, sessions=2, saves=2)
    shown(cast)
    monkeypatch.setattr(shared_progress, "write_looks", unwritable)
    query = f"{SEASON}&view=cluster&cluster={cast.cluster.slug}"
    text = read(browser(cast.operator), cast.operator, query)
    assert "so it is not shown" in text
    assert "How sessions got on" not in text


@pytest.mark.django_db
def test_another_tenant_and_a_stranger_read_nothing_of_it(cast: Cast, browser: Browser) -> None:
    build_season(cast, sessions=2, saves=2)
    for who in (cast.other_tenant, cast.stranger):
        text = read(browser(who), who)
        assert "SES-S" not in text
        assert "INC-S" not in text
        assert " 0 sessions" in text
        assert browser(who).get(f"/o/{cast.tenant.slug}/reliability/").status_code == 404


@pytest.mark.django_db
def test_a_vendor_is_shown_no_session_and_no_incident_of_another_layer(
    cast: Cast, browser: Browser
) -> None:
    build_season(cast, sessions=4, saves=4)
    client = browser(cast.vendor)
    text = read(client, cast.vendor)
    assert "Software" not in text
    (withheld,) = re.findall(r"<li>([^<]*): hidden by policy</li>", text)
    assert "time to a failure" in withheld
    # Said once: no part of the page is there for what is withheld, and nothing hidden is a zero.
    for title in ("time-title", "mttf-title", "saves-title"):
        assert title not in text
    assert "Lost GPU-hours</h2>" not in text
    assert "0 sessions" not in text
    read(client, cast.vendor, f"{SEASON}&figure=layer&of=software", status=404)
    assert "/sessions/SES-" not in read(client, cast.vendor, f"{SEASON}&figure=incidents")


@pytest.mark.django_db
def test_without_anything_the_page_says_so_and_draws_no_zero(cast: Cast, browser: Browser) -> None:
    text = read(browser(cast.tenant), cast.tenant, "range=month")
    assert text.count("there was nothing to count") > 3
    assert "0.0 %" not in text
    assert "goodput-cumulative" not in text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("from=2026-13-01", "is no day such as"),
        ("until=0001-01-01", "is no day such as"),
        ("from=9999-12-31&until=9999-12-31", "is no day such as"),
        ("from=2026-03-02&until=2026-03-01", "is no span of 1 to 400 days"),
        ("range=decade", "is no range that is known"),
        ("view=theirs", "is no view that is known"),
        ("cluster=elsewhere", "is no cluster that is known"),
        ("form=2026-03-01", "knows no “form”"),
    ],
)
def test_what_is_wrong_in_an_address_is_said(
    cast: Cast, browser: Browser, query: str, told: str
) -> None:
    assert told in read(browser(cast.tenant), cast.tenant, query)


@pytest.mark.django_db
def test_home_and_the_navigation_lead_there(cast: Cast, browser: Browser) -> None:
    text = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/").content.decode()
    assert text.count(f'href="/o/{cast.tenant.slug}/reliability/"') == 2


@pytest.mark.django_db
def test_the_price_is_told_beside_the_loss(cast: Cast, browser: Browser) -> None:
    build_season(cast, sessions=4, saves=4)
    with organization_scope(cast.tenant.pk):
        GpuPrice.objects.create(
            organization=cast.tenant, per_gpu_hour="2", currency="KRW", changed_at=FIRST_DAY
        )
    assert "KRW at your price" in read(browser(cast.tenant), cast.tenant)
    assert "KRW" not in read(browser(cast.operator), cast.operator)


@pytest.mark.django_db
def test_tiles_and_list_of_the_joint_page_give_one_reason(cast: Cast, browser: Browser) -> None:
    stop_of(cast, attempt_of(cast, cast.tenant, ended_at=DAY + timedelta(hours=3)))
    query = f"{NEAR}&view=joint&cluster={cast.cluster.slug}"
    text = read(browser(cast.operator), cast.operator, query)
    why = "withheld: it would tell of another tenant"
    (withheld,) = re.findall(rf"<li>([^<]*): {why}</li>", text)
    assert withheld == "time to a failure, lost GPU-hours, retries, lost progress, slow steps"
    tiles = text[text.index('class="numbers"') : text.index('id="withheld-title"')]
    assert tiles.count(why) == 2  # time to a failure, lost GPU-hours
    assert tiles.count("hidden by policy") == 1  # goodput, as the list says it
    assert 'id="saves-title"' not in text  # a part of which nothing is told is left out
    assert "at least 0" not in text


@pytest.mark.django_db
def test_a_vendor_reads_no_number_of_sessions_that_are_hidden(cast: Cast, browser: Browser) -> None:
    stop_of(cast, attempt_of(cast, cast.tenant, ended_at=DAY + timedelta(hours=3)))
    query = f"{NEAR}&view=cluster&cluster={cast.cluster.slug}"
    text = read(browser(cast.vendor), cast.vendor, query)
    assert "1 incident. Sessions are hidden by policy." in text
    assert "0 sessions" not in text
    assert "0 sessions" not in read(browser(cast.operator), cast.operator, query)


@pytest.mark.django_db
def test_both_lengths_after_a_stop_say_from_when_to_when(cast: Cast, browser: Browser) -> None:
    build_season(cast, sessions=4, saves=8)
    text = read(browser(cast.tenant), cast.tenant)
    assert "From the last step to the next one" in text
    assert "The page Retries counts recoveries from the failure on" in text


@pytest.mark.django_db
def test_sessions_are_listed_by_name_with_how_they_stand_and_how_long_they_ran(
    cast: Cast, browser: Browser
) -> None:
    build_season(cast, sessions=3, saves=6)
    client = browser(cast.tenant)
    attempts = read(client, cast.tenant, f"{SEASON}&figure=time-to-failure-hours")
    assert re.search(r'>train-\d</a> <small class="mono">SES-S\d+#\d+</small>', attempts)
    assert re.search(r'data-label="Ran for">\s*\d+ (h|min|d)', attempts)
    assert "?attempt=" in attempts
    sessions = read(client, cast.tenant, f"{SEASON}&figure=goodput")
    assert sessions.count(">train-") == 3


@pytest.mark.django_db
def test_what_runs_is_told_so_far_and_a_length_that_nobody_told_is_no_zero(
    cast: Cast, browser: Browser
) -> None:
    attempt_of(cast, cast.tenant, state="running", started_at=DAY + timedelta(hours=2))
    attempt_of(cast, cast.tenant, state="failed", started_at=DAY + timedelta(hours=1))
    text = read(browser(cast.tenant), cast.tenant, f"{NEAR}&figure=sessions")
    assert re.search(r'data-label="Ran for">[^<]* so far', text)
    assert re.search(r'data-label="Ran for">\s*–', text)  # noqa: RUF001  no number


@pytest.mark.django_db
def test_one_of_a_thing_is_not_several(cast: Cast, browser: Browser) -> None:
    stop_of(cast, attempt_of(cast, cast.tenant, ended_at=DAY + timedelta(hours=3)))
    assert "1 session, 1 attempt, 1 incident." in read(browser(cast.tenant), cast.tenant, NEAR)


@pytest.mark.django_db
def test_reports_of_the_same_are_one_press_away(cast: Cast, browser: Browser) -> None:
    asked = f"view=joint&cluster={cast.cluster.slug}&{NEAR}"
    text = read(browser(cast.operator), cast.operator, asked).replace("&amp;", "&")
    assert f"/o/{cast.operator.slug}/reports/?{asked}#issue" in text
