"""What stands around an incident on its timeline: saves, nodes left out, states of the verdict."""

from datetime import datetime, timedelta

import pytest

from apps.fleet.models import NodeExclusion
from apps.incidents.models import Incident
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, Place, SharingRule
from apps.telemetry.models import LoggedCheckpoints
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import address, page

pytestmark = pytest.mark.django_db


def left_out(
    cast: Cast, host: str, at: datetime, *, reason: str = "OPERATOR-REASON", hours: float = 1
) -> None:
    """Write down that the operator drained a node."""
    with organization_scope(*cast.ids):
        NodeExclusion.objects.create(
            organization=cast.operator,
            cluster=cast.cluster,
            host=host,
            kind="drain",
            starts_at=at,
            ends_at=at + timedelta(hours=hours),
            standing="asserted",
            reason=reason,
            received_at=at,
        )


def saved(owner: Organization, incident: Incident, at: datetime) -> None:
    """Keep a save that logs of the incident's session tell."""
    with organization_scope(owner.pk):
        assert incident.attempt is not None
        ended = at + timedelta(seconds=75)
        LoggedCheckpoints.objects.create(
            organization=owner,
            session=incident.attempt.session,
            starts_at=at,
            ends_at=ended,
            body=[[1, "save", at.isoformat(), ended.isoformat(), 1200, False, True]],
        )


def test_a_save_is_a_band_with_its_name_and_length(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    saved(cast.tenant, incident, make.AT - timedelta(minutes=5))
    text = page(browser(cast.tenant), cast.tenant, incident, "?span=30m")
    assert '<text class="band-name"' in text
    assert "step 1,200, 1 min 15 s, told by its logs" in text


def test_a_save_of_a_tenant_is_no_band_of_others(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    saved(cast.tenant, incident, make.AT - timedelta(minutes=5))
    for other in (cast.operator, cast.vendor):
        response = browser(other).get(address(other, incident) + "?span=30m")
        assert "step 1,200" not in response.content.decode()
        assert "band-name" not in response.content.decode()


@pytest.mark.parametrize(
    ("data", "level", "is_shown"),
    [
        ("logs:session", Level.SIGNAL, True),
        ("logs:session", Level.REDACTED, True),
        ("sessions", Level.FULL, True),
        ("sessions", Level.SIGNAL, False),
        ("logs:kernel", Level.FULL, False),
        ("logs:session", Level.NONE, False),
    ],
)
def test_a_save_of_a_tenant_is_a_band_without_its_name_where_its_agreement_shows_it(
    cast: Cast, incident: Incident, browser: Browser, *, data: str, level: Level, is_shown: bool
) -> None:
    saved(cast.tenant, incident, make.AT - timedelta(minutes=5))
    rule = SharingRule(data=data, level=level, where=Place.INCIDENTS)
    agreed(cast.tenant, cast.operator, cast.cluster, terms={cast.tenant.slug: [rule]})
    response = browser(cast.operator).get(address(cast.operator, incident) + "?span=30m")
    text = response.content.decode()
    assert ("band-name" in text) is is_shown
    assert "step 1,200" not in text
    third = browser(cast.vendor).get(address(cast.vendor, incident) + "?span=30m")
    assert "band-name" not in third.content.decode()
    with organization_scope(cast.tenant.pk):
        classes = {each["data"] for row in LedgerEntry.objects.all() for each in row.shown}
    assert (data in classes) is is_shown


def test_as_a_signal_a_save_of_others_has_its_minutes_alone(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    saved(cast.tenant, incident, make.AT - timedelta(minutes=5, seconds=17))
    rule = SharingRule(data="logs:session", level=Level.SIGNAL, where=Place.INCIDENTS)
    agreed(cast.tenant, cast.operator, cast.cluster, terms={cast.tenant.slug: [rule]})
    text = page(browser(cast.operator), cast.operator, incident, "?span=30m")
    assert f"told by {cast.tenant.name}: in these minutes" in text
    assert "1 min 15 s" not in text


def test_a_save_far_from_the_incident_is_shown_to_nobody_by_its_rule(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    saved(cast.tenant, incident, make.AT - timedelta(minutes=55))
    rule = SharingRule(data="logs:session", level=Level.FULL, where=Place.INCIDENTS)
    agreed(cast.tenant, cast.operator, cast.cluster, terms={cast.tenant.slug: [rule]})
    text = page(browser(cast.operator), cast.operator, incident, "?span=6h")
    assert "band-name" not in text


def test_a_drain_of_the_blamed_node_stands_on_the_lane_of_changes(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    left_out(cast, "gpu001", make.AT + timedelta(minutes=3))
    text = page(browser(cast.operator), cast.operator, incident, "?span=30m")
    assert 'data-lane="changes"' in text
    assert "gpu001: drained" in text
    assert "OPERATOR-REASON" in text


def test_a_tenant_reads_that_it_was_drained_and_not_why(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    left_out(cast, "gpu001", make.AT + timedelta(minutes=3))
    text = page(browser(cast.tenant), cast.tenant, incident, "?span=30m")
    assert "gpu001: drained" in text
    assert "by whom and why is hidden by policy" in text
    assert "OPERATOR-REASON" not in text


def test_nodes_that_it_does_not_concern_are_left_out(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    left_out(cast, "gpu055", make.AT + timedelta(minutes=3))
    text = page(browser(cast.operator), cast.operator, incident, "?span=30m")
    assert "gpu055" not in text
    assert 'data-lane="changes"' not in text


def test_a_drain_two_days_before_stands_at_the_edge(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    left_out(cast, "gpu001", make.AT - timedelta(hours=41))
    text = page(browser(cast.operator), cast.operator, incident, "?span=30m")
    assert "41 h 00 min earlier: gpu001: drained" in text


def test_an_outsider_reads_none_of_it(cast: Cast, incident: Incident, browser: Browser) -> None:
    left_out(cast, "gpu001", make.AT)
    client = browser(cast.stranger)
    assert client.get(address(cast.stranger, incident)).status_code == 404


def test_a_contested_verdict_is_drawn_from_when_it_was_contested(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    vendor = browser(cast.vendor)
    form = {"judgement": "wrong", "revision": "1", "really": "network/link-down"}
    vendor.post(f"{address(cast.vendor, incident)}feedback/", form)
    for reader in (cast.vendor, cast.tenant):
        text = page(browser(reader), reader, incident, "?span=all")
        assert "layer-contested" in text
        assert f"Contested by {cast.vendor.name}" in text


def test_a_verdict_that_nobody_contested_has_no_such_mark(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    assert "layer-contested" not in page(browser(cast.tenant), cast.tenant, incident, "?span=all")


def test_no_window_that_its_reader_draws_tells_the_second_of_a_signal(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    at = (make.AT - timedelta(hours=3)).replace(second=0)
    saved(cast.tenant, incident, at + timedelta(seconds=30))
    rule = SharingRule(data="logs:session", level=Level.SIGNAL)
    agreed(cast.tenant, cast.operator, cast.cluster, terms={cast.tenant.slug: [rule]})
    reader = browser(cast.operator)

    def is_told(*, after: int) -> bool:
        first = int(at.timestamp()) + after
        text = reader.get(address(cast.operator, incident) + f"?span={first}-{first + 60}")
        return f"told by {cast.tenant.name}: in these minutes" in text.content.decode()

    # It was over after 105 s, and its reader is shown the two minutes.
    assert [is_told(after=seconds) for seconds in (100, 110)] == [True, True]
