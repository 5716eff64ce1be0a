"""What a verdict rests on stays readable when the rest went, and the verdict stays what it was."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from apps.fleet.models import Attempt
from apps.incidents.citations import is_closed
from apps.incidents.correlate import correlate_attempt
from apps.incidents.models import EvidenceItem, Incident
from apps.incidents.record import SETTLES_AFTER
from apps.telemetry.logs import lines_around
from apps.telemetry.models import Event, LogChunk
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests import make
from tests.api.receivers.pushing import Cast
from tests.api.receivers.pushing import cast as parties
from tests.apps.telemetry.ageing import EVENTS, RAW, come_in, retire, xid

AT = make.AT
NOISE = [f"2026-11-21T01:{n // 60:02}:{n % 60:02}+00:00 gpu001 kernel: usb {n}" for n in range(300)]
CRASH = "\n".join(
    f"[rank{rank}]: 2026-11-21 02:00:{rank + 10} torch.distributed.DistBackendError: NCCL error "
    "in: ProcessGroupNCCL.cpp:1333, remote process exited or there was a network error"
    for rank in range(8)
).split("\n")


@dataclass(frozen=True, kw_only=True)
class Story:
    """An attempt that died of a GPU, its incident, and who holds what."""

    people: Cast
    attempt: Attempt

    @property
    def everybody(self) -> tuple[int, ...]:
        """The parties that hold anything."""
        return self.people.operator.pk, self.people.tenant.pk

    def look(self, now: datetime) -> None:
        """Diagnose the attempt from what is stored."""
        correlate_attempt(owner_id=self.people.tenant.pk, attempt_id=self.attempt.pk, now=now)

    def incident(self) -> Incident:
        """Return what was concluded."""
        with organization_scope(*self.everybody):
            return Incident.objects.get()

    def retire(self, now: datetime) -> None:
        """Let the retention run over both."""
        for each in (self.people.operator, self.people.tenant):
            retire(each, now=now)


@pytest.fixture
def story(db: None) -> Story:
    """A session of the tenant on gpu001, whose kernel log the operator sent."""
    people = parties()
    make.agreed(organization=people.tenant, cluster=people.cluster)
    come_in(people.tenant, people.cluster, CRASH, at=AT, session="run-1", host="gpu001")
    kernel = [*NOISE, xid(5, AT), *(line.replace("usb", "eth") for line in NOISE)]
    come_in(people.operator, people.cluster, kernel, at=AT, stream="kernel", host="gpu001")
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.select_related("session").get()
    made = Story(people=people, attempt=attempt)
    made.look(AT + timedelta(seconds=5))
    made.look(AT + timedelta(seconds=5) + SETTLES_AFTER)
    return made


def cited(organization: Organization) -> dict[str, list[str]]:
    """Return each cited line with its neighbours, as its holder opens it."""
    actor = Actor(organization=organization, rights=frozenset({Right.READ}))
    with organization_scope(organization.pk):
        references = EvidenceItem.objects.exclude(reference="").values_list("reference", flat=True)
        opened = {}
        for reference in sorted(set(references)):
            stream, _, number = reference.removeprefix("stream:").partition("/")
            lines = lines_around(actor=actor, stream_id=int(stream), number=int(number), margin=10)
            opened[reference] = [line.text for line in lines]
        return opened


def test_citations_of_an_old_verdict_still_open(story: Story) -> None:
    before = cited(story.people.operator)
    assert any("fallen off the bus" in line for lines in before.values() for line in lines)
    assert all(len(lines) == 21 for lines in before.values())

    for later in (RAW, EVENTS, 2 * EVENTS):
        story.retire(AT + later)

        assert cited(story.people.operator) == before
    with organization_scope(*story.everybody):
        assert not LogChunk.objects.exists()
        assert Event.objects.count() > 0


def test_a_verdict_whose_facts_went_is_not_looked_at_again(story: Story) -> None:
    before = story.incident()
    story.retire(AT + 2 * EVENTS)

    story.look(AT + 2 * EVENTS)

    after = story.incident()
    assert (after.status, after.layer, after.cause, after.revision) == (
        *(before.status, before.layer, before.cause, before.revision),
    )
    assert before.layer == "gpu"


def test_while_its_facts_are_there_a_verdict_is_looked_at_again(story: Story) -> None:
    before = story.incident()
    late = AT + timedelta(days=3)
    with organization_scope(*story.everybody):
        Event.objects.filter(organization=story.people.operator).delete()

    story.look(late)

    assert story.incident().revision > before.revision
    assert not is_closed(incident=story.incident(), now=late)


def test_an_incident_that_has_not_settled_is_never_closed(story: Story) -> None:
    incident = story.incident()
    assert is_closed(incident=incident, now=AT + EVENTS)

    incident.settled_at = None

    assert not is_closed(incident=incident, now=AT + EVENTS)
