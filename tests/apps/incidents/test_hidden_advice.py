"""Advice to a party from whom the culprit is hidden tells nothing of it: not its number either."""

from datetime import timedelta
from typing import Any

import pytest
from time_machine import TimeMachineFixture

from apps.incidents import words
from apps.incidents.models import Incident, IncidentParty
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.headers import read_header
from apps.notifications.payload import body_of, summary_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of

# What is concluded of the culprit decides the published advice: one host, none known, too many.
ONE = {"culprits": ["gpu001"], "advice": "restart-without", "exclude_hosts": ["gpu001"]}
NONE = {"culprits": [], "advice": "fix-first", "exclude_hosts": []}
MANY = {"culprits": [f"gpu{n:03}" for n in range(9)], "advice": "fix-first", "exclude_hosts": []}
OF_ONE = {"id", "title", "url", "started_at", "detected_at", "session", "sessions"}


@pytest.fixture
def cast(db: None) -> Cast:
    """The parties of a cluster."""
    return assemble()


def incidents(cast: Cast, **header: Any) -> list[Incident]:
    """Make a stop for each, which differ in what is known of the culprit alone."""
    found = []
    for known in (ONE, NONE, MANY):
        culprits = [{"kind": "gpu", "host": host, "name": None} for host in known["culprits"]]
        restart = {name: known[name] for name in ("advice", "exclude_hosts")}
        attempt = attempt_of(cast, cast.tenant)
        found.append(stop_of(cast, attempt, culprits=culprits, restart=restart, **header))
    with organization_scope(*cast.ids):
        IncidentParty.objects.filter(organization=cast.vendor).update(sees_culprit=False)
    return found


def header(who: Organization, incident: Incident) -> IncidentHeader:
    """Return the header as an organization reads it."""
    with organization_scope(who.pk):
        return read_header(actor=actor(who), incident=incident)


@pytest.mark.parametrize("end_state", ["failed", "finished"])
@pytest.mark.parametrize("status", ["likely", "possible"])
@pytest.mark.parametrize("kind", ["stop", "slow"])
def test_who_may_not_know_the_culprit_reads_the_same_whatever_it_is(
    cast: Cast, status: str, end_state: str, kind: str
) -> None:
    made = incidents(cast, verdict_status=status, end_state=end_state)
    for each in made:
        each.kind = kind
    hidden = {words.restart(header(cast.vendor, each)) for each in made}
    open_ = {words.restart(header(cast.operator, each)) for each in made}
    assert len(hidden) == 1
    assert "hidden from you by policy" in next(iter(hidden))
    assert len(open_) > 1


def test_what_rest_and_webhooks_send_does_not_differ_either(
    cast: Cast, time_machine: TimeMachineFixture
) -> None:
    time_machine.move_to(make.AT + timedelta(hours=1), tick=False)  # how long it is held is told
    made = incidents(cast)
    sent, told = [], []
    for each in made:
        answer = member(cast.vendor).get(f"incidents/{each.public_id}/").json()
        sent.append({name: value for name, value in answer.items() if name not in OF_ONE})
        read = header(cast.vendor, each)
        with organization_scope(cast.vendor.pk):
            body = body_of(header=read, summary=summary_of(header=read))
        told.append({name: value for name, value in body.items() if name not in OF_ONE})
    assert sent[0] == sent[1] == sent[2]
    assert told[0] == told[1] == told[2]
    assert sent[0]["restart"]["advice"] == "restart-without"
    assert sent[0]["restart"]["exclude_hosts"] is None


@pytest.mark.parametrize(
    ("concluded", "needed"),
    [
        ({"end_state": "failed"}, True),
        ({"end_state": "finished"}, False),
        ({"end_state": "running", "kind": "slow", "restart": {"advice": "unknown"}}, None),
    ],
)
def test_rest_and_webhooks_say_whether_it_has_to_be_started_again_at_all(
    cast: Cast, concluded: dict[str, Any], *, needed: bool | None
) -> None:
    stop = stop_of(cast, attempt_of(cast, cast.tenant), **concluded)
    sent = member(cast.tenant).get(f"incidents/{stop.public_id}/").json()
    read = header(cast.tenant, stop)
    with organization_scope(cast.tenant.pk):
        body = body_of(header=read, summary=summary_of(header=read))
    assert (sent["restart"]["needed"], body["restart"]["needed"]) == (needed, needed)


def test_the_sentence_follows_from_what_is_sent_beside_it(cast: Cast) -> None:
    for each in incidents(cast):
        for who in (cast.vendor, cast.operator, cast.tenant):
            read = header(who, each)
            with organization_scope(who.pk):
                body = body_of(header=read, summary=summary_of(header=read))
            assert words.restart_retold(body) == words.restart(read)
