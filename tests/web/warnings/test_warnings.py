"""The page of warnings: what left the usual, what says so, and what broke afterwards."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from apps.diagnosis.model import statement, statement_json
from apps.incidents.models import Incident
from apps.sharing.terms import Level, SharingRule
from apps.web.warnings.rows import family_name, part_name
from apps.wording.amounts import amount
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast
from tests.cast.warnings import warn
from tests.web.conftest import Browser
from tests.web.markup import one_line

SHARED = statement(
    "warning-of-shared-part",
    part=statement("part", kind="server", name="vast-1"),
    findings=(
        statement(
            "finding-of-family",
            family="nfs-server",
            signal="gpu.clock",
            value=1.1e9,
            usual=1.9e9,
            unit="Hz",
        ),
        statement("finding-of-family", family="nvlink", signal="x", has_ended=True),
    ),
    seen=58,
    watched=60,
    cause="checkpoint-slow",
)


@pytest.mark.parametrize(
    ("hosts", "name"),
    [((), "vast-1"), (("a",), "vast-1"), (("a", "b"), "vast-1, seen on 2 hosts")],
)
def test_a_part_that_several_hosts_show_says_how_many(hosts: tuple[str, ...], name: str) -> None:
    shown: Any = SimpleNamespace(entity={"kind": "server", "name": "vast-1"}, hosts=hosts)
    assert part_name(shown).endswith(name)


def warn_of_server(cast: Cast) -> None:
    """Store a warning of what many hosts share."""
    warn(
        cast,
        entity={"kind": "server", "name": "vast-1"},
        entity_key="server:/vast-1",
        host="",
        statement=statement_json(SHARED),
    )


def page(cast: Cast, browser: Browser, query: str = "") -> str:
    """Return the page as the operator sees it."""
    answer = browser(cast.operator).get(f"/o/{cast.operator.slug}/warnings/{query}")
    return answer.content.decode()


def test_a_korean_reader_gets_the_name_of_what_was_measured_in_korean(
    cast: Cast, browser: Browser
) -> None:
    warn(cast)
    there = f"/o/{cast.operator.slug}/warnings/"
    answer = browser(cast.operator).get(there, headers={"accept-language": "ko"})
    text = answer.content.decode()

    assert "멀티프로세서 클럭: " in text
    assert "Clock of the multiprocessors" not in text


REPLAYS = {
    "family": "pcie-link",
    "signal": "gpu.pcie.replay",
    "kind": "counter-increase",
    "value": 592.0,
    "baseline": 1.0,
    "unit": "packets",
    "detail": "",
}
GONE = {
    "family": "presence of gpu",
    "signal": "gpu.temperature",
    "kind": "silence",
    "value": None,
    "baseline": None,
    "unit": "",
    "detail": "part",
}


def test_a_korean_reader_gets_families_and_units_in_korean(cast: Cast, browser: Browser) -> None:
    warn(cast, contributions=[REPLAYS, GONE])
    there = f"/o/{cast.operator.slug}/warnings/"
    text = browser(cast.operator).get(there, headers={"accept-language": "ko"}).content.decode()

    assert "패킷 592개, 평소 패킷 1개" in text
    assert "PCIe 링크" in text
    assert "수신 여부" in text


def test_series_that_stopped_are_named_without_the_words_of_the_detector(
    cast: Cast, browser: Browser
) -> None:
    warn(cast, contributions=[REPLAYS, GONE])
    text = page(cast, browser)
    assert "592 packets, usually 1 packet<" in text
    assert "(part)" not in text
    assert "Presence of" not in text


def test_a_warning_of_many_hosts_says_what_they_share(cast: Cast, browser: Browser) -> None:
    warn_of_server(cast)
    text = page(cast, browser)
    assert "58 of 60 hosts at once, a shared cause at file server vast-1: Clock of the" in text
    assert ": 1.10 GHz, usually 1.90 GHz; NVLink ended; consistent with slow checkpoint" in text


def test_a_korean_reader_gets_a_warning_of_many_hosts_in_korean(
    cast: Cast, browser: Browser
) -> None:
    warn_of_server(cast)
    there = f"/o/{cast.operator.slug}/warnings/"
    text = browser(cast.operator).get(there, headers={"accept-language": "ko"}).content.decode()

    assert "호스트 60대 가운데 58대에서 동시에" in text
    assert "at once" not in text
    assert "consistent with" not in text


def test_a_warning_names_the_part_and_the_numbers_that_say_so(cast: Cast, browser: Browser) -> None:
    warn(cast)
    text = page(cast, browser)
    assert "GPU 3 on gpu001" in text
    assert "onsistent with" in text
    assert "1.10 GHz, usually 1.90 GHz" in text
    assert "/explore/?signal=" in text
    assert "host=gpu001&amp;from=2026-11-21T" in text


def test_a_warning_lasted_from_the_time_that_stands_beside_its_length(
    cast: Cast, browser: Browser
) -> None:
    warn(cast, ends_at=make.AT - timedelta(minutes=10))
    assert "for 30 min" in page(cast, browser)


def test_a_warning_tells_which_incident_followed_and_how_much_later(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    assert incident.started_at is not None
    warn(cast, raised_at=incident.started_at - timedelta(minutes=40))
    text = page(cast, browser)
    assert f"/incidents/{incident.public_id}/" in text
    assert "raised 40 min before it broke" in text


def test_a_warning_on_another_host_was_not_followed_by_it(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    warn(cast, host="gpu007", entity={"kind": "gpu", "host": "gpu007", "index": 3})
    assert f"/incidents/{incident.public_id}/" not in page(cast, browser)


def test_a_warning_that_came_with_the_stop_says_so(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    assert incident.started_at is not None
    late = incident.started_at + timedelta(seconds=30)
    warn(cast, starts_at=late, raised_at=late)
    assert "raised 30 s after it broke" in page(cast, browser)


@pytest.mark.parametrize(
    ("slug", "name"),
    [
        ("nvlink", "NVLink"),
        ("row-remap", "Row remap"),
        ("gpu-clock", "GPU clock"),
        ("presence of gpu", "Presence"),
    ],
)
def test_a_family_is_called_as_people_call_it(slug: str, name: str) -> None:
    assert family_name(slug) == name


def test_signals_of_one_family_stand_apart(cast: Cast, browser: Browser) -> None:
    warn(cast, is_page=False)
    assert "GPU 3 on gpu001" not in page(cast, browser)
    assert "GPU 3 on gpu001" in page(cast, browser, "?kind=signals")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1.9e9, "Hz", "1.90 GHz"),
        (0.933, "ratio", "93.3 %"),
        (0.126, "seconds", "126 ms"),
        (92.0, "°C", "92 °C"),
        (25e9, "bytes/s", "25 GB/s"),
        (79.0, "code", "79 code"),
        (0.0, "watts", "0 W"),
        (1234567.0, "packets", "1,234,567 packets"),
        (None, "Hz", ""),
        (1070.0, "MHz", "1.07 GHz"),
        (1.5, "GB/s", "1.50 GB/s"),
        (2500.0, "µs", "2.50 ms"),
        (1.0, "errors", "1 error"),
        (0.0, "rows", "0 rows"),
        (5.0, "operations/s", "5 operations/s"),
        (97.0, "percent", "97 %"),
        (3.0, "number", "3"),
    ],
)
def test_a_value_is_told_with_three_digits_a_prefix_and_its_unit(
    value: float | None, unit: str, text: str
) -> None:
    assert amount(value, unit) == text


def test_an_incident_tells_its_owner_of_metrics_what_warned_beforehand(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    assert incident.started_at is not None
    warn(cast, raised_at=incident.started_at - timedelta(minutes=40))
    place = f"incidents/{incident.public_id}/"
    operator = browser(cast.operator).get(f"/o/{cast.operator.slug}/{place}").content.decode()
    tenant = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/{place}").content.decode()
    assert "raised 40 min before it broke" in operator
    assert "Warned beforehand" not in tenant


def test_on_a_phone_what_speaks_for_a_warning_is_one_cell_beside_its_label(
    cast: Cast, browser: Browser
) -> None:
    warn(cast, is_fatal=True)
    cell = one_line(page(cast, browser)).partition('<td data-label="Evidence">')[2]

    assert cell.startswith('<span><span class="nowrap">')
    assert "with a fact that stops a part</small></span></td>" in cell


def test_a_tenant_reads_on_its_page_what_the_operator_shows_it(
    cast: Cast, browser: Browser
) -> None:
    warn(cast)
    rule = SharingRule(data="warnings:*", level=Level.FULL)
    agreed(cast.operator, cast.tenant, cast.cluster, terms={cast.operator.slug: [rule]})
    there = f"/o/{cast.tenant.slug}/warnings/"
    own = browser(cast.tenant).get(there).content.decode()
    shown = browser(cast.tenant).get(f"{there}?of=others").content.decode()

    assert "EP-1" not in own
    assert 'id="EP-1"' in shown
    assert "/explore/?signal=" not in shown
    assert f"shown by {cast.operator.name} (in full)" in one_line(shown)


def test_who_is_shown_nothing_reads_where_that_is_agreed(cast: Cast, browser: Browser) -> None:
    warn(cast)
    there = f"/o/{cast.tenant.slug}/warnings/?of=others"
    text = browser(cast.tenant).get(there).content.decode()

    assert "Nobody shows you any." in text
    assert f"/o/{cast.tenant.slug}/sharing/" in text


def test_an_incident_tells_what_others_saw_coming(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    assert incident.started_at is not None
    warn(cast, raised_at=incident.started_at - timedelta(minutes=40))
    rule = SharingRule(data="warnings:*", level=Level.FULL)
    agreed(cast.operator, cast.tenant, cast.cluster, terms={cast.operator.slug: [rule]})
    place = f"/o/{cast.tenant.slug}/incidents/{incident.public_id}/"
    text = one_line(browser(cast.tenant).get(place).content.decode())

    assert "raised 40 min before it broke" in text
    assert f"shown by {cast.operator.name} (in full)" in text
