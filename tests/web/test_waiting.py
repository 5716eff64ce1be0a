"""What waits for the reader is said on its lists and on its first page."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.incidents.coordination.action_ids import action_id
from apps.incidents.entries import HandOverEntry, StepEntry
from apps.incidents.lifecycle.actions import set_action
from apps.incidents.lifecycle.hand_over import answer, propose
from apps.incidents.lifecycle.resolution import propose_resolution
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.incidents.projection.headers import read_header
from apps.incidents.states import ActionState, HandOverState
from apps.incidents.words.waiting import Waits, waiting_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor
from tests.web.conftest import Browser

NOW = make.AT + timedelta(minutes=5)


def waiting(who: Organization, incident: Incident) -> list[Waits]:
    """Return what waits for an organization."""
    with organization_scope(who.pk):
        found = access_incident(actor=actor(who), public_id=incident.public_id)
        header = read_header(actor=actor(who), incident=found)
        return [each.kind for each in waiting_of(header, now=NOW)]


def proposed(cast: Cast, incident: Incident) -> str:
    """Let the operator propose to hand over to the vendor."""
    with organization_scope(cast.operator.pk):
        asking = actor(cast.operator)
        found = access_incident(actor=asking, public_id=incident.public_id)
        entry = HandOverEntry(to=cast.vendor.slug, reason="your-layer")
        return propose(actor=asking, incident=found, entry=entry, now=make.AT)


def test_each_waits_for_what_is_asked_of_it(cast: Cast, incident: Incident) -> None:
    assert waiting(cast.operator, incident) == [Waits.ACTION]
    assert waiting(cast.vendor, incident) == []
    subject = proposed(cast, incident)
    assert waiting(cast.vendor, incident) == [Waits.HAND_OVER]
    with organization_scope(cast.vendor.pk):
        asking = actor(cast.vendor)
        found = access_incident(actor=asking, public_id=incident.public_id)
        answer(
            actor=asking, incident=found, subject=subject, state=HandOverState.INFORMATION_NEEDED,
            entry=StepEntry(text="which port?"), now=make.AT,
        )  # fmt: skip
    assert waiting(cast.vendor, incident) == []
    assert waiting(cast.operator, incident) == [Waits.INFORMATION, Waits.ACTION]


def test_an_action_waits_until_it_is_done_and_a_proposal_until_it_is_answered(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(cast.operator.pk):
        asking = actor(cast.operator)
        found = access_incident(actor=asking, public_id=incident.public_id)
        set_action(
            actor=asking, incident=found, subject=action_id(found.actions[0]),
            state=ActionState.DONE, entry=StepEntry(), now=make.AT,
        )  # fmt: skip
        fixed = StepEntry(reason="fixed")
        propose_resolution(actor=asking, incident=found, entry=fixed, now=make.AT)
    assert waiting(cast.operator, incident) == []
    assert waiting(cast.tenant, incident) == [Waits.RESOLUTION]
    # Who answers for the blamed layer may resolve it, too.
    assert waiting(cast.vendor, incident) == [Waits.RESOLUTION]


@pytest.mark.parametrize("path", ["", "incidents/"])
def test_pages_say_what_waits(path: str, cast: Cast, incident: Incident, browser: Browser) -> None:
    proposed(cast, incident)
    with organization_scope(*cast.ids):
        now = datetime.now(tz=UTC)  # noqa: TID251  the first page shows the last week
        Incident.objects.update(started_at=now, detected_at=now)
    text = browser(cast.vendor).get(f"/o/{cast.vendor.slug}/{path}").content.decode()
    assert "hand-over for you" in text
    assert path or "1 answer waited for" in " ".join(text.split())
