"""Several people press at the same moment: one act counts, the others read how it stands now."""

from collections import Counter
from collections.abc import Sequence
from threading import Barrier, Thread
from typing import Any, Final

import pytest
from django.db import connections
from django.test import Client

from apps.fleet.models import NodeExclusion
from apps.incidents.entries import HandOverEntry
from apps.incidents.lifecycle.hand_over import propose
from apps.incidents.models import Feedback, Incident, IncidentStep
from apps.incidents.projection.access import access_incident
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, stop_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
EACH: Final = 3  # people of a party
LATE: Final = "Somebody was faster"
Sent = tuple[Client, str, dict[str, Any]]  # who, where, what


@pytest.fixture
def stopped(cast: Cast) -> Incident:
    """Record a stop."""
    return stop_of(cast, attempt_of(cast, cast.tenant))


def people(browser: Browser, *parties: Organization) -> list[tuple[Client, str]]:
    """Sign in some of each party; return each with the address of its party's pages."""
    return [(browser(who), f"/o/{who.slug}/") for who in parties for _ in range(EACH)]


def press(sent: Sequence[Sent]) -> Counter[str]:
    """Send all at the same moment; count how each went: done, late, or the status of a refusal."""
    gate, ended = Barrier(len(sent)), list[str]()

    def run(client: Client, path: str, told: dict[str, Any]) -> None:
        try:
            gate.wait(20)
            answer = client.post(path, told, follow=True)
            page = answer.content.decode()
            is_late = LATE in page or "not open any more" in page
            ended.append(
                "late" if is_late else "done" if answer.status_code == 200 else str(answer)
            )
        except Exception as error:  # noqa: BLE001  it is what the test looks for
            ended.append(repr(error))
        finally:
            connections.close_all()

    threads = [Thread(target=run, args=each) for each in sent]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return Counter(ended)


def steps(cast: Cast, kind: str) -> list[str]:
    """Return the states of all steps of a kind, in order."""
    with organization_scope(*cast.ids):
        rows = IncidentStep.objects.filter(kind=kind).order_by("number", "id")
        return list(rows.values_list("state", flat=True))


def test_of_many_who_resolve_at_once_one_does(
    cast: Cast, stopped: Incident, browser: Browser
) -> None:
    sent: list[Sent] = [
        (who, f"{home}incidents/{stopped.public_id}/resolve/", {"reason": "fixed"})
        for who, home in people(browser, cast.tenant, cast.vendor)
    ]
    assert press(sent) == {"done": 1, "late": 2 * EACH - 1}
    assert steps(cast, "resolution") == ["resolved"]


def test_of_many_who_answer_a_hand_over_at_once_one_does(
    cast: Cast, stopped: Incident, browser: Browser
) -> None:
    with organization_scope(cast.operator.pk):
        asking = actor(cast.operator)
        subject = propose(
            actor=asking,
            incident=access_incident(actor=asking, public_id=stopped.public_id),
            entry=HandOverEntry(to=cast.vendor.slug, reason="your-layer", text="yours"),
            now=make.AT,
        )
    path = f"incidents/{stopped.public_id}/hand-overs/{subject}/"
    answers = ({"state": "accepted"}, {"state": "declined", "reason": "not-ours"})
    sent: list[Sent] = [
        (who, f"{home}{path}", answers[number % 2])
        for number, (who, home) in enumerate(people(browser, cast.vendor))
    ]
    sent += [
        (who, f"{home}{path}", {"state": "withdrawn"})
        for who, home in people(browser, cast.operator)
    ]
    assert press(sent) == {"done": 1, "late": 2 * EACH - 1}
    assert len(steps(cast, "hand-over")) == 2  # the proposal and its one answer


def test_of_many_of_one_party_who_judge_at_once_one_judgement_counts(
    cast: Cast, stopped: Incident, browser: Browser
) -> None:
    path = f"incidents/{stopped.public_id}/feedback/"
    said = ("right", "wrong")
    sent: list[Sent] = [
        (
            who,
            f"{home}{path}",
            {
                "judgement": said[number % 2],
                "revision": stopped.revision,
                "really": "network/link-down" if number % 2 else "",
            },
        )
        for number, (who, home) in enumerate(people(browser, cast.vendor))
    ]
    press(sent)
    with organization_scope(cast.vendor.pk):
        versions = list(Feedback.objects.order_by("id").values_list("version", flat=True))
    assert versions == list(range(1, len(versions) + 1))
    assert versions


@pytest.mark.parametrize("until", ["", "2099-01-01T14:00"])
def test_a_node_that_one_leaves_out_by_several_clicks_is_left_out_once(
    cast: Cast, stopped: Incident, browser: Browser, until: str
) -> None:
    ann, ben = browser(cast.operator), browser(cast.operator)
    path = f"/o/{cast.operator.slug}/nodes/{cast.cluster.slug}/gpu001/exclude/"
    told = {"reason": "Xid 79", "until": until}
    assert press([(ann, path, told)] * EACH) == {"done": EACH}
    assert _left_out(cast) == ["Xid 79"]
    press([(ben, path, {"reason": "NVLink", "until": until})])
    assert _left_out(cast) == ["NVLink", "Xid 79"]  # what another one says is kept beside it


def _left_out(cast: Cast) -> list[str]:
    with organization_scope(cast.operator.pk):
        return sorted(NodeExclusion.objects.values_list("reason", flat=True))


def test_who_presses_several_times_meets_no_error(
    cast: Cast, stopped: Incident, browser: Browser
) -> None:
    client = browser(cast.tenant)
    path = f"/o/{cast.tenant.slug}/incidents/{stopped.public_id}/acknowledge/"
    assert press([(client, path, {})] * EACH) == {"done": 1, "late": EACH - 1}
